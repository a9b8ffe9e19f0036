package relevance

// Kind names the formula of a metric.
type Kind string

// The kinds of metric.
const (
	NDCG      Kind = "ndcg"      // graded, discounted by rank, normalised by the ideal ranking
	Recall    Kind = "recall"    // share of the relevant documents that were found
	Precision Kind = "precision" // share of the first k ranks that are relevant
	NonEmpty  Kind = "nonempty"  // whether anything was found at all
	NoResults Kind = "noresults" // whether nothing was found, for queries that must find nothing
)

// Gain says what a grade is worth in NDCG.
type Gain string

// The gains.
const (
	Exponential Gain = "Exponential" // 2^grade - 1
	Linear      Gain = "Linear"      // grade
)

// Unjudged is the grade that a ranking holds for a hit without a judgment. It counts as not relevant.
const Unjudged = -1.0

// MaxGrade is the highest grade there is; 2^grade stays exact and far from overflow.
const MaxGrade = 30

// MaxK is the deepest cut-off: Elasticsearch's and OpenSearch's default index.max_result_window.
const MaxK = 10000

// Metric is a formula with everything that decides its value. Scores of metrics that differ in any field are not
// comparable.
type Metric struct {
	Name         string  `json:"name"` // as in the gate: "ndcg@10", "nonempty"
	Kind         Kind    `json:"kind"`
	K            int     `json:"k"`            // cut-off, 1..MaxK; 0 for nonempty and noresults
	Gain         Gain    `json:"gain"`         // used by ndcg alone
	RelevantFrom float64 `json:"relevantFrom"` // lowest grade that is relevant, above 0; used by recall and precision alone
}
