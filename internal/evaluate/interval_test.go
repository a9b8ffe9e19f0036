package evaluate

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// manyAnswers are n queries with four relevant documents each, of which the
// candidate and the live index find from none to all, and every fifth of which
// is in the segment "fifth" and every second in "second".
func manyAnswers(n int) (queries []golden.Query, candidate, live answers) {
	candidate, live = answers{}, answers{}
	found := []string{"x y", "a x", "x a b", "a b c", "a b c d"}
	for i := range n {
		query := makeQuery(fmt.Sprintf("q%03d", i), 1+float64(i%7), "a:1 b:1 c:2 d:3")
		if i%5 == 0 {
			query.Segments = append(query.Segments, "fifth")
		}
		if i%2 == 0 {
			query.Segments = append(query.Segments, "second")
		}
		queries = append(queries, query)
		candidate[query.ID], live[query.ID] = found[i*i%5], found[i%3]
	}
	return queries, candidate, live
}

// surePlan asks for confidence in recall@5 and ndcg@10, but not in nonempty.
func surePlan(t *testing.T) *Plan {
	plan := makePlan(t, 1, "recall@5", "nonempty", "ndcg@10")
	plan.GoldenDigest = "sha256:1"
	plan.Confidence = map[string]int64{"recall@5": 950_000, "ndcg@10": 900_000}
	return plan
}

// valuesOfAll are the scores of all queries by a metric, with their weights.
func valuesOfAll(r *Report, metric int) (candidate, live, differences, weights []float64) {
	for _, query := range r.Queries {
		if value := query.Candidate.Value(metric); value != nil {
			candidate, live = append(candidate, *value), append(live, *query.Live.Value(metric))
			differences = append(differences, *value-*query.Live.Value(metric))
			weights = append(weights, query.Weight)
		}
	}
	return candidate, live, differences, weights
}

// percentile is the interval of a column as relevance draws it.
func percentile(t *testing.T, confidence int64, weights []float64, columns ...[]float64) []verdict.Interval {
	t.Helper()
	drawn, err := relevance.Bootstrap(columns, weights, 10_000, seedOf("sha256:1"))
	if err != nil {
		t.Fatal(err)
	}
	var intervals []verdict.Interval
	for _, distribution := range drawn {
		interval := distribution.Percentile(confidence)
		intervals = append(intervals, verdict.Interval{Low: rounded(t, interval.Low), High: rounded(t, interval.High)})
	}
	return intervals
}

func rounded(t *testing.T, x float64) int64 {
	t.Helper()
	millionths, err := relevance.Round(x)
	if err != nil {
		t.Fatal(err)
	}
	return millionths
}

func TestIntervalsAreThoseOfTheDraws(t *testing.T) {
	queries, candidate, live := manyAnswers(60)
	report := measured(t, surePlan(t), queries, once(candidate), once(live))
	for metric, confidence := range map[int]int64{0: 950_000, 2: 900_000} {
		scores, _, differences, weights := valuesOfAll(report, metric)
		want := percentile(t, confidence, weights, scores, differences)
		got := report.Measurement.Scores[metric]
		if got.Queries != 60 || *got.Interval != want[0] || *got.DeltaInterval != want[1] {
			t.Errorf("%s: %d queries, %v, %v; want %v", got.Metric, got.Queries, *got.Interval, *got.DeltaInterval, want)
		}
		if got.Interval.Low >= *got.Candidate || *got.Candidate >= got.Interval.High {
			t.Errorf("%s: %d is not within %v", got.Metric, *got.Candidate, *got.Interval)
		}
		if delta := *got.Candidate - *got.Live; got.DeltaInterval.Low >= delta || delta >= got.DeltaInterval.High {
			t.Errorf("%s: the difference %d is not within %v", got.Metric, delta, *got.DeltaInterval)
		}
	}
	if other := report.Measurement.Scores[1]; other.Queries != 0 || other.Interval != nil || other.DeltaInterval != nil {
		t.Errorf("nobody asked for confidence in %+v", other)
	}
	if report.Draws == nil || *report.Draws != (Draws{10_000, seedOf("sha256:1")}) {
		t.Errorf("the draws are %+v", report.Draws)
	}
}

// TestIntervalDigits pins what a stored verdict rests on.
func TestIntervalDigits(t *testing.T) {
	queries, candidate, live := manyAnswers(60)
	got := measured(t, surePlan(t), queries, once(candidate), once(live)).Measurement.Scores[0]
	if want := (verdict.Interval{Low: 378_755, High: 619_048}); *got.Interval != want {
		t.Errorf("the interval is %v, want %v", *got.Interval, want)
	}
	if want := (verdict.Interval{Low: 109_375, High: 392_241}); *got.DeltaInterval != want {
		t.Errorf("the difference's is %v, want %v", *got.DeltaInterval, want)
	}
	if got, want := seedOf("sha256:1"), uint64(5_885_782_088_402_227_804); got != want {
		t.Errorf("the seed is %d, want %d", got, want)
	}
}

func TestTheOrderOfTheFileChangesNoInterval(t *testing.T) {
	queries, candidate, live := manyAnswers(60)
	plan := surePlan(t)
	plan.Segments = []Segment{{"fifth", "recall@5"}, {"second", "recall@5"}}
	forwards := measured(t, plan, queries, once(candidate), once(live)).Measurement
	backwards := slices.Clone(queries)
	slices.Reverse(backwards)
	if got := measured(t, plan, backwards, once(candidate), once(live)).Measurement; !reflect.DeepEqual(got, forwards) {
		t.Errorf("%+v\n%+v", got, forwards)
	}
}

func TestAnIndexAgainstItselfHasNoDifference(t *testing.T) {
	queries, candidate, _ := manyAnswers(20)
	got := measured(t, surePlan(t), queries, once(candidate), once(candidate)).Measurement.Scores[0]
	if *got.DeltaInterval != (verdict.Interval{}) {
		t.Errorf("the difference is within %v", *got.DeltaInterval)
	}
}

func TestOneQueryHasNoInterval(t *testing.T) {
	queries, candidate, live := manyAnswers(1)
	report := measured(t, surePlan(t), queries, once(candidate), once(live))
	if got := report.Measurement.Scores[0]; got.Queries != 1 || got.Interval != nil || got.DeltaInterval != nil || got.Candidate == nil {
		t.Errorf("got %+v", got)
	}
}

func TestQueriesInErrorAreNotDrawn(t *testing.T) {
	queries, candidate, live := manyAnswers(21)
	want := measured(t, surePlan(t), queries[:20], once(candidate), once(live)).Measurement.Scores[0]
	candidate["q020"] = "!"
	got := measured(t, surePlan(t), queries, once(candidate), once(live)).Measurement.Scores[0]
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNegativesAreDrawnAmongThemselves(t *testing.T) {
	queries, candidate, live := manyAnswers(20)
	plan := surePlan(t)
	want := measured(t, plan, queries, once(candidate), once(live)).Measurement.Scores[0]
	for i := range 6 {
		negative := makeNegative(fmt.Sprintf("n%d", i))
		queries = append(queries, negative)
		if i == 0 {
			candidate[negative.ID] = "a"
		}
	}
	plan.Metrics = append(plan.Metrics, noResults)
	plan.Confidence["noresults"] = 950_000
	m := measured(t, plan, queries, once(candidate), once(live)).Measurement
	if !reflect.DeepEqual(m.Scores[0], want) {
		t.Errorf("negatives change %+v to %+v", want, m.Scores[0])
	}
	interval := percentile(t, 950_000, nil, []float64{0, 1, 1, 1, 1, 1})[0]
	if got := m.Scores[3]; got.Queries != 6 || *got.Interval != interval {
		t.Errorf("noresults of %d is within %v, want %v", got.Queries, *got.Interval, interval)
	}
}

func TestTheLiveIndexAloneHasAnInterval(t *testing.T) {
	queries, candidate, live := manyAnswers(60)
	both := measured(t, surePlan(t), queries, once(candidate), once(live))
	plan := surePlan(t)
	plan.Candidate = nil
	plan.Segments = []Segment{{"fifth", "recall@5"}}
	m := measured(t, plan, queries, nil, once(live)).Measurement
	_, scores, _, weights := valuesOfAll(both, 0)
	if got, want := m.Scores[0], percentile(t, 950_000, weights, scores)[0]; *got.Interval != want || got.DeltaInterval != nil || got.Candidate != nil {
		t.Errorf("got %+v within %v, want %v", got, *got.Interval, want)
	}
	if s := m.Segments[0]; s.Candidate != nil || s.Live == nil || len(s.Lows) != 1 || s.Queries != 12 {
		t.Errorf("the segment is %+v", s)
	}
}

func TestUnweightedMeans(t *testing.T) {
	queries := []golden.Query{makeQuery("q1", 3, "a:1"), makeQuery("q2", 1, "b:1"), makeNegative("n1")}
	report := measured(t, makePlan(t, 1, "recall@5"), queries, once(answers{"q1": "a"}), once(answers{"q2": "b", "n1": "a"}))
	wantScores(t, report, "recall@5=0.750000/0.250000 noresults=1.000000/0.000000")
	want := []Means{{pointer(int64(500_000)), pointer(int64(500_000))}, {pointer(int64(1_000_000)), pointer(int64(0))}}
	if !reflect.DeepEqual(report.Unweighted, want) {
		t.Errorf("without weights %+v", report.Unweighted)
	}
	queries[0].Weight = 1
	if report := measured(t, makePlan(t, 1, "recall@5"), queries, once(nil), once(nil)); report.Unweighted != nil {
		t.Errorf("all weights are alike, but without weights there is %+v", report.Unweighted)
	}
	queries[0].Weight = 3
	candidate := answers{"q1": "!", "q2": "!"}
	if report := measured(t, makePlan(t, 1, "recall@5"), queries, once(candidate), once(nil)); report.Unweighted[0].Candidate != nil {
		t.Errorf("all are in error, but without weights there is %+v", report.Unweighted)
	}
}
