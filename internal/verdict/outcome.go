// Package verdict decides whether a measurement holds its limits.
//
// It is pure, and the command line and the controller call the same function. It compares whole millionths, so that what
// is printed is what was judged. What is missing never passes.
package verdict

// Verdict is the answer of a gate, or of one of its limits.
type Verdict string

// The verdicts.
const (
	Passed       Verdict = "Passed"       // all limits hold
	Failed       Verdict = "Failed"       // the evidence is valid and a limit is missed
	Inconclusive Verdict = "Inconclusive" // the evidence does not allow a verdict; it blocks as Failed does
	Pending      Verdict = "Pending"      // not measured yet; Decide never returns it

	// The last two are for single metrics only.
	NotApplicable Verdict = "NotApplicable" // the limit needs a live index, and rightly there is none
	Reported      Verdict = "Reported"      // the metric has no limit
)

// The reasons of an outcome.
const (
	ReasonThresholdsMet      = "ThresholdsMet"      // Passed: all limits hold
	ReasonBelowThreshold     = "BelowThreshold"     // Failed: a score is below its min or fell by more than its maxDrop
	ReasonTooManyRegressions = "TooManyRegressions" // Failed: too many queries, or a protected one, got worse
	ReasonTooManyErrors      = "TooManyErrors"      // Inconclusive: more queries in error than maxErrors, or a protected one
	ReasonCandidateChanged   = "CandidateChanged"   // Inconclusive: the candidate was written while it was measured
	ReasonNotDeterministic   = "NotDeterministic"   // Inconclusive: the candidate's repeats differ
	ReasonNothingJudged      = "NothingJudged"      // Inconclusive: there are hits, but none has a judgment
	ReasonTooFewJudged       = "TooFewJudged"       // Inconclusive: the share of judged hits is below minJudged
	ReasonNoLiveIndex        = "NoLiveIndex"        // Inconclusive: a limit compares with a live index, and there is none
	ReasonMissingScore       = "MissingScore"       // Inconclusive: a metric with a limit has no score
	ReasonTooFewQueries      = "TooFewQueries"      // Inconclusive: a limit holds, but not for the near end of the interval
	ReasonNoLimits           = "NoLimits"           // Inconclusive: nothing says what is good enough
)

// Outcome is the verdict of a gate.
type Outcome struct {
	Verdict Verdict
	Reason  string         // one of the reasons above
	Message string         // one sentence with the numbers; it may name queries by their ids, never by their texts
	Scores  []ScoreVerdict // in the order of the limits; scores that have no line there follow

	Segments []SegmentVerdict // in the order of the limits
}

// ScoreVerdict is the verdict of one metric.
type ScoreVerdict struct {
	Metric  string
	Verdict Verdict
	Delta   *int64 // candidate - live in millionths; nil unless both were measured
	Message string // with the numbers
}

// SegmentVerdict is the verdict of one metric over the queries of a segment.
type SegmentVerdict struct {
	Segment, Metric string
	Verdict         Verdict
	Message         string // with the numbers
}
