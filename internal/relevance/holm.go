package relevance

import (
	"cmp"
	"slices"
)

// Holm corrects p-values that were looked at together (Holm 1979): a claim holds at a level, and with all others that hold
// there is wrong with at most that probability, if its corrected p-value does not exceed the level. The order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = least
	}
	return corrected
}
