package alias

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// Reasons of a Result.
const (
	ReasonPromoted              = "Promoted"              // the alias points at the candidate
	ReasonContentChanged        = "ContentChanged"        // the candidate is not what was measured: measure again
	ReasonCandidateRecreated    = "CandidateRecreated"    // the candidate was deleted, or made anew under its name
	ReasonCandidateInUse        = "CandidateInUse"        // another alias points at the candidate, so it is not blocked
	ReasonCandidateBlocked      = "CandidateBlocked"      // somebody else's block is on the candidate, or refused the alias call, or the candidate is closed
	ReasonNotHealthy            = "NotHealthy"            // the candidate's health is below MinHealth
	ReasonTooFewDocs            = "TooFewDocs"            // the candidate has too few documents beside the live index
	ReasonAliasMoved            = "AliasMoved"            // the alias did not point at the live index to begin with, or a resumed swap had not moved it
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
	// Resumed: an earlier pass with the same intent may have blocked the candidate and
	// sent the call already. Then an alias found on a recreated candidate counts as
	// that call's doing, and an alias that has not moved ends the swap: nobody has
	// looked since whether it is still wanted.
	Resumed bool
	Lock    Lock
	// Before is what UntilPassed gives back after a promotion.
	Before Before
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
//  6. DuringSwap: the write block comes off, if it was set in 2 or by the pass that
//     is resumed. UntilPassed: the candidate's settings go back to Before; without a
//     promotion, to the lock
//
// It is safe to repeat after a crash at any point: if the alias points at the
// candidate already, the rest is done.
//
// A decision is a Result. An error means that no decision could be made, or, with
// Promoted set, that the blocks could not be taken off: run it again later with
// Resumed set. Whoever drops the intent instead calls ReleaseWrite after
// DuringSwap, and ReleaseLock after UntilPassed.
func (s Swap) Run(ctx context.Context, c *engine.Client) (Result, error) {
	if err := s.validate(); err != nil {
		return Result{}, err
	}
	if s.timing == (timing{}) {
		s.timing = defaultTiming
	}
	r := &run{Swap: s, c: c, blocked: s.Lock == LockUntilPassed || s.Lock == LockDuringSwap && s.Resumed}
	result, err := r.move(ctx)

	if errors.Is(err, errUnknown) {
		return result, err
	}
	// The blocks must come off even when the caller is shutting down.
	after, cancel := r.detached(ctx)
	defer cancel()
	if result.Promoted {
		return result, errors.Join(err, r.release(after))
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
	// blocked: the candidate's write block is this gate's. Else every block is
	// somebody else's, and stays.
	blocked bool
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
		func(context.Context) (*Result, error) { return r.checkFresh(state), nil },
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

// stepBack gives the candidate back as Run found it, after a swap that did not
// happen.
func (r *run) stepBack(ctx context.Context) error {
	if r.Lock != LockUntilPassed {
		return r.release(ctx)
	}
	err := TakeLock(ctx, r.c, r.Candidate.Index, r.Candidate.UUID)
	switch {
	case errors.Is(err, ErrInUse): // a live index is never locked
		return r.release(ctx)
	case errors.Is(err, ErrRecreated), engine.IsNotFound(err):
		return nil
	}
	return err
}

// release takes the blocks off that are this gate's.
func (r *run) release(ctx context.Context) error {
	switch {
	case !r.blocked:
		return nil
	case r.Lock == LockDuringSwap:
		return ReleaseWrite(ctx, r.c, r.Candidate.Index, r.Candidate.UUID)
	}
	return ReleaseLock(ctx, r.c, r.Candidate.Index, r.Candidate.UUID, r.Before)
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
