package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
)

// linted are the findings about the lines of a JSONL file called f, as "line rule query/document: message".
func linted(t *testing.T, text string, opts Options) []string {
	t.Helper()
	set, problems := read(t, text)
	var lines []string
	for _, f := range Run(set, problems, opts) {
		if f.Place.File != "f" {
			t.Errorf("a finding is in the file %q", f.Place.File)
		}
		lines = append(lines, fmt.Sprintf("%d %s %s/%s: %s", f.Place.Line, f.Rule, f.Query, f.Document, f.Message))
	}
	return lines
}

func read(t *testing.T, text string) (*golden.Set, []golden.Problem) {
	t.Helper()
	var problems []golden.Problem
	set, err := golden.Parse("f", []byte(text), golden.Options{Places: true, MaxGrade: 3, Problems: func(p golden.Problem) { problems = append(problems, p) }})
	if err != nil {
		t.Fatal(err)
	}
	return set, problems
}

// query is a line with a query and its judgments.
func query(id, text, judgments string) string {
	return fmt.Sprintf("{\"id\":%q,\"query\":%q,\"judgments\":[%s]}\n", id, text, judgments)
}

// judgment is one with a reason.
func judgment(doc string, grade int) string {
	return fmt.Sprintf(`{"id":%q,"grade":%d,"why":"w"}`, doc, grade)
}

// good is what no rule finds anything wrong with.
var good = query("good", "red shoe", judgment("d", 3)+","+judgment("e", 0)) + query("fine", "green hat", judgment("d", 0)+","+judgment("e", 2))

func TestRules(t *testing.T) {
	baseline, _ := read(t, good+query("old", "blue sock", judgment("d", 1)))
	many := func(grades ...int) string {
		var judgments []string
		for i, grade := range grades {
			judgments = append(judgments, judgment(fmt.Sprintf("d%d", i), grade))
		}
		return strings.Join(judgments, ",")
	}
	seen := map[string]bool{}
	for _, row := range []struct {
		name, text string
		opts       Options
		want       []string
	}{
		{"nothing", good, Options{RelevantFrom: 2, K: 2}, nil},
		{"nothing against a baseline and an index", good, Options{Baseline: mustRead(t, good), Index: "i", Missing: map[string]bool{}}, nil},

		{"an id twice", good + query("good", "blue sock", judgment("d", 1)+","+judgment("e", 0)), Options{}, []string{
			`3 duplicate-query good/: query "good" stands twice (first on line 1); keep one of the two, or give each an id of its own`}},
		{"a text twice", good + query("again", "red shoe", judgment("d", 3)+","+judgment("f", 0)), Options{}, []string{
			`3 duplicate-query again/: queries "good" (line 1) and "again" have the same text; keep one of the two`}},
		{"a text twice with other parameters", good + `{"id":"again","query":"red shoe","params":{"lang":"es"},"judgments":[` + judgment("d", 3) + "," + judgment("f", 0) + "]}\n", Options{}, nil},
		{"a text in another order and case", good + query("near", "Shoe, RÉD!", judgment("d", 3)+","+judgment("e", 1)) + query("near2", "shoe red", judgment("d", 3)+","+judgment("e", 0)), Options{}, []string{
			`3 near-duplicate-query near/: queries "good" (line 1) and "near" differ only in case, accents, punctuation or the order of words; keep one of the two`,
			`3 near-duplicate-query near/e: queries "good" and "near" differ only in case, accents, punctuation or the order of words, yet document "e" is 0 for the one and 1 for the other; decide for one grade`,
			`4 near-duplicate-query near2/: queries "good" (line 1) and "near2" differ only in case, accents, punctuation or the order of words; keep one of the two`}},
		{"texts without words", good + query("a", "++", judgment("d", 3)+","+judgment("e", 0)) + query("b", "--", judgment("d", 3)+","+judgment("e", 0)), Options{}, nil},
		{"marks that are no accents make other words", good + query("crow", "カラス", judgment("d", 3)+","+judgment("e", 0)) + query("glass", "ガラス", judgment("d", 0)+","+judgment("e", 3)) +
			query("drink", "पिना", judgment("d", 3)+","+judgment("e", 0)) + query("drink2", "पीना", judgment("d", 0)+","+judgment("e", 3)), Options{}, nil},
		{"a document twice", good + query("q", "x", judgment("d", 1)+","+judgment("d", 1)+","+judgment("e", 0)), Options{}, []string{
			`3 duplicate-judgment q/d: query "q" judges document "d" twice (first on line 3); keep one of the two`}},
		{"a document with two grades", good + query("q", "x", judgment("d", 1)+","+judgment("d", 2)+","+judgment("e", 0)), Options{}, []string{
			`3 conflicting-judgments q/d: query "q" judges document "d" as 2 and as 1 (first on line 3); keep one of the two`}},
		{"grades outside the scale", good + query("q", "x", judgment("d", 4)+","+judgment("f", -1)+","+judgment("e", 0)), Options{}, []string{
			`3 grade-out-of-scale q/: the grade 4 of query "q" is above maxGrade 3; correct it, or declare a higher maxGrade`,
			`3 grade-out-of-scale q/: the grade -1 of query "q" is negative; write 0 for a document that is not relevant, or remove the judgment`}},
		{"a negative with a relevant document", good + `{"id":"n","query":"x","expectNoResults":true,"judgments":[` + judgment("d", 1) + "]}", Options{}, []string{
			`3 negative-is-relevant n/d: query "n" expects no results, yet document "d" is relevant to it; remove one of the two`}},
		{"a judged query without a text", good + `{"query_id":"t","doc_id":"d","grade":1,"why":"w"}` + "\n" + `{"query_id":"t","doc_id":"e","grade":0,"why":"w"}`, Options{}, []string{
			`3 missing-text t/: query "t" is judged, but no file tells its text, so it cannot be searched; add the file with the queries`}},

		{"no relevant document", good + query("q", "x", judgment("d", 0)) + query("r", "y", ""), Options{}, []string{
			`3 no-relevant-document q/: query "q" has no judgment with a grade of 1 or more; add one, or set expectNoResults where nothing should be found`,
			`4 no-relevant-document r/: query "r" has no judgment with a grade of 1 or more; add one, or set expectNoResults where nothing should be found`}},
		{"a threshold that no document reaches", good, Options{RelevantFrom: 3}, []string{
			`2 no-relevant-document fine/: query "fine" has no judgment with a grade of 3 or more; add one, or set expectNoResults where nothing should be found`}},
		{"some reasons", good + query("q", "x", `{"id":"d","grade":1,"why":"w"},{"id":"e","grade":0,"why":" "},{"id":"f","grade":0}`), Options{}, []string{
			`3 missing-reason q/e: query "q" has 2 of 3 judgments without a reason, the first of document "e"; write it`}},
		{"no reasons at all", query("q", "x", `{"id":"d","grade":1},{"id":"e","grade":0}`), Options{}, []string{
			`1 missing-reason /: none of the 2 judgments says why; write reasons, so that the judgments can be checked`}},
		{"one grade in a query", good + query("q", "x", judgment("d", 1)+","+judgment("e", 1)) + query("one", "y", judgment("d", 1)), Options{}, []string{
			`3 one-grade q/: query "q" gives all its 2 documents the grade 1; judge documents that are better or worse too`}},
		{"one grade in a negative", good + `{"id":"n","query":"x","expectNoResults":true,"judgments":[` + judgment("d", 0) + "," + judgment("e", 0) + "]}", Options{}, nil},
		{"one grade in the set", query("q", "x", judgment("d", 1)+","+judgment("e", 1)) + query("r", "y", judgment("d", 1)), Options{}, []string{
			`1 one-grade /: all 3 judgments have the same grade; judge documents that are better or worse too`}},
		{"many ties", query("q", "x", many(1, 1, 1, 1, 1, 0)), Options{}, []string{
			`1 tied-judgments /: of 10 pairs of relevant documents of a query 10 have the same grade, so graded metrics tell little more than which documents are relevant`}},
		{"few ties", query("q", "x", many(1, 1, 1, 1, 1, 2, 0)), Options{}, nil},
		{"few pairs", query("q", "x", many(1, 1, 1, 1, 0)), Options{}, nil},
		{"a metric that looks deeper", good + query("q", "x", judgment("d", 3)) + "{\"id\":\"n\",\"query\":\"y\",\"expectNoResults\":true}\n", Options{K: 3}, []string{
			`3 shallow-judgments /: k is 3, but 3 of 3 queries have fewer judged documents, query "q" only 1; judge more, or use a smaller k`}},
		{"a weight that decides", good + `{"id":"q","query":"x","weight":2.5,"judgments":[` + judgment("d", 3) + "," + judgment("e", 0) + "]}", Options{}, []string{
			`3 dominant-query q/: query "q" has 56 % of all weight, more than the others together; give it less, or add queries`}},
		{"a weight of just half", good + `{"id":"q","query":"x","weight":2,"judgments":[` + judgment("d", 3) + "," + judgment("e", 0) + "]}", Options{}, nil},
		{"one query alone", query("q", "x", judgment("d", 3)+","+judgment("e", 0)), Options{}, nil},
		{"documents that are not there", good, Options{Index: "products-v2", Missing: map[string]bool{"e": true}}, []string{
			`1 missing-document good/e: index products-v2 lacks 1 of the 2 documents that query "good" judges, the first is "e"; remove them, or index them`,
			`2 missing-document fine/e: index products-v2 lacks 1 of the 2 documents that query "fine" judges, the first is "e"; remove them, or index them`}},
		{"no document is there", good, Options{Index: "products-v2", Missing: map[string]bool{"d": true, "e": true}}, []string{
			`1 missing-document /: index products-v2 has none of the 2 judged documents; make sure that the field of the ids is right`}},
		{"what the baseline judged", query("good", "red shoe", judgment("d", 3)+","+judgment("f", 0)) + query("fine", "green hat", judgment("d", 0)+","+judgment("e", 2)), Options{Baseline: baseline}, []string{
			`1 vanished-judgment good/e: query "good" no longer judges 1 of the 2 documents of the baseline, the first is "e"`,
			`1 vanished-judgment old/: query "old" of the baseline is gone, and with it 1 judgments`}},
		{"accents as characters of their own", good + query("q", "cafe\u0301", judgment("d", 1)+","+judgment("n\u0303", 0)), Options{}, []string{
			`3 not-normalized q/: the text of query "q" is not in Unicode's normal form C; an engine may not find what the composed text finds`,
			"3 not-normalized q/n\u0303: query \"q\" judges document \"n\\u0303\", whose id is not in Unicode's normal form C; an id is the same only byte by byte"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := linted(t, row.text, row.opts)
			if !slices.Equal(got, row.want) {
				t.Errorf("findings:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
			}
		})
		for _, want := range row.want {
			seen[strings.Fields(want)[1]] = true
		}
	}
	for _, rule := range Rules {
		if !seen[rule.Name] {
			t.Errorf("no row shows the rule %s", rule.Name)
		}
		if rule.What == "" || !slices.Contains([]Level{LevelError, LevelWarning, LevelNote}, rule.Level) {
			t.Errorf("the rule %+v is not whole", rule)
		}
	}
	if len(seen) != len(Rules) {
		t.Errorf("%d rules are seen of %d", len(seen), len(Rules))
	}
}

func mustRead(t *testing.T, text string) *golden.Set {
	t.Helper()
	set, _ := read(t, text)
	return set
}

func TestIgnored(t *testing.T) {
	text := query("a", "x", `{"id":"d","grade":0,"why":"w"}`) + query("b c", "y", `{"id":"d","grade":0}`)
	set, problems := read(t, text)
	rules := func(ignore ...string) string {
		var opts Options
		for _, i := range ignore {
			ignored, err := ParseIgnored(i)
			if err != nil {
				t.Fatal(err)
			}
			opts.Ignored = append(opts.Ignored, ignored)
		}
		var found []string
		for _, f := range Run(set, problems, opts) {
			found = append(found, f.Silence())
		}
		return strings.Join(found, ", ")
	}
	for ignored, want := range map[string]string{
		"missing-reason":           "--ignore no-relevant-document:a, --ignore one-grade, --ignore 'no-relevant-document:b c'",
		"no-relevant-document":     "--ignore one-grade, --ignore 'missing-reason:b c'",
		"no-relevant-document:b c": "--ignore no-relevant-document:a, --ignore one-grade, --ignore 'missing-reason:b c'",
		"no-relevant-document:d":   "--ignore no-relevant-document:a, --ignore one-grade, --ignore 'no-relevant-document:b c', --ignore 'missing-reason:b c'",
	} {
		if got := rules(ignored); got != want {
			t.Errorf("without %s: %s, want\n%s", ignored, got, want)
		}
	}
	if got := rules("one-grade", "missing-reason:b c", "no-relevant-document"); got != "" {
		t.Errorf("without all: %s", got)
	}
	if got := (Finding{Rule: "r", Query: "it's"}).Silence(); got != `--ignore 'r:it'\''s'` {
		t.Errorf("Silence = %s", got)
	}
	for text, want := range map[string]string{
		"missing-reasons": `there is no rule "missing-reasons"; did you mean missing-reason?`,
		"everything":      `there is no rule "everything"; the rules are duplicate-query, near-duplicate-query`,
	} {
		if _, err := ParseIgnored(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseIgnored(%s): %v", text, err)
		}
	}
}

// TestOrder makes sure that findings come in the order of files and lines, and name a place in another file.
func TestOrder(t *testing.T) {
	files := []golden.Source{{Name: "z", Raw: []byte(good)}, {Name: "a", Raw: []byte(query("q", "x", judgment("d", 0)) + query("r", "Red Shoe", judgment("d", 3)+","+judgment("e", 0)))}}
	set, err := golden.ParseFiles(files, golden.Options{Places: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Run(set, nil, Options{RelevantFrom: 3}) {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Place.File, f.Place.Line, f.Message))
	}
	const none = " has no judgment with a grade of 3 or more; add one, or set expectNoResults where nothing should be found"
	want := []string{
		`z:2 query "fine"` + none,
		`a:1 query "q"` + none,
		`a:2 queries "good" (z, line 1) and "r" differ only in case, accents, punctuation or the order of words; keep one of the two`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
