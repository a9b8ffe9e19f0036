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
	r.sendRollback(after, was, is)
	r.sendRequests(after, was, is)
	r.sendRevert(after, was, is)
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

// sendChanges tells what is new in the history beside the verdict: how the bar
// moved, once for each verdict, and who approved. Neither may go unseen.
func (r *Reconciler) sendChanges(gate *v1alpha1.RelevanceGate, was, is []v1alpha1.HistoryEntry) {
	if len(is) == 0 {
		return
	}
	latest, last := is[0], v1alpha1.HistoryEntry{}
	if len(was) > 0 && was[0].Key == latest.Key && was[0].Generation == latest.Generation && was[0].At.Equal(latest.At) {
		last = was[0]
	}
	if last.At == nil {
		for _, change := range latest.Changes {
			r.Events.Eventf(gate, nil, corev1.EventTypeWarning, change.Reason, "Decide", "%s", cut(change.Message, maxNote))
		}
	}
	if approval := latest.Approval; approval != nil && (last.Approval == nil || !approval.At.Equal(last.Approval.At)) {
		r.Events.Eventf(gate, nil, corev1.EventTypeNormal, v1alpha1.ReasonApproved, "Approve", "%s", cut(approvedBy(approval), maxNote))
	}
}

// sendRollback tells once that there is no way back any more.
func (r *Reconciler) sendRollback(gate *v1alpha1.RelevanceGate, was, is v1alpha1.RelevanceGateStatus) {
	if loss := lossIn(is); loss != "" && lossIn(was) != loss {
		r.Events.Eventf(gate, nil, corev1.EventTypeWarning, v1alpha1.ReasonRollbackLost, "Watch", "%s",
			cut("the promotion cannot be rolled back: "+loss, maxNote))
	}
}

// sendRevert tells that the alias was moved back.
func (r *Reconciler) sendRevert(gate *v1alpha1.RelevanceGate, was, is v1alpha1.RelevanceGateStatus) {
	before, after := lastRevert(was), lastRevert(is)
	if after.Message != "" && (after.Message != before.Message || !after.At.Equal(before.At)) {
		r.Events.Eventf(gate, nil, corev1.EventTypeWarning, v1alpha1.ReasonDriftReverted, "Revert", "%s", cut(after.Message, maxNote))
	}
}

func lastRevert(status v1alpha1.RelevanceGateStatus) v1alpha1.RevertStatus {
	if status.Drift == nil || len(status.Drift.Reverts) == 0 {
		return v1alpha1.RevertStatus{}
	}
	return status.Drift.Reverts[len(status.Drift.Reverts)-1]
}

// sendRequests answers what annotations asked for.
func (r *Reconciler) sendRequests(gate *v1alpha1.RelevanceGate, was, is v1alpha1.RelevanceGateStatus) {
	if is.Requests == nil {
		return
	}
	before := v1alpha1.RequestsStatus{}
	if was.Requests != nil {
		before = *was.Requests
	}
	r.sendAnswer(gate, before.Rollback, is.Requests.Rollback)
	r.sendAnswer(gate, before.AcceptDrift, is.Requests.AcceptDrift)
	r.sendAnswer(gate, before.Unlock, is.Requests.Unlock)
}

func lossIn(status v1alpha1.RelevanceGateStatus) string {
	if status.Alias == nil {
		return ""
	}
	return status.Alias.RollbackLoss
}

// sendAnswer tells what became of a request.
func (r *Reconciler) sendAnswer(gate *v1alpha1.RelevanceGate, was, is *v1alpha1.RequestStatus) {
	if is == nil || was != nil && was.Value == is.Value {
		return
	}
	kind := corev1.EventTypeNormal
	if is.Reason == v1alpha1.ReasonRequestRefused {
		kind = corev1.EventTypeWarning
	}
	r.Events.Eventf(gate, nil, kind, is.Reason, "Answer", "%s", cut(is.Message, maxNote))
}

// action is what the operator did, in the word that events.k8s.io asks for.
func action(verdict v1alpha1.Verdict) string {
	if verdict == v1alpha1.VerdictPending {
		return "Evaluate"
	}
	return "Decide"
}
