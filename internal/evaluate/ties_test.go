package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// tieText shows what ties leave open: "metric: queries (open) low-high".
func tieText(r *Report, ties []*TieSpread) string {
	var all []string
	for i, tie := range ties {
		if tie != nil {
			all = append(all, fmt.Sprintf("%s: %d (%d) %s-%s", r.Metrics[i].Name, tie.Queries, tie.Open,
				relevance.Format(tie.Low), relevance.Format(tie.High)))
		}
	}
	return strings.Join(all, ", ")
}

// The values are those of the orders written out by hand.
func TestATieAtACutIsReportedWithItsSpread(t *testing.T) {
	for name, test := range map[string]struct {
		hits    string
		metrics string
		want    string
	}{
		"at the cut":               {"x=3 a=2 y=2 z=1", "precision@2", "precision@2: 1 (0) 0.000000-0.500000"},
		"only one of them counts":  {"x=3 y=2 a=2 b=2 z=1", "precision@2", "precision@2: 1 (0) 0.000000-0.500000"},
		"over more than the cut":   {"a=2 x=2 b=2 y=2 z=1", "precision@2 recall@2", "precision@2: 1 (0) 0.000000-1.000000, recall@2: 1 (0) 0.000000-1.000000"},
		"of hits worth the same":   {"x=3 a=2 b=2 z=1", "precision@2", "precision@2: 1 (0) 0.500000-0.500000"},
		"a graded metric":          {"a=2 b=2 x=1", "ndcg@1", "ndcg@1: 1 (0) 0.142857-1.000000"},
		"at one cut of two":        {"a=3 x=2 y=2 z=1", "precision@1 precision@2", "precision@2: 1 (0) 0.500000-0.500000"},
		"none above the cut":       {"a=3 b=3 x=2", "precision@2", ""},
		"none below the cut":       {"a=3 b=2 x=1 y=1", "precision@2", ""},
		"none with fewer hits":     {"a=2 b=2", "precision@2", ""},
		"none without scores":      {"a b x", "precision@2", ""},
		"none without a cut":       {"a=2 b=2 x=2", "nonempty", ""},
		"a document twice":         {"a=3 a=2 b=2 x=2 y=1", "precision@2", "precision@2: 1 (0) 0.500000-1.000000"},
		"to the end of what there": {"a=2 x=2 y=2", "precision@2", "precision@2: 1 (0) 0.000000-0.500000"},
		"to the last hit asked for": {"a=2 " + many(DefaultJudgedAt), "precision@2",
			"precision@2: 1 (1) 0.000000-0.500000"},
	} {
		t.Run(name, func(t *testing.T) {
			queries := []golden.Query{makeQuery("q1", 1, "a:3 b:1"), makeNegative("n1")}
			plan := makePlan(t, 1, strings.Fields(test.metrics)...)
			report := measured(t, plan, queries, once(answers{"q1": test.hits, "n1": "x=1 y=1 z=1"}), once(answers{"q1": "a=2 b=1"}))
			if got := tieText(report, report.CandidateTies); got != test.want {
				t.Errorf("ties are %s\nwant %s", got, test.want)
			}
			if got := report.TiesAtCutoff > 0; got != (test.want != "") {
				t.Errorf("%d queries are tied", report.TiesAtCutoff)
			}
			if got := tieText(report, report.LiveTies); got != "" {
				t.Errorf("ties of the live index are %s", got)
			}
		})
	}
}

// many are n hits that are tied with each other.
func many(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("m%d=2", i))
	}
	return strings.Join(all, " ")
}

func TestTheSpreadOfTheMeanIsWeighted(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 1, "a:1"), makeQuery("q2", 3, "a:1"), makeQuery("q3", 1, "a:1")}
	report := measured(t, makePlan(t, 1, "precision@1"), queries,
		once(answers{"q1": "a=2 x=2 y=1", "q2": "a=2 x=1", "q3": "!"}), once(answers{"q1": "a=1", "q2": "x=1 a=1 y=0", "q3": "a=1"}))
	wantScores(t, report, "precision@1=1.000000/0.250000")
	if got, want := tieText(report, report.CandidateTies), "precision@1: 1 (0) 0.750000-1.000000"; got != want {
		t.Errorf("ties are %s, want %s", got, want)
	}
	if got, want := tieText(report, report.LiveTies), "precision@1: 1 (0) 0.250000-1.000000"; got != want {
		t.Errorf("ties of the live index are %s, want %s", got, want)
	}
	if got := report.Queries[0].Candidate.Ties; len(got) != 1 || got[0] != (Tie{Metric: 0, Low: 0, High: 1}) {
		t.Errorf("the query's ties are %+v", got)
	}
}

// An order that the body asks for does not show in the scores.
func TestASortOfTheBodysOwnHasNoTies(t *testing.T) {
	plan := makePlan(t, 1, "precision@1")
	plan.Search.Body = json.RawMessage(`{"query": {"match": {"a": "{{query}}"}}, "sort": ["_score", {"sku": "asc"}]}`)
	report := measured(t, plan, []golden.Query{makeQuery("q1", 1, "a:1")}, once(answers{"q1": "a=2 x=2 y=1"}), once(answers{}))
	if got := tieText(report, report.CandidateTies); got != "" || report.TiesAtCutoff != 0 {
		t.Errorf("ties are %s", got)
	}
}

// No order of the tied hits gives a value outside the spread, and two give its
// ends.
func TestTheSpreadHoldsEveryOrder(t *testing.T) {
	query := makeQuery("q1", 1, "a:3 b:2 c:1 d:0")
	order := []string{"a", "b", "c", "d", "x"}
	for _, name := range []string{"ndcg@1", "ndcg@2", "ndcg@3", "precision@2", "recall@2", "recall@3"} {
		low, high := math.Inf(1), math.Inf(-1)
		var spread string
		permute(order, func(hits []string) {
			report := measured(t, makePlan(t, 1, name), []golden.Query{query}, once(answers{"q1": strings.Join(hits, "=1 ") + "=1 z=0"}), once(answers{}))
			value := report.Queries[0].Candidate.Values[0]
			low, high = min(low, value), max(high, value)
			tie := report.Queries[0].Candidate.Ties[0]
			if got := fmt.Sprint(tie.Low, tie.High); spread != "" && got != spread {
				t.Errorf("%s: the order %v has the spread %s, another %s", name, hits, got, spread)
			} else {
				spread = got
			}
		})
		if want := fmt.Sprint(low, high); spread != want {
			t.Errorf("%s: the spread is %s, want %s", name, spread, want)
		}
	}
}

// permute calls visit with every order of list.
func permute(list []string, visit func([]string)) {
	var from func(i int)
	from = func(i int) {
		if i == len(list) {
			visit(slices.Clone(list))
			return
		}
		for j := i; j < len(list); j++ {
			list[i], list[j] = list[j], list[i]
			from(i + 1)
			list[i], list[j] = list[j], list[i]
		}
	}
	from(0)
}
