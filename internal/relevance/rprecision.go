package relevance

// rPrecision is relevant documents in the first R ranks / R, where R counts the relevant judged documents; range 0..1.
//
// Ranks that the search did not fill are not relevant.
// Unjudged hits are not relevant; no hits give 0; hits with the same score count in the order in which they came. A
// query without a relevant judged document is ErrUndefined.
// Source: Buckley and Voorhees 2005; it is trec_eval's Rprec.
func rPrecision(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	found := atLeast(ranks[:min(relevant, len(ranks))], m.RelevantFrom)
	return float64(found) / float64(relevant), nil
}
