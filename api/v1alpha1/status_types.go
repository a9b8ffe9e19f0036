package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Decimal is a number with exactly 6 decimals, as a string: "0.873400". See DecimalOf.
//
// +kubebuilder:validation:MaxLength=20
// +kubebuilder:validation:Pattern=`^-?[0-9]{1,12}\.[0-9]{6}$`
type Decimal string

// Verdict is the outcome of an evaluation.
//
// +kubebuilder:validation:Enum=Passed;Failed;Inconclusive;Pending
type Verdict string

// The verdicts. Everything but Passed keeps the gate closed.
const (
	// VerdictPassed says that every limit holds.
	VerdictPassed Verdict = "Passed"
	// VerdictFailed says that a limit does not hold.
	VerdictFailed Verdict = "Failed"
	// VerdictInconclusive says that what was measured does not allow a verdict.
	VerdictInconclusive Verdict = "Inconclusive"
	// VerdictPending says that there is no evaluation of the present inputs yet.
	VerdictPending Verdict = "Pending"
)

// ScoreVerdict is the outcome for one score. A score without a limit has none.
//
// +kubebuilder:validation:Enum=Passed;Failed;Inconclusive;NotApplicable
type ScoreVerdict string

// The verdicts of a score.
const (
	// ScorePassed says that the score's limits hold.
	ScorePassed ScoreVerdict = "Passed"
	// ScoreFailed says that a limit of the score does not hold.
	ScoreFailed ScoreVerdict = "Failed"
	// ScoreInconclusive says that the limits of the score cannot be decided.
	ScoreInconclusive ScoreVerdict = "Inconclusive"
	// ScoreNotApplicable says that the score's limit is relative and there is nothing to compare with.
	ScoreNotApplicable ScoreVerdict = "NotApplicable"
)

// Determinism is whether the candidate's scores came out the same in every repeat.
//
// +kubebuilder:validation:Enum=Deterministic;NotDeterministic
type Determinism string

// The values of Determinism.
const (
	Deterministic    Determinism = "Deterministic"
	NotDeterministic Determinism = "NotDeterministic"
)

// RelevanceGateStatus is what was measured and what became of it. Numbers that are not counts are strings with 6
// decimals.
type RelevanceGateStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of; -1 if no controller has seen the gate.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Evaluated, Passed, Promoted, Ready, Reconciling and Stalled. Ready means that the gate is open.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// verdict is the outcome for the present inputs.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`

	// reason is why, in one word.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// message is why, in a sentence, and what to do about it.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Message string `json:"message,omitempty"`

	// evaluation is the evaluation that the scores are from, or the one under way if there are no scores.
	// +optional
	Evaluation *EvaluationStatus `json:"evaluation,omitempty"`

	// ndcg is the candidate's score of the first ndcg in spec.metrics.
	// +optional
	NDCG Decimal `json:"ndcg,omitempty"`

	// recall is the candidate's score of the first recall in spec.metrics.
	// +optional
	Recall Decimal `json:"recall,omitempty"`

	// scores are the measured values, in the order of spec.metrics.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=32
	Scores []Score `json:"scores,omitempty"`

	// segments are the measured values of parts of the golden set.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Segments []SegmentScore `json:"segments,omitempty"`

	// judged is the share of the first hits that had been judged.
	// +optional
	Judged *SideDecimals `json:"judged,omitempty"`

	// hits is how much was found, and how much of it had been judged.
	// +optional
	Hits *HitsStatus `json:"hits,omitempty"`

	// emptyResults is the number of queries that found nothing, negatives aside.
	// +optional
	EmptyResults *SideCounts `json:"emptyResults,omitempty"`

	// negativesFailed is the number of queries that found something in the candidate though they should find nothing.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NegativesFailed *int64 `json:"negativesFailed,omitempty"`

	// errors is the number of queries that ended in an error.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Errors *int64 `json:"errors,omitempty"`

	// firstError is what was wrong with the first query that ended in an error, without the query's text.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	FirstError string `json:"firstError,omitempty"`

	// determinism is whether the candidate's scores came out the same in every repeat.
	// +optional
	Determinism Determinism `json:"determinism,omitempty"`

	// firstDifference names the first query that scored differently in another repeat, with the metric and both values.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	FirstDifference string `json:"firstDifference,omitempty"`

	// candidateChanged says that the candidate changed while it was measured.
	// +optional
	CandidateChanged bool `json:"candidateChanged,omitempty"`

	// noise is the widest spread of a score of the candidate over the repeats.
	// +optional
	Noise Decimal `json:"noise,omitempty"`

	// liveNoise is the widest spread of a score of the live index over the repeats.
	// +optional
	LiveNoise Decimal `json:"liveNoise,omitempty"`

	// regressions are the queries that got worse.
	// +optional
	Regressions *RegressionsStatus `json:"regressions,omitempty"`

	// lock is the block that the gate holds on the candidate.
	// +optional
	Lock *LockStatus `json:"lock,omitempty"`

	// unlocked is the UUID of the candidate whose lock was given back as asked, and which is not locked again by itself.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Unlocked string `json:"unlocked,omitempty"`

	// promotion is the move of the alias that is under way.
	// +optional
	Promotion *PromotionStatus `json:"promotion,omitempty"`

	// approval is the approval that was last given.
	// +optional
	Approval *ApprovalStatus `json:"approval,omitempty"`

	// rolledBack are the UUIDs of indices that were rolled back, newest last. They are promoted again only by an approval,
	// which takes them off the list.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	RolledBack []string `json:"rolledBack,omitempty"`

	// onceLive are the UUIDs of the indices that this gate has seen live, newest last. A pattern never leads back to them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MaxLength=64
	OnceLive []string `json:"onceLive,omitempty"`

	// requests are what annotations asked for, and what became of it.
	// +optional
	Requests *RequestsStatus `json:"requests,omitempty"`

	// drift is what was done about an alias that others moved.
	// +optional
	Drift *DriftStatus `json:"drift,omitempty"`

	// alias is where the alias points.
	// +optional
	Alias *AliasStatus `json:"alias,omitempty"`

	// history are the last verdicts, newest first. The same verdict against other limits is another one.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	History []HistoryEntry `json:"history,omitempty"`

	// failure is what went wrong with the attempts at the present evaluation.
	// +optional
	Failure *FailureStatus `json:"failure,omitempty"`

	// lastHandledReconcileAt is the value of the annotation relevancegate.dev/requestedAt that was last acted on.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}

// EvaluationStatus is one evaluation: what it measured and with what.
type EvaluationStatus struct {
	// key is the hash of all that decides the evaluation's result.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Key string `json:"key,omitempty"`

	// inputsDigest is the hash of all that the Job is made from.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	InputsDigest string `json:"inputsDigest,omitempty"`

	// job is the name of the Job.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Job string `json:"job,omitempty"`

	// attempt is the number of the attempt, from 1 on.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Attempt int32 `json:"attempt,omitempty"`

	// startedAt is when the evaluation began.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// completedAt is when its result was recorded.
	// +optional
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`

	// engine is the engine that was asked.
	// +optional
	Engine *EngineStatus `json:"engine,omitempty"`

	// candidate is the index under test.
	// +optional
	Candidate *CandidateStatus `json:"candidate,omitempty"`

	// live is the index that the alias pointed at.
	// +optional
	Live *LiveStatus `json:"live,omitempty"`

	// goldenSet is the golden set that was asked.
	// +optional
	GoldenSet *GoldenSetStatus `json:"goldenSet,omitempty"`

	// searchDigest is the hash of how the queries were asked.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	SearchDigest string `json:"searchDigest,omitempty"`

	// depth is how many hits of a ranking were looked at, at most. One more was asked for, so that a tie at the cut shows.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Depth int32 `json:"depth,omitempty"`

	// bootstrap is how the intervals were found, absent where no confidence is asked for.
	// +optional
	Bootstrap *BootstrapStatus `json:"bootstrap,omitempty"`

	// missingDocs is the number of judged documents that the candidate does not hold.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MissingDocs *int64 `json:"missingDocs,omitempty"`
}

// BootstrapMethod is how an interval is taken from the resamples.
// +kubebuilder:validation:Enum=Percentile
type BootstrapMethod string

// BootstrapPercentile takes the nearest ranks of the sorted means.
const BootstrapPercentile BootstrapMethod = "Percentile"

// BootstrapStatus is all that another program needs to find the same intervals.
type BootstrapStatus struct {
	// method is how an interval is taken from the resamples.
	// +required
	Method BootstrapMethod `json:"method"`

	// resamples is how often the queries were drawn anew.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Resamples int32 `json:"resamples"`

	// seed is the 64-bit number that the draws start from, as a text. It follows from the golden set's digest.
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[0-9]{1,20}$`
	Seed string `json:"seed"`
}

// EngineStatus is the engine that was asked.
type EngineStatus struct {
	// clusterUUID is the UUID of the engine's cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ClusterUUID string `json:"clusterUUID,omitempty"`

	// distribution is the kind of engine.
	// +optional
	Distribution Distribution `json:"distribution,omitempty"`

	// version is the version that the engine says it has.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Version string `json:"version,omitempty"`
}

// CandidateStatus is the index under test.
type CandidateStatus struct {
	// index is the name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Index string `json:"index,omitempty"`

	// uuid is the index's UUID.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UUID string `json:"uuid,omitempty"`

	// fingerprint is the hash of the index's content, mapping and settings.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Fingerprint string `json:"fingerprint,omitempty"`

	// docs is the number of documents.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Docs *int64 `json:"docs,omitempty"`
}

// LiveStatus is the index that the alias pointed at when it was measured.
type LiveStatus struct {
	// index is the name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Index string `json:"index,omitempty"`

	// uuid is the index's UUID.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UUID string `json:"uuid,omitempty"`

	// docs is the number of documents.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Docs *int64 `json:"docs,omitempty"`
}

// GoldenSetStatus is the golden set that was asked.
type GoldenSetStatus struct {
	// digest is the SHA-256 of its bytes once unpacked.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest,omitempty"`

	// queries is the number of queries.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Queries int64 `json:"queries"`

	// judgments is the number of judgments.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Judgments int64 `json:"judgments"`
}

// Score is one metric's value on both sides and what became of its limits.
type Score struct {
	// metric is the name, as in spec.metrics.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Metric string `json:"metric"`

	// candidate is the candidate's score.
	// +optional
	Candidate Decimal `json:"candidate,omitempty"`

	// live is the score of the live index.
	// +optional
	Live Decimal `json:"live,omitempty"`

	// liveHigh is the highest score of the live index over the repeats, which maxDrop is held against.
	// +optional
	LiveHigh Decimal `json:"liveHigh,omitempty"`

	// delta is the candidate's score less that of the live index.
	// +optional
	Delta Decimal `json:"delta,omitempty"`

	// queries is the number of queries that the intervals are from, absent where no confidence is asked for.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Queries int64 `json:"queries,omitempty"`

	// candidateLow is the low end of the candidate's interval, or of the live index's where that was measured alone.
	// +optional
	CandidateLow Decimal `json:"candidateLow,omitempty"`

	// candidateHigh is the high end of that interval.
	// +optional
	CandidateHigh Decimal `json:"candidateHigh,omitempty"`

	// deltaLow is the low end of the delta's interval.
	// +optional
	DeltaLow Decimal `json:"deltaLow,omitempty"`

	// deltaHigh is the high end of the delta's interval.
	// +optional
	DeltaHigh Decimal `json:"deltaHigh,omitempty"`

	// min is the limit that the candidate's score was held against.
	// +optional
	Min Decimal `json:"min,omitempty"`

	// maxDrop is the limit that the drop was held against.
	// +optional
	MaxDrop Decimal `json:"maxDrop,omitempty"`

	// verdict is what became of the limits. A score without a limit has none.
	// +optional
	Verdict ScoreVerdict `json:"verdict,omitempty"`
}

// SegmentScore is one metric's value over a part of the golden set.
type SegmentScore struct {
	// segment is the name of the segment.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Segment string `json:"segment"`

	// metric is the name, as in spec.metrics.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Metric string `json:"metric"`

	// queries is the number of queries of the segment that count for the metric.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Queries int64 `json:"queries"`

	// candidate is the candidate's score.
	// +optional
	Candidate Decimal `json:"candidate,omitempty"`

	// live is the score of the live index.
	// +optional
	Live Decimal `json:"live,omitempty"`

	// lows are low ends of the interval of the candidate, or of the live index where that was measured alone: the first at
	// the metric's confidence, the others when what may go wrong is shared among 2, 3, ... segments, for as many as have a
	// limit for the metric. Absent where no confidence is asked for.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Lows []Decimal `json:"lows,omitempty"`

	// min is the limit that the candidate's score was held against.
	// +optional
	Min Decimal `json:"min,omitempty"`

	// verdict is what became of the limit.
	// +optional
	Verdict ScoreVerdict `json:"verdict,omitempty"`
}

// SideDecimals is one number for the candidate and one for the live index.
type SideDecimals struct {
	// candidate is the candidate's number.
	// +optional
	Candidate Decimal `json:"candidate,omitempty"`

	// live is the number of the live index, absent if there is none.
	// +optional
	Live Decimal `json:"live,omitempty"`
}

// SideCounts is one count for the candidate and one for the live index.
type SideCounts struct {
	// candidate is the candidate's count.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Candidate int64 `json:"candidate"`

	// live is the count of the live index, absent if there is none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Live *int64 `json:"live,omitempty"`
}

// HitsStatus is how much was found, and how much of it had been judged.
type HitsStatus struct {
	// candidate is the number of hits in the candidate.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Candidate int64 `json:"candidate"`

	// live is the number of hits in the live index, absent if there is none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Live *int64 `json:"live,omitempty"`

	// judgedCandidate is the number of judged hits in the candidate.
	// +optional
	// +kubebuilder:validation:Minimum=0
	JudgedCandidate int64 `json:"judgedCandidate"`

	// judgedLive is the number of judged hits in the live index, absent if there is none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	JudgedLive *int64 `json:"judgedLive,omitempty"`
}

// RegressionsStatus are the queries that got worse.
type RegressionsStatus struct {
	// count is the number of queries that regressed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Count int64 `json:"count"`

	// protected is the number of those that may not regress at all.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Protected int64 `json:"protected"`

	// protectedErrors is the number of queries in error that may not regress at all.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ProtectedErrors int64 `json:"protectedErrors,omitempty"`

	// worst are the queries that fell furthest. They are named by id, never by text.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Worst []Regression `json:"worst,omitempty"`
}

// Regression is one query that got worse.
type Regression struct {
	// query is the id of the query, cut if it is long.
	// +required
	// +kubebuilder:validation:MaxLength=256
	Query string `json:"query"`

	// live is the query's score in the live index.
	// +optional
	Live Decimal `json:"live,omitempty"`

	// candidate is the query's score in the candidate.
	// +optional
	Candidate Decimal `json:"candidate,omitempty"`

	// delta is the candidate's score less that of the live index.
	// +optional
	Delta Decimal `json:"delta,omitempty"`

	// weight is the query's weight.
	// +optional
	Weight Decimal `json:"weight,omitempty"`
}

// IndexRef names an index and tells it from another one of the same name.
type IndexRef struct {
	// index is the name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Index string `json:"index,omitempty"`

	// uuid is the index's UUID.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UUID string `json:"uuid,omitempty"`
}

// LockStatus is the block that the gate holds on an index.
type LockStatus struct {
	// index is the name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Index string `json:"index,omitempty"`

	// uuid is the index's UUID.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UUID string `json:"uuid,omitempty"`

	// before is what the index's settings were before, and what they become again.
	// +optional
	Before IndexBlocks `json:"before,omitzero"`

	// since is when the lock was recorded, which is before it was set.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
}

// IndexBlocks are the settings of an index that a lock changes.
type IndexBlocks struct {
	// write is index.blocks.write.
	// +optional
	Write bool `json:"write"`

	// readOnly is index.blocks.read_only.
	// +optional
	ReadOnly bool `json:"readOnly"`

	// hidden is index.hidden.
	// +optional
	Hidden bool `json:"hidden"`
}

// PromotionStep is how far a move of the alias has come.
//
// +kubebuilder:validation:Enum=Recorded;Blocked;Swapping;ReadBack;Undoing
type PromotionStep string

// The steps of a move of the alias, in their order.
const (
	// StepRecorded says that the move is intended and nothing was sent yet.
	StepRecorded PromotionStep = "Recorded"
	// StepBlocked says that the candidate takes no writes.
	StepBlocked PromotionStep = "Blocked"
	// StepSwapping says that the engine may have been told to move the alias.
	StepSwapping PromotionStep = "Swapping"
	// StepReadBack says that the alias was read back where it should be; the blocks are still to be taken away.
	StepReadBack PromotionStep = "ReadBack"
	// StepUndoing says that the move is being taken back.
	StepUndoing PromotionStep = "Undoing"
)

// MoveKind is why the alias is moved.
//
// +kubebuilder:validation:Enum=Promotion;Rollback;Revert
type MoveKind string

// The kinds of moves.
const (
	// MovePromotion makes a candidate live that has passed.
	MovePromotion MoveKind = "Promotion"
	// MoveRollback makes the index live again that was live before.
	MoveRollback MoveKind = "Rollback"
	// MoveRevert moves an alias back that somebody else has moved.
	MoveRevert MoveKind = "Revert"
)

// PromotionStatus is the move of the alias that is under way.
type PromotionStatus struct {
	// kind is why the alias is moved; absent for a promotion.
	// +optional
	Kind MoveKind `json:"kind,omitempty"`

	// request is the value of the annotation that asked for the move, absent if none did.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Request string `json:"request,omitempty"`

	// evaluationKey is the key of the evaluation that allows the move.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	EvaluationKey string `json:"evaluationKey,omitempty"`

	// from is the index that the alias must point at before, absent if the alias is to be created.
	// +optional
	From *IndexRef `json:"from,omitempty"`

	// to is the index that the alias is to point at.
	// +optional
	To *IndexRef `json:"to,omitempty"`

	// lock is the lock of the move, and so what is to be taken off the index if the move is cut short.
	// +optional
	Lock LockMode `json:"lock,omitempty"`

	// step is how far the move has come.
	// +optional
	Step PromotionStep `json:"step,omitempty"`

	// startedAt is when the move was recorded.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
}

// ApprovalStatus is an approval that was given.
type ApprovalStatus struct {
	// evaluationKey is the key of the evaluation that was approved.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	EvaluationKey string `json:"evaluationKey,omitempty"`

	// by is who approved, as the annotation relevancegate.dev/approvedBy claims. The API server's audit log has the proof.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	By string `json:"by,omitempty"`

	// at is when the approval was seen.
	// +optional
	At *metav1.Time `json:"at,omitempty"`

	// generation is the generation of the spec that the approval was seen with. It holds for no other.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// request is the annotation's value, by which the same approval is not taken twice.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Request string `json:"request,omitempty"`

	// void is why the approval no longer holds, absent while it does.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Void string `json:"void,omitempty"`
}

// AliasStatus is where the alias points.
type AliasStatus struct {
	// index is the name of the index that the alias points at.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Index string `json:"index,omitempty"`

	// uuid is that index's UUID.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	UUID string `json:"uuid,omitempty"`

	// promotedAt is when this gate last moved the alias.
	// +optional
	PromotedAt *metav1.Time `json:"promotedAt,omitempty"`

	// promotedTo is the index that the last promotion or rollback by this gate made live, or that was accepted by hand. An
	// alias that points elsewhere has drifted.
	// +optional
	PromotedTo *IndexRef `json:"promotedTo,omitempty"`

	// promotedFrom is the index that the alias pointed at before, which a rollback goes back to.
	// +optional
	PromotedFrom *IndexRef `json:"promotedFrom,omitempty"`

	// evaluationKey is the key of the evaluation that the last promotion rests on, absent if a rollback came after it.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	EvaluationKey string `json:"evaluationKey,omitempty"`

	// rollbackLoss is why promotedFrom cannot be rolled back to, absent while it can.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	RollbackLoss string `json:"rollbackLoss,omitempty"`
}

// RequestsStatus are the requests that were made by annotations, each with its answer.
type RequestsStatus struct {
	// rollback answers the annotation relevancegate.dev/rollback.
	// +optional
	Rollback *RequestStatus `json:"rollback,omitempty"`

	// acceptDrift answers the annotation relevancegate.dev/acceptDrift.
	// +optional
	AcceptDrift *RequestStatus `json:"acceptDrift,omitempty"`

	// unlock answers the annotation relevancegate.dev/unlock.
	// +optional
	Unlock *RequestStatus `json:"unlock,omitempty"`
}

// DriftStatus is what was done about an alias that others moved.
type DriftStatus struct {
	// reverts are the last times that the alias was moved back, newest last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	Reverts []RevertStatus `json:"reverts,omitempty"`
}

// RevertStatus is one time that the alias was moved back.
type RevertStatus struct {
	// at is when.
	// +optional
	At *metav1.Time `json:"at,omitempty"`

	// from is the index that the alias was found on, absent if it was gone.
	// +optional
	From *IndexRef `json:"from,omitempty"`

	// message is what was done, absent if it did not succeed.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// RequestStatus is a request that was carried out or refused.
type RequestStatus struct {
	// value is the annotation's value. The same one is not acted on again.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Value string `json:"value"`

	// reason is what became of it, in one word: RequestRefused, or what was done.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`

	// message is what became of it, in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// at is when it was answered.
	// +optional
	At *metav1.Time `json:"at,omitempty"`
}

// HistoryEntry is one verdict of the past, and what it was held against.
type HistoryEntry struct {
	// key is the key of the evaluation.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Key string `json:"key,omitempty"`

	// verdict is the outcome.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`

	// reason is why, in one word.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// candidate is the index under test, absent if the live index was measured alone.
	// +optional
	Candidate *IndexRef `json:"candidate,omitempty"`

	// live is the index that the alias pointed at, absent if there was none.
	// +optional
	Live *IndexRef `json:"live,omitempty"`

	// fingerprint is the hash of the candidate's content, mapping and settings.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Fingerprint string `json:"fingerprint,omitempty"`

	// goldenDigest is the SHA-256 of the golden set's content.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	GoldenDigest string `json:"goldenDigest,omitempty"`

	// searchDigest is the hash of how the queries were asked.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	SearchDigest string `json:"searchDigest,omitempty"`

	// scores are the measured values and their limits.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Scores []Score `json:"scores,omitempty"`

	// limits are all limits of the spec that the verdict was held against.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Limits []HistoryLimit `json:"limits,omitempty"`

	// changes are what was loosened or exchanged since the verdict before.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Changes []HistoryChange `json:"changes,omitempty"`

	// approval is the approval that was given to the evaluation, as it was when it was seen.
	// +optional
	Approval *ApprovalStatus `json:"approval,omitempty"`

	// at is when the verdict was given.
	// +optional
	At *metav1.Time `json:"at,omitempty"`

	// generation is the generation of the spec that it was given for.
	// +optional
	Generation int64 `json:"generation,omitempty"`
}

// HistoryLimit is a limit as it was when a verdict was given.
type HistoryLimit struct {
	// name is what the limit is of: "min of ndcg@10".
	// +required
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// value is the limit's value.
	// +required
	// +kubebuilder:validation:MaxLength=20
	Value string `json:"value"`
}

// HistoryChange is a change between two verdicts.
type HistoryChange struct {
	// reason is what changed, in one word: LimitLowered or JudgmentsChanged.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// message is what changed, from what to what, and which field manager wrote it last.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// FailureStatus is what went wrong with the attempts at an evaluation.
type FailureStatus struct {
	// count is the number of failed attempts that count against spec.evaluation.retries.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Count int32 `json:"count"`

	// reason is what went wrong with the last attempt, in one word.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// message is what went wrong with the last attempt, in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Message string `json:"message,omitempty"`

	// generation is the generation of the spec with which the last attempt ended. A changed spec starts to count anew.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// nextAttemptAt is when the next attempt is due, absent if none is.
	// +optional
	NextAttemptAt *metav1.Time `json:"nextAttemptAt,omitempty"`
}
