// Package compare says how two measurements of the same queries differ: by how much, how sure that is, and which queries
// and documents it comes from. It is pure: plain numbers in, plain numbers out.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// Confidence is that of the intervals, and Power the probability with which a Detectable difference is told, in
// millionths.
const (
	Confidence = 950_000
	Power      = 800_000
)

// Method is how the interval of a difference is taken from the draws.
type Method string

// The methods. BCa moves the ends where the draws are lopsided, which few queries and rare large differences make them.
const (
	Percentile Method = "percentile"
	BCa        Method = "bca"
)

// Seed is the one that all draws begin with: the same input gives the same digits.
const Seed = 1

// Input is two measurements of the same queries.
type Input struct {
	Before, After string // what messages call them
	// Metrics are those of both, with everything that decides their values.
	Metrics []relevance.Metric
	// By is the position of the metric that says which queries changed most.
	By int
	// Method of the intervals; empty is Percentile.
	Method Method
	// Queries are in the order in which they are listed; at least one of them is not in error.
	Queries []Query
	// Hits gives the rankings of a query by its position; nil where they are not known.
	Hits func(query int) (before, after Ranking, err error)
	// KnownBefore and KnownAfter are the means in millionths, where they are known better than from the queries: one a
	// metric, nil for none. They are used only where no query is left out.
	KnownBefore, KnownAfter []*int64
	// Missing counts queries that were measured and that the input has not. Then nothing is said of how sure a difference
	// is.
	Missing int
	// Notes are sentences on what is not compared.
	Notes []string
}

// Query is one query in both measurements.
type Query struct {
	ID, Text string
	Segments []string
	Weight   float64 // above 0
	// Before and After have one value a metric, nil where the metric does not apply.
	Before, After []*float64
	// Error says why the query cannot be compared; empty = it can.
	Error string
}

// Comparison is what there is to say.
type Comparison struct {
	Before, After string
	// Compared and LeftOut count queries: LeftOut those in error.
	Compared, LeftOut, Missing int
	Notes                      []string
	Method                     Method // of the intervals
	// Metrics are the names of what is compared, and Changes has one entry for each.
	Metrics []string
	Changes []Change
	// Queries are all of the input, in its order.
	Queries []Query
	// Segments are in the order of their names.
	Segments []Segment
	// By is the metric that says which queries changed most.
	By string
	// Worst and Best are the queries that lost and gained most by it, the most first.
	Worst, Best []QueryChange
}

// Segment is the comparison of the queries with a label.
type Segment struct {
	Name    string
	Queries int
	Changes []Change // one a metric, in the order of the metrics
}

// Change is how the mean of a metric differs. Numbers are in millionths.
type Change struct {
	Metric  string
	Queries int // that the metric applies to
	// Before, After and Delta are nil where it applies to no query.
	Before, After, Delta *int64
	// Low and High are the ends of the interval of Delta at Confidence; nil where the queries say nothing of it.
	Low, High *int64
	// P is how often chance alone differs as much. Those of segments are corrected, by metric, for their number.
	P *int64
	relevance.Tally
	// Effect is the mean difference in standard deviations of the differences.
	Effect *int64
	// Detectable is the smallest difference that so many queries can tell from none.
	Detectable *int64
}

// QueryChange is how a query differs.
type QueryChange struct {
	Query
	ValueBefore, ValueAfter, Delta int64 // in millionths, by the metric that the queries are chosen by
	Moved                          []Moved
}

// Compare compares. It lists at most so many queries as worst and as many as best.
func Compare(in Input, listed int) (*Comparison, error) {
	order := compared(in.Queries)
	if len(order) == 0 {
		return nil, errors.New("there is no query that both measured without an error")
	}
	out := &Comparison{
		Before: in.Before, After: in.After, By: in.Metrics[in.By].Name,
		Method:   cmp.Or(in.Method, Percentile),
		Compared: len(order), LeftOut: len(in.Queries) - len(order), Missing: in.Missing, Notes: in.Notes, Queries: in.Queries,
	}
	for m, metric := range in.Metrics {
		change, err := in.change(m, order)
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", metric.Name, err)
		}
		out.Metrics, out.Changes = append(out.Metrics, metric.Name), append(out.Changes, change)
	}
	if out.LeftOut == 0 {
		in.useKnown(out.Changes)
	}
	var err error
	if out.Segments, err = in.segments(order); err != nil {
		return nil, err
	}
	if out.Worst, out.Best, err = in.changedMost(order, listed); err != nil {
		return nil, err
	}
	return out, nil
}

// compared are the positions of the queries that are not in error, in ascending order of their ids: sums are taken in that
// order, so that the order of the input changes no digit.
func compared(queries []Query) []int {
	var order []int
	for i := range queries {
		if queries[i].Error == "" {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(queries[a].ID, queries[b].ID) })
	return order
}

// change compares a metric over these queries.
func (in *Input) change(metric int, order []int) (Change, error) {
	out := Change{Metric: in.Metrics[metric].Name}
	var before, after, deltas, weights []float64
	for _, i := range order {
		query := &in.Queries[i]
		b, a := query.Before[metric], query.After[metric]
		if b == nil || a == nil {
			continue
		}
		before, after = append(before, *b), append(after, *a)
		deltas, weights = append(deltas, *a-*b), append(weights, query.Weight)
	}
	if out.Queries = len(deltas); out.Queries == 0 {
		return out, nil
	}
	var err error
	if out.Before, err = millionths(relevance.Mean(before, weights)); err != nil {
		return out, err
	}
	if out.After, err = millionths(relevance.Mean(after, weights)); err != nil {
		return out, err
	}
	out.Delta = difference(out.After, out.Before)
	if out.Tally, err = relevance.Count(deltas); err != nil || in.Missing > 0 {
		return out, err
	}
	return out, out.addCertainty(deltas, weights, in.Method)
}

// addCertainty says how sure the difference is, as far as the queries say it.
func (c *Change) addCertainty(deltas, weights []float64, method Method) error {
	p, err := relevance.RandomizationTest(deltas, weights, relevance.DefaultResamples, Seed)
	if err != nil {
		return err
	}
	if c.P, err = millionths(p); err != nil {
		return err
	}
	drawn, err := relevance.Bootstrap([][]float64{deltas}, weights, relevance.DefaultResamples, Seed)
	if errors.Is(err, relevance.ErrDegenerate) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.addInterval(drawn[0], deltas, weights, method); err != nil {
		return err
	}
	detectable, err := relevance.Detectable(deltas, weights, Confidence, Power)
	if err != nil {
		return err
	}
	if c.Detectable, err = millionths(detectable); err != nil {
		return err
	}
	effect, err := relevance.EffectSize(deltas, weights)
	if errors.Is(err, relevance.ErrDegenerate) {
		return nil
	}
	if err == nil {
		c.Effect, err = millionths(effect)
	}
	return err
}

// addInterval takes the interval from the draws, where it says anything: one without width does only where nothing
// differs.
func (c *Change) addInterval(drawn relevance.Distribution, deltas, weights []float64, method Method) error {
	interval := drawn.Percentile(Confidence)
	if method == BCa {
		var err error
		if interval, err = drawn.BCa(deltas, weights, Confidence); errors.Is(err, relevance.ErrDegenerate) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if interval.Low == interval.High && c.Wins+c.Losses > 0 {
		return nil
	}
	var err error
	if c.Low, err = millionths(interval.Low); err == nil {
		c.High, err = millionths(interval.High)
	}
	return err
}

// useKnown puts the means that are known better in place of those of the queries.
func (in *Input) useKnown(changes []Change) {
	for m := range changes {
		if m < len(in.KnownBefore) && in.KnownBefore[m] != nil && in.KnownAfter[m] != nil {
			change := &changes[m]
			change.Before, change.After = in.KnownBefore[m], in.KnownAfter[m]
			change.Delta = difference(change.After, change.Before)
		}
	}
}

// segments compares the queries of each label.
func (in *Input) segments(order []int) ([]Segment, error) {
	members := map[string][]int{}
	for _, i := range order {
		for _, label := range in.Queries[i].Segments {
			members[label] = append(members[label], i)
		}
	}
	var out []Segment
	for label, queries := range members {
		segment := Segment{Name: label, Queries: len(queries)}
		for m := range in.Metrics {
			change, err := in.change(m, queries)
			if err != nil {
				return nil, fmt.Errorf("comparing %s of segment %s: %w", in.Metrics[m].Name, label, err)
			}
			segment.Changes = append(segment.Changes, change)
		}
		out = append(out, segment)
	}
	slices.SortFunc(out, func(a, b Segment) int { return cmp.Compare(a.Name, b.Name) })
	for m := range in.Metrics {
		if err := correct(out, m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// correct corrects the p-values of a metric for the number of segments that have one: of twenty segments one is far off by
// chance alone.
func correct(segments []Segment, metric int) error {
	var all []float64
	var places []**int64
	for i := range segments {
		if p := &segments[i].Changes[metric].P; *p != nil {
			all, places = append(all, float64(**p)/1e6), append(places, p)
		}
	}
	for i, p := range relevance.Holm(all) {
		corrected, err := millionths(p)
		if err != nil {
			return err
		}
		*places[i] = corrected
	}
	return nil
}

func millionths(value float64) (*int64, error) {
	rounded, err := relevance.Round(value)
	return &rounded, err
}

func difference(after, before *int64) *int64 {
	delta := *after - *before
	return &delta
}
