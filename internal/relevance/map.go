package relevance

// averagePrecision is AP@k = sum of P@i over the ranks i = 1..k that hold a relevant document / all relevant judged
// documents; range 0..1. Its mean is MAP@k. Without k all ranks are looked at.
//
// It is divided by all relevant documents, not by those that were found nor by min(k, relevant).
// Unjudged hits are not relevant and keep their ranks; no hits give 0; hits with the same score count in the order in
// which they came. A query without a relevant judged document is ErrUndefined.
// Source: Buckley and Voorhees 2005; it is trec_eval's map_cut_K and, without k, its map.
func averagePrecision(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	found, sum := 0, 0.0
	for i, grade := range ranks {
		if grade >= m.RelevantFrom {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(relevant), nil
}
