package evaluate

import (
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// addStatistics adds what the means alone do not say: how sure they are, what
// they are over the segments, and what they would be without weights.
func (r *run) addStatistics(counted []int) error {
	segments, err := r.addSegments(counted)
	if err != nil {
		return err
	}
	if err := r.draw(append(r.addIntervals(counted), segments...)); err != nil {
		return err
	}
	r.report.Unweighted, err = r.unweightedMeans(counted)
	return err
}

// addIntervals gives an interval to each metric that confidence is asked for: to
// its score on the index under test and, if there are two indices, to the
// difference between them. It returns what is to be drawn for them.
func (r *run) addIntervals(counted []int) []drawing {
	var drawings []drawing
	for i, metric := range r.metrics {
		confidence, asked := r.plan.Confidence[metric.Name]
		if !asked {
			continue
		}
		score := &r.report.Measurement.Scores[i]
		tested := r.sampleOf(r.arms[0], i, counted)
		score.Queries = len(tested.queries)
		drawings = append(drawings, drawing{tested, intervalInto(&score.Interval, confidence)})
		if len(r.arms) > 1 {
			drawings = append(drawings, drawing{r.differencesOf(i, counted), intervalInto(&score.DeltaInterval, confidence)})
		}
	}
	return drawings
}

// intervalInto puts the percentile interval of the draws at its place.
func intervalInto(place **verdict.Interval, confidence int64) func(relevance.Distribution) error {
	return func(drawn relevance.Distribution) error {
		interval := drawn.Percentile(confidence)
		low, err := relevance.Round(interval.Low)
		if err != nil {
			return err
		}
		high, err := relevance.Round(interval.High)
		if err != nil {
			return err
		}
		*place = &verdict.Interval{Low: low, High: high}
		return nil
	}
}
