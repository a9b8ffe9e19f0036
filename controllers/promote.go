package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// promote moves the alias if the verdict, the policy and the world allow it.
// The intent is in the status before the engine is touched, so that a manager
// that starts after a crash knows what was going on.
func (r *Reconciler) promote(ctx context.Context, s *scope) error {
	promotion := &s.gate.Spec.Promotion
	if s.outcome.Verdict != verdict.Passed || promotion.Policy == v1alpha1.PolicyOff {
		return nil
	}
	if err := r.mayPromote(ctx, s); err != nil {
		return err
	}
	ratio, err := promotion.MinDocsRatio.Millionths()
	if err != nil {
		return stalled(v1alpha1.ReasonInvalidSpec, "spec.promotion.minDocsRatio: %s", err)
	}

	started := metav1.NewTime(s.now)
	s.gate.Status.Promotion = &v1alpha1.PromotionStatus{
		EvaluationKey: s.key,
		From:          indexRef(s.live),
		To:            indexRef(&s.candidate),
		Lock:          promotion.Lock,
		Step:          v1alpha1.StepRecorded,
		StartedAt:     &started,
	}
	if err := r.recordIntent(ctx, s, promoting(s)); err != nil {
		return err
	}
	swap := s.swap(s.gate.Status.Promotion)
	swap.MinHealth = string(promotion.MinHealth)
	swap.MinDocsRatio = ratio
	swap.Check = func(ctx context.Context) error {
		if err := r.stillWanted(ctx, s); err != nil {
			return apiError{err}
		}
		return nil
	}
	err = r.runSwap(ctx, s, swap)
	if h := asHalt(err); h != nil && h.reason != v1alpha1.ReasonContentChanged {
		return s.promotionRefused(h)
	}
	return err
}

// mayPromote asks all that can be asked without writing anything: what is not
// so yet may stay so for long.
func (r *Reconciler) mayPromote(ctx context.Context, s *scope) error {
	if s.live == nil && !s.gate.Spec.Promotion.CreateAlias {
		return stalled(v1alpha1.ReasonAliasMissing, "alias %s does not exist; create it on the live index, or set spec.promotion.createAlias: true to let this gate make it", s.gate.Spec.Alias)
	}
	if err := r.checkRivals(ctx, s); err != nil {
		return err
	}
	if err := s.checkApproval(); err != nil {
		return err
	}
	if err := r.checkHealth(ctx, s); err != nil {
		return err
	}
	if err := r.checkDocs(ctx, s); err != nil {
		return err
	}
	return s.promotionHeld()
}

// apiError is an error of the API server within a swap, where the others are
// the engine's.
type apiError struct{ error }

func (e apiError) Unwrap() error { return e.error }

// checkHealth waits for a candidate that is not as healthy as the spec asks for.
func (r *Reconciler) checkHealth(ctx context.Context, s *scope) error {
	health, err := s.engine.Health(ctx, s.candidate.Index)
	if err != nil {
		return s.engineError(err)
	}
	least := s.gate.Spec.Promotion.MinHealth
	if health == "green" || health == "yellow" && least != v1alpha1.HealthGreen {
		return nil
	}
	return waiting(v1alpha1.ReasonNotHealthy, 0, "the health of the candidate %s is %s; minHealth asks for %s", s.candidate.Index, health, least)
}

// promoting halts while the alias moves. A move that rests on no evaluation says
// nothing new of the last one.
func promoting(s *scope) *halt {
	record := s.gate.Status.Promotion
	return &halt{
		reason: v1alpha1.ReasonPromoting, message: fmt.Sprintf("moving alias %s to %s", s.gate.Spec.Alias, record.To.Index), after: busyPoll,
		keepsVerdict: !isPromotion(record),
	}
}

func isPromotion(record *v1alpha1.PromotionStatus) bool {
	return record.Kind == "" || record.Kind == v1alpha1.MovePromotion
}

// swap is the swap that a promotion record asks for.
func (s *scope) swap(record *v1alpha1.PromotionStatus) alias.Swap {
	swap := alias.Swap{
		Alias:     s.gate.Spec.Alias,
		Candidate: alias.Target{Index: record.To.Index, UUID: record.To.UUID},
		Rollback:  !isPromotion(record),
		Lock:      cmp.Or(alias.Lock(record.Lock), alias.LockDuringSwap),
	}
	if !swap.Rollback {
		swap.Fingerprint = s.gate.Status.Evaluation.Candidate.Fingerprint
	}
	if record.From != nil {
		swap.Live = &alias.Target{Index: record.From.Index, UUID: record.From.UUID}
	}
	if lock := s.gate.Status.Lock; lock != nil {
		swap.Before = alias.Before{Write: lock.Before.Write, ReadOnly: lock.Before.ReadOnly, Hidden: lock.Before.Hidden}
	}
	return swap
}

// runSwap moves the alias and records what was read back.
func (r *Reconciler) runSwap(ctx context.Context, s *scope, swap alias.Swap) error {
	record := s.gate.Status.Promotion
	result, err := swap.Run(ctx, s.engine)
	if !result.Promoted && swap.Lock == alias.LockUntilPassed && s.gate.Status.Lock != nil {
		// The swap has locked the candidate again, whatever it ended with.
		if err := r.lockStillWanted(ctx, s); err != nil {
			return err
		}
	}
	if errors.As(err, new(apiError)) {
		return err
	}
	if err != nil {
		// Where the alias points may be unknown, or a block may still be there. Then
		// the record stays, and the next pass finds out.
		if h := asHalt(s.engineError(err)); h.stalled {
			r.dropRefused(ctx, s, swap)
			if !isPromotion(record) && s.gate.Status.Promotion == nil {
				return r.moved(ctx, s, record, alias.Result{Message: h.message})
			}
			return h
		}
		h := promoting(s)
		h.message = fmt.Sprintf("moving alias %s to %s has not come to an end: %s", swap.Alias, swap.Candidate.Index, engine.Summary(err))
		return h
	}
	s.gate.Status.Promotion = nil
	if !isPromotion(record) {
		return r.moved(ctx, s, record, result)
	}
	if !result.Promoted {
		return s.notPromoted(result)
	}
	s.recordPromotion(swap, record.EvaluationKey)
	return nil
}

// moved writes down what came of a move that was no promotion. The pass goes on with
// the alias as it is now.
func (r *Reconciler) moved(ctx context.Context, s *scope, record *v1alpha1.PromotionStatus, result alias.Result) error {
	if record.Kind == v1alpha1.MoveRollback {
		s.rolledBack(record, result)
	} else {
		s.reverted(record, result)
	}
	if err := r.readAlias(ctx, s); err != nil {
		return err
	}
	return r.chooseCandidate(ctx, s)
}

// dropRefused drops the record of a swap that the engine refused, once the alias
// is seen where it was and no block is left.
func (r *Reconciler) dropRefused(ctx context.Context, s *scope, swap alias.Swap) {
	state, err := alias.Read(ctx, s.engine, swap.Alias)
	unmoved := len(state.Members) == 0
	if swap.Live != nil {
		unmoved = state.Only(*swap.Live)
	}
	if err == nil && unmoved && releasePromotion(ctx, s.engine, &s.gate.Status) == nil {
		s.gate.Status.Promotion = nil
	}
}

// recordPromotion writes down what was read back.
func (s *scope) recordPromotion(swap alias.Swap, key string) {
	status := &s.gate.Status
	promoted := metav1.NewTime(s.now)
	s.live = &alias.Target{Index: swap.Candidate.Index, UUID: swap.Candidate.UUID}
	s.atRest = true
	s.rememberLive()
	status.Alias = &v1alpha1.AliasStatus{
		Index: swap.Candidate.Index, UUID: swap.Candidate.UUID,
		PromotedAt: &promoted, PromotedTo: indexRef(&swap.Candidate), PromotedFrom: indexRef(swap.Live),
		EvaluationKey: key,
	}
	s.liveAgain(swap.Candidate.UUID)
	status.Lock = nil
	s.voidApproval("it was used")
}

// notPromoted says what becomes of a swap that was refused or undone. What time
// may heal is waited for; an alias that somebody else moved is looked at anew,
// since the candidate must then be measured beside another live index.
func (s *scope) notPromoted(result alias.Result) error {
	switch result.Reason {
	case alias.ReasonNotHealthy, alias.ReasonTooFewDocs:
		return waiting(result.Reason, 0, "%s", result.Message)
	case alias.ReasonContentChanged, alias.ReasonCandidateRecreated:
		// The verdict was on another content.
		s.outcome = nil
		return waiting(v1alpha1.ReasonContentChanged, busyPoll, "%s; it is measured again", result.Message)
	case alias.ReasonAliasMoved, alias.ReasonLostRace:
		return waiting(v1alpha1.ReasonAliasMoved, busyPoll, "%s", result.Message)
	}
	return stalled(result.Reason, "%s", result.Message)
}

// recoverPromotion ends a promotion whose pass was cut short. If the alias
// points at the candidate, the rest is done; a candidate that was made anew under
// the name gets the alias taken away again. If the alias is elsewhere, nothing has
// moved: the write block is given back and the gate goes its way from the start,
// which leads to the same swap if all is as it was.
func (r *Reconciler) recoverPromotion(ctx context.Context, s *scope) error {
	record := s.gate.Status.Promotion
	if record == nil {
		return nil
	}
	if err := r.stillCurrent(ctx, s); err != nil {
		return err
	}
	evaluation := s.gate.Status.Evaluation
	if record.To == nil || isPromotion(record) && (evaluation == nil || evaluation.Candidate == nil) {
		s.gate.Status.Promotion = nil
		return nil
	}
	if s.live != nil && s.live.Index == record.To.Index {
		swap := s.swap(record)
		swap.Resumed = true
		return r.runSwap(ctx, s, swap)
	}
	if err := releasePromotion(ctx, s.engine, &s.gate.Status); err != nil {
		return s.engineError(err)
	}
	s.gate.Status.Promotion = nil
	return nil
}

// stillWanted is the last question before the alias call: have the gate and the
// golden set, as the API server has them now, changed since this pass read them?
// Then the pass ends as after a conflict.
func (r *Reconciler) stillWanted(ctx context.Context, s *scope) error {
	if err := r.sameGate(ctx, s); err != nil {
		return err
	}
	configMaps, err := goldenConfigMaps(ctx, r.Live, s.gate)
	if err != nil {
		return fmt.Errorf("reading the golden set once more: %w", err)
	}
	if versionsOf(configMaps) != s.inputs.golden.versions {
		return conflict(s.gate, errors.New("the golden set was written since this pass read it"))
	}
	return nil
}

// sameGate fails with a conflict if the gate, or what its annotations ask for, has
// changed since this pass read it.
func (r *Reconciler) sameGate(ctx context.Context, s *scope) error {
	fresh := &v1alpha1.RelevanceGate{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(s.gate), fresh); err != nil {
		return fmt.Errorf("reading the gate once more: %w", err)
	}
	if fresh.UID != s.gate.UID || fresh.Generation != s.gate.Generation || fresh.DeletionTimestamp != nil ||
		asksFor(fresh) != asksFor(s.gate) {
		return conflict(s.gate, errors.New("the gate was written since this pass began"))
	}
	return nil
}

// checkRivals leaves an alias that two gates move to the older one.
func (r *Reconciler) checkRivals(ctx context.Context, s *scope) error {
	gates := &v1alpha1.RelevanceGateList{}
	if err := r.List(ctx, gates); err != nil {
		return fmt.Errorf("listing gates: %w", err)
	}
	for i := range gates.Items {
		other := &gates.Items[i]
		if other.UID == s.gate.UID || other.Spec.Alias != s.gate.Spec.Alias ||
			other.Spec.Promotion.Policy == v1alpha1.PolicyOff || !older(other, s.gate) {
			continue
		}
		if r.sameCluster(s, other) {
			return stalled(v1alpha1.ReasonAliasTakenByOtherGate, "the older gate %s moves the alias %s; delete one of the two, or set the policy of one to Off",
				client.ObjectKeyFromObject(other), s.gate.Spec.Alias)
		}
	}
	return nil
}

func older(a, b *v1alpha1.RelevanceGate) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}

// sameCluster tells whether another gate's engine is this one. Where that gate
// has not reached its engine yet, the same host counts as the same cluster.
func (r *Reconciler) sameCluster(s *scope, other *v1alpha1.RelevanceGate) bool {
	uuid := r.memory.cluster(client.ObjectKeyFromObject(other))
	if evaluation := other.Status.Evaluation; uuid == "" && evaluation != nil && evaluation.Engine != nil {
		uuid = evaluation.Engine.ClusterUUID
	}
	if uuid != "" {
		return uuid == s.info.ClusterUUID
	}
	return host(other.Spec.Engine.URL) == host(s.gate.Spec.Engine.URL)
}

func host(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return parsed.Host
}

func indexRef(target *alias.Target) *v1alpha1.IndexRef {
	if target == nil {
		return nil
	}
	return &v1alpha1.IndexRef{Index: target.Index, UUID: target.UUID}
}
