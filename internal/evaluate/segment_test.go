package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

func TestSegmentsAreMeansOverTheirQueries(t *testing.T) {
	labelled := func(query golden.Query, segments ...string) golden.Query {
		query.Segments = segments
		return query
	}
	queries := []golden.Query{
		labelled(makeQuery("q1", 3, "a:1"), "head"),
		labelled(makeQuery("q2", 1, "a:1"), "head", "brands"),
		labelled(makeQuery("q3", 1, "a:1"), "brands"),
		makeQuery("q4", 1, "a:1"),
		labelled(makeQuery("q5", 9, "a:1"), "head"),
		labelled(makeNegative("n1"), "head"),
	}
	plan := makePlan(t, 1, "recall@5", "precision@2", "noresults")
	plan.Segments = []Segment{{"head", "precision@2"}, {"brands", "recall@5"}, {"head", "recall@5"}, {"head", "noresults"}}
	candidate := answers{"q1": "a", "q3": "a", "q4": "a", "q5": "!"}
	live := answers{"q1": "a", "q2": "a", "n1": "x"}
	report := measured(t, plan, queries, once(candidate), once(live))
	var got []string
	for _, s := range report.Measurement.Segments {
		got = append(got, fmt.Sprintf("%s of %s=%s/%s over %d", s.Metric, s.Segment, relevance.Format(*s.Candidate), relevance.Format(*s.Live), s.Queries))
		if s.Lows != nil {
			t.Errorf("nobody asked for confidence in %+v", s)
		}
	}
	want := []string{
		"precision@2 of head=0.375000/0.500000 over 2",
		"recall@5 of brands=0.500000/0.500000 over 2",
		"recall@5 of head=0.750000/1.000000 over 2",
		"noresults of head=1.000000/0.000000 over 1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if report.Draws != nil {
		t.Errorf("nothing is to be drawn, but there are %+v", report.Draws)
	}
}

func TestSegmentsShareWhatMayGoWrong(t *testing.T) {
	queries, candidate, live := manyAnswers(60)
	plan := surePlan(t)
	plan.Segments = []Segment{{"fifth", "recall@5"}, {"second", "ndcg@10"}, {"second", "recall@5"}, {"second", "nonempty"}}
	report := measured(t, plan, queries, once(candidate), once(live))
	var scores, weights []float64
	for i := 0; i < 60; i += 5 {
		scores, weights = append(scores, *report.Queries[i].Candidate.Value(0)), append(weights, queries[i].Weight)
	}
	drawn, err := relevance.Bootstrap([][]float64{scores}, weights, 10_000, seedOf("sha256:1"))
	if err != nil {
		t.Fatal(err)
	}
	got := report.Measurement.Segments
	if lows := got[0].Lows; len(lows) != 2 || lows[0] != rounded(t, drawn[0].Low(950_000, 1)) || lows[1] != rounded(t, drawn[0].Low(950_000, 2)) {
		t.Errorf("recall@5 of fifth has %v", lows)
	}
	for i, want := range []int{2, 1, 2, 0} {
		if len(got[i].Lows) != want {
			t.Errorf("%s of %s has %v, want %d low ends", got[i].Metric, got[i].Segment, got[i].Lows, want)
		}
	}
}

func TestASegmentWhoseQueriesAreAllInErrorHasNoScore(t *testing.T) {
	queries, candidate, live := manyAnswers(6)
	candidate["q000"], candidate["q005"] = "!", "!"
	plan := surePlan(t)
	plan.Segments = []Segment{{"fifth", "recall@5"}}
	got := measured(t, plan, queries, once(candidate), once(live)).Measurement.Segments[0]
	if got.Queries != 0 || got.Candidate != nil || got.Live != nil || got.Lows != nil {
		t.Errorf("got %+v", got)
	}
}

const segmentedGolden = `{"schema":"relevancegate.dev/golden/v1","name":"x","queries":[
	{"id":"q1","query":"shoes","segments":["head","brands"],"judgments":[{"id":"a","grade":1}]},
	{"id":"q2","query":"nothing","segments":["negatives"],"expectNoResults":true},
	{"id":"q3","query":"boots","judgments":[{"id":"a","grade":1}]}]}`

func TestASegmentWithoutQueriesIsAFault(t *testing.T) {
	for _, row := range []struct {
		segment, metric, want string
	}{
		{"head", "recall@5", ""},
		{"negatives", "noresults", ""},
		{"haed", "recall@5", `golden.json: no query has the segment "haed", which a limit is set for; did you mean "head"?`},
		{"sizes and colours", "recall@5", `golden.json: no query has the segment "sizes and colours", which a limit is set for; it has "brands", "head", "negatives"`},
		{"negatives", "recall@5", `golden.json: of segment "negatives", which a limit of recall@5 is set for, no query counts for recall@5: all expect no results`},
		{"head", "noresults", `golden.json: of segment "head", which a limit of noresults is set for, no query counts for noresults: none expects no results`},
	} {
		plan := makePlan(t, 1, "recall@5", "noresults")
		plan.GoldenSource, plan.Segments = "golden.json", []Segment{{row.segment, row.metric}}
		_, err := ParseGoldenSet(plan, oneFile(segmentedGolden))
		if got := fmt.Sprint(err); got != row.want && (row.want != "" || err != nil) {
			t.Errorf("%s of %s: %s\nwant %s", row.metric, row.segment, got, row.want)
		}
	}
	plan := makePlan(t, 1, "recall@5")
	plan.GoldenSource, plan.Segments = "golden.json", []Segment{{"head", "recall@5"}}
	bare := `{"schema":"relevancegate.dev/golden/v1","name":"x","queries":[{"id":"q1","query":"shoes","judgments":[{"id":"a","grade":1}]}]}`
	if _, err := ParseGoldenSet(plan, oneFile(bare)); err == nil || !strings.HasSuffix(err.Error(), "which a limit is set for; no query has any") {
		t.Errorf("a golden set without segments: %v", err)
	}
}

func TestManySegmentsAreNotAllListed(t *testing.T) {
	set := &golden.Set{}
	for _, label := range []string{"aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg"} {
		set.Queries = append(set.Queries, golden.Query{Segments: []string{label}})
	}
	if got := segmentsOf(set, "zzzzzzzzzz"); got != `it has "aaaa", "bbbb", "cccc", "dddd", "eeee" and 2 more` {
		t.Error(got)
	}
}
