package relevance

import (
	"math"
	"slices"
)

// Tally counts queries by how the candidate did on them.
type Tally struct{ Wins, Ties, Losses int }

// Count tallies differences, candidate less live. A tie is a difference that rounds to 0 millionths, as that is what is
// printed. A difference that is not finite is an error.
func Count(differences []float64) (Tally, error) {
	var t Tally
	for _, difference := range differences {
		millionths, err := Round(difference)
		switch {
		case err != nil:
			return Tally{}, err
		case millionths > 0:
			t.Wins++
		case millionths < 0:
			t.Losses++
		default:
			t.Ties++
		}
	}
	return t, nil
}

// EffectSize is the mean difference in units of the differences' standard deviation (Cohen 1988, d of paired samples):
// 0.2 counts as small, 0.5 as medium, 0.8 as large. weights are as in Mean; the variance is
// sum(w * (d - mean)^2) / sum(w) * n/(n-1).
//
// Errors: ErrDegenerate when there are fewer than two queries or all differences are alike; those of Bootstrap.
func EffectSize(differences, weights []float64) (float64, error) {
	mean, err := checkedMean(differences, weights)
	if err != nil {
		return 0, err
	}
	if slices.Max(differences) == slices.Min(differences) {
		return 0, ErrDegenerate
	}
	squares := make([]float64, len(differences))
	for i, difference := range differences {
		squares[i] = (difference - mean) * (difference - mean)
	}
	n := float64(len(differences))
	return mean / math.Sqrt(Mean(squares, weights)*n/(n-1)), nil
}

// Detectable is the smallest difference that a golden set could tell from none: a true difference of this size comes out
// with an interval at the confidence that lies on one side of 0 with the probability power (0.8 is usual). Both are in
// millionths, above 0 and below 1. It is (z((1+confidence)/2) + z(power)) standard errors (Sakai 2016), where the squared
// standard error of a weighted mean is sum(w^2 * (d - mean)^2) / sum(w)^2 * n/(n-1) (Cochran 1977, of a ratio). It shrinks
// with the square root of the number of queries: see QueriesNeeded.
//
// Errors: ErrDegenerate for fewer than two queries; those of Bootstrap.
func Detectable(differences, weights []float64, confidence, power Millionths) (float64, error) {
	mean, err := checkedMean(differences, weights)
	if err != nil {
		return 0, err
	}
	sum, total := 0.0, 0.0
	for i, difference := range differences {
		off := weightOf(weights, i) * (difference - mean)
		sum += float64(off * off) // the conversion forbids a fused multiply-add
		total += weightOf(weights, i)
	}
	n := float64(len(differences))
	deviations := normalQuantile(float64(perUnit+confidence)/(2*perUnit)) + normalQuantile(float64(power)/perUnit)
	return deviations * math.Sqrt(sum*n/(n-1)) / total, nil
}

// QueriesNeeded is how many queries like those at hand it takes until what n of them can tell, such as half the width of
// an interval, has shrunk to wanted. It is at least n, and 0 when no number of queries would do: wanted is not above 0.
func QueriesNeeded(n int, can, wanted float64) int {
	if !(wanted > 0) {
		return 0
	}
	ratio := can / wanted
	needed := math.Ceil(float64(n) * ratio * ratio)
	return int(min(max(float64(n), needed), math.MaxInt32))
}

// checkedMean is Mean for two queries or more that hold only numbers.
func checkedMean(values, weights []float64) (float64, error) {
	n, err := checkColumns([][]float64{values}, weights)
	if err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, ErrDegenerate
	}
	return Mean(values, weights), nil
}
