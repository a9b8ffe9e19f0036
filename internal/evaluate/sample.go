package evaluate

import "github.com/relevance-gate/relevance-gate/internal/relevance"

// sample is one number a query, over the queries that have one.
type sample struct {
	// queries are positions in the golden set, in ascending order of their ids.
	queries []int
	values  []float64
}

// sampleOf takes the queries' scores by a metric on one index, in its first
// repeat.
func (r *run) sampleOf(a *arm, metric int, queries []int) sample {
	var s sample
	for _, query := range queries {
		if value := r.valuesOf(a, 0, query)[metric]; value != NoValue {
			s.queries, s.values = append(s.queries, query), append(s.values, value)
		}
	}
	return s
}

// differencesOf takes what the queries score on the candidate less what they
// score on the live index, over those that have both.
func (r *run) differencesOf(metric int, queries []int) sample {
	var s sample
	for _, query := range queries {
		candidate, live := r.valuesOf(r.arms[0], 0, query)[metric], r.valuesOf(r.arms[1], 0, query)[metric]
		if candidate != NoValue && live != NoValue {
			s.queries, s.values = append(s.queries, query), append(s.values, candidate-live)
		}
	}
	return s
}

// weights are those of the sample's queries.
func (r *run) weights(s sample) []float64 {
	weights := make([]float64, len(s.queries))
	for i, query := range s.queries {
		weights[i] = r.set.Queries[query].Weight
	}
	return weights
}

// mean is the sample's weighted mean in millionths, or nil if it is empty.
func (r *run) mean(s sample) (*int64, error) {
	if len(s.queries) == 0 {
		return nil, nil
	}
	mean, err := relevance.Round(relevance.Mean(s.values, r.weights(s)))
	if err != nil {
		return nil, err
	}
	return &mean, nil
}
