package golden

import (
	"reflect"
	"testing"
)

// reading is a text in some format and what must be read.
type reading struct {
	name   string
	text   string
	format Format // what must be detected; Auto for what cannot be
	want   []Query
	set    string   // its name
	notes  []string // without "f: "
	opts   Options
}

// mustRead reads each text as what it is, and once more with its format named.
func mustRead(t *testing.T, rows []reading) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got, err := detect("f", []byte(row.text)); got != row.format || err != nil {
				t.Errorf("detect = %s, %v, want %s", got, err, row.format)
			}
			for i := range row.want {
				if row.want[i].Weight == 0 {
					row.want[i].Weight = 1
				}
			}
			for _, format := range []Format{FormatAuto, row.format} {
				row.opts.Format, row.opts.TextOptional = format, true
				set, err := Parse("f", []byte(row.text), row.opts)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(set.Queries, row.want) || set.Name != row.set {
					t.Errorf("%s: the set %q with\n%+v, want %q with\n%+v", format, set.Name, set.Queries, row.set, row.want)
				}
				var notes []string
				for _, note := range row.notes {
					notes = append(notes, "f: "+note)
				}
				if !reflect.DeepEqual(set.Notes, notes) {
					t.Errorf("%s: notes %q, want %q", format, set.Notes, notes)
				}
			}
		})
	}
}

// refusing is a text and what must be said about it, without "f: ".
type refusing struct {
	name, text string
	want       string
	opts       Options
}

func mustRefuse(t *testing.T, format Format, rows []refusing) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if row.opts.Format == "" {
				row.opts.Format = format
			}
			set, err := Parse("f", []byte(row.text), row.opts)
			if err == nil || err.Error() != "f: "+row.want || set != nil {
				t.Errorf("Parse = %+v,\n%v, want\nf: %s", set, err, row.want)
			}
		})
	}
}

// judged are judgments without a basis: "d", 3, "e", 0.
func judged(idsAndGrades ...any) []Judgment {
	var judgments []Judgment
	for i := 0; i < len(idsAndGrades); i += 2 {
		grade, _ := idsAndGrades[i+1].(int)
		id, _ := idsAndGrades[i].(string)
		judgments = append(judgments, Judgment{DocID: id, Grade: float64(grade)})
	}
	return judgments
}
