package relevance

// judgedRate is judged@k = hits with a judgment in the first k ranks / hits in the first k ranks; range 0..1.
//
// Ranks that the search did not fill are no hits: it is divided by min(k, hits). A query without hits is ErrNoHits:
// it has nothing that could be judged, and counting it as 0 or 1 would move the mean without a reason. Hits with the
// same score count in the order in which they came.
// Source: the Judged@k of ir_measures; it tells how far the other metrics can be believed.
func judgedRate(_ Metric, ranks, _ []float64) (float64, error) {
	if len(ranks) == 0 {
		return 0, ErrNoHits
	}
	return float64(atLeast(ranks, 0)) / float64(len(ranks)), nil
}

// unjudgedRate is unjudgedRate@k = 1 - judged@k, the share of the hits without a judgment; range 0..1. Less is better.
//
// It treats empty and tied results as judged@k does.
func unjudgedRate(_ Metric, ranks, _ []float64) (float64, error) {
	if len(ranks) == 0 {
		return 0, ErrNoHits
	}
	return float64(len(ranks)-atLeast(ranks, 0)) / float64(len(ranks)), nil
}
