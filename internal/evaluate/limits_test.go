package evaluate

import (
	"reflect"
	"slices"
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
	limits, err := Limits(verdict.Measurement{Scores: scores}, values)
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
		if _, err := Limits(verdict.Measurement{Scores: scores}, values); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSegmentsMustHoldAsSurelyAsTheirMetric(t *testing.T) {
	m := verdict.Measurement{
		Scores:   []verdict.Score{{Metric: "ndcg@10"}, {Metric: "recall@5"}},
		Segments: []verdict.SegmentScore{{Segment: "head", Metric: "recall@5"}, {Segment: "head", Metric: "ndcg@10"}},
	}
	values := LimitValues{
		Metrics:    []MetricLimit{{Metric: "ndcg@10", Confidence: "0.95"}, {Metric: "recall@5", Min: "0.5"}},
		Segments:   []SegmentLimit{{"head", "recall@5", "0.4"}, {"head", "ndcg@10", "0.85"}},
		MinQueries: 7,
	}
	got, err := Limits(m, values)
	if err != nil {
		t.Fatal(err)
	}
	want := []verdict.SegmentLimit{
		{Segment: "head", Metric: "recall@5", Min: 400_000},
		{Segment: "head", Metric: "ndcg@10", Min: 850_000, Confidence: pointer(int64(950_000))},
	}
	if !reflect.DeepEqual(got.Segments, want) || got.MinQueries != 7 {
		t.Errorf("got %+v", got)
	}
	if got.Metrics[0].Confidence == nil || *got.Metrics[0].Confidence != 950_000 || got.Metrics[1].Confidence != nil {
		t.Errorf("the metrics have %+v", got.Metrics)
	}

	for name, change := range map[string]func(){
		"a segment too few":        func() { m.Segments = m.Segments[:1] },
		"another segment":          func() { m.Segments[0].Segment = "tail" },
		"another metric":           func() { m.Segments[0].Metric = "recall@50" },
		"a min that is none":       func() { values.Segments[0].Min = "1.5" },
		"no min":                   func() { values.Segments[0].Min = "" },
		"a confidence that is not": func() { values.Metrics[0].Confidence = "95" },
	} {
		segments, lines, metrics := slices.Clone(m.Segments), slices.Clone(values.Segments), slices.Clone(values.Metrics)
		change()
		if _, err := Limits(m, values); err == nil {
			t.Errorf("%s: accepted", name)
		}
		m.Segments, values.Segments, values.Metrics = segments, lines, metrics
	}
}

func TestProtectedQueriesAreALimit(t *testing.T) {
	limits, err := Limits(verdict.Measurement{Scores: []verdict.Score{{Metric: "ndcg@10"}}}, LimitValues{
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
