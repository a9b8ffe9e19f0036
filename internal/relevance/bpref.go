package relevance

// bpref is the share of the preferences "relevant before not relevant" that the ranking keeps, counted among judged
// documents alone; range 0..1.
//
// With R relevant and N other judged documents it is 1/R * the sum over the relevant documents that were found of
// 1 - min(n, R) / min(R, N), where n counts the judged documents above that are not relevant; the term is 1 for n = 0.
// Unjudged hits are skipped as if they were not there; no hits give 0; hits with the same score count in the order in
// which they came. A query without a relevant judged document is ErrUndefined.
// Source: Buckley and Voorhees 2004, in the form of trec_eval's bpref.
func bpref(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	if relevant == 0 {
		return 0, ErrUndefined
	}
	others := len(judged) - relevant
	above, sum := 0, 0.0
	for _, grade := range ranks {
		switch {
		case grade == Unjudged:
		case grade < m.RelevantFrom:
			above++
		case above == 0:
			sum++
		default:
			sum += 1 - float64(min(above, relevant))/float64(min(relevant, others))
		}
	}
	return sum / float64(relevant), nil
}
