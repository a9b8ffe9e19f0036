package verdict

// Measurement is all that a verdict needs to know of an evaluation. Scores, rates and differences are in millionths. It
// is stored, so that other limits give another verdict without another evaluation; its JSON names are short because it
// travels in less than 3 KiB. The scores travel in a form of their own, see evaluate.Summary.
type Measurement struct {
	Queries   int `json:"queries"`   // of the golden set
	Judgments int `json:"judgments"` // of the golden set
	Errors    int `json:"errors"`    // queries without a valid answer; they are in no mean
	// FirstError says what is wrong with the first of them, without a query's text.
	FirstError string `json:"firstError,omitempty"`

	CandidateChanged bool `json:"changed"`       // the candidate's content was not the same before and after
	Deterministic    bool `json:"deterministic"` // the candidate's repeats gave the same scores
	// FirstDifference names the first query that they differed in, with the metric and both values.
	FirstDifference string `json:"firstDifference,omitempty"`
	Noise           int64  `json:"noise"`     // largest difference between the candidate's repeats in a mean
	LiveNoise       int64  `json:"liveNoise"` // the same for the live index, which may be written meanwhile

	Scores   []Score        `json:"-"` // in the order of the gate's metrics, an implied noresults last
	Segments []SegmentScore `json:"-"` // in the order of the gate's limits of segments

	JudgedCandidate     *int64 `json:"judgedC"` // mean share of judged hits; nil when nothing was returned
	JudgedLive          *int64 `json:"judgedL"`
	HitsCandidate       int    `json:"hitsC"` // hits looked at
	HitsLive            int    `json:"hitsL"`
	JudgedHitsCandidate int    `json:"judgedHitsC"` // how many of them have a judgment
	JudgedHitsLive      int    `json:"judgedHitsL"`

	EmptyCandidate  int `json:"emptyC"` // queries that should return something and returned nothing
	EmptyLive       int `json:"emptyL"`
	NegativesFailed int `json:"negativesFailed"` // queries that should return nothing and returned something
	MissingDocs     int `json:"missingDocs"`     // judged documents that were in no answer

	RegressionCount      int          `json:"regressions"`               // queries that lost as much as the gate's regressions.drop, or more
	ProtectedRegressions int          `json:"protected"`                 // how many of them are too heavy to be among them
	ProtectedErrors      int          `json:"protectedErrors,omitempty"` // queries in error that are as heavy
	Worst                []Regression `json:"worst"`                     // at most 10, the worst first, equals by query id
}

// Score is the mean of a metric on either side, nil where there is none.
type Score struct {
	Metric    string
	Candidate *int64
	Live      *int64
	LiveHigh  *int64 // the highest of the live index's repeats, when it is not Live

	// The rest is there where the gate asks for confidence and two queries or more count for the metric. Interval is
	// that of the side under test: the live index's where it was measured alone.
	Queries       int // that count for the metric; also where it is one
	Interval      *Interval
	DeltaInterval *Interval // of candidate - live, of the live index's first repeat
}

// Interval is a confidence interval, at the confidence that the gate asks for.
type Interval struct{ Low, High int64 }

// SegmentScore is the mean of a metric over the queries of a segment, nil where there is none.
type SegmentScore struct {
	Segment, Metric string
	Queries         int // that count for the metric
	Candidate       *int64
	Live            *int64
	// Lows are low ends of the interval of the side under test, where the gate asks for confidence and two queries or
	// more count: the first at that confidence, the next when what may go wrong is shared between two segments, and so
	// on for as many as have a limit for the metric.
	Lows []int64
}

// Regression is a query that the candidate answers worse. The loss is Live - Candidate.
type Regression struct {
	Query     string  `json:"q"` // its id
	Live      int64   `json:"l"`
	Candidate int64   `json:"c"`
	Weight    float64 `json:"w"`
}
