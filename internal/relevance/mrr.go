package relevance

// reciprocalRank is RR@k = 1 / rank of the first relevant document, 0 if the first k ranks hold none; range 0..1. Its
// mean is MRR@k. Without k all ranks are looked at.
//
// Unjudged hits are not relevant and keep their ranks; no hits give 0; hits with the same score count in the order in
// which they came.
// Source: Voorhees 1999 (TREC-8 question answering track); without k it is trec_eval's recip_rank.
func reciprocalRank(m Metric, ranks, _ []float64) (float64, error) {
	for i, grade := range ranks {
		if grade >= m.RelevantFrom {
			return 1 / float64(i+1), nil
		}
	}
	return 0, nil
}
