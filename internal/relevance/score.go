package relevance

import (
	"errors"
	"fmt"
	"math"
)

// ErrUndefined is returned for a query on which a metric says nothing, because no judged document is relevant, or none
// has a gain above 0 (NDCG). A valid golden set has no such query.
var ErrUndefined = errors.New("the metric is undefined for a query without a relevant judged document")

// ErrNoHits is returned for a query that found nothing, by the metrics that speak of hits alone (judged and
// unjudgedRate). Such a query is left out of their mean.
var ErrNoHits = errors.New("the metric is undefined for a query that found nothing")

// Score computes the metric for one query.
//
// grades is the ranking: the grade of each hit, best hit first, Unjudged for a hit without a judgment. judged holds the
// grades of all judgments of the query in any order. Neither is changed. The score is from 0 to 1, except for dcg, which
// has no upper bound. No hits give 0, but 1 for noresults.
//
// Errors: ErrUndefined; ErrNoHits; a grade that is NaN, negative (Unjudged in the ranking aside) or above m.HighestGrade(); a
// metric that ParseMetric would not return, or err without WithMaxGrade; and a value outside 0..1, which is a bug or a
// ranking that holds a document twice.
func (m Metric) Score(grades []float64, judged []float64) (float64, error) {
	if err := m.check(grades, Unjudged); err != nil {
		return 0, err
	}
	if err := m.check(judged, 0); err != nil {
		return 0, err
	}
	d, ok := definitions[m.Kind]
	switch {
	case !ok:
		return 0, fmt.Errorf("metric %q has the unknown kind %q", m.Name, m.Kind)
	case m.K < 0 || m.K == 0 && d.cut == mustCut || m.K > 0 && d.cut == noCut:
		return 0, fmt.Errorf("metric %q has the cut-off %d", m.Name, m.K)
	case m.K > 0:
		grades = grades[:min(m.K, len(grades))]
	}
	value, err := d.score(m, grades, judged)
	if err != nil {
		return 0, err
	}
	if m.Kind == DCG {
		return value, nil
	}
	return bounded(m.Name, value)
}

// check refuses grades that no arithmetic may meet. lowest is the one value below 0 that is allowed, or 0.
func (m Metric) check(grades []float64, lowest float64) error {
	highest := float64(m.HighestGrade())
	for _, g := range grades {
		if !(g >= 0 && g <= highest) && g != lowest { // written so that NaN is refused
			return fmt.Errorf("grade %v is not between 0 and %.0f", g, highest)
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
