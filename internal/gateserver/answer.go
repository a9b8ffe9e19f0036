package gateserver

import (
	"net/url"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// The parameters that pin an answer: what the caller means to ask about.
const (
	pinCandidate     = "candidate"
	pinEvaluationKey = "evaluationKey"
	pinGoldenDigest  = "goldenDigest"
)

// The reasons that only the routes give. All of them are Pending: nobody's index has failed.
const (
	// reasonInvalidQuery surfaces when the query cannot be parsed or has a parameter that is no pin. A misspelt pin that
	// was ignored would open the gate for another candidate.
	reasonInvalidQuery = "InvalidQuery"
	// reasonGateNotFound surfaces when there is no such gate, or its namespace is not looked after.
	reasonGateNotFound = "GateNotFound"
	// reasonGateUnreadable surfaces when the cache gave no answer.
	reasonGateUnreadable = "GateUnreadable"
	// reasonGateDeleted surfaces when the gate is being deleted.
	reasonGateDeleted = "GateDeleted"
	// reasonGenerationNotEvaluated surfaces when the spec has changed since the status was written.
	reasonGenerationNotEvaluated = "GenerationNotEvaluated"
	// reasonNotEvaluated surfaces when there is no evaluation and the status does not say why.
	reasonNotEvaluated = "NotEvaluated"
	// reasonUnknownVerdict surfaces when the status holds a verdict that this version does not know.
	reasonUnknownVerdict = "UnknownVerdict"
	// reasonCandidatePinMismatch surfaces when the gate is about another candidate than the pinned one.
	reasonCandidatePinMismatch = "CandidatePinMismatch"
	// reasonEvaluationKeyPinMismatch surfaces when the gate is about another evaluation than the pinned one.
	reasonEvaluationKeyPinMismatch = "EvaluationKeyPinMismatch"
	// reasonGoldenDigestPinMismatch surfaces when the gate was measured with another golden set than the pinned one.
	reasonGoldenDigestPinMismatch = "GoldenDigestPinMismatch"
)

// answer is what every route says of a gate. Anyone who reaches the port may read it, and delivery tools keep it, so it
// is closed: names, digests and numbers, no message, no text of a query or a document.
type answer struct {
	Verdict  v1alpha1.Verdict `json:"verdict"`
	Reason   string           `json:"reason"`
	Ready    bool             `json:"ready"`
	Promoted bool             `json:"promoted"`

	// Candidate, EvaluationKey and GoldenDigest are what the answer is about; empty if it is about nothing.
	Candidate     string `json:"candidate"`
	EvaluationKey string `json:"evaluationKey"`
	GoldenDigest  string `json:"goldenDigest"`

	// Scores is never null. Without a verdict there are none: scores of something else would pass for current.
	Scores []score `json:"scores"`
}

// score is one metric's value on both sides; null where there is none.
type score struct {
	Metric    string                 `json:"metric"`
	Candidate *v1alpha1.Decimal      `json:"candidate"`
	Live      *v1alpha1.Decimal      `json:"live"`
	Delta     *v1alpha1.Decimal      `json:"delta"`
	Verdict   *v1alpha1.ScoreVerdict `json:"verdict"`
}

// pending is the answer about nothing.
func pending(reason string) answer {
	return answer{Verdict: v1alpha1.VerdictPending, Reason: reason, Scores: []score{}}
}

// parsePins reads the pins of a query, and says whether all of its parameters are pins.
func parsePins(query string) (url.Values, bool) {
	pins, err := url.ParseQuery(query)
	if err != nil {
		return nil, false
	}
	for name := range pins {
		switch name {
		case pinCandidate, pinEvaluationKey, pinGoldenDigest:
		default:
			return nil, false
		}
	}
	return pins, true
}

// answerOf reads the answer from the gate alone, so that every replica gives the same one.
func answerOf(gate *v1alpha1.RelevanceGate, pins url.Values) answer {
	if !gate.DeletionTimestamp.IsZero() {
		return pending(reasonGateDeleted)
	}
	if gate.Status.ObservedGeneration != gate.Generation {
		return pending(reasonGenerationNotEvaluated)
	}

	verdict, reason := currentVerdict(gate)
	about := subjectOf(gate)
	if mismatch := about.mismatch(gate, verdict, pins); mismatch != "" {
		verdict, reason = v1alpha1.VerdictPending, mismatch
	}

	a := pending(reason)
	a.Candidate, a.EvaluationKey, a.GoldenDigest = about.candidate, about.evaluationKey, about.goldenDigest
	if verdict == v1alpha1.VerdictPending {
		return a
	}
	a.Verdict = verdict
	a.Ready = isTrue(gate, v1alpha1.ConditionReady)
	a.Promoted = isTrue(gate, v1alpha1.ConditionPromoted)
	if isTrue(gate, v1alpha1.ConditionEvaluated) {
		a.Scores = scoresOf(gate)
	}
	return a
}

// currentVerdict returns the verdict if it is about the present inputs, else Pending. A golden set that has changed
// shows as Evaluated=False, a spec that has changed by the generation.
func currentVerdict(gate *v1alpha1.RelevanceGate) (v1alpha1.Verdict, string) {
	status := &gate.Status
	switch status.Verdict {
	case "", v1alpha1.VerdictPending:
		return v1alpha1.VerdictPending, orNotEvaluated(status.Reason)
	case v1alpha1.VerdictInconclusive:
		// Also the verdict on inputs that cannot be evaluated at all; waiting changes nothing about these.
		if isTrue(gate, v1alpha1.ConditionStalled) {
			return status.Verdict, status.Reason
		}
	case v1alpha1.VerdictPassed, v1alpha1.VerdictFailed:
	default:
		return v1alpha1.VerdictPending, reasonUnknownVerdict
	}

	evaluated := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionEvaluated)
	switch {
	case evaluated == nil:
		return v1alpha1.VerdictPending, reasonNotEvaluated
	case evaluated.ObservedGeneration != gate.Generation:
		return v1alpha1.VerdictPending, reasonGenerationNotEvaluated
	case !isTrue(gate, v1alpha1.ConditionEvaluated):
		return v1alpha1.VerdictPending, orNotEvaluated(evaluated.Reason)
	case status.Evaluation == nil:
		return v1alpha1.VerdictPending, reasonNotEvaluated
	}
	return status.Verdict, status.Reason
}

// subject is what a status is about.
type subject struct {
	candidate, evaluationKey, goldenDigest string
}

func subjectOf(gate *v1alpha1.RelevanceGate) subject {
	var about subject
	evaluation := gate.Status.Evaluation
	if evaluation == nil {
		return about
	}
	about.evaluationKey = evaluation.Key
	switch {
	case evaluation.Candidate != nil:
		about.candidate = evaluation.Candidate.Index
	case liveIsCandidate(gate):
		about.candidate = evaluation.Live.Index
	}
	if evaluation.GoldenSet != nil {
		about.goldenDigest = evaluation.GoldenSet.Digest
	}
	return about
}

// liveIsCandidate says whether the live index was measured, and is the candidate that this gate has promoted: at rest a
// changed golden set measures nothing else.
func liveIsCandidate(gate *v1alpha1.RelevanceGate) bool {
	live, alias, named := gate.Status.Evaluation.Live, gate.Status.Alias, gate.Spec.Candidate.Index
	return live != nil && (named == "" || live.Index == named) &&
		alias != nil && alias.PromotedTo != nil && *alias.PromotedTo == v1alpha1.IndexRef{Index: live.Index, UUID: live.UUID}
}

// mismatch returns the reason why the gate is not about what the caller has pinned, or nothing. While a gate has not
// got as far as an evaluation there is nothing to differ from, and its own reason says more than a mismatch; but any
// verdict must be about the pins. A pin that is given without a value matches nothing: it is an argument that got lost.
func (s subject) mismatch(gate *v1alpha1.RelevanceGate, verdict v1alpha1.Verdict, pins url.Values) string {
	for _, pinned := range pins[pinCandidate] {
		named := gate.Spec.Candidate.Index
		measured := s.candidate
		if measured == "" && verdict == v1alpha1.VerdictInconclusive {
			// Nothing was measured since that cannot be done; the verdict is about the candidate that the spec names.
			measured = named
		}
		if named != "" && pinned != named || differs(pinned, measured, verdict) {
			return reasonCandidatePinMismatch
		}
	}
	for _, pinned := range pins[pinEvaluationKey] {
		if differs(pinned, s.evaluationKey, verdict) {
			return reasonEvaluationKeyPinMismatch
		}
	}
	for _, pinned := range pins[pinGoldenDigest] {
		if differs(pinned, s.goldenDigest, verdict) {
			return reasonGoldenDigestPinMismatch
		}
	}
	return ""
}

func differs(pinned, actual string, verdict v1alpha1.Verdict) bool {
	if actual == "" {
		return pinned == "" || verdict != v1alpha1.VerdictPending
	}
	return pinned != actual
}

// isTrue says whether the condition is True for the present generation.
func isTrue(gate *v1alpha1.RelevanceGate, condition string) bool {
	c := meta.FindStatusCondition(gate.Status.Conditions, condition)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == gate.Generation
}

func scoresOf(gate *v1alpha1.RelevanceGate) []score {
	scores := make([]score, 0, len(gate.Status.Scores))
	for _, s := range gate.Status.Scores {
		scores = append(scores, score{
			Metric:    s.Metric,
			Candidate: orNull(s.Candidate),
			Live:      orNull(s.Live),
			Delta:     orNull(s.Delta),
			Verdict:   orNull(s.Verdict),
		})
	}
	return scores
}

func orNull[T ~string](value T) *T {
	if value == "" {
		return nil
	}
	return &value
}

func orNotEvaluated(reason string) string {
	if reason == "" {
		return reasonNotEvaluated
	}
	return reason
}
