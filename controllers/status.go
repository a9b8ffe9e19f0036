package controllers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// suspended stops a gate that is suspended. What it said before stays to be
// read, but the gate is closed. A promotion that was cut short is brought to its
// end, and a lock given back, before.
func (r *Reconciler) suspended(_ context.Context, s *scope) error {
	if !s.gate.Spec.Suspend || s.gate.Status.Promotion != nil || s.gate.Status.Lock != nil {
		return nil
	}
	return &halt{reason: v1alpha1.ReasonSuspended, message: "the gate is suspended; set spec.suspend to false to go on", keepsVerdict: true}
}

// stillCurrent ends the pass if the gate is no longer the one that the pass looked
// at. It is asked before the engine is changed on the word of a status: the cache
// may be behind, and what the status speaks of long over.
func (r *Reconciler) stillCurrent(ctx context.Context, s *scope) error {
	fresh := &v1alpha1.RelevanceGate{}
	key := client.ObjectKeyFromObject(s.gate)
	if err := r.Live.Get(ctx, key, fresh); err != nil {
		return fmt.Errorf("reading gate %s once more: %w", key, err)
	}
	if fresh.ResourceVersion != s.base.ResourceVersion {
		return conflict(s.gate, errors.New("the gate was written since this pass began"))
	}
	return nil
}

// recordIntent writes the status before the engine is changed.
func (r *Reconciler) recordIntent(ctx context.Context, s *scope, h *halt) error {
	if err := r.stillCurrent(ctx, s); err != nil {
		return err
	}
	return r.writeStatus(ctx, s, h)
}

// writeStatus computes verdict and conditions and writes the status if
// anything in it has changed. The optimistic lock makes a write fail that is
// based on an old gate: nothing of another writer is lost.
func (r *Reconciler) writeStatus(ctx context.Context, s *scope, h *halt) error {
	s.setVerdict(h)
	s.setConditions(h)
	s.gate.Status.ObservedGeneration = s.gate.Generation
	if equality.Semantic.DeepEqual(s.base.Status, s.gate.Status) {
		s.mem.last = s.base
		return nil
	}
	patch := client.MergeFromWithOptions(s.base, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, s.gate, patch); err != nil {
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return conflict(s.gate, err)
		}
		return fmt.Errorf("writing the status: %w", err)
	}
	s.base = s.gate.DeepCopy()
	s.mem.last = s.base
	return nil
}

// conflict ends a pass that looked at a gate which is no longer the same.
func conflict(gate *v1alpha1.RelevanceGate, why error) error {
	return apierrors.NewConflict(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "relevancegates"}, gate.Name, why)
}

// setVerdict fills the verdict with its reason and message.
func (s *scope) setVerdict(h *halt) {
	status := &s.gate.Status
	switch {
	case h != nil && h.keepsVerdict:
		if status.Verdict == "" {
			status.Verdict = v1alpha1.VerdictPending
		}
		status.Reason, status.Message = h.reason, h.message
		return
	case s.outcome == nil && h != nil && h.stalled:
		status.Verdict = v1alpha1.VerdictInconclusive
	case s.outcome == nil:
		status.Verdict = v1alpha1.VerdictPending
	default:
		status.Verdict = v1alpha1.Verdict(s.outcome.Verdict)
	}
	status.Reason, status.Message = s.reason(h), cutMessage(s.message(h))
}

// reason is what stands between the gate and being open, or why it is open.
func (s *scope) reason(h *halt) string {
	switch {
	case h != nil:
		return h.reason
	case s.atRest && s.outcome.Verdict == verdict.Failed:
		return v1alpha1.ReasonLiveBelowThreshold
	case s.atRest && s.outcome.Verdict == verdict.Passed:
		return v1alpha1.ReasonPromoted
	}
	return s.outcome.Reason
}

func (s *scope) message(h *halt) string {
	switch {
	case h != nil:
		return h.message
	case s.atRest && s.outcome.Verdict == verdict.Passed:
		return fmt.Sprintf("alias %s points at %s; %s%s", s.gate.Spec.Alias, s.live.Index, s.outcome.Message, s.rollbackNote())
	case s.atRest:
		return s.outcome.Message + s.rollbackNote()
	case s.outcome.Verdict != verdict.Passed && s.gate.Status.Lock != nil:
		return fmt.Sprintf("%s; %s stays locked until another candidate is named, the gate is suspended, its policy is Off or the annotation %s names it", s.outcome.Message, s.gate.Status.Lock.Index, v1alpha1.AnnotationUnlock)
	}
	return s.outcome.Message
}

// rollbackNote says at rest that there is no way back, and why.
func (s *scope) rollbackNote() string {
	if loss := lossIn(s.gate.Status); loss != "" {
		return "; it cannot be rolled back: " + loss
	}
	return ""
}

// setConditions is the condition table: each row is a situation of the scope.
//
//	situation                           Evaluated   Passed    Promoted    Ready   Reconciling  Stalled
//	not measured, waiting               False       Unknown   -           False   True         -
//	not measured, the user must act     False       Unknown   -           False   -            True
//	limits met, alias on the candidate  True        True      True        True    -            -
//	limits met, policy Off              True        True      -           True    -            -
//	limits met, alias not moved yet     True        True      False       False   True         -
//	limits met, the user must act       True        True      False       False   -            True
//	below a limit                       True        False     - or True   False   -            True
//	evidence too thin                   True        Unknown   - or True   False   -            True
//	suspended                           as before   as before as before   False   -            -
//	alias on its way back               as before   as before False       False   True         -
func (s *scope) setConditions(h *halt) {
	if h != nil && h.keepsVerdict {
		s.setClosed(h)
		return
	}
	reason, message := s.gate.Status.Reason, s.gate.Status.Message
	if s.outcome == nil {
		s.set(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, evaluatedReason(reason), message)
		s.set(v1alpha1.ConditionPassed, metav1.ConditionUnknown, reason, message)
	} else {
		s.set(v1alpha1.ConditionEvaluated, metav1.ConditionTrue, s.outcome.Reason, s.outcome.Message)
		s.set(v1alpha1.ConditionPassed, passedStatus(s.outcome.Verdict), s.outcome.Reason, s.outcome.Message)
	}
	s.setPromoted(reason, message)

	open := h == nil && s.outcome.Verdict == verdict.Passed
	working := h != nil && !h.stalled
	s.set(v1alpha1.ConditionReady, statusOf(open), reason, message)
	s.setOrRemove(v1alpha1.ConditionReconciling, working, reason, message)
	s.setOrRemove(v1alpha1.ConditionStalled, !open && !working, reason, message)
}

// setPromoted tells of the alias only where a move was asked for. A pass that
// ended before it read the alias has nothing new to tell.
func (s *scope) setPromoted(reason, message string) {
	switch {
	case s.atRest || s.onPromoted():
		s.set(v1alpha1.ConditionPromoted, metav1.ConditionTrue, v1alpha1.ReasonPromoted,
			fmt.Sprintf("alias %s points at %s", s.gate.Spec.Alias, s.live.Index))
	case s.outcome != nil && s.outcome.Verdict == verdict.Passed && s.gate.Spec.Promotion.Policy != v1alpha1.PolicyOff:
		s.set(v1alpha1.ConditionPromoted, metav1.ConditionFalse, reason, message)
	case s.aliasRead:
		meta.RemoveStatusCondition(&s.gate.Status.Conditions, v1alpha1.ConditionPromoted)
	}
}

// setClosed closes the gate and leaves what was known before, but for a move of the
// alias that this pass begins or brought to its end.
func (s *scope) setClosed(h *halt) {
	if meta.FindStatusCondition(s.gate.Status.Conditions, v1alpha1.ConditionEvaluated) == nil {
		s.set(v1alpha1.ConditionEvaluated, metav1.ConditionFalse, h.reason, h.message)
		s.set(v1alpha1.ConditionPassed, metav1.ConditionUnknown, h.reason, h.message)
	}
	moving := h.reason == v1alpha1.ReasonPromoting
	switch {
	case moving:
		s.set(v1alpha1.ConditionPromoted, metav1.ConditionFalse, h.reason, h.message)
	case s.onPromoted():
		s.setPromoted(h.reason, h.message)
	}
	s.set(v1alpha1.ConditionReady, metav1.ConditionFalse, h.reason, h.message)
	s.setOrRemove(v1alpha1.ConditionReconciling, moving, h.reason, h.message)
	s.setOrRemove(v1alpha1.ConditionStalled, false, "", "")
}

// evaluatedReason sums up the ways in which an engine is not there.
func evaluatedReason(reason string) string {
	if reason == v1alpha1.ReasonEngineUnavailable {
		return v1alpha1.ReasonEvaluationError
	}
	return reason
}

func passedStatus(v verdict.Verdict) metav1.ConditionStatus {
	switch v {
	case verdict.Passed:
		return metav1.ConditionTrue
	case verdict.Failed:
		return metav1.ConditionFalse
	}
	return metav1.ConditionUnknown
}

func statusOf(is bool) metav1.ConditionStatus {
	if is {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// setOrRemove is for conditions that are absent while they are not True.
func (s *scope) setOrRemove(kind string, is bool, reason, message string) {
	if is {
		s.set(kind, metav1.ConditionTrue, reason, message)
		return
	}
	meta.RemoveStatusCondition(&s.gate.Status.Conditions, kind)
}

// set leaves the transition time to the helper, which moves it only when the
// status does.
func (s *scope) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.gate.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: s.gate.Generation,
	})
}
