package controllers

import (
	"context"
	"fmt"

	"github.com/robfig/cron/v3"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// inputs are what the gate names, resolved and found right.
type inputs struct {
	golden      goldenFacts
	search      evaluate.Search
	metrics     []relevance.Metric // the spec's
	confidence  map[string]int64   // by metric, in millionths
	segments    []evaluate.Segment
	regressions *evaluate.Regressions
	schedule    cron.Schedule // nil without one
}

// resolveInputs reads what the gate names. Whatever is wrong with it is the
// user's to change, so it stalls the gate.
func (r *Reconciler) resolveInputs(ctx context.Context, s *scope) error {
	spec := &s.gate.Spec
	var err error
	if s.inputs.metrics, err = metricsOf(spec); err != nil {
		return stalled(v1alpha1.ReasonInvalidMetric, "%s", err)
	}
	if s.inputs.confidence, err = confidenceOf(spec.Metrics); err != nil {
		return stalled(v1alpha1.ReasonInvalidMetric, "%s", err)
	}
	s.inputs.segments = segmentsOf(spec.Segments)
	if s.inputs.regressions, err = regressionsOf(spec.Regressions); err != nil {
		return stalled(v1alpha1.ReasonInvalidMetric, "%s", err)
	}
	if s.inputs.search, err = searchOf(&spec.Search); err != nil {
		return stalled(v1alpha1.ReasonInvalidSearch, "%s", err)
	}
	if s.inputs.schedule, err = parseSchedule(spec.Schedule); err != nil {
		return stalled(v1alpha1.ReasonInvalidSpec, "%s", err)
	}
	return r.resolveGoldenSet(ctx, s)
}

func metricsOf(spec *v1alpha1.RelevanceGateSpec) ([]relevance.Metric, error) {
	var metrics []relevance.Metric
	for i, line := range spec.Metrics {
		metric, err := relevance.ParseMetric(line.Name, relevance.Gain(line.Gain), float64(line.RelevantFrom))
		if err == nil {
			metric, err = metric.WithMaxGrade(int(ptr.Deref(spec.GoldenSet.MaxGrade, 0)))
		}
		if err != nil {
			return nil, fmt.Errorf("spec.metrics[%d]: %w", i, err)
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

func confidenceOf(metrics []v1alpha1.Metric) (map[string]int64, error) {
	confidence := map[string]int64{}
	for i, line := range metrics {
		if line.Confidence == "" {
			continue
		}
		millionths, err := line.Confidence.Millionths()
		if err != nil {
			return nil, fmt.Errorf("spec.metrics[%d].confidence: %w", i, err)
		}
		confidence[line.Name] = millionths
	}
	return confidence, nil
}

func segmentsOf(spec *v1alpha1.Segments) []evaluate.Segment {
	if spec == nil {
		return nil
	}
	var segments []evaluate.Segment
	for _, limit := range spec.Limits {
		segments = append(segments, evaluate.Segment{Segment: limit.Segment, Metric: limit.Metric})
	}
	return segments
}

func regressionsOf(spec *v1alpha1.Regressions) (*evaluate.Regressions, error) {
	if spec == nil {
		return nil, nil
	}
	drop, err := spec.Drop.Millionths()
	if err != nil {
		return nil, fmt.Errorf("spec.regressions.drop: %w", err)
	}
	regressions := &evaluate.Regressions{Metric: spec.Metric, Drop: drop}
	if spec.ProtectWeightFrom != nil {
		weight := float64(*spec.ProtectWeightFrom)
		regressions.ProtectWeightFrom = &weight
	}
	return regressions, nil
}

func searchOf(spec *v1alpha1.Search) (evaluate.Search, error) {
	search := evaluate.Search{IDField: spec.IDField}
	if spec.Body == nil {
		return search, fmt.Errorf("spec.search.body is missing; write the search there")
	}
	search.Body = spec.Body.Raw
	if _, err := evaluate.CheckBody(search.Body); err != nil {
		return search, fmt.Errorf("spec.search.body: %w", err)
	}
	if spec.Live != nil && spec.Live.Body != nil {
		search.LiveBody = spec.Live.Body.Raw
		if _, err := evaluate.CheckBody(search.LiveBody); err != nil {
			return search, fmt.Errorf("spec.search.live.body: %w", err)
		}
	}
	return search, nil
}
