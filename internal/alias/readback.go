package alias

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// call sends the one alias call, and decides by what is read back.
func (r *run) call(ctx context.Context) (Result, error) {
	wanted := engine.AliasMember{Index: r.Candidate.Index}
	var actions []engine.AliasAction
	if r.live != nil {
		wanted.IsWriteIndex, wanted.IsHidden = r.live.IsWriteIndex, r.live.IsHidden
		actions = append(actions, engine.RemoveAlias(r.Alias, r.live.Index))
	}
	actions = append(actions, engine.AddAlias(r.Alias, wanted))
	callErr := r.c.UpdateAliases(ctx, actions)

	after, cancel := r.detached(ctx)
	defer cancel()
	state, err := r.readUntil(after, callErr, func(s State) bool { return !r.unmoved(s) })
	if err != nil {
		return Result{}, fmt.Errorf("swapping the alias %s: %w: %w; the call itself: %w", r.Alias, errUnknown, err, outcome(callErr))
	}
	if state.Only(r.Candidate) {
		return r.confirm(after, state, wanted)
	}
	return r.notMoved(after, state, callErr)
}

// confirm checks the content once more after the alias has moved: a rival may have
// lifted the block and written between the last fingerprint and the call. Without a
// block of ours that cannot be told from what the shop writes through the alias
// since it moved, and undoing would lose that.
func (r *run) confirm(ctx context.Context, state State, wanted engine.AliasMember) (Result, error) {
	if r.Lock != LockNone {
		refusal, err := r.checkContent(ctx)
		if err != nil {
			return Result{}, fmt.Errorf("swapping the alias %s: %w: checking the candidate again: %w", r.Alias, errUnknown, err)
		}
		if refusal != nil {
			return r.undo(ctx, state, refusal.Reason, refusal.Message)
		}
	}
	result := r.promoted()
	if !sameProperties(state.Members[0].AliasMember, wanted) {
		result.Message += "; somebody has changed the alias's properties since"
	}
	return result, nil
}

// notMoved decides where the alias points elsewhere, or at more than the candidate.
func (r *run) notMoved(ctx context.Context, state State, callErr error) (Result, error) {
	candidate := state.member(r.Candidate.Index)
	switch {
	case candidate != nil && callErr != nil && engine.IsNotFound(callErr):
		// Our call changed nothing, so the alias is there by another hand.
	case candidate != nil && candidate.UUID != r.Candidate.UUID:
		return r.undo(ctx, state, ReasonCandidateRecreated, "the candidate was made anew before the alias moved to it")
	case candidate != nil:
		return r.undo(ctx, state, ReasonLostRace, "somebody else changed the alias at the same time")
	case r.unmoved(state) && callErr != nil:
		return r.notApplied(ctx, callErr)
	}
	return *refused(ReasonLostRace, "somebody else moved the alias %s: it points at %s", r.Alias, state), nil
}

// readUntil looks at the alias until moved says that a change has shown, or the
// time is up. A refusal by the engine is certain at once; anything else may still
// come to pass.
func (r *run) readUntil(ctx context.Context, callErr error, moved func(State) bool) (State, error) {
	patience := r.timing.readBack
	if refusedByEngine(callErr) {
		patience = 0
	}
	for deadline := time.Now().Add(patience); ; {
		state, err := Read(ctx, r.c, r.Alias)
		over := !time.Now().Before(deadline)
		if err == nil && (over || moved(state)) || err != nil && over {
			return state, err
		}
		if err := wait(ctx, r.timing.poll); err != nil {
			return State{}, err
		}
	}
}

// unmoved: the alias is where it was before the call.
func (r *run) unmoved(state State) bool {
	if r.Live == nil {
		return len(state.Members) == 0 && !state.IsIndex && !state.IsDataStream
	}
	return state.Only(*r.Live)
}

// outcome is the call's error, or the absence of one, as an error's text.
func outcome(callErr error) error {
	if callErr == nil {
		return errors.New("acknowledged")
	}
	return callErr
}

// refusedByEngine: the engine has answered that it changed nothing.
func refusedByEngine(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Status >= 400 && e.Status < 500 && e.Type != "" && !engine.IsUnavailable(err)
}

// notApplied turns the error of a call that changed nothing into a decision, where
// there is one to make.
func (r *run) notApplied(ctx context.Context, callErr error) (Result, error) {
	switch {
	case engine.IsBlocked(callErr):
		return *refused(ReasonCandidateBlocked, "a block on the candidate %s or the live index refused the alias call: %s", r.Candidate.Index, engine.Summary(callErr)), nil
	case engine.IsNotFound(callErr):
		if refusal, err := r.checkCandidate(ctx); err == nil && refusal != nil {
			return *refusal, nil
		}
		return *refused(ReasonLostRace, "somebody else moved the alias %s away and back", r.Alias), nil
	case refusedByEngine(callErr):
		return Result{}, fmt.Errorf("swapping the alias %s: %w", r.Alias, callErr)
	}
	// It was not seen to happen, but it may happen yet.
	return Result{}, fmt.Errorf("swapping the alias %s: %w: %w", r.Alias, errUnknown, callErr)
}

func sameProperties(a, b engine.AliasMember) bool {
	same := func(x, y *bool) bool { return x == y || x != nil && y != nil && *x == *y }
	return Member{AliasMember: a}.plain() && same(a.IsWriteIndex, b.IsWriteIndex) && same(a.IsHidden, b.IsHidden)
}
