package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// evaluatorRights are those that docs/security.md gives to an evaluation; the
// first is one on the cluster, the others on indices.
var evaluatorRights = []string{
	"indices:data/read/msearch",
	"indices:data/read/search",
	"indices:monitor/stats",
	"indices:monitor/settings/get",
	"indices:admin/mappings/get",
	"indices:admin/refresh",
	"indices:admin/refresh[s]",
}

// role has the rights on the cluster whose names say so, and the others on indices.
func role(t *testing.T, rights []string, indices ...string) string {
	t.Helper()
	onCluster, onIndices := []string{}, []string{}
	for _, right := range rights {
		if right == "indices:data/read/msearch" || strings.HasPrefix(right, "cluster:") {
			onCluster = append(onCluster, right)
		} else {
			onIndices = append(onIndices, right)
		}
	}
	raw, err := json.Marshal(map[string]any{
		"cluster_permissions": onCluster,
		"index_permissions":   []any{map[string]any{"index_patterns": indices, "allowed_actions": onIndices}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// logIn sets the environment to a user's credentials.
func logIn(t *testing.T, user testengine.User) map[string]string {
	t.Helper()
	credentials := map[string]string{"USERNAME": user.Name, "PASSWORD": user.Password}
	for variable, value := range credentials {
		t.Setenv("ELASTICSEARCH_"+variable, value)
	}
	return credentials
}

// eachAndSecured runs a test on the secured engine, as its administrator, and on
// every other one. Flags tell the command line how to reach the engine.
func eachAndSecured(t *testing.T, test func(t *testing.T, url string, flags ...string)) {
	t.Helper()
	t.Run("secured", func(t *testing.T) {
		secured := testengine.Secured(t)
		logIn(t, secured.Admin)
		test(t, secured.URL, "--url", secured.URL, "--ca-file", secured.CAFile)
	})
	testengine.Each(t, func(t *testing.T, _, url string) { test(t, url, "--url", url) })
}

func TestUsersOfASecuredEngine(t *testing.T) {
	secured := testengine.Secured(t)
	candidate := loadShoes(t, secured.URL, "shoes", "shoes", "socks")
	live := loadShoes(t, secured.URL, "shoes", "bananas", "socks")
	alias := testengine.Name(t, secured.URL, "shoes-alias")
	testengine.Do(t, "PUT", secured.URL+"/"+live+"/_alias/"+alias, "")
	gate := writeFile(t, "gate.yaml", strings.Replace(matchGate("_id", `{name: recall@5, min: "0.1"}`), "no-such-alias", alias, 1))
	flags := []string{
		"-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--candidate", candidate,
		"--url", secured.URL, "--ca-file", secured.CAFile,
	}
	withLive := slices.Concat(flags, []string{"--live", live})
	made := func(rights []string, indices ...string) func(*testing.T) testengine.User {
		return func(t *testing.T) testengine.User {
			t.Helper()
			return secured.User(t, role(t, rights, indices...))
		}
	}
	known := func(name, password string) func(*testing.T) testengine.User {
		return func(*testing.T) testengine.User { return testengine.User{Name: name, Password: password} }
	}
	type row struct {
		user    func(*testing.T) testengine.User
		flags   []string
		code    int
		message string // "" of a measurement
	}
	rows := map[string]row{
		"the administrator":                      {known(secured.Admin.Name, secured.Admin.Password), flags, 0, ""},
		"an evaluator":                           {made(evaluatorRights, candidate, live), withLive, 0, ""},
		"an evaluator who may read the alias":    {made(append(evaluatorRights, "indices:admin/aliases/get"), candidate, live, alias), flags, 0, ""},
		"an evaluator who may not":               {made(evaluatorRights, candidate, live, alias), flags, 3, "403"},
		"an evaluator of the candidate alone":    {made(evaluatorRights, candidate), withLive, 3, "403"},
		"an evaluator of the live index alone":   {made(evaluatorRights, live), withLive, 3, "403"},
		"a user without rights":                  {made(nil, candidate), withLive, 3, "403"},
		"a user without rights, asking by alias": {made(nil, candidate), flags, 3, "403"},
		"a wrong password":                       {known(secured.Admin.Name, "wrong-hunter2"), flags, 3, "401"},
		"an unknown user":                        {known("nobody-known", "wrong-hunter2"), flags, 3, "401"},
		"nobody":                                 {known("", ""), flags, 3, "401"},
	}
	for i, right := range evaluatorRights {
		rows["an evaluator without "+right] = row{made(slices.Delete(slices.Clone(evaluatorRights), i, i+1), candidate, live), withLive, 3, "403"}
	}
	for name, test := range rows {
		t.Run(name, func(t *testing.T) {
			credentials := logIn(t, test.user(t))
			doc, result := runJSON(t, test.flags...)
			if result.code != test.code || !strings.Contains(doc.Message, test.message) {
				t.Errorf("got code %d, %s: %s", result.code, doc.Reason, doc.Message)
			}
			if test.code != 0 {
				if doc.Reason != "Unauthorized" || doc.Verdict != nil {
					t.Errorf("got %s, verdict %s", doc.Reason, text(doc.Verdict))
				}
				wantOneSentence(t, doc, result)
			}
			wantNoSecrets(t, credentials, result, runCLI(t, append([]string{"evaluate"}, test.flags...)...))
		})
	}
}
