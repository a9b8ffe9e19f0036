package relevance

import "fmt"

// rankBiasedPrecision is RBP = (1 - p) * sum over the ranks i that hold a relevant document of p^(i-1), for a reader
// who goes on to the next rank with the probability p; range 0..1, and 1 is never reached. With a cut-off the sum ends
// there.
//
// Unjudged hits are not relevant and keep their ranks; no hits give 0; hits with the same score count in the order in
// which they came.
// Source: Moffat and Zobel 2008, with relevance as yes or no.
func rankBiasedPrecision(m Metric, ranks, _ []float64) (float64, error) {
	if !(m.Persistence > 0 && m.Persistence < 1) { // written so that NaN is refused
		return 0, fmt.Errorf("metric %q has the persistence %v: it must be above 0 and below 1", m.Name, m.Persistence)
	}
	sum, reached := 0.0, 1.0
	for _, grade := range ranks {
		if grade >= m.RelevantFrom {
			sum += reached
		}
		reached = float64(reached * m.Persistence) // the conversion forbids a fused multiply-add
	}
	return (1 - m.Persistence) * sum, nil
}
