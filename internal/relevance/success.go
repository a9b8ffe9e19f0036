package relevance

// success is 1 if a relevant document is in the first k ranks, else 0; its mean is the hit rate.
//
// Unjudged hits are not relevant; no hits give 0; hits with the same score count in the order in which they came.
// Source: Craswell and Hawking 2004 (TREC Web track); it is trec_eval's success_K.
func success(m Metric, ranks, _ []float64) (float64, error) {
	return oneIf(atLeast(ranks, m.RelevantFrom) > 0), nil
}
