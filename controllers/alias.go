package controllers

import (
	"context"
	"fmt"
	"strings"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/alias"
)

// readAlias reads where the alias points. At rest this is all that a pass asks
// the engine.
func (r *Reconciler) readAlias(ctx context.Context, s *scope) error {
	state, err := alias.Read(ctx, s.engine, s.gate.Spec.Alias)
	if err != nil {
		return s.engineError(err)
	}
	s.alias, s.aliasRead, s.live = state, true, nil
	if len(state.Members) == 1 && !state.IsIndex && !state.IsDataStream {
		s.live = &alias.Target{Index: state.Members[0].Index, UUID: state.Members[0].UUID}
	}
	s.recordAlias()
	return nil
}

// recordAlias shows in the status where the alias points, beside what the last
// promotion recorded.
func (s *scope) recordAlias() {
	status := &s.gate.Status
	if s.live == nil {
		if status.Alias != nil {
			status.Alias.Index, status.Alias.UUID = "", ""
		}
		return
	}
	if status.Alias == nil {
		status.Alias = &v1alpha1.AliasStatus{}
	}
	status.Alias.Index, status.Alias.UUID = s.live.Index, s.live.UUID
}

// promotedTo is the index that the last promotion of this gate made live, or
// nil.
func (s *scope) promotedTo() *v1alpha1.IndexRef {
	if s.gate.Status.Alias == nil {
		return nil
	}
	return s.gate.Status.Alias.PromotedTo
}

// onPromoted tells whether the alias shows the whole of the index that this
// gate's promotion put it on, and the spec still names that index.
func (s *scope) onPromoted() bool {
	promoted := s.promotedTo()
	return promoted != nil && promoted.Index == s.candidateIndex && s.onWhole(promoted)
}

// onWhole tells whether the alias shows the whole of that index, and nothing else.
func (s *scope) onWhole(index *v1alpha1.IndexRef) bool {
	return s.onOneIndex() && s.live.Index == index.Index && s.live.UUID == index.UUID
}

// onOneIndex tells whether the alias shows the whole of one index.
func (s *scope) onOneIndex() bool { return s.live != nil && plain(s.alias.Members[0]) }

// checkAlias stops at an alias that cannot be moved by one plain swap.
func (r *Reconciler) checkAlias(_ context.Context, s *scope) error {
	name := s.gate.Spec.Alias
	switch {
	case s.alias.IsIndex:
		return stalled(v1alpha1.ReasonAliasIsIndex, "%s is an index, not an alias; serve it under another name and make %s an alias of it", name, name)
	case s.alias.IsDataStream:
		return stalled(v1alpha1.ReasonAliasIsDataStream, "%s is a data stream, which cannot be swapped; name an alias in a new gate", name)
	case len(s.alias.Members) > 1:
		return stalled(v1alpha1.ReasonAliasOnSeveralIndices, "alias %s points at %d indices (%s); leave it on the live one alone", name, len(s.alias.Members), memberNames(s.alias))
	case len(s.alias.Members) == 1 && !plain(s.alias.Members[0]):
		return stalled(v1alpha1.ReasonAliasNotPlain, "alias %s has a filter or a routing on %s, which a measurement of the index does not see; use an alias without them", name, s.live.Index)
	}
	return nil
}

// plain tells whether the alias shows the whole index. The gate measures the
// index itself, so behind a filter or a routing it would measure something else.
func plain(member alias.Member) bool {
	return member.Filter == nil && member.IndexRouting == "" && member.SearchRouting == ""
}

func memberNames(state alias.State) string {
	var names []string
	for _, member := range state.Members {
		names = append(names, member.Index)
		if len(names) == 5 && len(state.Members) > 5 {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(state.Members)-5)
		}
	}
	return strings.Join(names, ", ")
}

// pointsAt says in words where the alias points.
func (s *scope) pointsAt() string {
	switch {
	case s.live != nil && !plain(s.alias.Members[0]):
		return "points at " + s.live.Index + " with a filter or a routing"
	case s.live != nil:
		return "points at " + s.live.Index
	case s.alias.IsIndex || s.alias.IsDataStream:
		return "is " + s.alias.String()
	case len(s.alias.Members) == 0:
		return "does not exist"
	}
	return "points at " + memberNames(s.alias)
}
