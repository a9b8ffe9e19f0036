package relevance

// recall is Recall@k = relevant documents in the first k ranks / all relevant judged documents; range 0..1.
//
// All of them count, also those that the index does not hold and those that k has no room for.
// Unjudged hits are not relevant; no hits give 0; hits with the same score count in the order in which they came. A
// query without a relevant judged document is ErrUndefined.
// Source: Kent et al. 1955; it is trec_eval's recall_K.
func recall(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	return float64(atLeast(ranks, m.RelevantFrom)) / float64(relevant), nil
}

// recallCapped is relevant documents in the first k ranks / min(k, all relevant judged documents); range 0..1.
//
// Unlike recall it reaches 1 when there are more relevant documents than k has room for.
// Unjudged hits are not relevant; no hits give 0; hits with the same score count in the order in which they came. A
// query without a relevant judged document is ErrUndefined.
// Source: Thakur et al. 2021 (BEIR), who call it capped recall.
func recallCapped(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	return float64(atLeast(ranks, m.RelevantFrom)) / float64(min(m.K, relevant)), nil
}
