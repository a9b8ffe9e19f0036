package controllers

import (
	"context"
	"slices"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
)

// maxOnceLive is how many indices that were once live a gate remembers.
const maxOnceLive = 50

// chooseCandidate finds the name of the index under test: the one that the spec
// names, or the newest one that its pattern finds. Without a newer one, a gate with
// a pattern stays with what it has promoted.
func (r *Reconciler) chooseCandidate(ctx context.Context, s *scope) error {
	s.rememberLive()
	pattern := s.gate.Spec.Candidate.Pattern
	if pattern == "" {
		s.candidateIndex = s.gate.Spec.Candidate.Index
		return nil
	}
	live := ""
	if s.live != nil {
		live = s.live.Index
	}
	var err error
	if s.candidateIndex, err = alias.Newest(ctx, s.engine, pattern, live, s.gate.Status.OnceLive); err != nil {
		return s.engineError(err)
	}
	if promoted := s.promotedTo(); s.candidateIndex == "" && promoted != nil {
		s.candidateIndex = promoted.Index
	}
	return nil
}

// rememberLive records that the live index was live, so that a pattern never leads
// back to it.
func (s *scope) rememberLive() {
	status := &s.gate.Status
	if s.live == nil || slices.Contains(status.OnceLive, s.live.UUID) {
		return
	}
	status.OnceLive = append(status.OnceLive, s.live.UUID)
	status.OnceLive = status.OnceLive[max(0, len(status.OnceLive)-maxOnceLive):]
}

// checkChosen waits for an index that the pattern matches.
func (r *Reconciler) checkChosen(_ context.Context, s *scope) error {
	pattern := s.gate.Spec.Candidate.Pattern
	switch {
	case s.candidateIndex != "":
		return nil
	case s.live == nil:
		return waiting(v1alpha1.ReasonCandidateMissing, 0, "no index matches %s yet", pattern)
	}
	return waiting(v1alpha1.ReasonCandidateMissing, 0, "no index that matches %s was created after the live index %s yet", pattern, s.live.Index)
}
