package evaluate

import (
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// Report is the result of one evaluation, before any limit is held against it.
type Report struct {
	// EvaluationKey is the plan's; empty outside of a cluster.
	EvaluationKey string
	// GoldenDigest is of the golden set's bytes, GoldenContent of what it says.
	GoldenDigest, GoldenContent string

	Engine    engine.Info
	Candidate *IndexResult
	Live      *IndexResult

	// Metrics are the plan's, in order, and last the noresults that negatives
	// imply. They line up with Measurement.Scores and with the values of each
	// query.
	Metrics     []relevance.Metric
	Measurement verdict.Measurement
	// Depth is how many hits of a ranking were looked at, at most.
	Depth int
	// UncutDepth is how many hits the metrics without a cut-off looked at; 0
	// where there is none.
	UncutDepth int
	// Confidence is the plan's, Draws how the intervals were found; nil where no
	// confidence is asked for.
	Confidence map[string]int64
	Draws      *Draws
	// Unweighted are the means without weights, one a metric; nil where all
	// queries have the same weight.
	Unweighted []Means
	// Queries are in the golden set's order.
	Queries []QueryResult
	// WorstMetric is the metric by which Worst was chosen.
	WorstMetric string
	// Worst are positions in Queries: the ones that lost most against live,
	// or have the lowest score where there is no live index.
	Worst []int

	// DroppedFields are the parts of the search body that were not sent.
	DroppedFields []string
	// DuplicateHits counts hits that repeated a document of the same ranking.
	DuplicateHits int
	// TiesAtCutoff counts candidate rankings with a tie at a metric's cut.
	TiesAtCutoff int
	// CandidateTies and LiveTies say how far ties let the means lie, one entry
	// a metric, nil where no query is tied at its cut. A search with a sort of
	// its own has no ties: they are seen by the engine's scores.
	CandidateTies, LiveTies []*TieSpread
	// LiveDifference names the first query that the live index scored
	// differently in another repeat; empty = there is none.
	LiveDifference string
	// MissingDocs counts judged documents that the candidate does not hold;
	// nil where that was not looked up.
	MissingDocs *int
	TookSeconds float64
}

// IndexResult is an index as it was measured.
type IndexResult struct {
	Name string `json:"name"`
	UUID string `json:"uuid"`
	Docs int64  `json:"docs"`
	// Fingerprint is the digest of the content, of the candidate only.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// QueryResult is one query of the golden set on both indices.
type QueryResult struct {
	ID, Query string
	Segments  []string
	Weight    float64
	// Negative marks a query that is expected to find nothing.
	Negative bool
	// Error says why the query counts for no metric; empty = it counts.
	Error string
	// Candidate and Live are nil where that index was not measured or the
	// query is in error.
	Candidate, Live *Ranking
}

// Ranking is what one index returned for one query, in its first repeat.
type Ranking struct {
	// Values has one entry a metric, NoValue where the metric does not apply.
	Values []float64
	// Hits are the first KeptHits documents. Of a golden set with many queries
	// the worst ones alone keep them; elsewhere they are nil.
	Hits []RankedHit
	// Ties are at most one a metric.
	Ties []Tie
	// Returned counts the hits after duplicates were dropped.
	Returned int
}

// RankedHit is a document that came back and the grade it has.
type RankedHit struct {
	ID string
	// Grade is relevance.Unjudged when the document is not judged for the query.
	Grade float64
}

// KeptHits is how many documents of a ranking a report keeps.
const KeptHits = 10

// NoValue stands where a metric does not apply to a query, or has no value as
// judged@k of a query without hits; scores are never negative.
const NoValue = -1.0

// Value is the score of the metric at that position, or nil where the metric
// does not apply to the query.
func (r *Ranking) Value(metric int) *float64 {
	if r == nil || r.Values[metric] == NoValue {
		return nil
	}
	return &r.Values[metric]
}

// EngineName is the engine's product and version in one text, as far as the
// credentials allow to ask.
func (r *Report) EngineName() string {
	if r.Engine.Version == "" {
		return "an engine of unknown version"
	}
	return r.Engine.Distribution + " " + r.Engine.Version
}
