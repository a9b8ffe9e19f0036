package golden

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// sources are files f1, f2 and so on.
func sources(texts ...string) []Source {
	var files []Source
	for i, text := range texts {
		files = append(files, Source{Name: "f" + string(rune('1'+i)), Raw: []byte(text)})
	}
	return files
}

func TestParseFiles(t *testing.T) {
	article := `{"culture":"es","queries":[{"query":"b","judgments":[{"externalId":"d","relevance":2}]}]}`
	set, err := ParseFiles(sources(`{"name":"first","queries":[{"id":"a","query":"a","judgments":[{"id":"d","grade":1}]}]}`, article), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Set{Name: "first", Queries: []Query{
		{ID: "a", Text: "a", Weight: 1, Judgments: []Judgment{{DocID: "d", Grade: 1}}},
		{ID: "q-3e23e81600", Text: "b", Weight: 1, Judgments: []Judgment{{DocID: "d", Grade: 2}}},
	}}
	if !reflect.DeepEqual(set, want) {
		t.Errorf("ParseFiles = %+v, want %+v", set, want)
	}
	for _, row := range []struct {
		name  string
		files []Source
		opts  Options
		want  string
	}{
		{"a query in two files", sources(gates(`{"id":"a","query":"a"}`), gates(`{"query":"b"}`, `{"id":"a","query":"a"}`)), Options{},
			`f2: line 3: query "a" stands twice (first in f1, line 2); keep one of the two, or give each an id of its own`},
		{"a fault in the second file", sources(gates(`{"query":"a"}`), "{"), Options{},
			"f2: line 1, column 2: it is not JSON: unexpected end of JSON input; correct the text there"},
		{"nothing in either", sources(`{"queries":[]}`, `{"queries":[]}`), Options{},
			"f1: the golden set holds no queries; write at least one with its judgments"},
		{"too large together", sources(gates(`{"query":"a"}`), gates(`{"query":"b"}`)), Options{MaxBytes: 59},
			"f2: it is larger than 0 MiB when unpacked; split the golden set"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if set, err := ParseFiles(row.files, row.opts); err == nil || err.Error() != row.want || set != nil {
				t.Errorf("ParseFiles = %v, %v, want\n%s", set, err, row.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	files := sources(gates(judges("\n{\"id\":\"d\",\"grade\":1},\n{\"id\":\"e\",\"grade\":1}")), gates(`{"query":"b"}`, `{"query":"c","judgments":[{"id":"d","grade":1}]}`))
	set, err := ParseFiles(files, Options{Places: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ got, want Place }{
		{set.QueryPlace(0), Place{"f1", 2}},
		{set.JudgmentPlace(0, 0), Place{"f1", 3}},
		{set.JudgmentPlace(0, 1), Place{"f1", 4}},
		{set.QueryPlace(1), Place{"f2", 2}},
		{set.QueryPlace(2), Place{"f2", 3}},
		{set.JudgmentPlace(2, 0), Place{"f2", 3}},
	} {
		if row.got != row.want {
			t.Errorf("place %+v, want %+v", row.got, row.want)
		}
	}
	if set, err = ParseFiles(files, Options{}); err != nil || set.QueryPlace(0) != (Place{}) || set.JudgmentPlace(0, 0) != (Place{}) {
		t.Errorf("places are kept though nobody asked: %+v, %v", set, err)
	}
}

// TestProblems makes sure that who asks for problems is told all of them, and gets a set that holds the rules.
func TestProblems(t *testing.T) {
	text := gates(
		judges(`{"id":"d","grade":1},{"id":"d","grade":1},{"id":"e","grade":2},{"id":"e","grade":0},{"id":"f","grade":-1},{"id":"g","grade":9},{"id":"d","grade":1}`),
		`{"id":"q","query":"again"}`,
		`{"id":"n","query":"b","expectNoResults":true,"judgments":[{"id":"d","grade":1}]}`,
	)
	var got []Problem
	set, err := Parse("f", []byte(text), Options{MaxGrade: 3, Problems: func(p Problem) { got = append(got, p) }})
	if err != nil {
		t.Fatal(err)
	}
	two, three, four := Place{"f", 2}, Place{"f", 3}, Place{"f", 4}
	want := []Problem{
		{RuleGradeOutOfScale, two, "q", "", `the grade -1 of query "q" is negative; write 0 for a document that is not relevant, or remove the judgment`},
		{RuleGradeOutOfScale, two, "q", "", `the grade 9 of query "q" is above maxGrade 3; correct it, or declare a higher maxGrade`},
		{RuleDuplicateQuery, three, "q", "", `query "q" stands twice (first on line 2); keep one of the two, or give each an id of its own`},
		{RuleDuplicateJudgment, two, "q", "d", `query "q" judges document "d" twice (first on line 2); keep one of the two`},
		{RuleDuplicateJudgment, two, "q", "d", `query "q" judges document "d" twice (first on line 2); keep one of the two`},
		{RuleConflictingJudgments, two, "q", "e", `query "q" judges document "e" as 0 and as 2 (first on line 2); keep one of the two`},
		{RuleNegativeIsRelevant, four, "n", "d", `query "n" expects no results, yet document "d" is relevant to it; remove one of the two`},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("problems:\n%+v, want\n%+v", got, want)
	}
	judgments := []Judgment{{DocID: "d", Grade: 1}, {DocID: "e", Grade: 2}, {DocID: "g", Grade: 9}}
	if len(set.Queries) != 2 || !reflect.DeepEqual(set.Queries[0].Judgments, judgments) {
		t.Errorf("the set is %+v", set.Queries)
	}
}

func TestNotes(t *testing.T) {
	decomposed := gates(`{"query":"b"}`, "{\"query\":\"cafe\u0301\"}", "{\"query\":\"te\u0301\"}")
	set, err := ParseFiles(sources("\xef\xbb\xbf"+gates(`{"query":"a"}`), decomposed, "query,docid,rating\nn\u0303,d,1\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const accents = "query texts that are not in Unicode's normal form C, searched as they are written"
	want := []string{
		"f1: it begins with a byte order mark, which is passed over",
		"f2: " + accents + ": 2 (first on line 3)",
		"f3: " + accents + ": 1 (first on line 2)",
	}
	if !reflect.DeepEqual(set.Notes, want) {
		t.Errorf("notes: %q, want %q", set.Notes, want)
	}
	many := `{"case_name":"c","queries":[{"query_text":"a"}]`
	for i := range 2 * maxNoted {
		many += fmt.Sprintf(`,"field%d":1`, i)
	}
	if set, err = Parse("f", []byte(many+"}"), Options{}); err != nil || len(set.Notes) != 1 || !strings.HasSuffix(set.Notes[0], `"field19", …`) {
		t.Errorf("notes: %v, %v", set, err)
	}
}

func TestReadFormat(t *testing.T) {
	if format, err := ReadFormat("aRTICLE"); format != FormatArticle || err != nil {
		t.Errorf("ReadFormat = %q, %v", format, err)
	}
	if _, err := ReadFormat("yaml"); err == nil || !strings.Contains(err.Error(), `"yaml" is not known; use Auto, Gate`) {
		t.Errorf("ReadFormat: %v", err)
	}
}

// TestIdsShareTheirMemory makes sure that what comes again is kept once, and that what comes once is not mixed up.
func TestIdsShareTheirMemory(t *testing.T) {
	var i interner
	long := strings.Repeat("x", 2*arenaChunk)
	for _, s := range []string{"", "a", "b", long, "c", strings.Repeat("y", arenaChunk)} {
		if got := i.once([]byte(s)); got != s {
			t.Errorf("once(%.9q) = %.9q", s, got)
		}
	}
	again := []byte("a")
	if allocated := testing.AllocsPerRun(100, func() { i.once(again) }); allocated > 0 {
		t.Errorf("a string that is known takes %v allocations", allocated)
	}
	for n := range 3 * maxInterned {
		s := string(rune('A'+n%26)) + strings.Repeat("z", n%7) + string(rune(0x4e00+n%20000))
		if got := i.once([]byte(s)); got != s {
			t.Fatalf("once(%q) = %q", s, got)
		}
	}
	if len(i.kept) > maxInterned {
		t.Errorf("%d strings are kept", len(i.kept))
	}
}

func TestBasesShareTheirMemory(t *testing.T) {
	judgment := func(id string) string { return `{"id":"` + id + `","grade":1,"judge":"ana","at":"2026-03-01"}` }
	set, err := Parse("f", []byte(gates(judges(judgment("a")+","+judgment("b")))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := set.Queries[0].Judgments
	if j[0].Basis != j[1].Basis || j[0].Said() != (Basis{Judge: "ana", At: "2026-03-01"}) || (Judgment{}).Said() != (Basis{}) {
		t.Errorf("judgments %+v", j)
	}
}

// What a table says of a query stands, whichever file is read first.
func TestATableKeepsWhatItSaysOfAQuery(t *testing.T) {
	const table = "query_id,doc_id,grade,weight,segments,expect_no_results\nq1,d1,3,50,head,false\nq2,d1,0,1,,true\n"
	const topics = "q1\tred shoes\nq2\tbananas\n"
	for name, files := range map[string][]Source{"the table first": sources(table, topics), "the topics first": sources(topics, table)} {
		t.Run(name, func(t *testing.T) {
			set, err := ParseFiles(files, Options{})
			if name == "the topics first" {
				if err == nil {
					t.Fatal("a weight that differs is taken")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first, second := set.Queries[0], set.Queries[1]
			if first.Text != "red shoes" || first.Weight != 50 || !reflect.DeepEqual(first.Segments, []string{"head"}) || first.ExpectNoResults {
				t.Errorf("q1 is %+v", first)
			}
			if second.Text != "bananas" || second.Weight != 1 || !second.ExpectNoResults {
				t.Errorf("q2 is %+v", second)
			}
		})
	}
	files := sources(table, gates(`{"id":"q1","query":"red shoes","weight":20}`, `{"id":"q2","query":"bananas"}`))
	if _, err := ParseFiles(files, Options{}); err == nil || !strings.Contains(err.Error(), `query "q1" has other params, segments, another weight`) {
		t.Errorf("two weights: %v", err)
	}
}

// A misspelt column would leave every query at its default.
func TestMisspeltColumnsAreRefused(t *testing.T) {
	for header, want := range map[string]string{
		"query,doc_id,grade,wieght":            `f1: line 1: the column "wieght" is not known, but close to weight; write that, or rename the column`,
		"query,doc_id,grade,expect_no_result":  `close to expectnoresults`,
		"query,doc_id,score":                   `no column holds the grades; call it grade or rating`,
		"query,doc_id,grade,price,description": "",
	} {
		_, err := ParseFiles(sources(header+"\na,d,1,1,1\n"), Options{})
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", header, err, want)
		}
		if want == "" && err != nil {
			t.Errorf("%s: %v", header, err)
		}
	}
}
