package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// At most so many reverts within so long: whoever moves the alias again and again
// means it, and must not be fought without end.
const (
	maxReverts   = 3
	revertWindow = time.Hour
)

// mendDrift finds out whether somebody else has moved the alias away from where this
// gate put it, and does what the gate's users say about it.
func (r *Reconciler) mendDrift(ctx context.Context, s *scope) error {
	if err := r.findDrift(ctx, s); err != nil {
		return err
	}
	if request := s.asked(v1alpha1.AnnotationAcceptDrift, s.requests().AcceptDrift); request != "" {
		s.acceptDrift(request)
		if err := r.chooseCandidate(ctx, s); err != nil {
			return err
		}
	}
	if s.drifted == nil || s.gate.Spec.Promotion.OnDrift != v1alpha1.OnDriftRevert {
		return nil
	}
	return r.revert(ctx, s)
}

// findDrift compares the alias with what is recorded. A gate that is not to move the
// alias leaves it to others, and a recorded index that is gone, or was made anew,
// says nothing any more.
func (r *Reconciler) findDrift(ctx context.Context, s *scope) error {
	promoted := s.promotedTo()
	if promoted == nil || s.onWhole(promoted) || s.gate.Spec.Promotion.Policy == v1alpha1.PolicyOff {
		return nil
	}
	found, err := s.engine.Settings(ctx, promoted.Index)
	if err != nil && !engine.IsNotFound(err) {
		return s.engineError(err)
	}
	if found[promoted.Index].UUID == promoted.UUID {
		s.drifted = promoted
	}
	return nil
}

// acceptDrift takes the index that the alias points at for the recorded one, if the
// request names it.
func (s *scope) acceptDrift(request string) {
	refuse := func(format string, args ...any) {
		s.answers().AcceptDrift = s.answer(request, v1alpha1.ReasonRequestRefused, format, args...)
	}
	switch named := firstWord(request); {
	case s.drifted == nil:
		refuse("alias %s %s, which is no drift", s.gate.Spec.Alias, s.pointsAt())
	case !s.onOneIndex():
		refuse("alias %s %s; leave it on one index, without a filter or a routing, to have that accepted", s.gate.Spec.Alias, s.pointsAt())
	case named != s.live.Index && named != s.live.UUID:
		refuse("the request names %s, but alias %s points at %s (UUID %s); name that", named, s.gate.Spec.Alias, s.live.Index, s.live.UUID)
	default:
		s.noLongerLive(s.drifted)
		s.liveAgain(s.live.UUID)
		s.recordMove(indexRef(s.live), s.drifted)
		s.gate.Status.Drift = nil
		s.answers().AcceptDrift = s.answer(request, v1alpha1.ReasonDriftAccepted, "alias %s is taken to be right on %s, where it was moved by hand; before, it was on %s",
			s.gate.Spec.Alias, s.live.Index, s.drifted.Index)
		s.drifted = nil
	}
}

// revert moves the alias back to the recorded index.
func (r *Reconciler) revert(ctx context.Context, s *scope) error {
	why, err := r.whyNoRevert(ctx, s)
	if err != nil || why != "" {
		s.notReverted = why
		return err
	}
	at := metav1.NewTime(s.now)
	// In the status before the engine is asked, so that a crash does not make more of
	// them.
	s.gate.Status.Drift = &v1alpha1.DriftStatus{
		Reverts: append(s.recentReverts(), v1alpha1.RevertStatus{At: &at, From: indexRef(s.live)}),
	}
	return r.moveBack(ctx, s, v1alpha1.PromotionStatus{Kind: v1alpha1.MoveRevert, From: indexRef(s.live), To: s.drifted})
}

// whyNoRevert says why the alias is not moved back, or is empty.
func (r *Reconciler) whyNoRevert(ctx context.Context, s *scope) (string, error) {
	recent := s.recentReverts()
	switch {
	case len(recent) >= maxReverts:
		return fmt.Sprintf("it was moved back %d times within an hour, so it is left alone until %s", len(recent),
			recent[0].At.Add(revertWindow).UTC().Format(time.RFC3339)), nil
	case !s.onOneIndex() && len(s.alias.Members) > 0 || s.alias.IsIndex || s.alias.IsDataStream:
		return "one swap does not mend that", nil
	}
	return r.whyNotBack(ctx, s, s.drifted)
}

// recentReverts are those within the last hour, the oldest first.
func (s *scope) recentReverts() []v1alpha1.RevertStatus {
	if s.gate.Status.Drift == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.gate.Status.Drift.Reverts), func(revert v1alpha1.RevertStatus) bool {
		return revert.At == nil || s.now.Sub(revert.At.Time) >= revertWindow
	})
}

// reverted writes down what came of a revert.
func (s *scope) reverted(record *v1alpha1.PromotionStatus, result alias.Result) {
	if !result.Promoted {
		s.notReverted = result.Message
		return
	}
	s.drifted = nil
	from := "nothing"
	if record.From != nil {
		from = record.From.Index
	}
	if drift := s.gate.Status.Drift; drift != nil && len(drift.Reverts) > 0 {
		drift.Reverts[len(drift.Reverts)-1].Message = cutMessage(fmt.Sprintf(
			"alias %s had been moved to %s, by whom is not known, and was moved back to %s", s.gate.Spec.Alias, from, record.To.Index))
	}
}

// checkDrift stops where the alias stays moved away: promoting would fight with
// whoever moved it. The verdict on the index that it was moved away from stands, as
// long as the spec names that index.
func (r *Reconciler) checkDrift(ctx context.Context, s *scope) error {
	if s.drifted == nil {
		return nil
	}
	if s.drifted.Index == s.candidateIndex && s.evaluationCurrent(s.drifted.UUID) {
		if err := r.decide(ctx, s); err != nil {
			return err
		}
	}
	note := ""
	if s.notReverted != "" {
		note = " (it was not moved back: " + s.notReverted + ")"
	}
	accept := ""
	if s.onOneIndex() {
		accept = ", or accept it with: " + s.annotateCommand(v1alpha1.AnnotationAcceptDrift, s.live.UUID)
	}
	return stalled(v1alpha1.ReasonDrifted, "alias %s %s, but this gate has %s recorded; who moved it is not known%s; point it back%s",
		s.gate.Spec.Alias, s.pointsAt(), s.drifted.Index, note, accept)
}
