package controllers

import (
	"context"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// unlock gives the candidate's lock back if an annotation asks for it and names the
// index.
func (r *Reconciler) unlock(ctx context.Context, s *scope) error {
	request := s.asked(v1alpha1.AnnotationUnlock, s.requests().Unlock)
	if request == "" {
		return nil
	}
	lock := s.gate.Status.Lock
	switch named := firstWord(request); {
	case lock == nil:
		s.answers().Unlock = s.answer(request, v1alpha1.ReasonRequestRefused, "this gate holds no lock")
		return nil
	case named != lock.Index && named != lock.UUID:
		s.answers().Unlock = s.answer(request, v1alpha1.ReasonRequestRefused, "the request names %s, but the lock is on %s (UUID %s); name that", named, lock.Index, lock.UUID)
		return nil
	}
	if err := r.dropLock(ctx, s); err != nil {
		return err
	}
	s.gate.Status.Unlocked = lock.UUID
	s.answers().Unlock = s.answer(request, v1alpha1.ReasonUnlocked, "the lock on %s was given back", lock.Index)
	return nil
}

// stayUnlocked ends the pass of a gate whose candidate is to be locked and may not
// be. Whoever unlocked it may be mending it, so it is neither locked again nor
// measured without. What was measured of the same content still counts.
func (r *Reconciler) stayUnlocked(ctx context.Context, s *scope) error {
	s.key = evaluate.Key(s.keyInput())
	if s.measured() {
		if err := r.decide(ctx, s); err != nil {
			return err
		}
		if s.outcome.Verdict != verdict.Passed {
			return errEndPass
		}
	}
	return waiting(v1alpha1.ReasonUnlocked, 0, "the lock on %s was given back as asked; to lock and measure it again: %s",
		s.candidate.Index, s.annotateCommand(v1alpha1.AnnotationRequestedAt, "$(date +%s)"))
}
