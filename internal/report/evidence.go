package report

import "github.com/relevance-gate/relevance-gate/internal/evaluate"

// Evidence says how far the scores can be trusted. What is of an index is null where
// that was not measured.
type Evidence struct {
	// Errors counts the queries that are in no mean.
	Errors          int   `json:"errors"`
	Judged          Rates `json:"judged"` // null also where nothing was returned
	EmptyResults    Count `json:"emptyResults"`
	NegativesFailed int   `json:"negativesFailed"`
	// MissingDocs counts judged documents that the candidate does not hold; null
	// where they were not looked up.
	MissingDocs   *int `json:"missingDocs"`
	DuplicateHits int  `json:"duplicateHits"`
	// Noise is how far the repeats of the means lie apart.
	Noise Rates `json:"noise"`
	// Regressions are null where there was nothing to compare with.
	Regressions   *Regressions `json:"regressions"`
	Depth         int          `json:"depth"`
	DroppedFields []string     `json:"droppedFields"`
}

// Rates are a share or a difference of each index.
type Rates struct {
	Candidate *string `json:"candidate"`
	Live      *string `json:"live"`
}

// Count is a number of queries of each index.
type Count struct {
	Candidate *int `json:"candidate"`
	Live      *int `json:"live"`
}

// Regressions counts the queries that got worse by Measured.WorstMetric.
type Regressions struct {
	Count     int `json:"count"`
	Protected int `json:"protected"`
}

func evidenceOf(r *evaluate.Report) *Evidence {
	m := r.Measurement
	e := &Evidence{
		Errors:          m.Errors,
		Judged:          Rates{decimal(m.JudgedCandidate), decimal(m.JudgedLive)},
		NegativesFailed: m.NegativesFailed,
		MissingDocs:     r.MissingDocs,
		DuplicateHits:   r.DuplicateHits,
		Depth:           r.Depth,
		DroppedFields:   append([]string{}, r.DroppedFields...),
	}
	if r.Candidate != nil {
		e.EmptyResults.Candidate, e.Noise.Candidate = &m.EmptyCandidate, decimal(&m.Noise)
	}
	if r.Live != nil {
		e.EmptyResults.Live, e.Noise.Live = &m.EmptyLive, decimal(&m.LiveNoise)
	}
	if r.Candidate != nil && r.Live != nil {
		e.Regressions = &Regressions{Count: m.RegressionCount, Protected: m.ProtectedRegressions}
	}
	return e
}
