// Package gatelimits reads the limits off a gate. The command line and the
// controller call the same function, so that a gate has the same limits in both.
package gatelimits

import (
	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// Of returns the limits of a gate as they are written there, its defaults set.
// Whether the live index alone was measured, LiveOnly, is for the caller to say.
func Of(spec *v1alpha1.RelevanceGateSpec) evaluate.LimitValues {
	values := evaluate.LimitValues{
		MinJudged:   string(spec.Judgments.MinJudged),
		MaxErrors:   int(spec.Evaluation.MaxErrors),
		CreateAlias: spec.Promotion.CreateAlias,
	}
	for _, metric := range spec.Metrics {
		values.Metrics = append(values.Metrics, evaluate.MetricLimit{
			Metric: metric.Name, Min: string(metric.Min), MaxDrop: string(metric.MaxDrop), Confidence: string(metric.Confidence),
		})
	}
	if segments := spec.Segments; segments != nil {
		values.MinQueries = int(segments.MinQueries)
		for _, limit := range segments.Limits {
			values.Segments = append(values.Segments, evaluate.SegmentLimit{Segment: limit.Segment, Metric: limit.Metric, Min: string(limit.Min)})
		}
	}
	if regressions := spec.Regressions; regressions != nil {
		values.ProtectsQueries = regressions.ProtectWeightFrom != nil
		if regressions.MaxQueries != nil {
			most := int(*regressions.MaxQueries)
			values.MaxRegressions = &most
		}
	}
	return values
}
