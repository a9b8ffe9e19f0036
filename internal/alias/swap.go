package alias

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// Reasons of a Result.
const (
	ReasonPromoted              = "Promoted"              // the alias points at the candidate
	ReasonContentChanged        = "ContentChanged"        // the candidate is not what was measured: measure again
	ReasonCandidateRecreated    = "CandidateRecreated"    // the candidate was deleted, or made anew under its name
	ReasonCandidateInUse        = "CandidateInUse"        // another alias points at the candidate, so it is not blocked
	ReasonCandidateBlocked      = "CandidateBlocked"      // somebody else's read_only block refused the alias call
	ReasonNotHealthy            = "NotHealthy"            // the candidate's health is below MinHealth
	ReasonTooFewDocs            = "TooFewDocs"            // the candidate has too few documents beside the live index
	ReasonAliasMoved            = "AliasMoved"            // the alias did not point at the live index to begin with
	ReasonAliasMissing          = "AliasMissing"          // the alias does not exist
	ReasonAliasOnSeveralIndices = "AliasOnSeveralIndices" // the alias points at more than one index
	ReasonAliasIsIndex          = "AliasIsIndex"          // the name is a concrete index
	ReasonAliasIsDataStream     = "AliasIsDataStream"     // the name is a data stream
	ReasonAliasNotPlain         = "AliasNotPlain"         // the alias has a filter or routing
	ReasonLostRace              = "LostRace"              // somebody moved the alias at the same time
)

// Swap is one promotion, or one rollback.
type Swap struct {
	Alias     string
	Candidate Target
	// Live is the index that the alias must point at; nil: the alias must not exist,
	// and is made.
	Live *Target
	// Fingerprint is the digest of the candidate's full fingerprint in the Passed
	// evaluation.
	Fingerprint string
	// Rollback: the candidate is the recorded earlier target, for which its UUID is
	// enough. Fingerprint is then left empty.
	Rollback bool
	// Resumed: an earlier pass with the same intent may have sent the call already.
	// Then an alias found on a recreated candidate counts as that call's doing.
	Resumed bool
	Lock    Lock
	Before  Before
	// MinHealth is Yellow (the default) or Green.
	MinHealth string
	// MinDocsRatio is candidate documents / live documents in millionths; 0: any.
	MinDocsRatio int64
	// Check is called directly before the alias call. Its error ends the swap and is
	// returned, wrapped.
	Check func(ctx context.Context) error

	timing timing
}

// Result is what came of a swap.
type Result struct {
	Promoted bool   // read back: the alias points at the candidate, by name and UUID
	Reason   string // one of the constants above
	Message  string // one sentence
	Undone   bool   // the alias had been moved, and was moved back
}

// timing is replaced by tests.
type timing struct {
	poll     time.Duration // between two looks
	settle   time.Duration // how long a fingerprint is waited for
	readBack time.Duration // how long the alias is looked at after an uncertain answer
	after    time.Duration // for everything after the call, even if the caller gave up
}

var defaultTiming = timing{
	poll:     250 * time.Millisecond,
	settle:   5 * time.Second,
	readBack: 15 * time.Second, // longer than the engine itself tries
	after:    time.Minute,
}

// errUnknown marks an outcome that only a later look can tell: blocks stay as
// they are until then.
var errUnknown = errors.New("where the alias points is not known yet")

// Run moves the alias:
//
//  1. preconditions: alias, UUIDs, content, health, number of documents
//  2. DuringSwap: the write block. UntilPassed: read_only is lifted, the write block
//     stays
//  3. the fingerprint once more, then Check
//  4. one `_aliases` call that must find the alias on the live index
//  5. the alias is read back, and the fingerprint again. What a rival changed between
//     3 and 4 is undone
//  6. the candidate's settings go back to Before; without a promotion, to what they
//     were when Run began
//
// It is safe to repeat after a crash at any point: if the alias points at the
// candidate already, the rest is done.
//
// A decision is a Result. An error means that no decision could be made, or, with
// Promoted set, that the blocks could not be taken off: run it again later with
// Resumed set. Whoever drops the intent instead calls ReleaseLock.
func (s Swap) Run(ctx context.Context, c *engine.Client) (Result, error) {
	if err := s.validate(); err != nil {
		return Result{}, err
	}
	if s.timing == (timing{}) {
		s.timing = defaultTiming
	}
	r := &run{Swap: s, c: c}
	result, err := r.move(ctx)

	if errors.Is(err, errUnknown) || r.untouchable {
		return result, err
	}
	// The blocks must come off even when the caller is shutting down.
	after, cancel := r.detached(ctx)
	defer cancel()
	if result.Promoted {
		if s.Lock != LockNone {
			err = errors.Join(err, ReleaseLock(after, c, s.Candidate.Index, s.Candidate.UUID, s.Before))
		}
		return result, err
	}
	if stepErr := r.stepBack(after); err == nil {
		err = stepErr // after another error this one would only repeat it
	}
	return result, err
}

func (s Swap) validate() error {
	switch s.Lock {
	case LockUntilPassed, LockDuringSwap, LockNone:
	default:
		return fmt.Errorf("swapping the alias %s: unknown lock %q", s.Alias, s.Lock)
	}
	switch {
	case s.Alias == "" || s.Candidate.Index == "" || s.Candidate.UUID == "":
		return errors.New("swapping: alias, candidate and its UUID are required")
	case s.Live != nil && (s.Live.Index == "" || s.Live.UUID == ""):
		return errors.New("swapping: the live index needs name and UUID")
	case (s.Fingerprint == "") != s.Rollback:
		return errors.New("swapping: a promotion needs a fingerprint, and a rollback has none")
	}
	return nil
}

// run is a swap on its way.
type run struct {
	Swap
	c *engine.Client
	// live is the alias's entry for the live index, as found; nil when the alias is
	// to be made, or when an earlier pass has moved it.
	live *Member
	// untouchable: the candidate is in use, and nothing was done to it.
	untouchable bool
}

func (r *run) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), r.timing.after)
}

// refused is a Result without a promotion.
func refused(reason, format string, args ...any) *Result {
	return &Result{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func (r *run) promoted() Result {
	from := "nothing"
	if r.Live != nil {
		from = r.Live.String()
	}
	return Result{Promoted: true, Reason: ReasonPromoted,
		Message: fmt.Sprintf("the alias %s points at %s; before, at %s", r.Alias, r.Candidate, from)}
}

// move does everything but take the blocks off.
func (r *run) move(ctx context.Context) (Result, error) {
	state, err := Read(ctx, r.c, r.Alias)
	if err != nil {
		// An earlier pass may have moved it, and its block is still needed then.
		return Result{}, fmt.Errorf("swapping the alias %s: %w: %w", r.Alias, errUnknown, err)
	}
	after, cancel := r.detached(ctx)
	defer cancel()
	if state.Only(r.Candidate) {
		return r.finish(after, state)
	}
	if r.Resumed && len(state.Members) == 1 && state.member(r.Candidate.Index) != nil {
		return r.undo(after, state, ReasonCandidateRecreated, "the candidate was made anew before the alias moved to it")
	}
	for _, step := range []func(context.Context) (*Result, error){
		func(context.Context) (*Result, error) { return r.checkAlias(state), nil },
		r.checkCandidate,
		r.checkUnused,
		r.checkSize,
		r.checkContent, // before anything is blocked, to spare writers the block
		r.block,
		r.checkContent, // and now for certain
	} {
		refusal, err := step(ctx)
		if err != nil {
			return Result{}, fmt.Errorf("swapping the alias %s: %w", r.Alias, err)
		}
		if refusal != nil {
			return *refusal, nil
		}
	}
	if r.Check != nil {
		if err := r.Check(ctx); err != nil {
			return Result{}, fmt.Errorf("swapping the alias %s: the last check: %w", r.Alias, err)
		}
	}
	return r.call(ctx)
}

// checkAlias compares the alias with what the gate expects, and keeps the live
// member.
func (r *run) checkAlias(state State) *Result {
	switch {
	case state.IsIndex:
		return refused(ReasonAliasIsIndex, "%s is a concrete index, not an alias; to use the name, reindex into another index and delete this one", r.Alias)
	case state.IsDataStream:
		return refused(ReasonAliasIsDataStream, "%s is a data stream, which cannot be swapped", r.Alias)
	case len(state.Members) > 1:
		return refused(ReasonAliasOnSeveralIndices, "the alias %s points at %s; it must point at one index", r.Alias, state)
	case r.Live == nil && len(state.Members) == 0:
		return nil
	case len(state.Members) == 0:
		return refused(ReasonAliasMissing, "the alias %s does not exist; it was expected on %s", r.Alias, *r.Live)
	case r.Live == nil:
		return refused(ReasonAliasMoved, "the alias %s was to be made, but points at %s", r.Alias, state)
	case !state.Only(*r.Live):
		return refused(ReasonAliasMoved, "the alias %s points at %s, not at %s", r.Alias, state, *r.Live)
	case !state.Members[0].plain():
		return refused(ReasonAliasNotPlain, "the alias %s has a filter or routing on %s, through which nothing was measured", r.Alias, r.Live.Index)
	}
	r.live = &state.Members[0]
	return nil
}

// checkCandidate compares the candidate's UUID.
func (r *run) checkCandidate(ctx context.Context) (*Result, error) {
	settings, err := r.c.Settings(ctx, r.Candidate.Index)
	if engine.IsNotFound(err) {
		return r.gone(), nil
	}
	if err != nil {
		return nil, err
	}
	return r.sameIndex(settings[r.Candidate.Index].UUID), nil
}

func (r *run) gone() *Result {
	return refused(ReasonCandidateRecreated, "the candidate %s does not exist any more", r.Candidate.Index)
}

// sameIndex refuses an index that took the candidate's name.
func (r *run) sameIndex(uuid string) *Result {
	if uuid == r.Candidate.UUID {
		return nil
	}
	return refused(ReasonCandidateRecreated, "the candidate %s was made anew: its UUID is %s, and %s was measured",
		r.Candidate.Index, uuid, r.Candidate.UUID)
}

// checkUnused keeps away from a candidate that serves another alias: a block would
// hurt its users.
func (r *run) checkUnused(ctx context.Context) (*Result, error) {
	if r.Lock == LockNone {
		return nil, nil
	}
	aliases, err := r.c.IndexAliases(ctx, r.Candidate.Index)
	if err != nil || len(aliases) == 0 {
		return nil, err
	}
	r.untouchable = r.Lock == LockDuringSwap && !r.Resumed
	return refused(ReasonCandidateInUse, "the alias %s points at the candidate %s, so it cannot be locked",
		strings.Join(aliases, ", "), r.Candidate.Index), nil
}

var healthOrder = []string{"red", "yellow", "green"}

// checkSize holds health and number of documents against their limits.
func (r *run) checkSize(ctx context.Context) (*Result, error) {
	least := strings.ToLower(r.MinHealth)
	if least == "" {
		least = "yellow"
	}
	health, err := r.c.Health(ctx, r.Candidate.Index)
	if err != nil {
		return nil, err
	}
	if slices.Index(healthOrder, health) < slices.Index(healthOrder, least) {
		return refused(ReasonNotHealthy, "the health of the candidate %s is %s, below %s", r.Candidate.Index, health, least), nil
	}
	if r.Live == nil || r.MinDocsRatio == 0 {
		return nil, nil
	}
	docs, err := r.c.Count(ctx, r.Candidate.Index)
	if err != nil {
		return nil, err
	}
	liveDocs, err := r.c.Count(ctx, r.Live.Index)
	if err != nil {
		return nil, err
	}
	if docs*1_000_000 < r.MinDocsRatio*liveDocs {
		return refused(ReasonTooFewDocs, "the candidate %s has %d documents and the live index %s %d; at least %d.%06d of them are required",
			r.Candidate.Index, docs, r.Live.Index, liveDocs, r.MinDocsRatio/1_000_000, r.MinDocsRatio%1_000_000), nil
	}
	return nil, nil
}

// checkContent compares the candidate with what was measured.
func (r *run) checkContent(ctx context.Context) (*Result, error) {
	if r.Rollback {
		return nil, nil
	}
	for deadline := time.Now().Add(r.timing.settle); ; {
		found, err := r.c.FullFingerprint(ctx, r.Candidate.Index)
		switch {
		case engine.IsNotFound(err):
			return r.gone(), nil
		case errors.Is(err, engine.ErrNotSettled) && time.Now().Before(deadline):
			if err := wait(ctx, r.timing.poll); err != nil {
				return nil, err
			}
			continue
		case errors.Is(err, engine.ErrNotSettled):
			return refused(ReasonContentChanged, "the candidate %s is being written to", r.Candidate.Index), nil
		case err != nil:
			return nil, err
		case found.UUID != r.Candidate.UUID:
			return r.sameIndex(found.UUID), nil
		case found.Digest() != r.Fingerprint:
			return refused(ReasonContentChanged, "the candidate %s has changed since it was measured", r.Candidate.Index), nil
		}
		return nil, nil
	}
}

// block makes sure that nobody writes to the candidate from here on.
func (r *run) block(ctx context.Context) (*Result, error) {
	if r.Lock == LockNone {
		return nil, nil
	}
	settings, err := r.c.Settings(ctx, r.Candidate.Index)
	if err != nil {
		return nil, err
	}
	blocks := settings[r.Candidate.Index].Blocks
	switch {
	case blocks.ReadOnly && r.Lock == LockDuringSwap: // then it is not ours
		return refused(ReasonCandidateBlocked, "%s", ForeignBlocks(settings[r.Candidate.Index])), nil
	case blocks.ReadOnly:
		// In a call of its own: OpenSearch refuses it together with others.
		if err := r.c.PutSettings(ctx, r.Candidate.Index, map[string]any{settingReadOnly: nil}); err != nil {
			return nil, err
		}
	}
	if r.Lock == LockUntilPassed && blocks.Write {
		return nil, nil
	}
	if err := r.c.BlockWrite(ctx, r.Candidate.Index); err != nil {
		return nil, err
	}
	// The call went by name. If it hit another index, that one gets its writes back.
	settings, err = r.c.Settings(ctx, r.Candidate.Index)
	if err != nil {
		return nil, err
	}
	refusal := r.sameIndex(settings[r.Candidate.Index].UUID)
	if refusal != nil {
		err = r.c.PutSettings(ctx, r.Candidate.Index, map[string]any{settingWrite: nil})
	}
	return refusal, err
}

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
	candidate := state.member(r.Candidate.Index)
	switch {
	case state.Only(r.Candidate):
		// The rest of the case is below.
	case candidate != nil && callErr != nil && engine.IsNotFound(callErr):
		// Our call changed nothing, so the alias is there by another hand.
		return *refused(ReasonLostRace, "somebody else moved the alias %s: it points at %s", r.Alias, state), nil
	case candidate != nil && candidate.UUID != r.Candidate.UUID:
		return r.undo(after, state, ReasonCandidateRecreated, "the candidate was made anew before the alias moved to it")
	case candidate != nil:
		return r.undo(after, state, ReasonLostRace, "somebody else changed the alias at the same time")
	case r.unmoved(state) && callErr != nil:
		return r.notApplied(ctx, callErr)
	default:
		return *refused(ReasonLostRace, "somebody else moved the alias %s: it points at %s", r.Alias, state), nil
	}

	// A rival may have lifted the block and written between the last fingerprint
	// and the call. Without a block of ours that cannot be told from what the shop
	// writes through the alias since it moved, and undoing would lose that.
	if r.Lock != LockNone {
		refusal, err := r.checkContent(after)
		if err != nil {
			return Result{}, fmt.Errorf("swapping the alias %s: %w: checking the candidate again: %w", r.Alias, errUnknown, err)
		}
		if refusal != nil {
			return r.undo(after, state, refusal.Reason, refusal.Message)
		}
	}
	result := r.promoted()
	if !sameProperties(candidate.AliasMember, wanted) {
		result.Message += "; somebody has changed the alias's properties since"
	}
	return result, nil
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
		return *refused(ReasonCandidateBlocked, "a block on the candidate %s or the live index refused the alias call: %v", r.Candidate.Index, callErr), nil
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

// finish ends a swap whose alias points at the candidate already: an earlier pass
// was interrupted, or somebody else did the same.
func (r *run) finish(ctx context.Context, state State) (Result, error) {
	settings, err := r.c.Settings(ctx, r.Candidate.Index)
	if err != nil {
		return Result{}, fmt.Errorf("swapping the alias %s: %w: %w", r.Alias, errUnknown, err)
	}
	// As long as our block is there the content must be what was measured. After it
	// has gone the index is live, and may change.
	if r.Lock != LockNone && settings[r.Candidate.Index].Blocks.Write && !r.Before.Write {
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
		result.Message += fmt.Sprintf("; the alias %s could not be moved back and points at %s: %v", r.Alias, back, callErr)
	default:
		return Result{}, fmt.Errorf("moving the alias %s back: %w: %w", r.Alias, errUnknown, outcome(callErr))
	}
	return result, nil
}

// stepBack gives the candidate back as Run found it, after a swap that did not
// happen.
func (r *run) stepBack(ctx context.Context) error {
	switch r.Lock {
	case LockDuringSwap:
		return ReleaseLock(ctx, r.c, r.Candidate.Index, r.Candidate.UUID, r.Before)
	case LockUntilPassed:
		err := TakeLock(ctx, r.c, r.Candidate.Index, r.Candidate.UUID)
		switch {
		case errors.Is(err, ErrInUse): // a live index is never locked
			return ReleaseLock(ctx, r.c, r.Candidate.Index, r.Candidate.UUID, r.Before)
		case errors.Is(err, ErrRecreated), engine.IsNotFound(err):
			return nil
		}
		return err
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
