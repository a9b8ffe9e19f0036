package relevance

import (
	"fmt"
	"math"
)

// expectedReciprocalRank is ERR@k = sum over the ranks i = 1..k of 1/i * p(i) * product over j < i of (1 - p(j)), the
// expected 1 / rank at which a reader is satisfied; range 0..1. The document at rank i satisfies with the probability
// p(i) = (2^grade - 1) / 2^MaxGrade, whatever the gain.
//
// MaxGrade is the highest grade of the declared scale, never of the data. ERR is not normalised: even the best ranking
// stays below 1, and by how much differs between queries.
// Unjudged hits satisfy nobody and keep their ranks; no hits give 0; hits with the same score count in the order in
// which they came. A grade above MaxGrade is an error.
// Source: Chapelle et al. 2009.
func expectedReciprocalRank(m Metric, ranks, judged []float64) (float64, error) {
	if m.MaxGrade < 1 || m.MaxGrade > MaxGrade {
		return 0, fmt.Errorf("metric %q has the highest grade %d: it must be from 1 to %d", m.Name, m.MaxGrade, MaxGrade)
	}
	for _, grades := range [][]float64{ranks, judged} {
		if above := highest(grades); above > float64(m.MaxGrade) {
			return 0, fmt.Errorf("grade %v is above %d, the highest of the scale", above, m.MaxGrade)
		}
	}
	scale := math.Ldexp(1, m.MaxGrade)
	sum, goesOn := 0.0, 1.0
	for i, grade := range ranks {
		satisfied := Exponential.of(grade) / scale
		sum += goesOn * satisfied / float64(i+1) // a quotient cannot be fused with the sum
		goesOn *= 1 - satisfied
	}
	return sum, nil
}

// highest is the highest grade, Unjudged if there is none.
func highest(grades []float64) float64 {
	out := Unjudged
	for _, grade := range grades {
		out = max(out, grade)
	}
	return out
}
