package v1alpha1

// The condition types of a gate. There are no others.
const (
	// ConditionEvaluated is True when the present inputs have been measured and a verdict was given, whatever it is.
	// It is False while there is no result yet, with the reason why.
	ConditionEvaluated = "Evaluated"

	// ConditionPassed is True when every limit holds, False when one does not, and Unknown when that cannot be said:
	// nothing was measured yet, or what was measured is not enough.
	ConditionPassed = "Passed"

	// ConditionPromoted is True when the alias was read back on the candidate, and False with the reason while it is
	// not there. It is absent while no move of the alias is asked for.
	ConditionPromoted = "Promoted"

	// ConditionReady is True when the gate is open: the verdict is Passed and, unless the policy is Off, the alias was
	// read back on the candidate. It is set on the first visit.
	ConditionReady = "Ready"

	// ConditionReconciling is True while the gate is at work or waits for something that may come by itself, and absent
	// otherwise.
	ConditionReconciling = "Reconciling"

	// ConditionStalled is True when nothing changes any more by waiting, because someone has to act, and absent
	// otherwise.
	ConditionStalled = "Stalled"
)

// ConditionTypes returns the condition types of a gate, in the order in which they are written.
func ConditionTypes() []string {
	return []string{
		ConditionEvaluated, ConditionPassed, ConditionPromoted, ConditionReady, ConditionReconciling, ConditionStalled,
	}
}
