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
	r.sendChanges(after, was.History, is.History)
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

// sendChanges tells how the bar moved, once for each new verdict: who lowers it
// must not do so unseen.
func (r *Reconciler) sendChanges(gate *v1alpha1.RelevanceGate, was, is []v1alpha1.HistoryEntry) {
	if len(is) == 0 || len(was) > 0 && was[0].At.Equal(is[0].At) && was[0].Generation == is[0].Generation && was[0].Key == is[0].Key {
		return
	}
	for _, change := range is[0].Changes {
		r.Events.Eventf(gate, nil, corev1.EventTypeWarning, change.Reason, "Decide", "%s", cut(change.Message, maxNote))
	}
}

// action is what the operator did, in the word that events.k8s.io asks for.
func action(verdict v1alpha1.Verdict) string {
	if verdict == v1alpha1.VerdictPending {
		return "Evaluate"
	}
	return "Decide"
}
