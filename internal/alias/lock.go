package alias

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// Lock says when the candidate is kept from changing.
type Lock string

const (
	// LockUntilPassed blocks the candidate before it is measured, against writes
	// and against everybody's alias calls.
	LockUntilPassed Lock = "UntilPassed"
	// LockDuringSwap blocks writes only while the alias is moved.
	LockDuringSwap Lock = "DuringSwap"
	// LockNone blocks nothing. What is written to the candidate between the last
	// reading and the swap cannot be told from what the shop writes after it, so
	// only another index under the candidate's name is undone.
	LockNone Lock = "None"
)

// The settings that the lock is made of.
const (
	settingWrite    = "index.blocks.write"
	settingReadOnly = "index.blocks.read_only"
	settingHidden   = "index.hidden"
)

// Errors for errors.Is: the first two of TakeLock, the last of ReleaseWrite.
var (
	// ErrInUse: an alias points at the index, and a live index is never locked.
	ErrInUse = errors.New("an alias points at the index, so it is not locked")
	// ErrRecreated: the index of that name is not the one that was meant.
	ErrRecreated = errors.New("the index was deleted and made anew")
	// ErrBlocked: a block that is not ours keeps ours from being taken off.
	ErrBlocked = errors.New("a read_only block that is not this gate's keeps the gate's write block on the index; once the former is cleared, the latter is too")
)

// Before is what the lock's settings were before the lock.
type Before struct {
	Write    bool
	ReadOnly bool
	Hidden   bool
}

// TakeLock locks an index for LockUntilPassed: first the write block, which waits
// for writes in flight, then hidden and read_only. read_only refuses alias calls by
// name but not by wildcard; hidden closes the wildcards.
//
// It is safe to repeat. Call it only for an index without ForeignBlocks, or with
// the lock already recorded: an index that turns out to be in use afterwards is
// given back without any block.
//
// Errors: ErrInUse, ErrRecreated, and those of the engine's client.
func TakeLock(ctx context.Context, c *engine.Client, index, uuid string) error {
	blocks, err := lockable(ctx, c, index, uuid)
	if err != nil {
		return err
	}
	if blocks.Write && blocks.ReadOnly && blocks.Hidden {
		return nil
	}
	err = c.BlockWrite(ctx, index)
	if err == nil {
		err = c.PutSettings(ctx, index, map[string]any{settingHidden: true, settingReadOnly: true})
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", index, err)
	}
	// Calls go by name, and others do not wait: look again at what was locked.
	_, err = lockable(ctx, c, index, uuid)
	if errors.Is(err, ErrInUse) || errors.Is(err, ErrRecreated) {
		return errors.Join(err, unlock(ctx, c, index, Before{}))
	}
	return err
}

// lockable returns the index's blocks, or why it may not be locked.
func lockable(ctx context.Context, c *engine.Client, index, uuid string) (engine.Blocks, error) {
	settings, err := c.Settings(ctx, index)
	if err != nil {
		return engine.Blocks{}, fmt.Errorf("locking %s: %w", index, err)
	}
	found := settings[index]
	if found.UUID != uuid {
		return engine.Blocks{}, fmt.Errorf("locking %s: %w", index, ErrRecreated)
	}
	aliases, err := c.IndexAliases(ctx, index)
	if err != nil {
		return engine.Blocks{}, fmt.Errorf("locking %s: %w", index, err)
	}
	if len(aliases) > 0 {
		return engine.Blocks{}, fmt.Errorf("locking %s: %w (%s)", index, ErrInUse, strings.Join(aliases, ", "))
	}
	return found.Blocks, nil
}

// ReleaseLock gives an index the values back that it had before the lock. It is
// safe to repeat, and does nothing when the index is gone or is another one of
// the same name.
func ReleaseLock(ctx context.Context, c *engine.Client, index, uuid string, before Before) error {
	settings, err := c.Settings(ctx, index)
	if engine.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("unlocking %s: %w", index, err)
	}
	if settings[index].UUID != uuid {
		return nil
	}
	return unlock(ctx, c, index, before)
}

// ReleaseWrite takes the write block of LockDuringSwap off, and nothing else: all
// other blocks are somebody else's. It is safe to repeat, and does nothing when the
// index is gone or is another one of the same name.
//
// Errors: ErrBlocked, and those of the engine's client.
func ReleaseWrite(ctx context.Context, c *engine.Client, index, uuid string) error {
	settings, err := c.Settings(ctx, index)
	if err == nil && settings[index].UUID == uuid && settings[index].Blocks.Write {
		err = c.PutSettings(ctx, index, map[string]any{settingWrite: nil})
	}
	switch {
	case engine.IsBlocked(err):
		// Not wrapped: engine.Summary would show the refusal alone.
		return fmt.Errorf("unlocking %s: %w", index, ErrBlocked)
	case err != nil && !engine.IsNotFound(err):
		return fmt.Errorf("unlocking %s: %w", index, err)
	}
	return nil
}

// unlock is ReleaseLock for whatever index has the name.
func unlock(ctx context.Context, c *engine.Client, index string, before Before) error {
	settings, err := c.Settings(ctx, index)
	if err != nil {
		return fmt.Errorf("unlocking %s: %w", index, err)
	}
	blocks := settings[index].Blocks
	put := func(changes map[string]any) error {
		if err := c.PutSettings(ctx, index, changes); err != nil {
			return fmt.Errorf("unlocking %s: %w", index, err)
		}
		return nil
	}

	others := map[string]any{}
	if blocks.Write != before.Write {
		others[settingWrite] = valueOf(before.Write)
	}
	if blocks.Hidden != before.Hidden {
		others[settingHidden] = valueOf(before.Hidden)
	}
	// Under read_only nothing else can be changed, and OpenSearch wants its removal
	// in a call of its own.
	readOnly := blocks.ReadOnly
	if readOnly && (!before.ReadOnly || len(others) > 0) {
		if err := put(map[string]any{settingReadOnly: nil}); err != nil {
			return err
		}
		readOnly = false
	}
	if len(others) > 0 {
		if err := put(others); err != nil {
			return err
		}
	}
	if before.ReadOnly && !readOnly {
		return put(map[string]any{settingReadOnly: true})
	}
	return nil
}

// valueOf is how a setting is set, or given back to its default.
func valueOf(set bool) any {
	if set {
		return true
	}
	return nil
}

// ForeignBlocks says which blocks an index has, and the calls that clear them, or
// "" if it has none. The caller asks only about an index that it holds no lock on:
// then they are somebody else's, and are neither cleared nor taken as Before.
func ForeignBlocks(settings engine.IndexSettings) string {
	var names, alone, together []string
	// The two kinds of read_only each want a call of their own.
	add := func(set bool, name string, list *[]string) {
		if set {
			names = append(names, name)
			*list = append(*list, fmt.Sprintf("%q: null", name))
		}
	}
	add(settings.Blocks.ReadOnly, settingReadOnly, &alone)
	add(settings.Blocks.ReadOnlyAllowDelete, "index.blocks.read_only_allow_delete", &alone)
	add(settings.Blocks.Write, settingWrite, &together)
	add(settings.Blocks.Read, "index.blocks.read", &together)
	add(settings.Blocks.Metadata, "index.blocks.metadata", &together)
	add(settings.Blocks.Hidden, settingHidden, &together)
	if len(names) == 0 {
		return ""
	}
	if len(together) > 0 {
		alone = append(alone, strings.Join(together, ", "))
	}
	calls := make([]string, len(alone))
	for i, changes := range alone {
		calls[i] = fmt.Sprintf("PUT /%s/_settings {%s}", settings.Name, changes)
	}
	return fmt.Sprintf("the index %s has %s set, and not by this gate; clear it with %s",
		settings.Name, strings.Join(names, " and "), strings.Join(calls, ", then "))
}
