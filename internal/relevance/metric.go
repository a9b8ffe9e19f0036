package relevance

import "fmt"

// Kind names the formula of a metric.
type Kind string

// The kinds of metric. Each has its formula, range and source at the function that computes it.
const (
	NDCG         Kind = "ndcg"         // graded, discounted by rank, normalised by the ideal ranking
	DCG          Kind = "dcg"          // graded, discounted by rank, not normalised: the one kind that exceeds 1
	Precision    Kind = "precision"    // share of the first k ranks that are relevant
	Recall       Kind = "recall"       // share of the relevant documents that were found
	RecallCapped Kind = "recallCapped" // share of the relevant documents that k has room for
	F1           Kind = "f1"           // harmonic mean of precision and recall
	Success      Kind = "success"      // whether a relevant document was found: the hit rate
	MRR          Kind = "mrr"          // 1 / rank of the first relevant document
	MAP          Kind = "map"          // mean of the precisions at the relevant documents
	RPrecision   Kind = "r-precision"  // precision at as many ranks as there are relevant documents
	BPref        Kind = "bpref"        // preferences kept among the judged documents alone
	ERR          Kind = "err"          // graded, for a reader who stops when satisfied
	RBP          Kind = "rbp"          // for a reader who goes on to the next rank with a fixed probability
	Judged       Kind = "judged"       // share of the hits that have a judgment
	UnjudgedRate Kind = "unjudgedRate" // share of the hits that have none
	NonEmpty     Kind = "nonempty"     // whether anything was found at all
	NoResults    Kind = "noresults"    // whether nothing was found, for queries that must find nothing

	// Measures of trec_eval over all that was retrieved, in no order.
	SetPrecision Kind = "set_P"
	SetRecall    Kind = "set_recall"
	SetF         Kind = "set_F"
	SetMAP       Kind = "set_map"
)

// Gain says what a grade is worth in NDCG and DCG.
type Gain string

// The gains.
const (
	Exponential Gain = "Exponential" // 2^grade - 1
	Linear      Gain = "Linear"      // grade
)

// Unjudged is the grade that a ranking holds for a hit without a judgment. It counts as not relevant.
const Unjudged = -1.0

// MaxGrade is the highest grade of golden sets, and of metrics that raise 2 to it: 2^grade stays exact and far from
// overflow.
const MaxGrade = 30

// MaxLinearGrade is the highest grade of all other metrics; sums of millions of such grades are still exact.
const MaxLinearGrade = 1_000_000

// MaxK is the deepest cut-off: Elasticsearch's and OpenSearch's default index.max_result_window.
const MaxK = 10000

// Metric is a formula with everything that decides its value. Scores of metrics that differ in any field are not
// comparable.
type Metric struct {
	Name         string  `json:"name"` // as in the gate: "ndcg@10", "nonempty"
	Kind         Kind    `json:"kind"`
	K            int     `json:"k"`                     // cut-off, 1..MaxK; 0 looks at the whole ranking
	Gain         Gain    `json:"gain"`                  // used by ndcg and dcg alone
	RelevantFrom float64 `json:"relevantFrom"`          // lowest grade that is relevant, above 0; see UsesRelevantFrom
	MaxGrade     int     `json:"maxGrade,omitempty"`    // highest grade of the scale, 1..30; used by err alone
	Persistence  float64 `json:"persistence,omitempty"` // probability to go on to the next rank, above 0 and below 1; used by rbp alone
}

// WithMaxGrade tells the metric the highest grade of the declared scale, 0 if none is declared. Only err uses it, and
// refuses to be without it; every other metric comes back as it is.
func (m Metric) WithMaxGrade(maxGrade int) (Metric, error) {
	if m.Kind != ERR {
		return m, nil
	}
	if maxGrade < 1 || maxGrade > MaxGrade {
		return Metric{}, fmt.Errorf("metric %q needs the highest grade of the scale, from 1 to %d, and it is not declared", m.Name, MaxGrade)
	}
	m.MaxGrade = maxGrade
	return m, nil
}

// HighestGrade is the highest grade that the metric takes: MaxGrade if it raises 2 to it, else MaxLinearGrade.
func (m Metric) HighestGrade() int {
	if m.Kind == ERR || m.Gain == Exponential && (m.Kind == NDCG || m.Kind == DCG) {
		return MaxGrade
	}
	return MaxLinearGrade
}

// UsesRelevantFrom says that the metric knows only relevant and not relevant, told apart by RelevantFrom. Such a metric
// needs a relevant judged document for every query.
func (m Metric) UsesRelevantFrom() bool { return definitions[m.Kind].binary }

// LimitProblem says why a metric can be reported only; it is nil for one that a limit may rest on.
func (m Metric) LimitProblem() error {
	switch m.Kind {
	case DCG:
		return fmt.Errorf("metric %q can have no limit, as it is not normalised: put the limit on ndcg@%d", m.Name, m.K)
	case UnjudgedRate:
		return fmt.Errorf("metric %q can have no limit, as less of it is better: put the limit on judged@%d", m.Name, m.K)
	}
	return nil
}
