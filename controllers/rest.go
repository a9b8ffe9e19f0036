package controllers

import (
	"context"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// rest is the end of the way: the alias points where this gate's promotion put
// it. The index is live now, so it is neither locked nor refreshed, and what is
// written to it starts no Job. The promoting evaluation stays current until the
// golden set, the search or a metric changes, or the schedule asks: then the live
// index alone is measured, once, against the absolute limits.
func (r *Reconciler) rest(ctx context.Context, s *scope) error {
	if !s.onPromoted() {
		return nil
	}
	s.atRest = true
	if err := r.checkSchedule(ctx, s); err != nil {
		return err
	}
	if err := r.watchRollback(ctx, s); err != nil {
		return err
	}
	if s.evaluationCurrent(s.live.UUID) {
		s.key = s.gate.Status.Evaluation.Key
	} else if err := r.measureLive(ctx, s); err != nil {
		return err
	}
	if err := r.decide(ctx, s); err != nil {
		return err
	}
	return errEndPass
}

// evaluationCurrent tells whether the stored numbers are of that index and of
// today's golden set, search and metrics, whatever the index holds by now.
func (s *scope) evaluationCurrent(uuid string) bool {
	evaluation := s.gate.Status.Evaluation
	return evaluation != nil && measuredUUID(evaluation) == uuid && evaluation.CompletedAt != nil && !s.againWanted() &&
		evaluation.InputsDigest == evaluate.InputsDigest(s.keyInput())
}

// measuredUUID is the index that an evaluation is about.
func measuredUUID(evaluation *v1alpha1.EvaluationStatus) string {
	switch {
	case evaluation.Candidate != nil:
		return evaluation.Candidate.UUID
	case evaluation.Live != nil:
		return evaluation.Live.UUID
	}
	return ""
}

// measureLive measures the live index alone.
func (r *Reconciler) measureLive(ctx context.Context, s *scope) error {
	if err := r.identify(ctx, s); err != nil {
		return err
	}
	key := s.keyInput()
	key.CandidateFingerprint = ""
	s.key = evaluate.Key(key)
	if s.measured() {
		return nil
	}
	plan := s.plan()
	plan.Live = &evaluate.Index{Name: s.live.Index, UUID: s.live.UUID}
	return r.measure(ctx, s, plan)
}
