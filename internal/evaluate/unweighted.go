package evaluate

import "github.com/relevance-gate/relevance-gate/internal/relevance"

// Means are the means of one metric on both indices, in millionths; nil where
// there is none.
type Means struct{ Candidate, Live *int64 }

// unweightedMeans are the means, one a metric, as they would be if all queries
// had the same weight. They are nil where all have: then the scores are these.
func (r *run) unweightedMeans(counted []int) ([]Means, error) {
	if r.weighAlike() {
		return nil, nil
	}
	means := make([]Means, len(r.metrics))
	for i := range r.metrics {
		for _, a := range r.arms {
			s := r.sampleOf(a, i, counted)
			if len(s.queries) == 0 {
				continue
			}
			mean, err := relevance.Round(relevance.Mean(s.values, nil))
			if err != nil {
				return nil, err
			}
			if a.isCandidate {
				means[i].Candidate = &mean
			} else {
				means[i].Live = &mean
			}
		}
	}
	return means, nil
}

// weighAlike tells whether all queries have the same weight.
func (r *run) weighAlike() bool {
	for _, query := range r.set.Queries {
		if query.Weight != r.set.Queries[0].Weight {
			return false
		}
	}
	return true
}
