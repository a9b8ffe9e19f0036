package alias

import (
	"context"
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// finish ends a swap whose alias points at the candidate already: an earlier pass
// was interrupted, or somebody else did the same.
func (r *run) finish(ctx context.Context, state State) (Result, error) {
	settings, err := r.c.Settings(ctx, r.Candidate.Index)
	if err != nil {
		return Result{}, fmt.Errorf("swapping the alias %s: %w: %w", r.Alias, errUnknown, err)
	}
	// As long as our block is there the content must be what was measured. After it
	// has gone the index is live, and may change.
	if r.blocked && settings[r.Candidate.Index].Blocks.Write && !r.Before.Write {
		refusal, err := r.checkContent(ctx)
		if err != nil {
			return Result{}, fmt.Errorf("swapping the alias %s: %w: %w", r.Alias, errUnknown, err)
		}
		if refusal != nil {
			return r.undo(ctx, state, refusal.Reason, refusal.Message)
		}
	}
	return r.promoted(), nil
}

// undo moves the alias from the candidate back to the recorded live index, if that
// is still the same index. state is where the alias points now.
func (r *run) undo(ctx context.Context, state State, reason, why string) (Result, error) {
	result := Result{Reason: reason, Message: why}
	current := state.member(r.Candidate.Index)
	actions := []engine.AliasAction{engine.RemoveAlias(r.Alias, r.Candidate.Index)}
	if r.Live != nil {
		settings, err := r.c.Settings(ctx, r.Live.Index)
		if err != nil && !engine.IsNotFound(err) {
			return Result{}, fmt.Errorf("moving the alias %s back: %w: %w", r.Alias, errUnknown, err)
		}
		if settings[r.Live.Index].UUID != r.Live.UUID {
			result.Message += fmt.Sprintf("; the alias %s could not be moved back, because %s is gone", r.Alias, *r.Live)
			return result, nil
		}
		// The candidate got the live index's properties, and returns them.
		properties := current.AliasMember
		if r.live != nil {
			properties = r.live.AliasMember
		}
		properties.Index = r.Live.Index
		actions = append(actions, engine.AddAlias(r.Alias, properties))
	}
	callErr := r.c.UpdateAliases(ctx, actions)

	back, err := r.readUntil(ctx, callErr, func(s State) bool { return s.member(r.Candidate.Index) == nil })
	if err != nil {
		return Result{}, fmt.Errorf("moving the alias %s back: %w: %w; the call itself: %w", r.Alias, errUnknown, err, outcome(callErr))
	}
	switch {
	case back.member(r.Candidate.Index) == nil:
		result.Undone = r.Live == nil || back.member(r.Live.Index) != nil
		result.Message += fmt.Sprintf("; the alias %s was moved back and points at %s", r.Alias, back)
	case refusedByEngine(callErr):
		result.Message += fmt.Sprintf("; the alias %s could not be moved back and points at %s: %s", r.Alias, back, engine.Summary(callErr))
	default:
		return Result{}, fmt.Errorf("moving the alias %s back: %w: %w", r.Alias, errUnknown, outcome(callErr))
	}
	return result, nil
}
