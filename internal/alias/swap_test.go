package alias

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// scene is a shop with a live index behind an alias, and a candidate beside it.
type scene struct {
	t         *testing.T
	url       string
	c         *engine.Client
	alias     string
	live      Target
	candidate Target
	wire      *wire
}

// wire passes requests on, keeps a list of them, and can interfere.
type wire struct {
	mu       sync.Mutex
	requests []string // method and path
	// around, if set, does one request instead of sending it; send sends it.
	around func(request string, send func() (*http.Response, error)) (*http.Response, error)
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	request := r.Method + " " + r.URL.Path
	w.mu.Lock()
	w.requests = append(w.requests, request)
	around := w.around
	w.mu.Unlock()
	send := func() (*http.Response, error) { return http.DefaultTransport.RoundTrip(r) }
	if around == nil {
		return send()
	}
	return around(request, send)
}

const aliasCall = "POST /_aliases"

// on interferes with the requests that begin with prefix.
func (w *wire) on(prefix string, do func(send func() (*http.Response, error)) (*http.Response, error)) {
	w.around = func(request string, send func() (*http.Response, error)) (*http.Response, error) {
		if strings.HasPrefix(request, prefix) {
			return do(send)
		}
		return send()
	}
}

func (w *wire) sent(test func(request string) bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for _, request := range w.requests {
		if test(request) {
			list = append(list, request)
		}
	}
	return list
}

func isWrite(request string) bool { return !strings.HasPrefix(request, "GET ") }

// errLostAnswer is an answer that never arrives.
var errLostAnswer = fmt.Errorf("reading the answer: %w", context.DeadlineExceeded)

// newScene makes the shop: one document live, one in the candidate.
func newScene(t *testing.T, url string) *scene {
	t.Helper()
	s := &scene{t: t, url: url, wire: &wire{}}
	c, err := engine.New(engine.Config{URL: url, Transport: s.wire})
	if err != nil {
		t.Fatal(err)
	}
	s.c = c
	s.alias = testengine.Name(t, url, "shop")
	s.live, s.candidate = s.index("shop-v1", fmt.Sprintf("%q: {}", s.alias)), s.index("shop-v2", "")
	return s
}

// index makes an index all at once: on real engines such calls are what takes time.
func (s *scene) index(prefix, aliases string) Target {
	s.t.Helper()
	name := testengine.Index(s.t, s.url, prefix, `{"settings": {"number_of_shards": 1, "number_of_replicas": 0},
		"mappings": {"properties": {"name": {"type": "text"}}}, "aliases": {`+aliases+`}}`)
	testengine.Put(s.t, s.url, name, "1", `{"name": "shoe"}`)
	return Target{Index: name, UUID: testengine.UUID(s.t, s.url, name)}
}

// recreate deletes an index and makes it anew, as a rival would.
func (s *scene) recreate(index string) {
	s.t.Helper()
	testengine.Remove(s.t, s.url, index)
	testengine.Create(s.t, s.url, index, "")
}

// point adds the alias to an index.
func (s *scene) point(index string) { s.t.Helper(); s.pointWith(index, "{}") }

func (s *scene) pointWith(index, properties string) {
	s.t.Helper()
	action := strings.TrimSuffix(properties, "}")
	if action != "{" {
		action += ","
	}
	testengine.Do(s.t, "POST", s.url+"/_aliases", fmt.Sprintf(`{"actions": [{"add": %s "index": %q, "alias": %q}}]}`, action, index, s.alias))
}

func (s *scene) unpoint(index string) {
	s.t.Helper()
	testengine.Do(s.t, "POST", s.url+"/_aliases", fmt.Sprintf(`{"actions": [{"remove": {"index": %q, "alias": %q}}]}`, index, s.alias))
}

func (s *scene) settings(index, changes string) {
	s.t.Helper()
	testengine.Do(s.t, "PUT", s.url+"/"+index+"/_settings", changes)
}

// swap is the promotion of the candidate as it is now.
func (s *scene) swap(lock Lock) Swap {
	s.t.Helper()
	return Swap{
		Alias: s.alias, Candidate: s.candidate, Live: &s.live, Fingerprint: s.digest(), Lock: lock, MinDocsRatio: 950_000,
		timing: timing{poll: 20 * time.Millisecond, settle: 300 * time.Millisecond, readBack: time.Second, after: 20 * time.Second},
	}
}

func (s *scene) digest() string {
	s.t.Helper()
	f, err := s.c.FullFingerprint(s.t.Context(), s.candidate.Index)
	if err != nil {
		s.t.Fatal(err)
	}
	return f.Digest()
}

// run runs a swap that must come to a decision.
func (s *scene) run(swap Swap) Result {
	s.t.Helper()
	result, err := swap.Run(s.t.Context(), s.c)
	if err != nil {
		s.t.Fatalf("Run: %v (%+v)", err, result)
	}
	if result.Message == "" || strings.Contains(result.Message, "%!") {
		s.t.Errorf("message = %q", result.Message)
	}
	return result
}

// wantRefused checks a result without a promotion, and where things are after it.
func (s *scene) wantRefused(result Result, reason string, undone bool, members ...string) {
	s.t.Helper()
	if result.Promoted || result.Reason != reason || result.Undone != undone {
		s.t.Errorf("result = %+v, want %s, undone %v", result, reason, undone)
	}
	s.wantAlias(members...)
	s.wantBlocks(s.candidate.Index, "")
	s.wantBlocks(s.live.Index, "")
}

func (s *scene) wantAlias(members ...string) {
	s.t.Helper()
	state, err := Read(s.t.Context(), s.c, s.alias)
	if err != nil {
		s.t.Fatal(err)
	}
	got := map[string]bool{}
	for _, m := range state.Members {
		got[m.Index] = true
	}
	for _, name := range members {
		if !got[name] || len(got) != len(members) {
			s.t.Errorf("the alias points at %v, want %v", state, members)
		}
	}
	if len(got) != len(members) {
		s.t.Errorf("the alias points at %v, want %v", state, members)
	}
}

// blocks lists the lock's settings that an index has.
func (s *scene) blocks(index string) string {
	s.t.Helper()
	var list []string
	for _, name := range []string{settingWrite, settingReadOnly, settingHidden} {
		if testengine.Setting(s.t, s.url, index, name) == "true" {
			list = append(list, strings.TrimPrefix(strings.TrimPrefix(name, "index."), "blocks."))
		}
	}
	return strings.Join(list, " ")
}

func (s *scene) wantBlocks(index, want string) {
	s.t.Helper()
	if status, _ := testengine.Try(s.t, "GET", s.url+"/"+index+"/_settings", ""); status == http.StatusNotFound {
		return
	}
	if got := s.blocks(index); got != want {
		s.t.Errorf("%s has the blocks %q, want %q", index, got, want)
	}
}

func (s *scene) wantPromoted(result Result) {
	s.t.Helper()
	if !result.Promoted || result.Reason != ReasonPromoted || result.Undone {
		s.t.Errorf("result = %+v, want a promotion", result)
	}
	s.wantAlias(s.candidate.Index)
	s.wantBlocks(s.candidate.Index, "")
	s.wantBlocks(s.live.Index, "")
}

// take locks the candidate, where the lock wants that before the swap.
func (s *scene) take(lock Lock) {
	s.t.Helper()
	if lock != LockUntilPassed {
		return
	}
	if err := TakeLock(s.t.Context(), s.c, s.candidate.Index, s.candidate.UUID); err != nil {
		s.t.Fatal(err)
	}
}

// eachLock runs a test for every lock. LockNone makes the calls of the others
// without the blocks, so the fake engine is enough for it.
func eachLock(t *testing.T, test func(t *testing.T, s *scene, lock Lock)) {
	t.Helper()
	eachLockWith(t, []Lock{LockUntilPassed, LockDuringSwap}, test)
}

// eachLockWith runs a test for every lock on the fake engine, and for some locks on
// real ones too: these are slow.
func eachLockWith(t *testing.T, onReal []Lock, test func(t *testing.T, s *scene, lock Lock)) {
	t.Helper()
	for _, lock := range []Lock{LockUntilPassed, LockDuringSwap, LockNone} {
		t.Run(string(lock), func(t *testing.T) {
			t.Parallel()
			on := onFake
			if slices.Contains(onReal, lock) {
				on = each
			}
			on(t, func(t *testing.T, s *scene) { test(t, s, lock) })
		})
	}
}

// onFake runs a test on the fake engine alone.
func onFake(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	t.Run("fake", func(t *testing.T) { test(t, newScene(t, testengine.Fake(t))) })
}

// each runs a test on every engine.
func each(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	testengine.EachAndFake(t, func(t *testing.T, _, url string) { test(t, newScene(t, url)) })
}

func TestPromotion(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.take(lock)
		s.pointWith(s.live.Index, `{"is_write_index": true}`)
		swap := s.swap(lock)
		swap.MinHealth = "Green"
		checked := false
		swap.Check = meanwhile(func() {
			checked = true
			want := map[Lock]string{LockUntilPassed: "write hidden", LockDuringSwap: "write", LockNone: ""}[lock]
			if got := s.blocks(s.candidate.Index); got != want {
				t.Errorf("directly before the call the candidate has %q, want %q", got, want)
			}
		})
		s.wire.requests = nil
		s.wantPromoted(s.run(swap))

		if !checked {
			t.Error("Check was not called")
		}
		state, err := Read(t.Context(), s.c, s.alias)
		if err != nil || !state.Only(s.candidate) || state.Members[0].IsWriteIndex == nil || !*state.Members[0].IsWriteIndex {
			t.Errorf("state = %v, %v; want the live index's properties", state, err)
		}
		// I9: nothing was done to the live index but by the one alias call.
		if touched := s.wire.sent(func(r string) bool {
			return isWrite(r) && strings.Contains(r, s.live.Index) && !strings.HasSuffix(r, "/_count")
		}); len(touched) > 0 {
			t.Errorf("the live index was touched: %v", touched)
		}
		if calls := s.wire.sent(func(r string) bool { return r == aliasCall }); len(calls) != 1 {
			t.Errorf("%d alias calls, want 1", len(calls))
		}
		s.wantFingerprintBeforeTheCall()

		// Once more, as after a crash before the status was written.
		s.wire.requests = nil
		s.wantPromoted(s.run(swap))
		if writes := s.wire.sent(isWrite); len(writes) > 0 {
			t.Errorf("the repetition changed something: %v", writes)
		}
	})
}

// wantFingerprintBeforeTheCall checks I1's order: between the last change of the
// candidate's blocks and the alias call the whole fingerprint was read.
func (s *scene) wantFingerprintBeforeTheCall() {
	s.t.Helper()
	read := map[string]bool{}
	for _, request := range s.wire.sent(func(string) bool { return true }) {
		_, path, _ := strings.Cut(request, " ")
		switch {
		case request == aliasCall:
			for _, part := range []string{"_settings", "_stats/docs", "_count", "_mapping"} {
				if !read["/"+s.candidate.Index+"/"+part] {
					s.t.Errorf("%s was not read between the last change and the call", part)
				}
			}
			return
		case strings.HasPrefix(request, "PUT "):
			read = map[string]bool{}
		default:
			read[path] = true
		}
	}
}

func TestPromotionMakesTheAlias(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.unpoint(s.live.Index)
		s.take(lock)
		swap := s.swap(lock)
		swap.Live = nil
		s.wantPromoted(s.run(swap))
	})
}

func TestRollback(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.wantPromoted(s.run(s.swap(LockDuringSwap)))
		testengine.Put(t, s.url, s.live.Index, "late", `{}`) // its content does not matter, its UUID does
		back := s.swap(LockNone)
		back.Candidate, back.Live, back.Fingerprint, back.Rollback, back.MinDocsRatio = s.live, &s.candidate, "", true, 0
		testengine.Do(t, "POST", s.url+"/"+s.live.Index+"/_close", "")
		s.wantRefused(s.run(back), ReasonCandidateBlocked, false, s.candidate.Index)
		testengine.Do(t, "POST", s.url+"/"+s.live.Index+"/_open", "")
		if result := s.run(back); !result.Promoted {
			t.Errorf("result = %+v", result)
		}
		s.wantAlias(s.live.Index)

		s.recreate(s.candidate.Index)
		forth := s.swap(LockNone)
		forth.Fingerprint, forth.Rollback, forth.MinDocsRatio = "", true, 0
		s.wantRefused(s.run(forth), ReasonCandidateRecreated, false, s.live.Index)
	})
}

func TestPreconditions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(s *scene)
		change  func(swap *Swap)
		reason  string
		members func(s *scene) []string // nil: the live index
	}{
		"the alias points at another index": {
			prepare: func(s *scene) { s.point(s.candidate.Index); s.unpoint(s.live.Index) },
			change:  func(swap *Swap) { swap.Candidate = Target{"shop-v3", "u"} },
			reason:  ReasonAliasMoved, members: func(s *scene) []string { return []string{s.candidate.Index} }},
		"the live index was made anew": {
			prepare: func(s *scene) { s.recreate(s.live.Index); s.point(s.live.Index) }, reason: ReasonAliasMoved},
		"the alias points at two indices": {
			prepare: func(s *scene) { s.point(s.candidate.Index) },
			reason:  ReasonAliasOnSeveralIndices, members: func(s *scene) []string { return []string{s.live.Index, s.candidate.Index} }},
		"the alias has a filter": {
			prepare: func(s *scene) { s.pointWith(s.live.Index, `{"filter": {"term": {"name": "shoe"}}}`) }, reason: ReasonAliasNotPlain},
		"the alias has a routing": {
			prepare: func(s *scene) { s.pointWith(s.live.Index, `{"routing": "1"}`) }, reason: ReasonAliasNotPlain},
		"the alias does not exist": {
			prepare: func(s *scene) { s.unpoint(s.live.Index) },
			reason:  ReasonAliasMissing, members: func(*scene) []string { return nil }},
		"the alias was to be made and exists": {
			change: func(swap *Swap) { swap.Live = nil }, reason: ReasonAliasMoved},
		"the candidate is gone": {
			prepare: func(s *scene) { testengine.Do(s.t, "DELETE", s.url+"/"+s.candidate.Index, "") }, reason: ReasonCandidateRecreated},
		"the candidate was made anew": {
			prepare: func(s *scene) { s.recreate(s.candidate.Index) }, reason: ReasonCandidateRecreated},
		"the candidate's documents changed": {
			prepare: func(s *scene) { testengine.Put(s.t, s.url, s.candidate.Index, "1", `{"name": "hat"}`) }, reason: ReasonContentChanged},
		"the candidate's mapping changed": {
			prepare: func(s *scene) {
				testengine.Do(s.t, "PUT", s.url+"/"+s.candidate.Index+"/_mapping", `{"properties": {"brand": {"type": "keyword"}}}`)
			}, reason: ReasonContentChanged},
		"the candidate is not green": {
			prepare: func(s *scene) { s.settings(s.candidate.Index, `{"index.number_of_replicas": 1}`) },
			change:  func(swap *Swap) { swap.MinHealth = "Green" }, reason: ReasonNotHealthy},
		"the candidate has too few documents": {
			prepare: func(s *scene) { testengine.Put(s.t, s.url, s.live.Index, "more", `{}`) }, reason: ReasonTooFewDocs},
		"the alias appeared on the candidate's namesake": { // not by a call of ours, so it is left
			prepare: func(s *scene) { s.recreate(s.candidate.Index); s.unpoint(s.live.Index); s.point(s.candidate.Index) },
			reason:  ReasonAliasMoved, members: func(s *scene) []string { return []string{s.candidate.Index} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				swap := s.swap(LockDuringSwap)
				if test.prepare != nil {
					test.prepare(s)
				}
				if test.change != nil {
					test.change(&swap)
				}
				swap.Check = func(context.Context) error { t.Error("Check was called"); return nil }
				s.wire.requests = nil
				members := []string{s.live.Index}
				if test.members != nil {
					members = test.members(s)
				}
				result := s.run(swap)
				if writes := s.wire.sent(func(r string) bool { return isWrite(r) && !strings.HasSuffix(r, "/_count") }); len(writes) > 0 {
					t.Errorf("something was changed: %v", writes)
				}
				s.wantRefused(result, test.reason, false, members...)
			})
		})
	}
}

func TestAliasNameIsAnIndex(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		swap.Alias = s.live.Index
		s.wantRefused(s.run(swap), ReasonAliasIsIndex, false, s.live.Index)
	})
}

func TestCandidateInUse(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		testengine.Do(t, "PUT", s.url+"/"+s.candidate.Index+"/_alias/"+s.alias+"-other", "")
		swap := s.swap(lock)
		if lock == LockNone { // nothing would be blocked, so nobody is hurt
			s.wantPromoted(s.run(swap))
			return
		}
		// Somebody blocks writes to it: not ours to clear.
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		result := s.run(swap)
		want := map[Lock]string{LockDuringSwap: "write", LockUntilPassed: ""}[lock]
		if result.Reason != ReasonCandidateInUse || s.blocks(s.candidate.Index) != want {
			t.Errorf("result = %+v with the blocks %q, want %s with %q", result, s.blocks(s.candidate.Index), ReasonCandidateInUse, want)
		}
		s.wantAlias(s.live.Index)
	})
}

// What a rival does between the last fingerprint and the call.
func TestRivals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rival   func(s *scene)
		reason  string
		undone  bool
		members func(s *scene) []string // nil: the live index
	}{
		"moves the alias to a third index": {
			rival:  func(s *scene) { s.point(s.third().Index); s.unpoint(s.live.Index) },
			reason: ReasonLostRace, members: func(s *scene) []string { return []string{s.third().Index} }},
		"adds the alias to a third index": {
			rival:  func(s *scene) { s.point(s.third().Index) },
			reason: ReasonLostRace, undone: true, members: func(s *scene) []string { return []string{s.live.Index, s.third().Index} }},
		"removes the alias": {
			rival:  func(s *scene) { s.unpoint(s.live.Index) },
			reason: ReasonLostRace, members: func(*scene) []string { return nil }},
		"deletes the live index": {
			rival:  func(s *scene) { testengine.Do(s.t, "DELETE", s.url+"/"+s.live.Index, "") },
			reason: ReasonLostRace, members: func(*scene) []string { return nil }},
		"deletes the candidate": {
			rival:  func(s *scene) { testengine.Do(s.t, "DELETE", s.url+"/"+s.candidate.Index, "") },
			reason: ReasonCandidateRecreated},
		"makes the candidate anew": {
			rival:  func(s *scene) { s.recreate(s.candidate.Index) },
			reason: ReasonCandidateRecreated, undone: true},
		"makes the candidate anew with the alias in it": {
			rival: func(s *scene) {
				testengine.Do(s.t, "DELETE", s.url+"/"+s.candidate.Index, "")
				testengine.Create(s.t, s.url, s.candidate.Index, `{"aliases": {"`+s.alias+`": {}}}`)
			},
			reason: ReasonCandidateRecreated, undone: true},
		"makes the candidate anew and deletes the live index": {
			rival: func(s *scene) {
				s.recreate(s.candidate.Index)
				s.point(s.candidate.Index)
				testengine.Do(s.t, "DELETE", s.url+"/"+s.live.Index, "")
			},
			reason: ReasonLostRace, members: func(s *scene) []string { return []string{s.candidate.Index} }},
		"lifts the block and writes": {
			rival: func(s *scene) {
				s.settings(s.candidate.Index, `{"index.blocks.write": null}`)
				testengine.Put(s.t, s.url, s.candidate.Index, "rival", `{}`)
			},
			reason: ReasonContentChanged, undone: true},
		"changes the mapping, which no write block stops": {
			rival: func(s *scene) {
				testengine.Do(s.t, "PUT", s.url+"/"+s.candidate.Index+"/_mapping", `{"properties": {"rival": {"type": "keyword"}}}`)
			},
			reason: ReasonContentChanged, undone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachLockWith(t, []Lock{LockDuringSwap}, func(t *testing.T, s *scene, lock Lock) {
				s.take(lock)
				swap := s.swap(lock)
				swap.Check = meanwhile(func() { test.rival(s) })
				result := s.run(swap)
				if lock == LockNone && test.reason == ReasonContentChanged {
					// Without a block it could be the shop's own write, which undoing would lose.
					s.wantPromoted(result)
					return
				}
				members := []string{s.live.Index}
				if test.members != nil {
					members = test.members(s)
				}
				if result.Promoted || result.Reason != test.reason || result.Undone != test.undone {
					t.Errorf("result = %+v, want %s, undone %v", result, test.reason, test.undone)
				}
				s.wantAlias(members...)
				// UntilPassed keeps its lock, but never on an index that is another one.
				want := ""
				if lock == LockUntilPassed && testengine.UUID(t, s.url, anyIndex(s)) == s.candidate.UUID {
					want = "write read_only hidden"
				}
				s.wantBlocks(s.candidate.Index, want)
			})
		})
	}
}

// meanwhile is a Check that has nothing against the swap, but something happens.
func meanwhile(something func()) func(context.Context) error {
	return func(context.Context) error { something(); return nil }
}

// third is one more index of the shop.
func (s *scene) third() Target {
	s.t.Helper()
	name := strings.Replace(s.candidate.Index, "v2", "v3", 1)
	if status, _ := testengine.Try(s.t, "GET", s.url+"/"+name+"/_settings", ""); status == http.StatusNotFound {
		testengine.Create(s.t, s.url, name, "")
		s.t.Cleanup(func() { testengine.Remove(s.t, s.url, name) })
	}
	return Target{Index: name, UUID: testengine.UUID(s.t, s.url, name)}
}

// anyIndex is the candidate if it exists, else the third index.
func anyIndex(s *scene) string {
	if status, _ := testengine.Try(s.t, "GET", s.url+"/"+s.candidate.Index+"/_settings", ""); status == http.StatusNotFound {
		return s.third().Index
	}
	return s.candidate.Index
}

// A rival's own blocks are not ours to take off, whenever they come.
func TestRivalTakesAReadOnlyBlock(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.take(lock)
		swap := s.swap(lock)
		swap.Check = meanwhile(func() {
			s.settings(s.candidate.Index, `{"index.blocks.read_only": true}`)
		})
		result, err := swap.Run(t.Context(), s.c)
		if result.Reason != ReasonCandidateBlocked || strings.Contains(result.Message, "blocked by") {
			t.Errorf("result = %+v, want %s without the engine's own words", result, ReasonCandidateBlocked)
		}
		// Under DuringSwap the gate's own write block is stuck below it.
		if errors.Is(err, ErrBlocked) != (lock == LockDuringSwap) || err != nil && lock != LockDuringSwap {
			t.Errorf("error = %v", err)
		}
		s.wantAlias(s.live.Index)
		s.wantBlocks(s.candidate.Index, map[Lock]string{LockUntilPassed: "write read_only hidden", LockDuringSwap: "write read_only", LockNone: "read_only"}[lock])
	})
}

func TestRivalHidesTheCandidate(t *testing.T) {
	t.Parallel()
	for _, promoted := range []bool{true, false} {
		t.Run(fmt.Sprintf("promoted %v", promoted), func(t *testing.T) {
			t.Parallel()
			eachLockWith(t, []Lock{LockDuringSwap}, func(t *testing.T, s *scene, lock Lock) {
				s.take(lock)
				swap := s.swap(lock)
				swap.Check = meanwhile(func() {
					s.settings(s.candidate.Index, `{"index.hidden": true}`)
					if !promoted {
						s.unpoint(s.live.Index)
					}
				})
				if result := s.run(swap); result.Promoted != promoted {
					t.Errorf("result = %+v, want promoted %v", result, promoted)
				}
				want := "hidden"
				switch { // UntilPassed hides it itself
				case lock == LockUntilPassed && promoted:
					want = ""
				case lock == LockUntilPassed:
					want = "write read_only hidden"
				}
				s.wantBlocks(s.candidate.Index, want)
			})
		})
	}
}

// A block that comes between the checks and the gate's own.
func TestRivalBlocksFirst(t *testing.T) {
	t.Parallel()
	for _, block := range []string{"write", "read_only"} {
		t.Run(block, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				swap := s.swap(LockDuringSwap)
				s.settings(s.candidate.Index, `{"index.blocks.`+block+`": true}`)
				result := s.run(swap)
				if result.Promoted || result.Reason != ReasonCandidateBlocked {
					t.Errorf("result = %+v, want %s", result, ReasonCandidateBlocked)
				}
				s.wantAlias(s.live.Index)
				s.wantBlocks(s.candidate.Index, block)
			})
		})
	}
}

// The gate has promoted and is done; the index is blocked later by somebody else.
func TestRepeatedOverAnothersBlock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		s.wantPromoted(s.run(swap))
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		if result := s.run(swap); !result.Promoted {
			t.Errorf("result = %+v, want promoted", result)
		}
		s.wantBlocks(s.candidate.Index, "write")
	})
}

func TestRivalPromotesTheSameCandidate(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.take(lock)
		swap := s.swap(lock)
		swap.Check = meanwhile(func() { s.point(s.candidate.Index); s.unpoint(s.live.Index) })
		s.wantPromoted(s.run(swap))
	})
}

// With LockNone the shop's writes through the alias reach the candidate as soon as
// the alias has moved, and stay there.
func TestWritesThroughTheAliasSurviveASwapWithoutABlock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.wire.on("POST /_aliases", func(send func() (*http.Response, error)) (*http.Response, error) {
			answer, err := send()
			testengine.Put(t, s.url, s.alias, "bought", `{}`)
			return answer, err
		})
		s.wantPromoted(s.run(s.swap(LockNone)))
		s.wantAlias(s.candidate.Index)
	})
}

func TestWriterRaces(t *testing.T) {
	t.Parallel()
	for _, lock := range []Lock{LockDuringSwap, LockNone} {
		t.Run(string(lock), func(t *testing.T) {
			each(t, func(t *testing.T, s *scene) {
				swap := s.swap(lock)
				done := make(chan struct{})
				var writes atomic.Int64
				var writer sync.WaitGroup
				writer.Go(func() {
					for {
						select {
						case <-done:
							return
						default:
							if status, _ := testengine.Try(t, "PUT", s.url+"/"+s.candidate.Index+"/_doc/w", `{}`); status < 300 {
								writes.Add(1)
							}
						}
					}
				})
				for writes.Load() == 0 {
					time.Sleep(time.Millisecond)
				}
				result := s.run(swap)
				close(done)
				writer.Wait()
				s.wantRefused(result, ReasonContentChanged, false, s.live.Index)
			})
		})
	}
}

// The write that comes just before the block is seen after it.
func TestWriteJustBeforeTheBlock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		s.wire.on("PUT /"+s.candidate.Index+"/_block", func(send func() (*http.Response, error)) (*http.Response, error) {
			testengine.Put(t, s.url, s.candidate.Index, "late", `{}`)
			return send()
		})
		swap.Check = func(context.Context) error { t.Error("Check was called"); return nil }
		s.wantRefused(s.run(swap), ReasonContentChanged, false, s.live.Index)
	})
}

// The block goes by name, and hits an index that took the candidate's.
func TestBlockHitsAnotherIndex(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		s.wire.on("PUT /"+s.candidate.Index+"/_block", func(send func() (*http.Response, error)) (*http.Response, error) {
			s.recreate(s.candidate.Index)
			return send()
		})
		s.wantRefused(s.run(swap), ReasonCandidateRecreated, false, s.live.Index)
	})
}

// An index that has taken the candidate's name before the block is not blocked at
// all.
func TestAnotherIndexIsNotBlocked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		s.wire.on("GET /"+s.candidate.Index+"/_mapping", func(send func() (*http.Response, error)) (*http.Response, error) {
			defer s.recreate(s.candidate.Index)
			return send()
		})
		s.wantRefused(s.run(swap), ReasonCandidateRecreated, false, s.live.Index)
		if blocks := s.wire.sent(func(r string) bool { return strings.Contains(r, "/_block") }); len(blocks) > 0 {
			t.Errorf("the other index was blocked: %v", blocks)
		}
	})
}

// Whatever the alias call answers, the alias itself decides.
func TestAnswersThatProveNothing(t *testing.T) {
	t.Parallel()
	lie := func(status int, body string) func(*http.Response) (*http.Response, error) {
		return func(*http.Response) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
		}
	}
	for name, answer := range map[string]func(*http.Response) (*http.Response, error){
		"it is lost":        func(*http.Response) (*http.Response, error) { return nil, errLostAnswer },
		"cut off":           func(*http.Response) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"404, before 8.14":  lie(404, `{"error":{"type":"resource_not_found_exception","reason":"required alias [shop] does not exist"},"status":404}`),
		"404, from 8.14":    lie(404, `{"error":{"type":"aliases_not_found_exception","reason":"aliases [shop] missing"},"status":404}`),
		"errors":            lie(200, `{"acknowledged":true,"errors":true,"action_results":[{"status":404,"error":{"type":"aliases_not_found_exception","reason":"aliases [shop] missing"}}]}`),
		"not acknowledged":  lie(200, `{"acknowledged":false}`),
		"a proxy's 504":     lie(504, `<html>`),
		"a proxy's 200":     lie(200, `<html>`),
		"busy":              lie(503, `{"error":{"type":"process_cluster_event_timeout_exception","reason":"no"},"status":503}`),
		"forbidden, but no": lie(403, `{"error":{"type":"security_exception","reason":"no"},"status":403}`),
	} {
		t.Run(name+", and it happened", func(t *testing.T) {
			t.Parallel()
			var onReal []Lock // the other answers are made up whatever the engine
			if name == "it is lost" {
				onReal = []Lock{LockDuringSwap}
			}
			eachLockWith(t, onReal, func(t *testing.T, s *scene, lock Lock) {
				s.take(lock)
				swap := s.swap(lock)
				s.wire.on(aliasCall, func(send func() (*http.Response, error)) (*http.Response, error) {
					response, err := send()
					if err != nil {
						return nil, err
					}
					response.Body.Close()
					return answer(response)
				})
				s.wantPromoted(s.run(swap))
			})
		})
	}
	t.Run("acknowledged, and it did not happen", func(t *testing.T) {
		each(t, func(t *testing.T, s *scene) {
			s.wire.on(aliasCall, func(func() (*http.Response, error)) (*http.Response, error) {
				return lie(200, `{"acknowledged":true}`)(nil)
			})
			s.wantRefused(s.run(s.swap(LockDuringSwap)), ReasonLostRace, false, s.live.Index)
		})
	})
	t.Run("lost, and it did not happen", func(t *testing.T) {
		eachLock(t, func(t *testing.T, s *scene, lock Lock) {
			s.take(lock)
			swap := s.swap(lock)
			s.wire.on(aliasCall, func(func() (*http.Response, error)) (*http.Response, error) { return nil, errLostAnswer })
			result, err := swap.Run(t.Context(), s.c)
			if result.Promoted || !engine.IsUnavailable(err) {
				t.Errorf("Run = %+v, %v; want an error: it may happen yet", result, err)
			}
			if lock != LockNone && !strings.Contains(s.blocks(s.candidate.Index), "write") {
				t.Error("the block is off while the call may still happen")
			}
			s.wire.around = nil
			s.wantNotMoved(swap)
			s.wantPromoted(s.run(swap))
		})
	})
	t.Run("forbidden, and it did not happen", func(t *testing.T) {
		each(t, func(t *testing.T, s *scene) {
			s.wire.on(aliasCall, func(func() (*http.Response, error)) (*http.Response, error) {
				return lie(403, `{"error":{"type":"security_exception","reason":"no"},"status":403}`)(nil)
			})
			result, err := s.swap(LockDuringSwap).Run(t.Context(), s.c)
			if !engine.IsUnauthorized(err) {
				t.Errorf("error = %v, want unauthorized", err)
			}
			s.wantRefused(result, "", false, s.live.Index)
		})
	})
}

// A lost call that the engine carries out a little later is still seen.
func TestLateCall(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.take(lock)
		swap := s.swap(lock)
		swap.timing.readBack = 20 * time.Second
		looks := 0
		s.wire.around = func(request string, send func() (*http.Response, error)) (*http.Response, error) {
			switch {
			case request == aliasCall:
				looks = 1
				return nil, errLostAnswer
			case looks > 0 && request == "GET /"+s.alias+"/_alias":
				if looks++; looks == 4 {
					s.unpoint(s.live.Index)
					s.point(s.candidate.Index)
				}
			}
			return send()
		}
		s.wantPromoted(s.run(swap))
	})
}

// The engine fails after the alias has moved: the block stays until it is known
// that the content is right.
func TestEngineFailsAfterTheCall(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		called := false
		s.wire.around = func(request string, send func() (*http.Response, error)) (*http.Response, error) {
			if called {
				return nil, io.EOF
			}
			called = request == aliasCall
			return send()
		}
		for range 2 { // the second time it fails in the resumed swap
			result, err := swap.Run(t.Context(), s.c)
			if result.Promoted || !engine.IsUnavailable(err) {
				t.Errorf("Run = %+v, %v; want unavailable", result, err)
			}
			failed := false
			s.wire.on("GET /"+s.candidate.Index+"/_settings", func(send func() (*http.Response, error)) (*http.Response, error) {
				if failed {
					return send()
				}
				failed = true
				return nil, io.EOF
			})
			swap.Resumed = true
			s.wantBlocks(s.candidate.Index, "write")
		}
		s.wire.around = nil
		s.wantPromoted(s.run(swap))
	})
}

// A resumed swap that cannot read the alias leaves the block of the earlier pass.
func TestResumedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		swap.Resumed = true
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		s.point(s.candidate.Index)
		s.unpoint(s.live.Index)
		s.wire.on("GET /"+s.alias+"/_alias", func(func() (*http.Response, error)) (*http.Response, error) { return nil, io.EOF })
		if result, err := swap.Run(t.Context(), s.c); result.Promoted || !engine.IsUnavailable(err) {
			t.Errorf("Run = %+v, %v; want unavailable", result, err)
		}
		s.wantBlocks(s.candidate.Index, "write")
		s.wire.around = nil
		s.wantPromoted(s.run(swap))
	})
}

// Writes that are still being processed are waited for, but not for ever.
func TestUnsettledCandidate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		looks  int // that find the candidate unsettled
		reason string
	}{
		"settles":         {3, ReasonPromoted},
		"does not settle": {1 << 30, ReasonContentChanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *scene) {
				swap := s.swap(LockDuringSwap)
				swap.timing.settle = 2 * time.Second
				looks := 0
				s.wire.on("GET /"+s.candidate.Index+"/_stats", func(send func() (*http.Response, error)) (*http.Response, error) {
					response, err := send()
					if looks++; err != nil || looks > test.looks {
						return response, err
					}
					defer response.Body.Close()
					body, err := io.ReadAll(response.Body)
					response.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(body), `"global_checkpoint":0`, `"global_checkpoint":-1`)))
					return response, err
				})
				result := s.run(swap)
				if result.Reason != test.reason || result.Promoted != (test.reason == ReasonPromoted) {
					t.Errorf("result = %+v, want %s", result, test.reason)
				}
			})
		})
	}
}

// errCrash is the end of the process.
var errCrash = errors.New("crashed")

// The process dies at each request in turn, just before or just after the engine
// has carried it out. Then it runs again.
func TestCrashAtAnyPoint(t *testing.T) {
	t.Parallel()
	for _, carriedOut := range []bool{false, true} {
		t.Run(fmt.Sprintf("request carried out %v", carriedOut), func(t *testing.T) {
			t.Parallel()
			// Real engines take some steps, the fake one every step. Just before a request
			// is for them just after the one before it.
			var onReal []Lock
			if carriedOut {
				onReal = []Lock{LockUntilPassed, LockDuringSwap}
			}
			eachLockWith(t, onReal, func(t *testing.T, s *scene, lock Lock) {
				step := 1
				if !strings.HasSuffix(t.Name(), "/fake") {
					step = 7
				}
				for at := 1; ; at += step {
					s.take(lock)
					swap := s.swap(lock)
					finished := s.crash(swap, at, carriedOut)
					state, err := Read(t.Context(), s.c, s.alias)
					if err != nil {
						t.Fatal(err)
					}
					swap.Resumed = state.Only(s.candidate)
					if !swap.Resumed {
						s.wantNotMoved(swap)
					}
					s.wantPromoted(s.run(swap))
					if finished {
						if at < 15 {
							t.Errorf("the swap took only %d requests", at)
						}
						return
					}
					// Back to the start.
					s.point(s.live.Index)
					s.unpoint(s.candidate.Index)
				}
			})
		})
	}
}

// wantNotMoved resumes a swap whose alias has not moved: it ends without a call,
// and gives the candidate back.
func (s *scene) wantNotMoved(swap Swap) {
	s.t.Helper()
	swap.Resumed = true
	swap.Check = func(context.Context) error { s.t.Error("Check was called"); return nil }
	s.wire.requests = nil
	result := s.run(swap)
	if result.Promoted || result.Reason != ReasonAliasMoved || result.Undone {
		s.t.Errorf("result = %+v, want %s", result, ReasonAliasMoved)
	}
	if calls := s.wire.sent(func(r string) bool { return r == aliasCall }); len(calls) > 0 {
		s.t.Error("an alias call was sent")
	}
	s.wantBlocks(s.candidate.Index, map[Lock]string{LockUntilPassed: "write read_only hidden"}[swap.Lock])
}

// crash runs the swap until its nth request, and tells whether it ended before.
func (s *scene) crash(swap Swap, at int, carriedOut bool) bool {
	s.t.Helper()
	count := 0
	s.wire.around = func(_ string, send func() (*http.Response, error)) (*http.Response, error) {
		if count++; count < at {
			return send()
		}
		if count == at && carriedOut {
			if response, err := send(); err == nil {
				response.Body.Close()
			}
		}
		return nil, errCrash
	}
	defer func() { s.wire.around = nil }()
	swap.timing.readBack = time.Millisecond
	result, err := swap.Run(s.t.Context(), s.c)
	if count < at && (err != nil || !result.Promoted) {
		s.t.Errorf("Run = %+v, %v", result, err)
	}
	return count < at
}

// The process dies after the call, and a rival replaces the candidate before the
// process is back.
func TestCrashAndRecreated(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		s.recreate(s.candidate.Index)
		s.point(s.candidate.Index)
		s.unpoint(s.live.Index)
		swap.Resumed = true
		s.wantRefused(s.run(swap), ReasonCandidateRecreated, true, s.live.Index)
	})
}

// The process dies after the call, and the content changes although the block
// stays.
func TestCrashAndChanged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		testengine.Put(t, s.url, s.candidate.Index, "rival", `{}`)
		s.settings(s.candidate.Index, `{"index.blocks.write": true}`)
		s.point(s.candidate.Index)
		s.unpoint(s.live.Index)
		swap.Resumed = true
		s.wantRefused(s.run(swap), ReasonContentChanged, true, s.live.Index)
	})
}

// After the blocks are off the index is live, and is written to.
func TestRepeatedAfterWritesThroughTheAlias(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		s.wantPromoted(s.run(swap))
		testengine.Put(t, s.url, s.alias, "order", `{}`)
		swap.Resumed = true
		s.wantPromoted(s.run(swap))
	})
}

func TestUndoThatFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		calls := 0
		s.wire.on(aliasCall, func(send func() (*http.Response, error)) (*http.Response, error) {
			if calls++; calls == 2 { // the undoing
				s.settings(s.live.Index, `{"index.blocks.read_only": true}`)
			}
			return send()
		})
		swap.Check = meanwhile(func() { s.recreate(s.candidate.Index) })
		result := s.run(swap)
		if result.Undone || result.Promoted || result.Reason != ReasonCandidateRecreated || !strings.Contains(result.Message, "could not be moved back") ||
			strings.Contains(result.Message, "blocked by") { // the engine's own words do not go into a status
			t.Errorf("result = %+v", result)
		}
		s.wantAlias(s.candidate.Index)
	})
}

// The live index is replaced while the alias is on the wrong candidate: an alias is
// not moved to an index that was never measured.
func TestUndoWithoutTheLiveIndex(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		swap.Check = meanwhile(func() { s.recreate(s.candidate.Index) })
		s.wire.on(aliasCall, func(send func() (*http.Response, error)) (*http.Response, error) {
			response, err := send()
			s.recreate(s.live.Index)
			return response, err
		})
		result := s.run(swap)
		if !strings.Contains(result.Message, "could not be moved back") {
			t.Errorf("message = %q", result.Message)
		}
		s.wantRefused(result, ReasonCandidateRecreated, false, s.candidate.Index)
	})
}

func TestUndoIsResumed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		swap := s.swap(LockDuringSwap)
		calls := 0
		s.wire.on(aliasCall, func(send func() (*http.Response, error)) (*http.Response, error) {
			if calls++; calls == 2 {
				return nil, errLostAnswer
			}
			return send()
		})
		swap.Check = meanwhile(func() {
			testengine.Do(t, "PUT", s.url+"/"+s.candidate.Index+"/_mapping", `{"properties": {"rival": {"type": "keyword"}}}`)
		})
		if result, err := swap.Run(t.Context(), s.c); err == nil || result.Promoted {
			t.Errorf("Run = %+v, %v; want an error: the undoing is not known to have happened", result, err)
		}
		s.wire.around, swap.Check, swap.Resumed = nil, nil, true
		s.wantRefused(s.run(swap), ReasonContentChanged, true, s.live.Index)
	})
}

func TestLastCheckFails(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.take(lock)
		before := s.blocks(s.candidate.Index)
		swap := s.swap(lock)
		newer := errors.New("the golden set has changed")
		swap.Check = func(context.Context) error { return newer }
		result, err := swap.Run(t.Context(), s.c)
		if !errors.Is(err, newer) || result.Promoted {
			t.Errorf("Run = %+v, %v; want %v", result, err, newer)
		}
		s.wantAlias(s.live.Index)
		s.wantBlocks(s.candidate.Index, before)
	})
}

// The caller is shut down while the alias moves: the blocks come off all the same.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	eachLock(t, func(t *testing.T, s *scene, lock Lock) {
		s.take(lock)
		swap := s.swap(lock)
		ctx, cancel := context.WithCancel(t.Context())
		s.wire.on(aliasCall, func(send func() (*http.Response, error)) (*http.Response, error) {
			response, err := send()
			cancel()
			return response, err
		})
		result, err := swap.Run(ctx, s.c)
		if err != nil {
			t.Error(err)
		}
		s.wantPromoted(result)
	})
	each(t, func(t *testing.T, s *scene) { // and before the call, too
		swap := s.swap(LockDuringSwap)
		ctx, cancel := context.WithCancel(t.Context())
		swap.Check = func(context.Context) error { cancel(); return ctx.Err() }
		result, err := swap.Run(ctx, s.c)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want canceled", err)
		}
		s.wantRefused(result, "", false, s.live.Index)
	})
}

func TestBeforeIsRestored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.take(LockUntilPassed)
		swap := s.swap(LockUntilPassed)
		swap.Before = Before{Hidden: true}
		if result := s.run(swap); !result.Promoted {
			t.Errorf("result = %+v", result)
		}
		s.wantBlocks(s.candidate.Index, "hidden")
	})
}

func TestSwapsThatAreNotOnes(t *testing.T) {
	t.Parallel()
	good := Swap{Alias: "shop", Candidate: Target{"v2", "u2"}, Live: &Target{"v1", "u1"}, Fingerprint: "sha256:x", Lock: LockNone}
	for name, change := range map[string]func(*Swap){
		"no alias":                      func(s *Swap) { s.Alias = "" },
		"no candidate":                  func(s *Swap) { s.Candidate.Index = "" },
		"no UUID":                       func(s *Swap) { s.Candidate.UUID = "" },
		"a live index without a UUID":   func(s *Swap) { s.Live = &Target{Index: "v1"} },
		"no fingerprint":                func(s *Swap) { s.Fingerprint = "" },
		"a rollback with a fingerprint": func(s *Swap) { s.Rollback = true },
		"no lock":                       func(s *Swap) { s.Lock = "" },
	} {
		t.Run(name, func(t *testing.T) {
			swap := good
			change(&swap)
			if _, err := swap.Run(t.Context(), nil); err == nil {
				t.Error("no error")
			}
		})
	}
}
