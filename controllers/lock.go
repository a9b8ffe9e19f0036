package controllers

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// giveBackLock releases a lock that the spec no longer asks for: the gate is
// suspended, its policy is Off, it names another candidate or another lock.
func (r *Reconciler) giveBackLock(ctx context.Context, s *scope) error {
	lock := s.gate.Status.Lock
	if lock == nil {
		return nil
	}
	if !s.gate.Spec.Suspend && wantsLock(&s.gate.Spec) && lock.Index == s.candidateIndex {
		return nil
	}
	return r.dropLock(ctx, s)
}

// dropLock gives the recorded lock back.
func (r *Reconciler) dropLock(ctx context.Context, s *scope) error {
	if err := r.stillCurrent(ctx, s); err != nil {
		return err
	}
	if err := releaseLock(ctx, s.engine, s.gate.Status.Lock); err != nil {
		return s.engineError(err)
	}
	s.gate.Status.Lock = nil
	return nil
}

// wantsLock tells whether the candidate is to be locked before it has passed.
func wantsLock(spec *v1alpha1.RelevanceGateSpec) bool {
	return spec.Promotion.Lock == v1alpha1.LockUntilPassed && spec.Promotion.Policy != v1alpha1.PolicyOff
}

// releaseLock gives a candidate its blocks back as they were before the lock.
// An index that is gone has nothing to give back.
func releaseLock(ctx context.Context, c *engine.Client, lock *v1alpha1.LockStatus) error {
	before := alias.Before{Write: lock.Before.Write, ReadOnly: lock.Before.ReadOnly, Hidden: lock.Before.Hidden}
	err := alias.ReleaseLock(ctx, c, lock.Index, lock.UUID, before)
	if engine.IsNotFound(err) {
		return nil
	}
	return err
}

// releasePromotion takes off what a promotion that was cut short has blocked.
// A lock UntilPassed stays: it has its own record.
func releasePromotion(ctx context.Context, c *engine.Client, status *v1alpha1.RelevanceGateStatus) error {
	record := status.Promotion
	if status.Lock != nil || record.Lock == v1alpha1.LockNone {
		return nil
	}
	return alias.ReleaseWrite(ctx, c, record.To.Index, record.To.UUID)
}

// lockCandidate takes the lock UntilPassed once the candidate is filled and
// settled. The intent is recorded first, so that a lock can never be taken and
// forgotten.
func (r *Reconciler) lockCandidate(ctx context.Context, s *scope) error {
	if !wantsLock(&s.gate.Spec) {
		return nil
	}
	if s.gate.Status.Unlocked == s.candidate.UUID && !s.askedAgain() {
		return r.stayUnlocked(ctx, s)
	}
	s.gate.Status.Unlocked = ""
	if s.gate.Status.Lock == nil || s.gate.Status.Lock.UUID != s.candidate.UUID {
		since := metav1.NewTime(s.now)
		s.gate.Status.Lock = &v1alpha1.LockStatus{Index: s.candidate.Index, UUID: s.candidate.UUID, Since: &since}
		if err := r.recordIntent(ctx, s, &halt{reason: v1alpha1.ReasonSettling, message: "locking " + s.candidate.Index}); err != nil {
			return err
		}
		// What was set before the lock was recorded is somebody else's.
		found, err := s.engine.Settings(ctx, s.candidate.Index)
		if err != nil {
			return s.engineError(err)
		}
		if sentence := alias.ForeignBlocks(found[s.candidate.Index]); sentence != "" {
			s.gate.Status.Lock = nil
			return stalled(v1alpha1.ReasonCandidateBlocked, "%s", sentence)
		}
	}
	// Repeated on every pass: somebody may have lifted the lock, or a pass was
	// cut short between its calls. It does nothing where the lock is complete.
	err := alias.TakeLock(ctx, s.engine, s.candidate.Index, s.candidate.UUID)
	if errors.Is(err, alias.ErrInUse) {
		if err := r.dropLock(ctx, s); err != nil {
			return err
		}
		return stalled(v1alpha1.ReasonCandidateInUse, "an alias points at %s, so it is not locked; name an index that is not in use in spec.candidate.index", s.candidate.Index)
	}
	if err != nil {
		return s.engineError(err)
	}
	if err := r.lockStillWanted(ctx, s); err != nil {
		return err
	}
	// Writes that were in flight before the block are in the index now.
	return s.engineError(s.readFingerprint(ctx))
}

// lockStillWanted gives back a lock that this pass has taken after another manager
// had given it up: a manager that stood still may have lost its lease meanwhile, and
// its lock would be nobody's.
//
// It has time of its own: that of a pass that stood still is over.
func (r *Reconciler) lockStillWanted(ctx context.Context, s *scope) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	fresh := &v1alpha1.RelevanceGate{}
	key := client.ObjectKeyFromObject(s.gate)
	if err := r.Live.Get(ctx, key, fresh); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading gate %s once more: %w", key, err)
	}
	lock := s.gate.Status.Lock
	if kept := fresh.Status.Lock; fresh.UID == s.gate.UID && kept != nil && kept.UUID == lock.UUID {
		return nil
	}
	if err := releaseLock(ctx, s.engine, lock); err != nil {
		return s.engineError(err)
	}
	return conflict(s.gate, errors.New("the lock was given back since this pass began"))
}

// gateDeleted gives back the lock of a gate that is gone, as far as this
// manager has seen it: gates carry no finalizer, since one would keep a
// namespace from ending once the operator is uninstalled.
//
// An engine that does not answer is asked again, with the back-off of errors.
func (r *Reconciler) gateDeleted(ctx context.Context, name types.NamespacedName) error {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	err := r.unlockDeleted(ctx, r.memory.get(name))
	if engine.IsUnavailable(err) {
		return err
	}
	if err != nil {
		log.FromContext(ctx).Error(err, "The lock of a deleted gate is left behind")
	}
	r.memory.forget(name)
	return nil
}

func (r *Reconciler) unlockDeleted(ctx context.Context, left *remembered) error {
	if left == nil || left.last == nil {
		return nil
	}
	lock, promotion := left.last.Status.Lock, left.last.Status.Promotion
	if lock == nil && (promotion == nil || promotion.To == nil) {
		return nil
	}
	s := &scope{gate: left.last, mem: left}
	if err := r.connect(ctx, s); err != nil {
		return fmt.Errorf("unlocking the candidate of %s/%s: %w", s.gate.Namespace, s.gate.Name, err)
	}
	defer s.engine.Close()
	if lock == nil {
		return releasePromotion(ctx, s.engine, &left.last.Status)
	}
	return releaseLock(ctx, s.engine, lock)
}
