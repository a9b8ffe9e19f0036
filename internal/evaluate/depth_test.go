package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// words are n document ids that begin with prefix, as an answer.
func words(prefix string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s%d", prefix, i))
	}
	return strings.Join(all, " ")
}

// makeRelevant judges n documents as relevant.
func makeRelevant(id string, n int) golden.Query {
	query := golden.Query{ID: id, Text: "text of " + id, Weight: 1}
	for i := range n {
		query.Judgments = append(query.Judgments, golden.Judgment{DocID: fmt.Sprintf("d%d", i), Grade: 1})
	}
	return query
}

func TestSizeAsksForOneHitMore(t *testing.T) {
	set := &golden.Set{Queries: []golden.Query{makeRelevant("q1", 3), makeRelevant("q2", 150), makeNegative("n1")}}
	for _, row := range []struct {
		judgedAt int
		metrics  []string
		want     int
	}{
		{10, []string{"ndcg@10", "recall@50", "nonempty"}, 51},
		{100, []string{"ndcg@10", "recall@50"}, 101},
		{10, []string{"nonempty", "noresults"}, 11},
		{10, []string{"ndcg@10", "map"}, 101},
		{10, []string{"mrr"}, 101},
		{10, []string{"bpref", "recall@500"}, 501},
		{10, []string{"judged@20", "dcg@30", "ndcg_cut_15"}, 31},
		{10, []string{"r-precision"}, 151},
		{10, []string{"recall@9999"}, 10000},
		{10, []string{"recall@10000"}, 10000}, // an engine gives no more
	} {
		if got := sizeOf(depthOf(makePlan(t, 1, row.metrics...).Metrics, row.judgedAt, set)); got != row.want {
			t.Errorf("size for %v, judged at %d, is %d, want %d", row.metrics, row.judgedAt, got, row.want)
		}
	}
}

func TestSizeForRPrecisionGoesByItsOwnThreshold(t *testing.T) {
	query := makeRelevant("q1", 40)
	query.Judgments[0].Grade = 3
	metric := relevance.Metric{Name: "r-precision", Kind: relevance.RPrecision, RelevantFrom: 2}
	if got := depthOf([]relevance.Metric{metric}, 10, &golden.Set{Queries: []golden.Query{query}}); got != 10 {
		t.Errorf("depth is %d, want 10: one document is relevant", got)
	}
}

// TestAMetricWithoutACutDoesNotDependOnOthers puts a relevant document at rank 101.
func TestAMetricWithoutACutDoesNotDependOnOthers(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1 b:1")}
	found := once(answers{"q1": "a " + words("x", 99) + " b"})
	for _, metrics := range [][]string{{"map", "set_recall"}, {"map", "set_recall", "recall@500"}} {
		report := measured(t, makePlan(t, 1, metrics...), queries, found, found)
		if got := scoresOf(report); !strings.HasPrefix(got, "map=0.500000/0.500000 set_recall=0.500000/0.500000") {
			t.Errorf("%v score %s", metrics, got)
		}
		if want := map[int]int{2: 100, 3: 500}[len(metrics)]; report.Depth != want {
			t.Errorf("the report of %v names the depth %d, want %d", metrics, report.Depth, want)
		}
		if report.UncutDepth != 100 {
			t.Errorf("the report names the depth %d", report.UncutDepth)
		}
	}
	if report := measured(t, makePlan(t, 1, "ndcg@10", "nonempty", "r-precision"), queries, found, found); report.UncutDepth != 0 {
		t.Errorf("the report names the depth %d without a metric that looks so deep", report.UncutDepth)
	}
}

func TestRPrecisionLooksAtAllRanksThatItNeeds(t *testing.T) {
	queries := []golden.Query{makeRelevant("q1", 150)}
	found := once(answers{"q1": words("d", 150)})
	wantScores(t, measured(t, makePlan(t, 1, "r-precision"), queries, found, found), "r-precision=1.000000/1.000000")
}

func TestEmptyResultsLeaveTheJudgedRatesAlone(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 1, "b:1"), makeQuery("q3", 1, "c:1")}
	candidate := once(answers{"q1": "a x", "q3": "c"})
	live := once(answers{"q1": "a", "q2": "b x", "q3": "c"})
	plan := makePlan(t, 1, "judged@10", "unjudgedRate@10", "success@10")
	plan.Regressions = &Regressions{Metric: "judged@10", Drop: 100_000}
	report := measured(t, plan, queries, candidate, live)
	wantScores(t, report, "judged@10=0.750000/0.833333 unjudgedRate@10=0.250000/0.166667 success@10=0.666667/1.000000")
	// q2 has no value on the candidate, so it did not lose one.
	if m := report.Measurement; m.RegressionCount != 1 || m.Worst[0].Query != "q1" || m.EmptyCandidate != 1 {
		t.Errorf("got %+v", m)
	}
	if value := report.Queries[1].Candidate.Value(0); value != nil {
		t.Errorf("a query without hits has the judged rate %v", *value)
	}
}

func TestAQueryThatOnlyTheLiveIndexLeavesEmptyIsNoGain(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 1, "b:1")}
	plan := makePlan(t, 1, "judged@10")
	report := measured(t, plan, queries, once(answers{"q1": "a x", "q2": "b x x2"}), once(answers{"q2": "b"}))
	if !slices.Equal(report.Worst, []int{1}) {
		t.Errorf("the worst are %v, want q2 alone: q1 cannot be compared", report.Worst)
	}
}

// TestDCGMayExceedOne has two documents of the grade 3.
func TestDCGMayExceedOne(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:3 b:3")}
	report := measured(t, makePlan(t, 1, "dcg@10", "map"), queries, once(answers{"q1": "a"}), once(answers{"q1": "a b"}))
	wantScores(t, report, "dcg@10=7.000000/11.416508 map=0.500000/1.000000")
	if report.WorstMetric != "map" {
		t.Errorf("the worst queries are chosen by %s, whose values cannot be compared between queries", report.WorstMetric)
	}
}

func TestWorstQueriesAreChosenByTheFirstMetricOfTheRanking(t *testing.T) {
	for want, metrics := range map[string][]string{
		"mrr":       {"nonempty", "judged@10", "unjudgedRate@10", "dcg@10", "mrr", "ndcg@10"},
		"set_F":     {"noresults", "set_F"},
		"nonempty":  {"nonempty", "judged@10"},
		"recall@50": {"recall@50", "ndcg@10"},
	} {
		r, err := newRun(nil, &golden.Set{Queries: []golden.Query{makeQuery("q1", 1, "a:1")}}, makePlan(t, 1, metrics...), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.report.WorstMetric; got != want {
			t.Errorf("of %v it is %s, want %s", metrics, got, want)
		}
	}
}

func TestErrTakesTheScaleOfThePlan(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:3 b:1")}
	plan := makePlan(t, 1, "err@10")
	var err error
	if plan.Metrics[0], err = plan.Metrics[0].WithMaxGrade(3); err != nil {
		t.Fatal(err)
	}
	wantScores(t, measured(t, plan, queries, once(answers{"q1": "a"}), once(answers{"q1": "b a"})), "err@10=0.875000/0.507812")
}

// TestTheCutDecidesWhereATieMatters ties the hits at ranks 2 and 3.
func TestTheCutDecidesWhereATieMatters(t *testing.T) {
	for name, want := range map[string]bool{
		"ndcg@2": true, "P_2": true, "mrr@3": false, "map": false, "nonempty": false, "r-precision": true,
	} {
		s := &ranker{metrics: makePlan(t, 1, name).Metrics, judged: []float64{1, 1, 0}, scores: []float64{3, 2, 2, 1}}
		from, to := s.tiedAt(cutOf(s.metrics[0], s.judged))
		if got := from < to; got != want {
			t.Errorf("%s: tied is %t", name, got)
		}
	}
}
