package alias

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// managerRights are those that docs/security.md gives to the manager, as far as
// a promotion uses them.
var managerRights = []string{
	"cluster:monitor/main",
	"cluster:monitor/health",
	"indices:monitor/settings/get",
	"indices:monitor/stats",
	"indices:admin/mappings/get",
	"indices:data/read/search",
	takesBlocksOff,
	"indices:admin/block/add",
	"indices:admin/block/add[s]",
	"indices:admin/aliases",
	"indices:admin/aliases/get",
}

const takesBlocksOff = "indices:admin/settings/update"

// manager is a client with these rights on the scene's alias and indices.
func (s *scene) manager(secured *testengine.SecuredEngine, rights []string) *engine.Client {
	s.t.Helper()
	onCluster, onIndices := []string{}, []string{}
	for _, right := range rights {
		if strings.HasPrefix(right, "cluster:") {
			onCluster = append(onCluster, right)
		} else {
			onIndices = append(onIndices, right)
		}
	}
	role, err := json.Marshal(map[string]any{
		"cluster_permissions": onCluster,
		"index_permissions": []any{map[string]any{
			"index_patterns": []string{s.alias, s.live.Index, s.candidate.Index}, "allowed_actions": onIndices,
		}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.as(secured, secured.User(s.t, string(role)))
}

// as is a client with a user's credentials.
func (s *scene) as(secured *testengine.SecuredEngine, user testengine.User) *engine.Client {
	s.t.Helper()
	ca, err := os.ReadFile(secured.CAFile)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := engine.New(engine.Config{URL: secured.URL, Username: user.Name, Password: user.Password, CACert: ca})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// The whole way with the least rights on an engine that checks them.
func TestManagersRights(t *testing.T) {
	t.Parallel()
	secured := testengine.Secured(t)
	for _, lock := range []Lock{LockUntilPassed, LockDuringSwap, LockNone} {
		t.Run(string(lock), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, secured.URL)
			s.c = s.manager(secured, managerRights)
			s.take(lock)
			s.wantPromoted(s.run(s.swap(lock)))
		})
	}
}

// without is the rights but one.
func without(right string) []string {
	return slices.DeleteFunc(slices.Clone(managerRights), func(r string) bool { return r == right })
}

// Without any one of the rights nothing is promoted, and nothing stays blocked.
func TestManagerWithoutARight(t *testing.T) {
	t.Parallel()
	secured := testengine.Secured(t)
	for _, right := range without(takesBlocksOff) {
		t.Run(right, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, secured.URL)
			s.c = s.as(secured, secured.Admin)
			result, err := s.swap(LockDuringSwap).Run(t.Context(), s.manager(secured, without(right)))
			if result.Promoted || !engine.IsUnauthorized(err) {
				t.Errorf("result = %+v, %v; want no promotion, and that the engine refuses", result, err)
			}
			s.wantAlias(s.live.Index)
			s.wantBlocks(s.candidate.Index, "")
			s.wantBlocks(s.live.Index, "")
		})
	}
}

// Setting the write block and taking it off are different rights. Who has the first
// alone promotes, says that the block stays, and takes it off when given the other.
func TestManagerThatCannotTakeBlocksOff(t *testing.T) {
	t.Parallel()
	secured := testengine.Secured(t)
	s := newScene(t, secured.URL)
	s.c = s.as(secured, secured.Admin)
	swap := s.swap(LockDuringSwap)
	result, err := swap.Run(t.Context(), s.manager(secured, without(takesBlocksOff)))
	if !result.Promoted || !engine.IsUnauthorized(err) {
		t.Errorf("result = %+v, %v; want a promotion, and that the engine refuses", result, err)
	}
	s.wantBlocks(s.candidate.Index, "write")
	swap.Resumed = true
	s.wantPromoted(s.run(swap))
}
