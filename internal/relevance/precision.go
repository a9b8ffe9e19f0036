package relevance

// precision is the share of the first k ranks that hold a relevant document. It is divided by k also when fewer hits
// came back: one good hit of one is not a perfect first page.
func precision(grades []float64, k int, relevantFrom float64) float64 {
	return float64(atLeast(grades[:min(k, len(grades))], relevantFrom)) / float64(k)
}
