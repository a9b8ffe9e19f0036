package controllers

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// maxNote is the longest note of an event, in bytes.
const maxNote = 1000

// sendEvent tells of a transition: another verdict or another reason than
// before the pass. It is called once the status is written, so a pass that
// finds the same again, or whose write failed, tells nothing.
func (r *Reconciler) sendEvent(before, after *v1alpha1.RelevanceGate) {
	was, is := before.Status, after.Status
	if was.Verdict == is.Verdict && was.Reason == is.Reason {
		return
	}
	kind := corev1.EventTypeNormal
	if is.Verdict == v1alpha1.VerdictFailed || is.Verdict == v1alpha1.VerdictInconclusive {
		kind = corev1.EventTypeWarning
	}
	note := cut(fmt.Sprintf("%s: %s", is.Verdict, is.Message), maxNote)
	r.Events.Eventf(after, nil, kind, is.Reason, action(is.Verdict), "%s", note)
}

// action is what the operator did, in the word that events.k8s.io asks for.
func action(verdict v1alpha1.Verdict) string {
	if verdict == v1alpha1.VerdictPending {
		return "Evaluate"
	}
	return "Decide"
}
