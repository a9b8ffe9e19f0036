package relevance

// f1 is F1@k = 2 * P@k * Recall@k / (P@k + Recall@k), which is 2 * relevant documents in the first k ranks /
// (k + all relevant judged documents); range 0..1.
//
// Unjudged hits are not relevant; no hits give 0; hits with the same score count in the order in which they came. A
// query without a relevant judged document is ErrUndefined.
// Source: van Rijsbergen 1979, with equal weights.
func f1(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	return 2 * float64(atLeast(ranks, m.RelevantFrom)) / float64(m.K+relevant), nil
}
