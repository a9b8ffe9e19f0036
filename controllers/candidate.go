package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// busyPoll is how often the engine is looked at while a candidate settles or
// an alias moves.
const busyPoll = 5 * time.Second

// findCandidate looks for the candidate and whether it may and can be
// measured.
func (r *Reconciler) findCandidate(ctx context.Context, s *scope) error {
	if err := r.identify(ctx, s); err != nil {
		return err
	}
	index := s.candidateIndex
	found, err := s.engine.Settings(ctx, index)
	if engine.IsNotFound(err) {
		return waiting(v1alpha1.ReasonCandidateMissing, 0, "the candidate %s does not exist yet", index)
	}
	if err != nil {
		return s.engineError(err)
	}
	settings, ok := found[index]
	if !ok {
		return stalled(v1alpha1.ReasonCandidateInUse, "%s is an alias, not an index; name the index behind it in spec.candidate.index", index)
	}
	s.candidate = alias.Target{Index: index, UUID: settings.UUID}
	for _, check := range []func(context.Context, *scope, engine.IndexSettings) error{
		r.checkInUse, r.checkOtherLocks, r.checkBlocks, r.checkReady,
	} {
		if err := check(ctx, s, settings); err != nil {
			return err
		}
	}
	return nil
}

// identify asks the engine which cluster it is.
func (r *Reconciler) identify(ctx context.Context, s *scope) error {
	info, err := s.engine.Info(ctx)
	if err != nil {
		return s.engineError(err)
	}
	s.info = info
	r.memory.setCluster(s.mem, info.ClusterUUID)
	return nil
}

// checkInUse stops at a candidate that serves already: it is not ours to
// refresh, lock or promote. A lock of ours on it is given back.
func (r *Reconciler) checkInUse(ctx context.Context, s *scope, _ engine.IndexSettings) error {
	aliases, err := s.engine.IndexAliases(ctx, s.candidate.Index)
	if err != nil {
		return s.engineError(err)
	}
	if len(aliases) == 0 {
		if s.live != nil && s.live.UUID == s.candidate.UUID {
			// It would be measured beside itself.
			return waiting(v1alpha1.ReasonAliasMoved, busyPoll, "alias %s has just moved away from the candidate %s", s.gate.Spec.Alias, s.candidate.Index)
		}
		return nil
	}
	if lock := s.gate.Status.Lock; lock != nil && lock.UUID == s.candidate.UUID {
		if err := r.dropLock(ctx, s); err != nil {
			return err
		}
	}
	if slices.Contains(aliases, s.gate.Spec.Alias) {
		return stalled(v1alpha1.ReasonCandidateInUse, "alias %s points at the candidate %s already, and it was not this gate that put it there; name the next index in spec.candidate",
			s.gate.Spec.Alias, s.candidate.Index)
	}
	return stalled(v1alpha1.ReasonCandidateInUse, "alias %s points at the candidate %s, so it may be serving searches; remove the alias or name another index",
		strings.Join(aliases, ", "), s.candidate.Index)
}

// checkBlocks stops at blocks that are not ours: taken as what was there
// before the lock, they would come back after it.
func (r *Reconciler) checkBlocks(_ context.Context, s *scope, settings engine.IndexSettings) error {
	if lock := s.gate.Status.Lock; lock != nil && lock.UUID == settings.UUID {
		return nil
	}
	if sentence := alias.ForeignBlocks(settings); sentence != "" {
		return stalled(v1alpha1.ReasonCandidateBlocked, "%s", sentence)
	}
	return nil
}

// checkOtherLocks waits for a candidate that another gate has locked.
func (r *Reconciler) checkOtherLocks(ctx context.Context, s *scope, _ engine.IndexSettings) error {
	gates := &v1alpha1.RelevanceGateList{}
	if err := r.List(ctx, gates); err != nil {
		return fmt.Errorf("listing gates: %w", err)
	}
	for i := range gates.Items {
		other := &gates.Items[i]
		if other.UID != s.gate.UID && holds(&other.Status, s.candidate.UUID) {
			return waiting(v1alpha1.ReasonCandidateLockedByOtherGate, 0, "the candidate %s is locked by the gate %s", s.candidate.Index, client.ObjectKeyFromObject(other))
		}
	}
	return nil
}

// holds tells whether a gate has locked the index, or is promoting it.
func holds(status *v1alpha1.RelevanceGateStatus, uuid string) bool {
	lock, promotion := status.Lock, status.Promotion
	return lock != nil && lock.UUID == uuid || promotion != nil && promotion.To != nil && promotion.To.UUID == uuid
}

// checkReady waits until the candidate is filled, as far as the gate says how
// to know.
func (r *Reconciler) checkReady(ctx context.Context, s *scope, _ engine.IndexSettings) error {
	if err := s.engine.Refresh(ctx, s.candidate.Index); err != nil {
		return s.engineError(err)
	}
	ready := s.gate.Spec.Candidate.ReadyWhen
	if ready == nil {
		return nil
	}
	if ready.MinDocs != nil {
		docs, err := s.engine.Count(ctx, s.candidate.Index)
		if err != nil {
			return s.engineError(err)
		}
		if docs < *ready.MinDocs {
			return waiting(v1alpha1.ReasonCandidateNotReady, 0, "the candidate %s has %d documents, readyWhen asks for %d", s.candidate.Index, docs, *ready.MinDocs)
		}
	}
	if ready.Meta != nil {
		meta, err := s.engine.Meta(ctx, s.candidate.Index)
		if err != nil {
			return s.engineError(err)
		}
		if metaText(meta[ready.Meta.Key]) != ready.Meta.Value {
			return waiting(v1alpha1.ReasonCandidateNotReady, 0, "the mapping of the candidate %s does not have _meta.%s = %q yet, which readyWhen asks for",
				s.candidate.Index, ready.Meta.Key, ready.Meta.Value)
		}
	}
	return nil
}

// metaText is a value of _meta as the spec writes it: a text without its
// quotes, anything else as JSON.
func metaText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// checkDocs waits for a candidate that holds far fewer documents than the live
// index: it is probably still being filled. It is asked before an evaluation
// begins, and again before the swap: a verdict stays while the live index grows.
func (r *Reconciler) checkDocs(ctx context.Context, s *scope) error {
	if s.live == nil {
		return nil
	}
	ratio, err := s.gate.Spec.Promotion.MinDocsRatio.Millionths()
	if err != nil {
		return stalled(v1alpha1.ReasonInvalidSpec, "spec.promotion.minDocsRatio: %s", err)
	}
	candidate, err := s.engine.Count(ctx, s.candidate.Index)
	if err != nil {
		return s.engineError(err)
	}
	live, err := s.engine.Count(ctx, s.live.Index)
	if err != nil {
		return s.engineError(err)
	}
	// In whole numbers: candidate / live < ratio / 1e6. Indices hold at most
	// 2^31 documents a shard, so nothing overflows.
	if candidate*1_000_000 < live*ratio {
		return waiting(v1alpha1.ReasonTooFewDocs, 0, "the candidate %s has %d documents, the live index %s has %d; minDocsRatio asks for %s of them",
			s.candidate.Index, candidate, s.live.Index, live, s.gate.Spec.Promotion.MinDocsRatio)
	}
	return nil
}

// settle waits until the candidate's content has held still. A content that
// was measured already, or is being measured, has.
func (r *Reconciler) settle(ctx context.Context, s *scope) error {
	err := s.readFingerprint(ctx)
	if errors.Is(err, engine.ErrNotSettled) {
		s.mem.settling = ""
		return waiting(v1alpha1.ReasonSettling, busyPoll, "the candidate %s is being written", s.candidate.Index)
	}
	if err != nil {
		return s.engineError(err)
	}
	digest := s.fingerprint.Digest()
	if evaluation := s.gate.Status.Evaluation; evaluation != nil && evaluation.Candidate != nil && evaluation.Candidate.Fingerprint == digest {
		return nil
	}
	if s.mem.settling != digest {
		s.mem.settling, s.mem.settlingSince = digest, s.now
	}
	settle := time.Duration(*s.gate.Spec.Evaluation.SettleSeconds) * time.Second
	if left := settle - s.now.Sub(s.mem.settlingSince); left > 0 {
		return waiting(v1alpha1.ReasonSettling, min(left, busyPoll), "the candidate %s must hold still for %s before it is measured", s.candidate.Index, settle)
	}
	return nil
}

// readFingerprint reads the fingerprint of the very index that was found: one that
// was made anew since has the name only.
func (s *scope) readFingerprint(ctx context.Context) error {
	fingerprint, err := s.engine.FullFingerprint(ctx, s.candidate.Index)
	if err != nil {
		return err
	}
	if fingerprint.UUID != s.candidate.UUID {
		return alias.ErrRecreated
	}
	s.fingerprint = fingerprint
	return nil
}
