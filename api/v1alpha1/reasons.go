package v1alpha1

// The reasons of conditions. The same strings are the status's reason, the reasons of events and the label values of
// metrics. Who automates something reads conditions and the verdict; reasons are for people, and new ones may come.

// Reasons of an evaluation that is on its way.
const (
	// ReasonEvaluating surfaces when a Job measures the candidate.
	ReasonEvaluating = "Evaluating"
	// ReasonQueued surfaces when the evaluation waits because the manager runs as many as it may.
	ReasonQueued = "Queued"
	// ReasonSettling surfaces when the candidate has not yet held still for spec.evaluation.settleSeconds.
	ReasonSettling = "Settling"
	// ReasonCandidateMissing surfaces when the candidate does not exist yet.
	ReasonCandidateMissing = "CandidateMissing"
	// ReasonCandidateNotReady surfaces when the candidate does not yet show the sign of spec.candidate.readyWhen.
	ReasonCandidateNotReady = "CandidateNotReady"
	// ReasonTooFewDocs surfaces when the candidate has fewer documents than spec.promotion.minDocsRatio asks for.
	ReasonTooFewDocs = "TooFewDocs"
	// ReasonNotHealthy surfaces when the candidate's health is below spec.promotion.minHealth.
	ReasonNotHealthy = "NotHealthy"
	// ReasonCandidateLockedByOtherGate surfaces when another gate tests and locks the same index.
	ReasonCandidateLockedByOtherGate = "CandidateLockedByOtherGate"
	// ReasonUnlocked surfaces when the candidate's lock was given back as asked, and nobody has asked to measure it again.
	ReasonUnlocked = "Unlocked"
	// ReasonSuspended surfaces when spec.suspend is set.
	ReasonSuspended = "Suspended"
)

// Reasons of inputs that someone has to put right.
const (
	// ReasonInvalidSpec surfaces when the spec breaks a rule that the API server did not enforce.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonInvalidGoldenSet surfaces when the golden set cannot be read, or breaks a rule of golden sets.
	ReasonInvalidGoldenSet = "InvalidGoldenSet"
	// ReasonGoldenSetNotFound surfaces when the ConfigMap of the golden set, or its key, does not exist, and while none is selected.
	ReasonGoldenSetNotFound = "GoldenSetNotFound"
	// ReasonGoldenSetTooLarge surfaces when the golden set is larger, or in more files, than a golden set may be.
	ReasonGoldenSetTooLarge = "GoldenSetTooLarge"
	// ReasonGoldenDigestMismatch surfaces when the golden set is not the one that spec.goldenSet.digest pins.
	ReasonGoldenDigestMismatch = "GoldenDigestMismatch"
	// ReasonInvalidSearch surfaces when spec.search holds something that a gate cannot measure with.
	ReasonInvalidSearch = "InvalidSearch"
	// ReasonInvalidMetric surfaces when spec.metrics names a metric that does not exist or has an impossible cut.
	ReasonInvalidMetric = "InvalidMetric"
	// ReasonSecretNotFound surfaces when a Secret that the gate names, or its key, does not exist.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonInvalidSecret surfaces when a Secret that the gate names does not hold usable credentials or certificates.
	ReasonInvalidSecret = "InvalidSecret"
)

// Reasons of the engine.
const (
	// ReasonEngineUnavailable surfaces when the engine does not answer, or answers that it cannot serve now.
	ReasonEngineUnavailable = "EngineUnavailable"
	// ReasonEngineUnauthorized surfaces when the engine refuses the credentials, or they lack a right.
	ReasonEngineUnauthorized = "EngineUnauthorized"
	// ReasonEngineTLSError surfaces when the engine's certificate is not trusted or not for its address.
	ReasonEngineTLSError = "EngineTLSError"
	// ReasonSecretNotAllowed surfaces when a Secret that the gate names lacks the label of the manager's flag
	// --engine-credentials-label.
	ReasonSecretNotAllowed = "SecretNotAllowed"
	// ReasonEngineHostNotAllowed surfaces when the manager's flag --engine-hosts does not allow the engine's address.
	ReasonEngineHostNotAllowed = "EngineHostNotAllowed"
	// ReasonNotASearchEngine surfaces when what answers at spec.engine.url is neither Elasticsearch nor OpenSearch, or not
	// the one that spec.engine.distribution says.
	ReasonNotASearchEngine = "NotASearchEngine"
)

// Reasons of a verdict.
const (
	// ReasonThresholdsMet surfaces when every limit holds.
	ReasonThresholdsMet = "ThresholdsMet"
	// ReasonBelowThreshold surfaces when a score does not hold its limit.
	ReasonBelowThreshold = "BelowThreshold"
	// ReasonTooManyRegressions surfaces when more single queries got worse than spec.regressions allows.
	ReasonTooManyRegressions = "TooManyRegressions"
	// ReasonTooManyErrors surfaces when more queries ended in an error than spec.evaluation.maxErrors allows.
	ReasonTooManyErrors = "TooManyErrors"
	// ReasonCandidateChanged surfaces when the candidate changed while it was measured.
	ReasonCandidateChanged = "CandidateChanged"
	// ReasonNotDeterministic surfaces when the candidate's scores differ from repeat to repeat.
	ReasonNotDeterministic = "NotDeterministic"
	// ReasonNothingJudged surfaces when the searches found documents and none of them had been judged.
	ReasonNothingJudged = "NothingJudged"
	// ReasonTooFewJudged surfaces when the judged share of the first hits is below spec.judgments.minJudged.
	ReasonTooFewJudged = "TooFewJudged"
	// ReasonTooFewQueries surfaces when a limit holds for the score but not for the near end of its interval.
	ReasonTooFewQueries = "TooFewQueries"
	// ReasonNoLiveIndex surfaces when a limit is relative and there is no live index to compare with.
	ReasonNoLiveIndex = "NoLiveIndex"
	// ReasonMissingScore surfaces when a score that a limit needs was not measured.
	ReasonMissingScore = "MissingScore"
	// ReasonLiveBelowThreshold surfaces when the promoted index no longer holds a limit of a changed gate.
	ReasonLiveBelowThreshold = "LiveBelowThreshold"
	// ReasonLimitLowered surfaces when a limit is looser than at the verdict before. Only events and the history have it.
	ReasonLimitLowered = "LimitLowered"
	// ReasonJudgmentsChanged surfaces when the golden set is another one than at the verdict before. Only events and the
	// history have it.
	ReasonJudgmentsChanged = "JudgmentsChanged"
)

// Reasons of an evaluation that could not be done.
const (
	// ReasonEvaluationError surfaces when an attempt ended without a result.
	ReasonEvaluationError = "EvaluationError"
	// ReasonPodNotCreated surfaces when the Job has no pod for a minute, as with a quota or a policy in the way.
	ReasonPodNotCreated = "PodNotCreated"
	// ReasonPodNotStarted surfaces when the Job's pod does not run a minute after it was made, as with an image that cannot
	// be pulled or no node with room.
	ReasonPodNotStarted = "PodNotStarted"
	// ReasonResultLost surfaces when the pod was gone before its result could be read.
	ReasonResultLost = "ResultLost"
	// ReasonReportNotKept surfaces when the report of an evaluation could not be kept. Only events have it: it changes
	// nothing about the gate.
	ReasonReportNotKept = "ReportNotKept"
	// ReasonGoldenSetChanged surfaces when the pod was given another golden set than the controller had read.
	ReasonGoldenSetChanged = "GoldenSetChanged"
)

// Reasons of the alias and its promotion.
const (
	// ReasonPromoting surfaces when the alias is being moved and was not read back yet.
	ReasonPromoting = "Promoting"
	// ReasonPromoted surfaces when the alias was read back on the candidate.
	ReasonPromoted = "Promoted"
	// ReasonAwaitingApproval surfaces when the candidate has passed and policy Manual waits for an approval.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonApproved surfaces when somebody has approved the promotion. Only events have it.
	ReasonApproved = "Approved"
	// ReasonContentChanged surfaces when the candidate changed between the measuring and the swap.
	ReasonContentChanged = "ContentChanged"
	// ReasonDrifted surfaces when the alias points where no promotion put it.
	ReasonDrifted = "Drifted"
	// ReasonDriftReverted surfaces when an alias that somebody else had moved was moved back. Only events have it.
	ReasonDriftReverted = "DriftReverted"
	// ReasonDriftAccepted surfaces when somebody has said that the alias is right where it was moved to by hand. Only events
	// and status.requests have it.
	ReasonDriftAccepted = "DriftAccepted"
	// ReasonRolledBack surfaces when the candidate was rolled back, and so waits for an approval of its own.
	ReasonRolledBack = "RolledBack"
	// ReasonRollbackLost surfaces when the index that a rollback would go back to is gone, another one, or closed. Only events
	// have it: the gate stays open.
	ReasonRollbackLost = "RollbackLost"
	// ReasonRequestRefused surfaces when what an annotation asked for cannot be done. Only events and status.requests have
	// it.
	ReasonRequestRefused = "RequestRefused"
	// ReasonCandidateInUse surfaces when an alias points at the candidate, which therefore is not locked.
	ReasonCandidateInUse = "CandidateInUse"
	// ReasonCandidateBlocked surfaces when the candidate is blocked or hidden and the gate did not do it.
	ReasonCandidateBlocked = "CandidateBlocked"
	// ReasonAliasMissing surfaces when the alias does not exist and spec.promotion.createAlias is not set.
	ReasonAliasMissing = "AliasMissing"
	// ReasonAliasOnSeveralIndices surfaces when the alias points at more than one index.
	ReasonAliasOnSeveralIndices = "AliasOnSeveralIndices"
	// ReasonAliasIsIndex surfaces when spec.alias is the name of an index.
	ReasonAliasIsIndex = "AliasIsIndex"
	// ReasonAliasIsDataStream surfaces when spec.alias is the name of a data stream, or points at one.
	ReasonAliasIsDataStream = "AliasIsDataStream"
	// ReasonAliasNotPlain surfaces when the alias has a filter or a routing for searches.
	ReasonAliasNotPlain = "AliasNotPlain"
	// ReasonAliasTakenByOtherGate surfaces when an older gate guards the same alias of the same cluster.
	ReasonAliasTakenByOtherGate = "AliasTakenByOtherGate"
	// ReasonAliasMoved surfaces when the alias points elsewhere than when the candidate was measured.
	ReasonAliasMoved = "AliasMoved"
)

// Reasons returns all reasons, sorted by group as they are declared.
func Reasons() []string {
	return []string{
		ReasonEvaluating, ReasonQueued, ReasonSettling, ReasonCandidateMissing, ReasonCandidateNotReady, ReasonTooFewDocs,
		ReasonNotHealthy, ReasonCandidateLockedByOtherGate, ReasonUnlocked, ReasonSuspended,
		ReasonInvalidSpec, ReasonInvalidGoldenSet, ReasonGoldenSetNotFound, ReasonGoldenSetTooLarge,
		ReasonGoldenDigestMismatch, ReasonInvalidSearch, ReasonInvalidMetric, ReasonSecretNotFound, ReasonInvalidSecret, ReasonSecretNotAllowed,
		ReasonEngineUnavailable, ReasonEngineUnauthorized, ReasonEngineTLSError, ReasonEngineHostNotAllowed,
		ReasonNotASearchEngine,
		ReasonThresholdsMet, ReasonBelowThreshold, ReasonTooManyRegressions, ReasonTooManyErrors, ReasonCandidateChanged,
		ReasonNotDeterministic, ReasonNothingJudged, ReasonTooFewJudged, ReasonTooFewQueries, ReasonNoLiveIndex,
		ReasonMissingScore, ReasonLiveBelowThreshold, ReasonLimitLowered, ReasonJudgmentsChanged,
		ReasonEvaluationError, ReasonPodNotCreated, ReasonPodNotStarted, ReasonResultLost, ReasonReportNotKept,
		ReasonGoldenSetChanged,
		ReasonPromoting, ReasonPromoted, ReasonAwaitingApproval, ReasonApproved,
		ReasonContentChanged, ReasonDrifted, ReasonDriftReverted, ReasonDriftAccepted, ReasonRolledBack, ReasonRollbackLost,
		ReasonRequestRefused, ReasonCandidateInUse, ReasonCandidateBlocked,
		ReasonAliasMissing, ReasonAliasOnSeveralIndices, ReasonAliasIsIndex, ReasonAliasIsDataStream, ReasonAliasNotPlain,
		ReasonAliasTakenByOtherGate, ReasonAliasMoved,
	}
}
