package evaluate

import (
	"fmt"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// Tie is what a ranking leaves open for one metric: the hits on both sides of the
// metric's cut have the same engine score, so which of them come first is the
// engine's whim.
type Tie struct {
	Metric int // position in Report.Metrics
	// Low and High are the lowest and the highest value that the metric can
	// take over the orders of the tied hits.
	Low, High float64
	// Open says that the last hit that was asked for is one of the tied, so
	// that others not seen can be too, and the value can lie outside.
	Open bool
}

// TieSpread is what the ties of all queries leave open for the mean of a metric.
type TieSpread struct {
	Queries int // with a tie at the metric's cut
	Open    int // how many of these ties are open
	// Low and High are the means, in millionths, with the low and the high
	// value of each tie.
	Low, High int64
}

// ties finds the ties at the cuts of the metrics that have a value. full says
// that the engine returned as many hits as it was asked for.
func (s *ranker) ties(values []float64, full bool) ([]Tie, error) {
	var ties []Tie
	for i, metric := range s.metrics {
		from, to := s.tiedAt(cutOf(metric, s.judged))
		if from == to || values[i] == NoValue {
			continue
		}
		tie := Tie{Metric: i, Low: values[i], High: values[i], Open: full && to == len(s.scores)}
		// Every metric is the greater the better the hits above its cut are, or
		// the smaller; so the extremes are the two sorted orders.
		order := slices.Clone(s.ranked)
		for _, sort := range []func([]float64){slices.Sort[[]float64], slices.Reverse[[]float64]} {
			sort(order[from:to])
			value, err := s.valueOf(metric, order)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", metric.Name, err)
			}
			tie.Low, tie.High = min(tie.Low, value), max(tie.High, value)
		}
		ties = append(ties, tie)
	}
	return ties, nil
}

// tiedAt is the range of the hits that share their engine score across the cut
// k; it is empty where there is no tie.
func (s *ranker) tiedAt(k int) (from, to int) {
	if k < 1 || k >= len(s.scores) || s.scores[k-1] != s.scores[k] { // NaN is not NaN
		return 0, 0
	}
	from, to = k-1, k+1
	for from > 0 && s.scores[from-1] == s.scores[k] {
		from--
	}
	for to < len(s.scores) && s.scores[to] == s.scores[k] {
		to++
	}
	return from, to
}

// tieSpreads fills what ties leave open for the means of one index, one entry a
// metric, nil where no counted query is tied.
func (r *run) tieSpreads(a *arm, counted []int) ([]*TieSpread, error) {
	spreads := make([]*TieSpread, len(r.metrics))
	for i := range r.metrics {
		var low, high, weights []float64
		var spread TieSpread
		for _, query := range counted {
			value := r.valuesOf(a, 0, query)[i]
			if value == NoValue {
				continue
			}
			tie := Tie{Low: value, High: value}
			if at := slices.IndexFunc(a.rankings[query].Ties, func(t Tie) bool { return t.Metric == i }); at >= 0 {
				tie = a.rankings[query].Ties[at]
				spread.Queries++
			}
			if tie.Open {
				spread.Open++
			}
			low, high = append(low, tie.Low), append(high, tie.High)
			weights = append(weights, r.set.Queries[query].Weight)
		}
		if spread.Queries == 0 {
			continue
		}
		var err error
		if spread.Low, err = relevance.Round(relevance.Mean(low, weights)); err != nil {
			return nil, err
		}
		if spread.High, err = relevance.Round(relevance.Mean(high, weights)); err != nil {
			return nil, err
		}
		spreads[i] = &spread
	}
	return spreads, nil
}
