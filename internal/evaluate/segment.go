package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/nearest"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// addSegments fills the scores of the plan's segments, and returns what is to be
// drawn for those whose metric confidence is asked for.
func (r *run) addSegments(counted []int) ([]drawing, error) {
	m := &r.report.Measurement
	m.Segments = append(m.Segments, make([]verdict.SegmentScore, len(r.plan.Segments))...)
	var drawings []drawing
	for i, segment := range r.plan.Segments {
		metric := r.metricCalled(segment.Metric)
		queries := slices.DeleteFunc(slices.Clone(counted), func(query int) bool {
			return !slices.Contains(r.set.Queries[query].Segments, segment.Segment)
		})
		score := &m.Segments[i]
		score.Segment, score.Metric = segment.Segment, segment.Metric
		for _, a := range r.arms {
			mean, err := r.mean(r.sampleOf(a, metric, queries))
			if err != nil {
				return nil, err
			}
			if a.isCandidate {
				score.Candidate = mean
			} else {
				score.Live = mean
			}
		}
		tested := r.sampleOf(r.arms[0], metric, queries)
		score.Queries = len(tested.queries)
		if confidence, asked := r.plan.Confidence[segment.Metric]; asked {
			drawings = append(drawings, drawing{tested, lowsInto(&score.Lows, confidence, r.plan.segmentsBy(segment.Metric))})
		}
	}
	return drawings, nil
}

// lowsInto puts the low ends at their place: of what is shared among 1, 2, ...
// up to so many segments.
func lowsInto(place *[]int64, confidence int64, segments int) func(relevance.Distribution) error {
	return func(drawn relevance.Distribution) error {
		for shared := 1; shared <= segments; shared++ {
			low, err := relevance.Round(drawn.Low(confidence, shared))
			if err != nil {
				return err
			}
			*place = append(*place, low)
		}
		return nil
	}
}

// segmentsBy counts the segments that have a limit for the metric.
func (p *Plan) segmentsBy(metric string) int {
	n := 0
	for _, segment := range p.Segments {
		if segment.Metric == metric {
			n++
		}
	}
	return n
}

// metricCalled is the position of a metric, or -1.
func (r *run) metricCalled(name string) int {
	return slices.IndexFunc(r.metrics, func(metric relevance.Metric) bool { return metric.Name == name })
}

// checkSegments makes sure that every segment with a limit has a query that
// counts for its metric: a limit of a misspelt segment would hold nothing.
func (p *Plan) checkSegments(set *golden.Set) error {
	for _, segment := range p.Segments {
		labelled, counts := 0, 0
		for _, query := range set.Queries {
			if slices.Contains(query.Segments, segment.Segment) {
				labelled++
				if query.ExpectNoResults == (segment.Metric == string(relevance.NoResults)) {
					counts++
				}
			}
		}
		switch {
		case labelled == 0:
			return fmt.Errorf("%s: no query has the segment %q, which a limit is set for; %s", p.GoldenSource, segment.Segment, segmentsOf(set, segment.Segment))
		case counts == 0:
			return fmt.Errorf("%s: of segment %q, which a limit of %s is set for, no query counts for %s: %s",
				p.GoldenSource, segment.Segment, segment.Metric, segment.Metric, whyNone(segment.Metric))
		}
	}
	return nil
}

// whyNone says why no query of a segment counts for a metric.
func whyNone(metric string) string {
	if metric == string(relevance.NoResults) {
		return "none expects no results"
	}
	return "all expect no results"
}

// maxSegmentsListed is how many segments a message lists.
const maxSegmentsListed = 5

// segmentsOf says which segment was probably meant or, if none is near, which
// there are.
func segmentsOf(set *golden.Set, missing string) string {
	labels := map[string]bool{}
	for _, query := range set.Queries {
		for _, label := range query.Segments {
			labels[label] = true
		}
	}
	known := slices.Sorted(maps.Keys(labels))
	if len(known) == 0 {
		return "no query has any"
	}
	if meant, ok := nearest.Word(missing, known); ok {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	var listed []string
	for _, label := range known[:min(len(known), maxSegmentsListed)] {
		listed = append(listed, fmt.Sprintf("%q", label))
	}
	text := "it has " + strings.Join(listed, ", ")
	if more := len(known) - len(listed); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
