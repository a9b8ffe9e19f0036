package golden

import "testing"

func TestValidate(t *testing.T) {
	query := func(id string, grades ...float64) Query {
		q := Query{ID: id}
		for _, grade := range grades {
			q.Judgments = append(q.Judgments, Judgment{Grade: grade})
		}
		return q
	}
	negative := Query{ID: "n", ExpectNoResults: true}
	for _, row := range []struct {
		name         string
		queries      []Query
		relevantFrom float64
		want         string
	}{
		{"every query has a relevant document", []Query{query("a", 0, 1), query("b", 3), negative}, 1, ""},
		{"equality is enough", []Query{query("a", 2)}, 2, ""},
		{"a query without judgments", []Query{query("a"), query("b", 1)}, 1,
			`f: query "a" has no judgment with a grade of 1 or more; add one to each, or set expectNoResults where nothing should be found`},
		{"a grade below the threshold", []Query{query("a", 2), query("b", 1)}, 2,
			`f: query "b" has no judgment with a grade of 2 or more; add one to each, or set expectNoResults where nothing should be found`},
		{"a gain of 0 is none, whatever the threshold", []Query{query("a", 0)}, 0,
			`f: query "a" has no judgment with a grade above 0; add one to each, or set expectNoResults where nothing should be found`},
		{"five ids are listed", []Query{query("a"), query("b"), query("c"), query("d"), query("e")}, .5,
			`f: queries "a", "b", "c", "d", "e" have no judgment with a grade of 0.5 or more; add one to each, or set expectNoResults where nothing should be found`},
		{"the others are counted", []Query{query("a"), query("b"), query("c"), query("d"), query("e"), query("f"), query("g")}, 1,
			`f: queries "a", "b", "c", "d", "e" and 2 more have no judgment with a grade of 1 or more; add one to each, or set expectNoResults where nothing should be found`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			if err := (&Set{Queries: row.queries}).Validate("f", row.relevantFrom); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("Validate: %s, want\n%s", got, row.want)
			}
		})
	}
}
