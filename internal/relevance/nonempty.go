package relevance

// nonEmpty is 1 if the search found anything, else 0; its mean is the share of queries that find something.
//
// Judgments and order play no part.
func nonEmpty(_ Metric, ranks, _ []float64) (float64, error) {
	return oneIf(len(ranks) > 0), nil
}

// noResults is 1 if the search found nothing, else 0; its mean, over the queries that must find nothing, is the share
// that does.
//
// Judgments and order play no part.
func noResults(_ Metric, ranks, _ []float64) (float64, error) {
	return oneIf(len(ranks) == 0), nil
}

// oneIf is 1 for true and 0 for false.
func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
