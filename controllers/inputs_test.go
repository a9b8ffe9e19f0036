package controllers

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

func TestErrTakesTheDeclaredScale(t *testing.T) {
	spec := &v1alpha1.RelevanceGateSpec{Metrics: []v1alpha1.Metric{
		{Name: "err@10", RelevantFrom: 1, Gain: v1alpha1.GainExponential},
		{Name: "ndcg_cut_10", RelevantFrom: 1, Gain: v1alpha1.GainExponential},
	}}
	if _, err := metricsOf(spec); err == nil || !strings.HasPrefix(err.Error(), `spec.metrics[0]: metric "err@10" needs the highest grade`) {
		t.Errorf("without a scale: %v", err)
	}
	spec.GoldenSet.MaxGrade = ptr.To[int32](3)
	metrics, err := metricsOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	if metrics[0].MaxGrade != 3 || metrics[1].MaxGrade != 0 || metrics[1].Gain != "Linear" {
		t.Errorf("the metrics are %+v", metrics)
	}
}
