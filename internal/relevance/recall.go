package relevance

// recall is the share of the relevant judged documents that are among the first k hits. All of them count, also those
// that the index does not hold and those that k has no room for.
func recall(grades, judged []float64, k int, relevantFrom float64) (float64, error) {
	relevant := atLeast(judged, relevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	return float64(atLeast(grades[:min(k, len(grades))], relevantFrom)) / float64(relevant), nil
}

// atLeast counts the grades that reach the threshold.
func atLeast(grades []float64, threshold float64) int {
	n := 0
	for _, g := range grades {
		if g >= threshold {
			n++
		}
	}
	return n
}
