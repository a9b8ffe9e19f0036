package alias

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

func TestLock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		for range 2 { // both are safe to repeat
			s.take(LockUntilPassed)
			s.wantBlocks(s.candidate.Index, "write read_only hidden")
		}
		if status, _ := testengine.Try(t, "PUT", s.url+"/"+s.candidate.Index+"/_doc/1", `{}`); status != http.StatusForbidden {
			t.Errorf("a write to the locked candidate answers %d, want 403", status)
		}
		err := s.c.UpdateAliases(t.Context(), []engine.AliasAction{engine.AddAlias(s.alias, engine.AliasMember{Index: s.candidate.Index})})
		if !engine.IsBlocked(err) {
			t.Errorf("an alias on the locked candidate: %v, want blocked", err)
		}
		for range 2 {
			if err := ReleaseLock(t.Context(), s.c, s.candidate.Index, s.candidate.UUID, Before{}); err != nil {
				t.Fatal(err)
			}
			s.wantBlocks(s.candidate.Index, "")
		}
		testengine.Put(t, s.url, s.candidate.Index, "1", `{}`)
	})
}

// read_only alone lets a wildcard through on every engine; hidden closes it.
func TestLockHoldsAgainstWildcards(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, _, url string) {
		s := newScene(t, url)
		s.take(LockUntilPassed)
		pattern := s.candidate.Index[:len(s.candidate.Index)-1] + "*"
		testengine.Try(t, "POST", url+"/_aliases", `{"actions": [{"add": {"index": "`+pattern+`", "alias": "`+s.alias+`"}}]}`)
		s.wantAlias(s.live.Index)
	})
}

// The lock is taken in two calls; a crash leaves the first.
func TestLockIsResumed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		s.take(LockUntilPassed)
		s.wantBlocks(s.candidate.Index, "write read_only hidden")
		// So is it given back.
		s.settings(s.candidate.Index, `{"index.blocks.read_only": null}`)
		if err := ReleaseLock(t.Context(), s.c, s.candidate.Index, s.candidate.UUID, Before{}); err != nil {
			t.Fatal(err)
		}
		s.wantBlocks(s.candidate.Index, "")
	})
}

func TestLockIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(s *scene)
		target  func(s *scene) Target
		is      error
	}{
		"for the live index": {target: func(s *scene) Target { return s.live }, is: ErrInUse},
		"for a candidate of another alias": {
			prepare: func(s *scene) {
				testengine.Do(s.t, "PUT", s.url+"/"+s.candidate.Index+"/_alias/"+s.alias+"-other", "")
			},
			target: func(s *scene) Target { return s.candidate }, is: ErrInUse},
		"for an index made anew": {
			prepare: func(s *scene) { s.recreate(s.candidate.Index) },
			target:  func(s *scene) Target { return s.candidate }, is: ErrRecreated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				if test.prepare != nil {
					test.prepare(s)
				}
				target := test.target(s)
				s.wire.requests = nil
				if err := TakeLock(t.Context(), s.c, target.Index, target.UUID); !errors.Is(err, test.is) {
					t.Errorf("error = %v, want %v", err, test.is)
				}
				if writes := s.wire.sent(isWrite); len(writes) > 0 {
					t.Errorf("something was changed: %v", writes)
				}
			})
		})
	}
}

// The index goes live, or is replaced, while it is being locked.
func TestLockIsGivenBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rival func(s *scene)
		is    error
	}{
		"it went live":       {func(s *scene) { s.point(s.candidate.Index); s.unpoint(s.live.Index) }, ErrInUse},
		"it was made anew":   {func(s *scene) { s.recreate(s.candidate.Index) }, ErrRecreated},
		"it got other users": {func(s *scene) { s.point(s.candidate.Index) }, ErrInUse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				s.wire.on("PUT /"+s.candidate.Index+"/_block", func(send func() (*http.Response, error)) (*http.Response, error) {
					test.rival(s)
					return send()
				})
				if err := TakeLock(t.Context(), s.c, s.candidate.Index, s.candidate.UUID); !errors.Is(err, test.is) {
					t.Errorf("error = %v, want %v", err, test.is)
				}
				s.wantBlocks(s.candidate.Index, "")
			})
		})
	}
}

func TestReleaseLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.recreate(s.candidate.Index)
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		if err := ReleaseLock(t.Context(), s.c, s.candidate.Index, s.candidate.UUID, Before{}); err != nil {
			t.Error(err)
		}
		s.wantBlocks(s.candidate.Index, "write")
		if err := ReleaseLock(t.Context(), s.c, s.candidate.Index+"-missing", "u", Before{}); err != nil {
			t.Errorf("a missing index: %v", err)
		}
	})
}

func TestReleaseWrite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		release := func() error { return ReleaseWrite(t.Context(), s.c, s.candidate.Index, s.candidate.UUID) }
		s.settings(s.candidate.Index, `{"index.blocks.write": true, "index.hidden": true}`)
		for range 2 {
			if err := release(); err != nil {
				t.Error(err)
			}
			s.wantBlocks(s.candidate.Index, "hidden")
		}

		// Under somebody's read_only it cannot be done, and says so.
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		s.settings(s.candidate.Index, `{"index.blocks.read_only": true}`)
		if err := release(); !errors.Is(err, ErrBlocked) || !strings.Contains(engine.Summary(err), "read_only") {
			t.Errorf("error = %v, want %v", err, ErrBlocked)
		}
		s.wantBlocks(s.candidate.Index, "write read_only hidden")

		s.recreate(s.candidate.Index)
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		if err := release(); err != nil {
			t.Errorf("an index made anew: %v", err)
		}
		s.wantBlocks(s.candidate.Index, "write")
		if err := ReleaseWrite(t.Context(), s.c, s.candidate.Index+"-missing", "u"); err != nil {
			t.Errorf("a missing index: %v", err)
		}
	})
}

func TestReleaseRestoresWhatWasBefore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before Before
		want   string
	}{
		"hidden":     {Before{Hidden: true}, "hidden"},
		"write":      {Before{Write: true}, "write"},
		"read_only":  {Before{ReadOnly: true}, "read_only"},
		"everything": {Before{Write: true, ReadOnly: true, Hidden: true}, "write read_only hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				s.take(LockUntilPassed)
				for range 2 {
					if err := ReleaseLock(t.Context(), s.c, s.candidate.Index, s.candidate.UUID, test.before); err != nil {
						t.Fatal(err)
					}
					s.wantBlocks(s.candidate.Index, test.want)
				}
			})
		})
	}
}

func TestForeignBlocks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		blocks engine.Blocks
		want   string
	}{
		"none":  {engine.Blocks{}, ""},
		"write": {engine.Blocks{Write: true}, `the index shop-v2 has index.blocks.write set, and not by this gate; clear it with PUT /shop-v2/_settings {"index.blocks.write": null}`},
		"all of a lock": {engine.Blocks{Write: true, ReadOnly: true, Hidden: true},
			`the index shop-v2 has index.blocks.read_only and index.blocks.write and index.hidden set, and not by this gate; clear it with ` +
				`PUT /shop-v2/_settings {"index.blocks.read_only": null}, then PUT /shop-v2/_settings {"index.blocks.write": null, "index.hidden": null}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ForeignBlocks(engine.IndexSettings{Name: "shop-v2", Blocks: test.blocks}); got != test.want {
				t.Errorf("ForeignBlocks = %s\nwant %s", got, test.want)
			}
		})
	}
}

// The calls that ForeignBlocks names do clear the blocks.
func TestForeignBlocksCanBeCleared(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.take(LockUntilPassed)
		settings, err := s.c.Settings(t.Context(), s.candidate.Index)
		if err != nil {
			t.Fatal(err)
		}
		_, calls, _ := strings.Cut(ForeignBlocks(settings[s.candidate.Index]), "clear it with ")
		for _, call := range strings.Split(calls, ", then ") {
			path, body, _ := strings.Cut(strings.TrimPrefix(call, "PUT "), " ")
			testengine.Do(t, "PUT", s.url+path, body)
		}
		s.wantBlocks(s.candidate.Index, "")
	})
}
