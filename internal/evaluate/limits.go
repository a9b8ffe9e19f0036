package evaluate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// LimitValues are a gate's limits as they are written there: fractions are
// texts, and an empty text is no limit.
type LimitValues struct {
	// Metrics and Segments are in the gate's order.
	Metrics  []MetricLimit
	Segments []SegmentLimit
	// MinQueries is how many queries a segment must have.
	MinQueries int
	// MinJudged is the lowest judged rate.
	MinJudged string
	MaxErrors int
	// MaxRegressions is how many queries may regress; nil is no limit.
	MaxRegressions *int
	// ProtectsQueries says that queries from some weight on may not regress at
	// all, which is a limit even without MaxRegressions.
	ProtectsQueries bool
	CreateAlias     bool
	// LiveOnly says that the live index alone was measured.
	LiveOnly bool
}

// MetricLimit is what one metric must hold.
type MetricLimit struct{ Metric, Min, MaxDrop, Confidence string }

// SegmentLimit is what one metric must hold over a segment.
type SegmentLimit struct{ Segment, Metric, Min string }

// Limits builds what verdict.Decide holds against the measurement. Negatives
// without a line for noresults imply a last score of that name, and its limit
// is 1. A segment's limit must hold as surely as the limits of its metric.
func Limits(m verdict.Measurement, values LimitValues) (verdict.Limits, error) {
	scores := m.Scores
	limits := verdict.Limits{
		MinQueries:     values.MinQueries,
		MaxErrors:      values.MaxErrors,
		MaxRegressions: values.MaxRegressions,
		CreateAlias:    values.CreateAlias,
		LiveOnly:       values.LiveOnly,
	}
	if limits.MaxRegressions == nil && values.ProtectsQueries {
		unlimited := math.MaxInt
		limits.MaxRegressions = &unlimited
	}
	lines := values.Metrics
	if len(scores) == len(lines)+1 && scores[len(lines)].Metric == string(relevance.NoResults) {
		lines = append(lines[:len(lines):len(lines)], MetricLimit{Metric: string(relevance.NoResults), Min: "1"})
	}
	if len(scores) != len(lines) {
		return limits, fmt.Errorf("%d scores were measured, but the gate has %d metrics", len(scores), len(lines))
	}
	for i, line := range lines {
		if scores[i].Metric != line.Metric {
			return limits, fmt.Errorf("score %d is of %s, but the gate's metric is %s", i+1, scores[i].Metric, line.Metric)
		}
		limit := verdict.Limit{Metric: line.Metric}
		var err error
		if limit.Min, err = optionalFraction(line.Min); err != nil {
			return limits, fmt.Errorf("min of %s: %w", line.Metric, err)
		}
		if limit.MaxDrop, err = optionalFraction(line.MaxDrop); err != nil {
			return limits, fmt.Errorf("maxDrop of %s: %w", line.Metric, err)
		}
		if limit.Confidence, err = optionalFraction(line.Confidence); err != nil {
			return limits, fmt.Errorf("confidence of %s: %w", line.Metric, err)
		}
		limits.Metrics = append(limits.Metrics, limit)
	}
	var err error
	if limits.MinJudged, err = optionalFraction(values.MinJudged); err != nil {
		return limits, fmt.Errorf("minJudged: %w", err)
	}
	limits.Segments, err = segmentLimits(m.Segments, values.Segments, limits.Metrics)
	return limits, err
}

func segmentLimits(scores []verdict.SegmentScore, lines []SegmentLimit, metrics []verdict.Limit) ([]verdict.SegmentLimit, error) {
	if len(scores) != len(lines) {
		return nil, fmt.Errorf("%d scores of segments were measured, but the gate has %d limits of segments", len(scores), len(lines))
	}
	var limits []verdict.SegmentLimit
	for i, line := range lines {
		if scores[i].Segment != line.Segment || scores[i].Metric != line.Metric {
			return nil, fmt.Errorf("score %d of segments is %s of %s, but the gate's limit is for %s of %s",
				i+1, scores[i].Metric, scores[i].Segment, line.Metric, line.Segment)
		}
		least, err := ParseFraction(line.Min)
		if err != nil {
			return nil, fmt.Errorf("min of %s of segment %s: %w", line.Metric, line.Segment, err)
		}
		limit := verdict.SegmentLimit{Segment: line.Segment, Metric: line.Metric, Min: least}
		for _, metric := range metrics {
			if metric.Metric == line.Metric {
				limit.Confidence = metric.Confidence
			}
		}
		limits = append(limits, limit)
	}
	return limits, nil
}

// ParseFraction reads a fraction such as 0.85 exactly, as millionths.
func ParseFraction(text string) (int64, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	value, err := strconv.ParseUint(whole+(decimals + "000000")[:max(6, len(decimals))], 10, 32)
	if len(whole) != 1 || len(decimals) > 6 || strings.HasSuffix(text, ".") || err != nil || value > 1_000_000 {
		return 0, fmt.Errorf("%q is not a fraction between 0 and 1 with at most 6 decimals", text)
	}
	return int64(value), nil
}

func optionalFraction(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	value, err := ParseFraction(text)
	return &value, err
}
