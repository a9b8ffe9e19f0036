package gatelimits

import (
	"reflect"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

func TestEveryLimitOfAGateIsRead(t *testing.T) {
	spec := &v1alpha1.RelevanceGateSpec{
		Metrics: []v1alpha1.Metric{
			{Name: "ndcg@10", Min: "0.80", MaxDrop: "0.02", Confidence: "0.95"},
			{Name: "precision@5"},
		},
		Regressions: &v1alpha1.Regressions{Metric: "ndcg@10", Drop: "0.05", MaxQueries: ptr.To[int32](2), ProtectWeightFrom: ptr.To[int64](100)},
		Segments:    &v1alpha1.Segments{MinQueries: 7, Limits: []v1alpha1.SegmentLimit{{Segment: "head", Metric: "ndcg@10", Min: "0.85"}}},
		Judgments:   v1alpha1.Judgments{MinJudged: "0.60"},
		Evaluation:  v1alpha1.Evaluation{MaxErrors: 3},
		Promotion:   v1alpha1.Promotion{CreateAlias: true},
	}
	most := 2
	want := evaluate.LimitValues{
		Metrics:    []evaluate.MetricLimit{{Metric: "ndcg@10", Min: "0.80", MaxDrop: "0.02", Confidence: "0.95"}, {Metric: "precision@5"}},
		Segments:   []evaluate.SegmentLimit{{Segment: "head", Metric: "ndcg@10", Min: "0.85"}},
		MinQueries: 7, MinJudged: "0.60", MaxErrors: 3, MaxRegressions: &most, ProtectsQueries: true, CreateAlias: true,
	}
	got := Of(spec)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// A field of the limits that this gate does not set is one that nobody reads.
	values := reflect.ValueOf(got)
	for i := range values.NumField() {
		if name := values.Type().Field(i).Name; name != "LiveOnly" && values.Field(i).IsZero() {
			t.Errorf("%s is not read", name)
		}
	}
	if got := Of(&v1alpha1.RelevanceGateSpec{}); !reflect.DeepEqual(got, evaluate.LimitValues{}) {
		t.Errorf("a gate without limits has %+v", got)
	}
}
