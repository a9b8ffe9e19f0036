package relevance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// maxExact is the largest number of queries for which RandomizationTest looks at all sign patterns.
const maxExact = 20

// RandomizationTest is the p-value, above 0 and up to 1, of the paired two-sided sign-flip test (Fisher 1935; Smucker,
// Allan and Carterette 2007): how often the sum of weight * difference would be as far from 0 as it is if each query's
// difference might as well have had the other sign. weights are as in Mean; differences of 0 stay in.
//
// Up to 20 queries all 2^n patterns are counted, beyond that as many random ones as resamples says, and then the observed
// pattern is one of them: p = (1 + hits) / (resamples + 1). Sums that differ from the observed one by no more than
// 1e-12 * max(1, sum |weight * difference|) count as equal, or rounding would lose patterns that tie with it. The result
// depends on the arguments alone, as that of Bootstrap.
//
// Errors: those of Bootstrap, but one query is enough.
func RandomizationTest(differences, weights []float64, resamples int, seed uint64) (float64, error) {
	n, err := checkColumns([][]float64{differences}, weights)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, ErrDegenerate
	}
	if resamples < 1 {
		return 0, fmt.Errorf("%d resamples: draw at least 1", resamples)
	}
	terms := product(differences, weights)
	sum, absolute := 0.0, 0.0
	for _, term := range terms {
		sum += term
		absolute += math.Abs(term)
	}
	least := math.Abs(sum) - float64(1e-12*max(1, absolute)) // the conversion forbids a fused multiply-subtract
	if n <= maxExact {
		return exactShare(terms, least), nil
	}
	var hits atomic.Int64
	eachBlock(resamples, seed, func() blockFunc {
		return func(generator *rand.PCG, _ int) {
			if math.Abs(flippedSum(generator, terms)) >= least {
				hits.Add(1)
			}
		}
	})
	return float64(1+hits.Load()) / float64(resamples+1), nil
}

// exactShare is the share of all sign patterns whose sum is at least so far from 0. The sums of the two halves of the
// queries are made once each.
func exactShare(terms []float64, least float64) float64 {
	first, second := signedSums(terms[:len(terms)/2]), signedSums(terms[len(terms)/2:])
	hits := 0
	for _, a := range first {
		for _, b := range second {
			if math.Abs(a+b) >= least {
				hits++
			}
		}
	}
	return float64(hits) / float64(len(first)*len(second))
}

// signedSums are the sums of all sign patterns.
func signedSums(terms []float64) []float64 {
	sums := []float64{0}
	for _, term := range terms {
		for _, sum := range sums {
			sums = append(sums, sum-term)
		}
		for i := range sums[:len(sums)/2] {
			sums[i] += term
		}
	}
	return sums
}

// flippedSum is the sum with a random sign for each term, one bit each.
func flippedSum(generator *rand.PCG, terms []float64) float64 {
	sum := 0.0
	for i := 0; i < len(terms); i += 64 {
		signs := generator.Uint64()
		for _, term := range terms[i:min(i+64, len(terms))] {
			// A set bit turns the sign around.
			sum += math.Float64frombits(math.Float64bits(term) ^ signs<<63)
			signs >>= 1
		}
	}
	return sum
}
