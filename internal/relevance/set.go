package relevance

// setPrecision is trec_eval's set_P = relevant documents that were found / hits; range 0..1.
//
// Unjudged hits are not relevant; no hits give 0; order plays no part.
func setPrecision(m Metric, ranks, _ []float64) (float64, error) {
	if len(ranks) == 0 {
		return 0, nil
	}
	return float64(atLeast(ranks, m.RelevantFrom)) / float64(len(ranks)), nil
}

// setRecall is trec_eval's set_recall = relevant documents that were found / all relevant judged documents; range
// 0..1.
//
// Unjudged hits are not relevant; no hits give 0; order plays no part. A query without a relevant judged document is
// ErrUndefined.
func setRecall(m Metric, ranks, judged []float64) (float64, error) {
	return recall(m, ranks, judged)
}

// setF is trec_eval's set_F = 2 * set_P * set_recall / (set_P + set_recall), 0 if nothing relevant was found; range
// 0..1.
//
// Unjudged hits are not relevant; no hits give 0; order plays no part. A query without a relevant judged document is
// ErrUndefined.
func setF(m Metric, ranks, judged []float64) (float64, error) {
	r, err := recall(m, ranks, judged)
	if err != nil || r == 0 {
		return 0, err
	}
	p := float64(atLeast(ranks, m.RelevantFrom)) / float64(len(ranks))
	return 2 * p * r / (p + r), nil
}

// setMAP is trec_eval's set_map = set_P * set_recall = (relevant documents that were found)^2 / (hits * all relevant
// judged documents); range 0..1.
//
// Unjudged hits are not relevant; no hits give 0; order plays no part. A query without a relevant judged document is
// ErrUndefined.
func setMAP(m Metric, ranks, judged []float64) (float64, error) {
	relevant := atLeast(judged, m.RelevantFrom)
	switch {
	case relevant == 0:
		return 0, ErrUndefined
	case len(ranks) == 0:
		return 0, nil
	}
	found := float64(atLeast(ranks, m.RelevantFrom))
	return found * found / float64(len(ranks)*relevant), nil
}
