package evaluate

import (
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

func TestLimitsLineUpWithTheScores(t *testing.T) {
	scores := []verdict.Score{{Metric: "ndcg@10"}, {Metric: "precision@5"}, {Metric: "noresults"}}
	values := LimitValues{
		Metrics:   []MetricLimit{{Metric: "ndcg@10", Min: "0.8", MaxDrop: "0.02"}, {Metric: "precision@5"}},
		MinJudged: "0.6",
		MaxErrors: 3,
	}
	limits, err := Limits(scores, values)
	if err != nil {
		t.Fatal(err)
	}
	if len(limits.Metrics) != 3 || limits.MaxErrors != 3 || *limits.MinJudged != 600_000 {
		t.Fatalf("got %+v", limits)
	}
	if first := limits.Metrics[0]; *first.Min != 800_000 || *first.MaxDrop != 20_000 {
		t.Errorf("ndcg@10 has %+v", first)
	}
	if second := limits.Metrics[1]; second.Min != nil || second.MaxDrop != nil {
		t.Errorf("precision@5 has %+v, want no limit", second)
	}
	if implied := limits.Metrics[2]; implied.Metric != "noresults" || *implied.Min != 1_000_000 {
		t.Errorf("the implied noresults has %+v", implied)
	}
	if len(values.Metrics) != 2 {
		t.Error("the caller's values were changed")
	}
}

func TestLimitsRefuseOtherScores(t *testing.T) {
	values := LimitValues{Metrics: []MetricLimit{{Metric: "ndcg@10", Min: "0.8"}}}
	for name, scores := range map[string][]verdict.Score{
		"none":              nil,
		"another metric":    {{Metric: "ndcg@5"}},
		"one too many":      {{Metric: "ndcg@10"}, {Metric: "recall@5"}},
		"two too many":      {{Metric: "ndcg@10"}, {Metric: "recall@5"}, {Metric: "noresults"}},
		"noresults instead": {{Metric: "noresults"}},
	} {
		if _, err := Limits(scores, values); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestProtectedQueriesAreALimit(t *testing.T) {
	limits, err := Limits([]verdict.Score{{Metric: "ndcg@10"}}, LimitValues{
		Metrics: []MetricLimit{{Metric: "ndcg@10"}}, ProtectsQueries: true,
	})
	if err != nil || limits.MaxRegressions == nil {
		t.Errorf("got %+v, %v", limits, err)
	}
}

func TestParseFraction(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1_000_000, "0.8": 800_000, "0.85": 850_000, "0.000001": 1, "1.000000": 1_000_000, "0.123456": 123_456,
	} {
		if got, err := ParseFraction(text); err != nil || got != want {
			t.Errorf("%q gives %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", ".5", "0.", "1.1", "1.000001", "2", "-0.5", "+0.5", "0.1234567", "0,5", "1e-1", "00.5", " 0.5", "NaN"} {
		if got, err := ParseFraction(text); err == nil {
			t.Errorf("%q gives %d, want an error", text, got)
		}
	}
}
