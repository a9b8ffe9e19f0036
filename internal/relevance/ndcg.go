package relevance

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// ndcg is NDCG@k = DCG@k of the ranking / DCG@k of the ideal ranking; range 0..1.
//
// The ideal ranking is all judged documents, best first, cut at k: not only those that were found, and never cut at
// the number of hits, which would reward a search for finding less. Without k neither ranking is cut.
// Unjudged hits gain nothing and keep their ranks; no hits give 0; hits with the same score count in the order in which
// they came. A query without a judged document that gains something is ErrUndefined.
// Source: Järvelin and Kekäläinen 2002, with the discount log2(rank+1) and the exponential gain of Burges et al. 2005.
// With the linear gain it is trec_eval's ndcg_cut_K and, without k, its ndcg.
func ndcg(m Metric, ranks, judged []float64) (float64, error) {
	if err := m.checkGain(); err != nil {
		return 0, err
	}
	ideal := idealGain(judged, m.K, m.Gain)
	if ideal == 0 {
		return 0, ErrUndefined
	}
	return discountedGain(ranks, m.Gain) / ideal, nil
}

// dcg is DCG@k = sum over the ranks i = 1..k of gain(grade) / log2(i+1); from 0 on, without an upper bound.
//
// Its size depends on the grades and on how many documents are judged, so it is comparable for the same query only.
// Unjudged hits gain nothing and keep their ranks; no hits give 0; hits with the same score count in the order in which
// they came. A value that millionths cannot hold is an error.
// Source: as NDCG.
func dcg(m Metric, ranks, _ []float64) (float64, error) {
	if err := m.checkGain(); err != nil {
		return 0, err
	}
	value := discountedGain(ranks, m.Gain)
	if _, err := Round(value); err != nil {
		return 0, fmt.Errorf("%s is too large: %w", m.Name, err)
	}
	return value, nil
}

func (m Metric) checkGain() error {
	if m.Gain != Exponential && m.Gain != Linear {
		return fmt.Errorf("metric %q has the unknown gain %q", m.Name, m.Gain)
	}
	return nil
}

// discountedGain is the sum over all ranks i = 1, 2, ... of gain(grade) / log2(i+1). A quotient cannot be fused with
// the sum, so the digits are the same on every architecture.
func discountedGain(grades []float64, gain Gain) float64 {
	sum, table := 0.0, discounts()
	for i, grade := range grades {
		if grade > 0 {
			sum += gain.of(grade) / table.at(i+1)
		}
	}
	return sum
}

// idealGain is the discountedGain of the judged grades, best first, cut at k if k is above 0. Grades are whole numbers
// up to MaxGrade nearly always; then counting them does for sorting them.
func idealGain(judged []float64, k int, gain Gain) float64 {
	var counts [MaxGrade + 1]int
	for _, grade := range judged {
		if grade > MaxGrade || grade != math.Trunc(grade) {
			best := slices.Sorted(slices.Values(judged))
			slices.Reverse(best)
			if k > 0 {
				best = best[:min(k, len(best))]
			}
			return discountedGain(best, gain)
		}
		counts[int(grade)]++
	}
	if k == 0 {
		k = len(judged)
	}
	sum, table, rank := 0.0, discounts(), 1
	for grade := MaxGrade; grade > 0; grade-- {
		worth := gain.of(float64(grade))
		for range counts[grade] {
			if rank > k {
				return sum
			}
			sum += worth / table.at(rank)
			rank++
		}
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
		return float64(int64(1)<<int(grade) - 1)
	}
	whole, fraction := math.Modf(grade)
	return math.Ldexp(exponential(fraction*math.Ln2), int(whole)) - 1 // math.Exp2 differs between architectures
}

// discountTable holds log2(rank+1) at index rank.
type discountTable []float64

var discounts = sync.OnceValue(func() discountTable {
	table := make(discountTable, MaxK+1)
	for rank := range table {
		table[rank] = log2(rank + 1)
	}
	return table
})

// at is log2(rank+1), rank >= 1.
func (t discountTable) at(rank int) float64 {
	if rank < len(t) {
		return t[rank]
	}
	return log2(rank + 1)
}

// log2 is math.Log2 of a whole number from 1 on, from operations that every architecture rounds alike: math.Log2 fuses a
// product with a sum on some, and is written in assembly on others. It is exact for powers of two.
//
// With n = 2^e * m, 1 <= m < 2, it is e + 2/ln(2) * (s + s^3/3 + s^5/5 + ...), where s = (m - 1) / (m + 1) is below 1/3.
func log2(n int) float64 {
	half, exponent := math.Frexp(float64(n))
	m := 2 * half
	s := (m - 1) / (m + 1)
	sum, power := 0.0, s
	for odd := 1; odd < 40; odd += 2 {
		sum += power / float64(odd)
		power *= float64(s * s)
	}
	return float64(exponent-1) + float64(2/math.Ln2*sum) // the conversion forbids a fused multiply-add
}
