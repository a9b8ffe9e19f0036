package alias

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

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

// checkFresh ends a resumed swap whose alias has not moved.
func (r *run) checkFresh(state State) *Result {
	if !r.Resumed {
		return nil
	}
	return refused(ReasonAliasMoved, "the alias %s points at %s: an interrupted swap had not moved it yet, and is started over", r.Alias, state)
}

// checkCandidate compares the candidate's UUID. A closed index answers no search.
func (r *run) checkCandidate(ctx context.Context) (*Result, error) {
	settings, err := r.c.Settings(ctx, r.Candidate.Index)
	if engine.IsNotFound(err) {
		return r.gone(), nil
	}
	if err != nil {
		return nil, err
	}
	if refusal := r.sameIndex(settings[r.Candidate.Index].UUID); refusal != nil {
		return refusal, nil
	}
	if settings[r.Candidate.Index].Closed {
		return refused(ReasonCandidateBlocked, "the index %s is closed; open it with POST /%s/_open", r.Candidate.Index, r.Candidate.Index), nil
	}
	return nil, nil
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
	if refusal := r.sameIndex(settings[r.Candidate.Index].UUID); refusal != nil {
		return refusal, nil
	}
	blocks := settings[r.Candidate.Index].Blocks
	switch {
	case r.Lock == LockDuringSwap && (blocks.Write || blocks.ReadOnly): // then they are not ours
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
	err = r.c.BlockWrite(ctx, r.Candidate.Index)
	// A call that fails may have set it all the same, but not under a block.
	r.blocked = r.blocked || !engine.IsBlocked(err)
	if err != nil {
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
