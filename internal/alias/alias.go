// Package alias moves an alias from the live index to the candidate, and back. It
// also holds the lock that keeps others from moving it there first.
//
// No answer to an alias call proves where the alias points: everything here is
// decided by reading it back, by name and UUID.
package alias

import (
	"context"
	"errors"
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// Target is one index, by name and UUID: an index that was deleted and made anew
// keeps its name only.
type Target struct {
	Index string
	UUID  string
}

func (t Target) String() string { return fmt.Sprintf("%s (UUID %s)", t.Index, t.UUID) }

// Member is one index that an alias points at.
type Member struct {
	engine.AliasMember
	UUID string
}

func (m Member) target() Target { return Target{Index: m.Index, UUID: m.UUID} }

// plain: the alias shows the whole index. The gate measures the index itself, so
// behind a filter or a routing it would measure something else.
func (m Member) plain() bool {
	return m.Filter == nil && m.IndexRouting == "" && m.SearchRouting == ""
}

// State is what a name stands for. An alias that does not exist has no members.
type State struct {
	Members      []Member // sorted by index
	IsIndex      bool     // the name is a concrete index
	IsDataStream bool     // the name is a data stream, or an alias of one
}

// Only tells whether the alias points at target and at nothing else.
func (s State) Only(target Target) bool {
	return len(s.Members) == 1 && s.Members[0].target() == target
}

// member returns the member of that name, or nil.
func (s State) member(index string) *Member {
	for i := range s.Members {
		if s.Members[i].Index == index {
			return &s.Members[i]
		}
	}
	return nil
}

// String names the members for a message.
func (s State) String() string {
	switch {
	case s.IsIndex:
		return "a concrete index"
	case s.IsDataStream:
		return "a data stream"
	case len(s.Members) == 0:
		return "no index"
	}
	text := ""
	for i, m := range s.Members {
		if i > 0 {
			text += " and "
		}
		text += m.target().String()
	}
	return text
}

// Read tells what alias stands for. Its errors are those of the engine's client.
func Read(ctx context.Context, c *engine.Client, alias string) (State, error) {
	// Names and UUIDs come from two calls. A member without a UUID was removed in
	// between, which a second look settles, or is a data stream.
	state := State{}
	for range 3 {
		var complete bool
		var err error
		state, complete, err = readOnce(ctx, c, alias)
		if err != nil || complete {
			return state, err
		}
	}
	state.IsDataStream = true
	return state, nil
}

func readOnce(ctx context.Context, c *engine.Client, alias string) (State, bool, error) {
	members, err := c.Alias(ctx, alias)
	switch {
	case errors.Is(err, engine.ErrAliasIsIndex):
		return State{IsIndex: true}, true, nil
	case errors.Is(err, engine.ErrAliasIsDataStream):
		return State{IsDataStream: true}, true, nil
	case err != nil:
		return State{}, false, err
	case len(members) == 0:
		return State{}, true, nil
	}
	settings, err := c.Settings(ctx, alias)
	if err != nil && !engine.IsNotFound(err) {
		return State{}, false, err
	}
	state := State{}
	complete := true
	for _, m := range members {
		uuid := settings[m.Index].UUID
		complete = complete && uuid != ""
		state.Members = append(state.Members, Member{AliasMember: m, UUID: uuid})
	}
	return state, complete, nil
}
