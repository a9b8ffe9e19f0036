package relevance

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// DefaultResamples is how often Bootstrap and RandomizationTest draw unless told otherwise.
const DefaultResamples = 10_000

// ErrDegenerate is returned where fewer than two queries, or queries that all score alike, say nothing of how sure a mean
// is.
var ErrDegenerate = errors.New("queries that are fewer than two, or all alike, say nothing of how sure their mean is")

// Interval is a confidence interval of a mean, or of a difference of two.
type Interval struct{ Low, High float64 }

// Distribution holds the resampled means of one column, in ascending order. It is never empty.
type Distribution []float64

// Bootstrap draws as many queries as there are, with replacement, resamples times, and returns for each column the
// weighted means of the draws (Efron 1979; paired, as the same draws serve all columns).
//
// A column has one number a query: the score on one index, or the difference between two. weights are as in Mean. The
// caller passes the queries in ascending order of their ids, so that the order of a golden set changes no digit.
//
// The result depends on the arguments alone: not on the number of cores, for each block of draws has a generator of its
// own (PCG with the seed and the block's number); not on the Go release, for the generator's words become indices here;
// and not on the architecture, for no product is fused into a sum. Which index a word becomes is uneven by at most
// n/2^64.
//
// Errors: ErrDegenerate for fewer than two queries; resamples below 1; columns or weights of another length, numbers that
// are not finite, weights that are not above 0.
func Bootstrap(columns [][]float64, weights []float64, resamples int, seed uint64) ([]Distribution, error) {
	n, err := checkColumns(columns, weights)
	if err != nil {
		return nil, err
	}
	if resamples < 1 {
		return nil, fmt.Errorf("%d resamples: draw at least 1", resamples)
	}
	if n < 2 {
		return nil, ErrDegenerate
	}
	weighted := make([][]float64, len(columns))
	means := make([]Distribution, len(columns))
	for i, column := range columns {
		weighted[i] = product(column, weights)
		means[i] = make(Distribution, resamples)
	}
	eachBlock(resamples, seed, func() blockFunc {
		counts := make([]float64, n)
		return func(generator *rand.PCG, resample int) {
			draw(generator, counts)
			total := float64(n)
			if weights != nil {
				total = dot(counts, weights)
			}
			for i := range weighted {
				means[i][resample] = dot(counts, weighted[i]) / total
			}
		}
	})
	for _, distribution := range means {
		slices.Sort(distribution)
	}
	return means, nil
}

// draw fills counts with how often each query is drawn.
func draw(generator *rand.PCG, counts []float64) {
	clear(counts)
	for range counts {
		index, _ := bits.Mul64(generator.Uint64(), uint64(len(counts)))
		counts[index]++
	}
}

// dot is the sum of counts[i] * values[i]. It adds up four sums side by side, which is faster and as well defined as one.
func dot(counts, values []float64) float64 {
	values = values[:len(counts)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(counts); i += 4 {
		a += float64(counts[i] * values[i]) // the conversion forbids a fused multiply-add
		b += float64(counts[i+1] * values[i+1])
		c += float64(counts[i+2] * values[i+2])
		d += float64(counts[i+3] * values[i+3])
	}
	for ; i < len(counts); i++ {
		a += float64(counts[i] * values[i])
	}
	return (a + b) + (c + d)
}

// Percentile is the percentile interval at a confidence from 0 to 1 in millionths. With B means and a = (1-confidence)/2
// it runs from the one at rank max(1, ceil(B*a)) to the one at rank ceil(B*(1-a)) (nearest rank). One of no width says
// how sure a mean is only where all values are differences of 0; elsewhere it is for the caller to refuse.
func (d Distribution) Percentile(confidence Millionths) Interval {
	return Interval{Low: d.Low(confidence, 1), High: d.at(perUnit+confidence, 2*perUnit)}
}

// Low is the low end of the percentile interval when a, which is what may go wrong there, is shared among so many
// intervals, at least 1.
func (d Distribution) Low(confidence Millionths, shared int) float64 {
	return d.at(perUnit-confidence, 2*perUnit*int64(shared))
}

// at is the value at the rank ceil(B * part/whole), at least 1. Whole numbers, as in float64 10,000 * (1-0.95)/2 is a
// little more than 250.
func (d Distribution) at(part, whole int64) float64 {
	rank := (int64(len(d))*part + whole - 1) / whole
	return d[max(1, rank)-1]
}

// checkColumns returns the number of queries.
func checkColumns(columns [][]float64, weights []float64) (int, error) {
	if len(columns) == 0 {
		return 0, errors.New("there is no column to draw from")
	}
	n := len(columns[0])
	for _, column := range columns {
		if len(column) != n {
			return 0, fmt.Errorf("one column has %d queries and another has %d", n, len(column))
		}
		for _, value := range column {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return 0, fmt.Errorf("%v is no score", value)
			}
		}
	}
	if weights != nil && len(weights) != n {
		return 0, fmt.Errorf("there are %d weights for %d queries", len(weights), n)
	}
	for _, weight := range weights {
		if !(weight > 0) || math.IsInf(weight, 0) { // written so that NaN is refused
			return 0, fmt.Errorf("%v is no weight: write a number above 0", weight)
		}
	}
	return n, nil
}

// product is weight * value of each query.
func product(values, weights []float64) []float64 {
	out := slices.Clone(values)
	for i := range weights {
		out[i] = float64(out[i] * weights[i]) // the conversion forbids a fused multiply-add further on
	}
	return out
}
