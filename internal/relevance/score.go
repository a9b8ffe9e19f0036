package relevance

import (
	"errors"
	"fmt"
	"math"
)

// ErrUndefined is returned for a query on which a metric says nothing: no judged document is relevant (recall), or
// none has a gain above 0 (NDCG). A valid golden set has no such query.
var ErrUndefined = errors.New("the metric is undefined for a query without a relevant judged document")

// Score computes the metric for one query.
//
// grades is the ranking: the grade of each hit, best hit first, Unjudged for a hit without a judgment. judged holds the
// grades of all judgments of the query in any order. Neither is changed. The score is from 0 to 1; no hits give 0, but 1
// for noresults.
//
// Errors: ErrUndefined; a grade that is NaN, negative (Unjudged in the ranking aside) or above MaxGrade; a metric that
// ParseMetric would not return; and a value outside 0..1, which is a bug or a ranking that holds a document twice.
func (m Metric) Score(grades []float64, judged []float64) (float64, error) {
	if err := check(grades, Unjudged); err != nil {
		return 0, err
	}
	if err := check(judged, 0); err != nil {
		return 0, err
	}
	switch m.Kind {
	case NonEmpty:
		return oneIf(len(grades) > 0), nil
	case NoResults:
		return oneIf(len(grades) == 0), nil
	}
	if m.K < 1 {
		return 0, fmt.Errorf("metric %q has the cut-off %d", m.Name, m.K)
	}
	var value float64
	var err error
	switch m.Kind {
	case NDCG:
		value, err = ndcg(grades, judged, m.K, m.Gain)
	case Recall:
		value, err = recall(grades, judged, m.K, m.RelevantFrom)
	case Precision:
		value = precision(grades, m.K, m.RelevantFrom)
	default:
		err = fmt.Errorf("metric %q has the unknown kind %q", m.Name, m.Kind)
	}
	if err != nil {
		return 0, err
	}
	return bounded(m.Name, value)
}

// check refuses grades that no arithmetic may meet. lowest is the one value below 0 that is allowed, or 0.
func check(grades []float64, lowest float64) error {
	for _, g := range grades {
		if !(g >= 0 && g <= MaxGrade) && g != lowest { // written so that NaN is refused
			return fmt.Errorf("grade %v is not between 0 and %d", g, MaxGrade)
		}
	}
	return nil
}

// slack is how far rounding may carry a value above 1.
const slack = 1e-12

// bounded returns value if it is a score, and an error if it is none.
func bounded(name string, value float64) (float64, error) {
	switch {
	case value >= 0 && value <= 1:
		return value, nil
	case value > 1 && value <= 1+slack:
		return 1, nil
	case math.IsNaN(value):
		return 0, fmt.Errorf("internal error: %s is not a number", name)
	}
	return 0, fmt.Errorf("internal error: %s is %v, outside 0..1", name, value)
}

// oneIf is 1 for true and 0 for false.
func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
