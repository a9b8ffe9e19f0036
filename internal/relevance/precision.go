package relevance

// precision is P@k = relevant documents in the first k ranks / k; range 0..1.
//
// It is divided by k also when fewer hits came back: one good hit of one is not a perfect first page.
// Unjudged hits are not relevant; no hits give 0; hits with the same score count in the order in which they came.
// Source: Kent et al. 1955; the fixed k is TREC's, so this is trec_eval's P_K.
func precision(m Metric, ranks, _ []float64) (float64, error) {
	return float64(atLeast(ranks, m.RelevantFrom)) / float64(m.K), nil
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
