package relevance

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// ndcg is DCG@k of the ranking divided by DCG@k of the ideal one (Järvelin and Kekäläinen 2002, with the discount
// log2(rank+1) of Burges et al. 2005).
//
// The ideal ranking is all judged documents, best first, cut at k: not only those that were found, and never cut at
// the number of hits, which would reward a search for finding less.
func ndcg(grades, judged []float64, k int, gain Gain) (float64, error) {
	if gain != Exponential && gain != Linear {
		return 0, fmt.Errorf("unknown gain %q", gain)
	}
	best := slices.Clone(judged)
	slices.Sort(best)
	slices.Reverse(best)
	ideal := dcg(best, k, gain)
	if ideal == 0 {
		return 0, ErrUndefined
	}
	return dcg(grades, k, gain) / ideal, nil
}

// dcg is the sum over the first k ranks i = 1, 2, ... of gain(grade) / log2(i+1). A quotient cannot be fused with the
// sum, so the digits are the same on every architecture.
func dcg(grades []float64, k int, gain Gain) float64 {
	sum := 0.0
	for i, grade := range grades[:min(k, len(grades))] {
		sum += gain.of(grade) / discount(i+1)
	}
	return sum
}

// of is what a grade is worth: 0 for Unjudged. For whole grades 2^grade is exact.
func (g Gain) of(grade float64) float64 {
	switch {
	case grade <= 0:
		return 0
	case g == Linear:
		return grade
	case grade == math.Trunc(grade):
		return math.Ldexp(1, int(grade)) - 1
	}
	return math.Exp2(grade) - 1
}

// discounts holds log2(rank+1) at index rank.
var discounts = sync.OnceValue(func() []float64 {
	table := make([]float64, MaxK+1)
	for rank := range table {
		table[rank] = math.Log2(float64(rank + 1))
	}
	return table
})

// discount is log2(rank+1), rank >= 1.
func discount(rank int) float64 {
	if rank <= MaxK {
		return discounts()[rank]
	}
	return math.Log2(float64(rank + 1))
}
