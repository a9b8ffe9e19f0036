package controllers

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// maxRolledBack is how many rolled back indices are remembered.
const maxRolledBack = 32

// rollBack moves the alias back to the index that the last promotion took it from,
// if an annotation asks for it and names what it undoes. It needs no golden set and
// no verdict: who rolls back is in a hurry.
func (r *Reconciler) rollBack(ctx context.Context, s *scope) error {
	request := s.asked(v1alpha1.AnnotationRollback, s.requests().Rollback)
	if request == "" {
		return nil
	}
	refusal, err := r.whyNoRollback(ctx, s, firstWord(request))
	if err != nil {
		return err
	}
	if refusal != "" {
		s.answers().Rollback = s.answer(request, v1alpha1.ReasonRequestRefused, "%s", refusal)
		return nil
	}
	status := s.gate.Status.Alias
	return r.moveBack(ctx, s, v1alpha1.PromotionStatus{
		Kind: v1alpha1.MoveRollback, Request: request, EvaluationKey: status.EvaluationKey,
		From: status.PromotedTo, To: status.PromotedFrom,
	})
}

// moveBack moves the alias to the recorded index, whose UUID is all that counts.
func (r *Reconciler) moveBack(ctx context.Context, s *scope, record v1alpha1.PromotionStatus) error {
	started := metav1.NewTime(s.now)
	record.Step, record.StartedAt = v1alpha1.StepRecorded, &started
	// Nothing was measured that a block would keep as it was.
	record.Lock = v1alpha1.LockNone
	s.gate.Status.Promotion = &record
	if err := r.recordIntent(ctx, s, promoting(s)); err != nil {
		return err
	}
	swap := s.swap(s.gate.Status.Promotion)
	swap.Check = func(ctx context.Context) error {
		if err := r.sameGate(ctx, s); err != nil {
			return apiError{err}
		}
		return nil
	}
	return r.runSwap(ctx, s, swap)
}

// whyNoRollback says why a request to roll back what is named cannot be met, or is
// empty.
func (r *Reconciler) whyNoRollback(ctx context.Context, s *scope, named string) (string, error) {
	status, name := s.gate.Status.Alias, s.gate.Spec.Alias
	switch {
	case s.promotedTo() == nil:
		return fmt.Sprintf("this gate has never moved the alias %s, so there is nothing to roll back", name), nil
	case named != status.PromotedTo.UUID && (status.EvaluationKey == "" || named != status.EvaluationKey):
		return fmt.Sprintf("the request names %s, but what this gate made live last is %s (UUID %s); name that", named, status.PromotedTo.Index, status.PromotedTo.UUID), nil
	case s.gate.Spec.Promotion.Policy == v1alpha1.PolicyOff:
		return "spec.promotion.policy is Off, under which this gate does not move the alias; set it to Manual to roll back", nil
	case status.PromotedFrom == nil:
		return fmt.Sprintf("no index is recorded that the alias %s pointed at before %s", name, status.PromotedTo.Index), nil
	case !s.onWhole(status.PromotedTo) && !s.onWhole(status.PromotedFrom):
		return fmt.Sprintf("alias %s %s, and not at %s, which is to be rolled back", name, s.pointsAt(), status.PromotedTo.Index), nil
	}
	return r.whyNotBack(ctx, s, status.PromotedFrom)
}

// whyNotBack says why the alias may not go back to an index, or is empty.
func (r *Reconciler) whyNotBack(ctx context.Context, s *scope, target *v1alpha1.IndexRef) (string, error) {
	loss, err := r.lossOf(ctx, s, target)
	if err != nil || loss != "" {
		return loss, err
	}
	if err := r.identify(ctx, s); err != nil {
		return "", err
	}
	err = r.checkRivals(ctx, s)
	if h := asHalt(err); h != nil {
		return h.message, nil
	}
	return "", err
}

// lossOf says why the alias cannot go back to an index, or is empty.
func (r *Reconciler) lossOf(ctx context.Context, s *scope, target *v1alpha1.IndexRef) (string, error) {
	found, err := s.engine.Settings(ctx, target.Index)
	settings := found[target.Index]
	switch {
	case err != nil && !engine.IsNotFound(err):
		return "", s.engineError(err)
	case settings.UUID == "":
		return fmt.Sprintf("%s (UUID %s) was deleted", target.Index, target.UUID), nil
	case settings.UUID != target.UUID:
		return fmt.Sprintf("%s (UUID %s) was deleted and made anew (UUID %s)", target.Index, target.UUID, settings.UUID), nil
	case settings.Closed:
		return fmt.Sprintf("%s is closed; open it with POST /%s/_open", target.Index, target.Index), nil
	}
	return "", nil
}

// watchRollback keeps the index in sight that a rollback would go back to.
func (r *Reconciler) watchRollback(ctx context.Context, s *scope) error {
	status := s.gate.Status.Alias
	if status.PromotedFrom == nil {
		status.RollbackLoss = ""
		return nil
	}
	loss, err := r.lossOf(ctx, s, status.PromotedFrom)
	if err == nil {
		status.RollbackLoss = loss
	}
	return err
}

// rolledBack writes down what came of a rollback.
func (s *scope) rolledBack(record *v1alpha1.PromotionStatus, result alias.Result) {
	if !result.Promoted {
		s.answers().Rollback = s.answer(record.Request, v1alpha1.ReasonRequestRefused, "%s", result.Message)
		return
	}
	s.noLongerLive(record.From)
	s.recordMove(record.To, nil)
	s.answers().Rollback = s.answer(record.Request, v1alpha1.ReasonRolledBack, "alias %s was moved back from %s to %s",
		s.gate.Spec.Alias, record.From.Index, record.To.Index)
}

// recordMove takes an index that no promotion has made live for the one that the alias
// is to be on; from is the one that a rollback would go back to.
func (s *scope) recordMove(to, from *v1alpha1.IndexRef) {
	at := metav1.NewTime(s.now)
	status := s.gate.Status.Alias
	status.PromotedAt, status.PromotedTo, status.PromotedFrom = &at, to, from
	status.EvaluationKey, status.RollbackLoss = "", ""
}

// liveAgain forgets that an index was rolled back.
func (s *scope) liveAgain(uuid string) {
	status := &s.gate.Status
	status.RolledBack = slices.DeleteFunc(status.RolledBack, func(rolledBack string) bool { return rolledBack == uuid })
}

// noLongerLive remembers an index that was taken away from the alias on purpose: it
// becomes live again only by an approval from now on.
func (s *scope) noLongerLive(index *v1alpha1.IndexRef) {
	status := &s.gate.Status
	s.liveAgain(index.UUID) // It is the newest now, wherever it was.
	list := append(status.RolledBack, index.UUID)
	status.RolledBack = list[max(0, len(list)-maxRolledBack):]
	// An annotation from before approves nothing, whether it was used or never read.
	if asked := approvalOf(s.gate); asked.request != "" && (status.Approval == nil || status.Approval.Request != asked.request || status.Approval.By != asked.by) {
		at := metav1.NewTime(s.now)
		status.Approval = &v1alpha1.ApprovalStatus{EvaluationKey: cut(asked.key(), maxKey), By: asked.by, At: &at, Generation: s.gate.Generation, Request: asked.request}
	}
	s.voidApproval("the alias was taken from " + index.Index + " after it was given")
}
