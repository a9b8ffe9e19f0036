package relevance

import "math"

// Mean is sum(weight * score) / sum(weight). scores and weights have one entry a query; nil weights weigh all queries
// alike. Weights are finite and above 0, and their scale is irrelevant.
//
// The caller passes the queries in ascending order of their ids, so that the order of a golden set changes no digit.
// The sums are plain ones: they never carry a mean of scores up to 1 above 1. Without queries, or with slices of
// different lengths, the mean is NaN, which Round refuses.
func Mean(scores, weights []float64) float64 {
	if len(scores) == 0 || weights != nil && len(weights) != len(scores) {
		return math.NaN()
	}
	sum, total := 0.0, 0.0
	for i, score := range scores {
		sum += float64(weightOf(weights, i) * score) // the conversion forbids a fused multiply-add
		total += weightOf(weights, i)
	}
	return sum / total
}

// weightOf is the weight of a query; nil weights weigh all queries alike.
func weightOf(weights []float64, query int) float64 {
	if weights == nil {
		return 1
	}
	return weights[query]
}
