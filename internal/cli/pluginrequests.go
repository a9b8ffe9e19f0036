package cli

import (
	"errors"
	"fmt"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// A pluginRequest is one thing that a gate can be asked for.
type pluginRequest struct {
	name, short string
	// ask says by which annotations, or why there is nothing to ask for. now makes each
	// request another one.
	ask func(gate *v1alpha1.RelevanceGate, now, by string) (asked, error)
}

// asked are annotations, and what they ask for. An empty one is taken off.
type asked struct {
	annotations map[string]string
	what        string
}

const promoteName = "promote"

var pluginRequests = []pluginRequest{
	{promoteName, "Approve the promotion of what was measured", askPromote},
	{"rollback", "Move the alias back to the index before the last promotion", askRollback},
	{"unlock", "Give the lock on the candidate back", askUnlock},
	{"rerun", "Measure again", askRerun},
	{"accept-drift", "Take the index that the alias was moved to by hand for the right one", askAcceptDrift},
}

func askPromote(gate *v1alpha1.RelevanceGate, now, by string) (asked, error) {
	status := &gate.Status
	switch {
	case status.ObservedGeneration != gate.Generation:
		return asked{}, errors.New("the operator has not looked at the latest spec yet; ask again in a moment")
	case status.Evaluation == nil || status.Reason != v1alpha1.ReasonAwaitingApproval && status.Reason != v1alpha1.ReasonRolledBack:
		return asked{}, fmt.Errorf("it is %s/%s and waits for no approval: %s", status.Verdict, status.Reason, status.Message)
	}
	what := fmt.Sprintf("promote %s, approving evaluation %s", candidateOf(status), status.Evaluation.Key)
	if by != "" {
		what += " as " + by
	}
	return asked{map[string]string{
		v1alpha1.AnnotationApprove:    status.Evaluation.Key + " " + now,
		v1alpha1.AnnotationApprovedBy: by,
	}, what}, nil
}

func candidateOf(status *v1alpha1.RelevanceGateStatus) string {
	if status.Evaluation.Candidate == nil {
		return "the candidate"
	}
	return status.Evaluation.Candidate.Index
}

func askRollback(gate *v1alpha1.RelevanceGate, now, _ string) (asked, error) {
	alias := gate.Status.Alias
	switch {
	case alias == nil || alias.PromotedTo == nil:
		return asked{}, fmt.Errorf("it has never moved the alias %s, so there is nothing to roll back", gate.Spec.Alias)
	case alias.PromotedFrom == nil:
		return asked{}, fmt.Errorf("no index is recorded that the alias %s pointed at before %s", gate.Spec.Alias, alias.PromotedTo.Index)
	case alias.RollbackLoss != "":
		return asked{}, fmt.Errorf("%s cannot be rolled back: %s", alias.PromotedTo.Index, alias.RollbackLoss)
	}
	return asked{
		map[string]string{v1alpha1.AnnotationRollback: alias.PromotedTo.UUID + " " + now},
		fmt.Sprintf("move alias %s back from %s to %s", gate.Spec.Alias, alias.PromotedTo.Index, alias.PromotedFrom.Index),
	}, nil
}

func askUnlock(gate *v1alpha1.RelevanceGate, now, _ string) (asked, error) {
	lock := gate.Status.Lock
	if lock == nil {
		return asked{}, errors.New("it holds no lock")
	}
	return asked{
		map[string]string{v1alpha1.AnnotationUnlock: lock.UUID + " " + now},
		fmt.Sprintf("give the lock on %s back; after it, rerun locks and measures again", lock.Index),
	}, nil
}

func askRerun(_ *v1alpha1.RelevanceGate, now, _ string) (asked, error) {
	return asked{map[string]string{v1alpha1.AnnotationRequestedAt: now}, "measure again"}, nil
}

func askAcceptDrift(gate *v1alpha1.RelevanceGate, now, _ string) (asked, error) {
	alias := gate.Status.Alias
	switch {
	case alias == nil || alias.PromotedTo == nil || alias.UUID == alias.PromotedTo.UUID && gate.Status.Reason != v1alpha1.ReasonDrifted:
		return asked{}, fmt.Errorf("the alias %s has not drifted", gate.Spec.Alias)
	case alias.UUID == "":
		return asked{}, fmt.Errorf("the alias %s does not point at one index; leave it on one, without a filter or a routing", gate.Spec.Alias)
	}
	return asked{
		map[string]string{v1alpha1.AnnotationAcceptDrift: alias.UUID + " " + now},
		fmt.Sprintf("take alias %s to be right on %s, and no longer on %s", gate.Spec.Alias, alias.Index, alias.PromotedTo.Index),
	}, nil
}
