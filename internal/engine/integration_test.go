package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// envSearchnode names the script that starts and stops nodes; with it set the
// tests that need nodes of their own run too.
const envSearchnode = "RELEVANCE_GATE_SEARCHNODE"

func newClient(t *testing.T, url string) *engine.Client {
	t.Helper()
	c, err := engine.New(engine.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestRealInfo(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, name, url string) {
		info, err := newClient(t, url).Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.ClusterUUID == "" || info.Version == "" || strings.ToLower(info.Distribution) != strings.TrimSuffix(name, "9") {
			t.Errorf("info = %+v, want that of %s", info, name)
		}
	})
}

func TestRealIndex(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, _, url string) {
		c := newClient(t, url)
		index := testengine.Index(t, url, "engine", `{"settings": {"number_of_shards": 2, "number_of_replicas": 1, "refresh_interval": -1},
			"mappings": {"properties": {"parts": {"type": "nested"}}}}`)
		testengine.Do(t, "PUT", url+"/"+index+"/_doc/1", `{"name": "red shoe", "parts": [{"a": 1}, {"a": 2}]}`)

		if docs, err := c.Count(t.Context(), index); docs != 0 || err != nil {
			t.Errorf("Count before the refresh = %d, %v; want 0", docs, err)
		}
		if err := c.Refresh(t.Context(), index); err != nil {
			t.Error(err)
		}
		if docs, err := c.Count(t.Context(), index); docs != 1 || err != nil {
			t.Errorf("Count = %d, %v; want the one root document", docs, err)
		}
		if health, err := c.Health(t.Context(), index); health != "yellow" || err != nil {
			t.Errorf("Health = %q, %v; want yellow, there is one node", health, err)
		}
		missing := index + "-missing"
		if health, err := c.Health(t.Context(), missing); health != "red" || err != nil {
			t.Errorf("Health of a missing index = %q, %v; want red", health, err)
		}
		for op, err := range map[string]error{
			"Refresh":      c.Refresh(t.Context(), missing),
			"BlockWrite":   c.BlockWrite(t.Context(), missing),
			"PutSettings":  c.PutSettings(t.Context(), missing, map[string]any{"index.hidden": true}),
			"Count":        second(c.Count(t.Context(), missing)),
			"Settings":     second(c.Settings(t.Context(), missing)),
			"Fingerprint":  second(c.Fingerprint(t.Context(), missing)),
			"IndexAliases": second(c.IndexAliases(t.Context(), missing)),
		} {
			if !engine.IsNotFound(err) {
				t.Errorf("%s of a missing index: %v, want not found", op, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestRealBlocksAndSettings(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, _, url string) {
		c := newClient(t, url)
		index := testengine.Index(t, url, "engine", "")
		blocks := func() engine.Blocks {
			t.Helper()
			settings, err := c.Settings(t.Context(), index)
			if err != nil {
				t.Fatal(err)
			}
			if settings[index].UUID != testengine.UUID(t, url, index) {
				t.Errorf("settings = %+v", settings)
			}
			return settings[index].Blocks
		}
		put := func(settings map[string]any) {
			t.Helper()
			if err := c.PutSettings(t.Context(), index, settings); err != nil {
				t.Fatal(err)
			}
		}

		for range 2 { // the second time it is there already
			if err := c.BlockWrite(t.Context(), index); err != nil {
				t.Fatal(err)
			}
			if got := blocks(); got != (engine.Blocks{Write: true}) {
				t.Errorf("blocks = %+v, want write", got)
			}
			if status, _ := testengine.Try(t, "PUT", url+"/"+index+"/_doc/1", `{}`); status != 403 {
				t.Errorf("a write answers %d, want 403", status)
			}
		}
		put(map[string]any{"index.hidden": true, "index.blocks.read_only": true})
		if got := blocks(); got != (engine.Blocks{Write: true, ReadOnly: true, Hidden: true}) {
			t.Errorf("blocks = %+v, want the lock", got)
		}
		all, err := c.Settings(t.Context(), strings.TrimSuffix(index, index[len(index)-3:])+"*")
		if _, ok := all[index]; err != nil || !ok {
			t.Errorf("a pattern does not find the hidden index: %v, %v", all, err)
		}
		err = c.PutSettings(t.Context(), index, map[string]any{"index.hidden": nil})
		if !engine.IsBlocked(err) || engine.IsUnauthorized(err) {
			t.Errorf("changing hidden under read_only: %v, want blocked", err)
		}
		put(map[string]any{"index.blocks.read_only": nil})
		put(map[string]any{"index.blocks.write": nil, "index.hidden": nil})
		if got := blocks(); got != (engine.Blocks{}) {
			t.Errorf("blocks = %+v, want none", got)
		}
	})
}

func TestRealAlias(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, name, url string) {
		c := newClient(t, url)
		first, second := testengine.Index(t, url, "engine", ""), testengine.Index(t, url, "engine", "")
		alias := testengine.Name(t, url, "engine-alias")
		members := func() string {
			t.Helper()
			list, err := c.Alias(t.Context(), alias)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, m := range list {
				names = append(names, m.Index)
			}
			return strings.Join(names, " ")
		}
		update := func(actions ...engine.AliasAction) error { return c.UpdateAliases(t.Context(), actions) }

		if got := members(); got != "" {
			t.Errorf("members before = %q", got)
		}
		yes, no := true, false
		if err := update(engine.AddAlias(alias, engine.AliasMember{Index: first, IsWriteIndex: &yes, IsHidden: &no})); err != nil {
			t.Fatal(err)
		}
		swap := []engine.AliasAction{engine.RemoveAlias(alias, first), engine.AddAlias(alias, engine.AliasMember{Index: second, IsWriteIndex: &yes})}
		if err := update(swap...); err != nil || members() != second {
			t.Errorf("swap: %v, members = %q, want %s", err, members(), second)
		}
		if err := update(swap...); !engine.IsNotFound(err) || members() != second {
			t.Errorf("the same swap again: %v, members = %q; want not found and %s", err, members(), second)
		}
		list, err := c.Alias(t.Context(), alias)
		if err != nil || list[0].IsWriteIndex == nil || !*list[0].IsWriteIndex || list[0].Filter != nil {
			t.Errorf("properties = %+v, %v", list, err)
		}
		if names, err := c.IndexAliases(t.Context(), second); err != nil || strings.Join(names, " ") != alias {
			t.Errorf("aliases of %s = %v, %v", second, names, err)
		}
		if _, err := c.Alias(t.Context(), first); !errors.Is(err, engine.ErrAliasIsIndex) {
			t.Errorf("a concrete index: %v, want ErrAliasIsIndex", err)
		}
		if err := update(engine.AddAlias(first, engine.AliasMember{Index: second})); err == nil {
			t.Error("an alias with the name of an index is accepted")
		}
		if err := c.PutSettings(t.Context(), first, map[string]any{"index.blocks.read_only": true}); err != nil {
			t.Fatal(err)
		}
		if err := update(engine.AddAlias(alias, engine.AliasMember{Index: first})); !engine.IsBlocked(err) {
			t.Errorf("an alias on a read_only index: %v, want blocked", err)
		}
		testengine.Do(t, "POST", url+"/"+second+"/_close", "")
		if got := members(); got != second {
			t.Errorf("members with a closed index = %q, want %s", got, second)
		}

		if name != "opensearch" { // Elasticsearch's data streams are a module that the test node lacks
			return
		}
		stream := "engine-stream-" + alias
		testengine.Do(t, "PUT", url+"/_index_template/"+stream, `{"index_patterns": ["`+stream+`"], "data_stream": {}}`)
		testengine.Do(t, "PUT", url+"/_data_stream/"+stream, "")
		defer testengine.Do(t, "DELETE", url+"/_index_template/"+stream, "")
		defer testengine.Do(t, "DELETE", url+"/_data_stream/"+stream, "")
		if _, err := c.Alias(t.Context(), stream); !errors.Is(err, engine.ErrAliasIsDataStream) {
			t.Errorf("a data stream: %v, want ErrAliasIsDataStream", err)
		}
	})
}

func TestRealMultiSearch(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, _, url string) {
		c := newClient(t, url)
		index := testengine.Index(t, url, "engine", `{"settings": {"number_of_shards": 2, "number_of_replicas": 0, "max_result_window": 50},
			"mappings": {"properties": {"name": {"type": "text"}, "sku": {"type": "keyword"}, "code": {"type": "long"}}}}`)
		testengine.Put(t, url, index, "1", `{"name": "red shoe", "sku": "s-1", "code": 41}`)
		testengine.Put(t, url, index, "2", `{"name": "red red shoe", "sku": "s-2", "code": 42}`)
		testengine.Put(t, url, index, "3", `{"name": "blue hat", "code": [1, 2]}`)
		match := func(text string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"query": {"match": {"name": %q}}, "_source": true, "size": 1}`, text))
		}
		search := func(m engine.MultiSearch, bodies ...json.RawMessage) []engine.SearchResult {
			t.Helper()
			m.Index, m.Preference, m.MaxConcurrent = index, "gate", 2
			results, err := c.MultiSearch(t.Context(), m, bodies)
			if err != nil {
				t.Fatal(err)
			}
			return results
		}
		ids := func(r engine.SearchResult) string {
			t.Helper()
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			var list []string
			for _, h := range r.Hits {
				if h.Index != index || math.IsNaN(h.Score) {
					t.Errorf("hit = %+v", h)
				}
				list = append(list, h.ID)
			}
			return strings.Join(list, " ")
		}

		results := search(engine.MultiSearch{Size: 10}, match("shoe"), match("nothing"), match("hat"))
		if got := ids(results[0]); len(got) != 3 || results[0].Total != 2 {
			t.Errorf("hits = %q of %d, want both shoes", got, results[0].Total)
		}
		if ids(results[1]) != "" || ids(results[2]) != "3" {
			t.Errorf("results = %+v", results[1:])
		}
		byField := search(engine.MultiSearch{Size: 10, IDField: "sku"}, match("red"), match("hat"))
		if got := ids(byField[0]); got != "s-1 s-2" && got != "s-2 s-1" {
			t.Errorf("by sku: %q", got)
		}
		if err := byField[1].Err; err == nil || !strings.Contains(err.Error(), "id field sku") {
			t.Errorf("a document without the id field: %v", err)
		}
		byNumber := search(engine.MultiSearch{Size: 10, IDField: "code"}, match("red"), match("hat"))
		if got := ids(byNumber[0]); got != "41 42" && got != "42 41" {
			t.Errorf("by code: %q", got)
		}
		if err := byNumber[1].Err; err == nil || !strings.Contains(err.Error(), "2 values") {
			t.Errorf("a document with two ids: %v", err)
		}

		// The engine refuses the whole call for the malformed ones.
		broken := search(engine.MultiSearch{Size: 10}, match("shoe"), json.RawMessage(`{"query": {"mtach": {}}}`), match("hat"),
			json.RawMessage(`{"quary": {}}`), match("shoe"), json.RawMessage(`{"query": {"range": {"code": {"gte": "x"}}}}`))
		for i, r := range broken {
			if (r.Err != nil) != (i == 1 || i == 3 || i == 5) {
				t.Errorf("search %d: %v", i, r.Err)
			}
		}
		var e *engine.Error
		if !errors.As(broken[1].Err, &e) || e.Status != 400 || !strings.Contains(e.Reason, "mtach") {
			t.Errorf("a malformed query: %v", broken[1].Err)
		}
		if r := search(engine.MultiSearch{Size: 51}, match("shoe"))[0]; r.Err == nil {
			t.Error("a size over the result window is accepted")
		}
		missing, err := c.MultiSearch(t.Context(), engine.MultiSearch{Index: index + "-missing", Size: 1}, []json.RawMessage{match("shoe")})
		if err != nil || !engine.IsNotFound(missing[0].Err) {
			t.Errorf("a missing index: %v, %v", missing, err)
		}
		// Searching an alias gives hits of its index, and those are refused.
		testengine.Do(t, "PUT", url+"/"+index+"/_alias/"+index+"-alias", "")
		viaAlias, err := c.MultiSearch(t.Context(), engine.MultiSearch{Index: index + "-alias", Size: 1}, []json.RawMessage{match("shoe")})
		if err != nil || viaAlias[0].Err == nil {
			t.Errorf("through an alias: %v, %v; want an error", viaAlias, err)
		}
	})
}

const fingerprintIndex = `{"settings": {"number_of_shards": 2, "number_of_replicas": 0, "analysis": {
		"filter": {"syn": {"type": "synonym", "synonyms": ["tv, television"]}},
		"analyzer": {"named": {"tokenizer": "standard", "filter": ["lowercase", "syn"]}}}},
	"mappings": {"properties": {"name": {"type": "text", "analyzer": "standard", "search_analyzer": "named"}}}}`

// What does and does not change a fingerprint, on real nodes. The changes are made
// one after the other to one index, since making indices is what takes time.
func TestRealFingerprint(t *testing.T) {
	t.Parallel()
	put := func(path, body string) func(*testing.T, string) {
		return func(t *testing.T, index string) { t.Helper(); testengine.Do(t, "PUT", index+path, body) }
	}
	reopened := func(change func(t *testing.T, index string)) func(*testing.T, string) {
		return func(t *testing.T, index string) {
			t.Helper()
			testengine.Do(t, "POST", index+"/_close", "")
			change(t, index)
			testengine.Do(t, "POST", index+"/_open", "")
		}
	}
	nothing := func(*testing.T, string) {}
	steps := []struct {
		name   string
		change func(t *testing.T, index string) // index is its URL
		same   bool
	}{
		{"nothing", nothing, true},
		{"an update that changes nothing", func(t *testing.T, index string) {
			answer := testengine.Do(t, "POST", index+"/_update/1?refresh=true", `{"doc": {"name": "red shoe"}, "detect_noop": true}`)
			if !strings.Contains(answer, `"noop"`) {
				t.Errorf("the update was no no-op: %s", answer)
			}
		}, true},
		{"a new document", put("/_doc/9?refresh=true", `{"name": "hat"}`), false},
		{"an update that keeps the count", put("/_doc/1?refresh=true", `{"name": "hat"}`), false},
		{"a delete and the same document again", func(t *testing.T, index string) {
			testengine.Do(t, "DELETE", index+"/_doc/1?refresh=true", "")
			testengine.Do(t, "PUT", index+"/_doc/1?refresh=true", `{"name": "hat"}`)
		}, false},
		{"a delete", func(t *testing.T, index string) { testengine.Do(t, "DELETE", index+"/_doc/1?refresh=true", "") }, false},
		{"a flush, a refresh and a merge", func(t *testing.T, index string) {
			testengine.Do(t, "POST", index+"/_flush?force=true", "")
			testengine.Do(t, "POST", index+"/_refresh", "")
			testengine.Do(t, "POST", index+"/_forcemerge?max_num_segments=1", "")
		}, true},
		{"replicas and refresh interval", put("/_settings", `{"index.number_of_replicas": 1, "index.refresh_interval": "7s", "index.routing.rebalance.enable": "none"}`), true},
		{"another setting", put("/_settings", `{"index.max_result_window": 5000}`), false},
		{"a new field in the mapping", put("/_mapping", `{"properties": {"brand": {"type": "keyword"}}}`), false},
		{"the mapping it has", put("/_mapping", `{"properties": {"name": {"type": "text", "analyzer": "standard", "search_analyzer": "named"}}}`), true},
		{"closed and opened", reopened(nothing), true},
		{"other inline synonyms", reopened(put("/_settings", `{"index.analysis.filter.syn.synonyms": ["tv, telly"]}`)), false},
		{"an alias", func(t *testing.T, index string) {
			testengine.Do(t, "PUT", index+"/_alias/"+path.Base(index)+"-alias", "")
		}, true},
		{"a write block set", put("/_block/write", ""), true},
		{"a write block taken off", put("/_settings", `{"index.blocks.write": null}`), true},
		{"hidden and read_only set", put("/_settings", `{"index.hidden": true, "index.blocks.read_only": true}`), true},
		{"read_only taken off", put("/_settings", `{"index.blocks.read_only": null}`), true},
		{"hidden taken off", put("/_settings", `{"index.hidden": null}`), true},
		{"restored over its closed self", func(t *testing.T, index string) {
			url, name := path.Split(index)
			snapshots := url + "_snapshot/" + name
			testengine.Do(t, "PUT", snapshots, `{"type": "fs", "settings": {"location": "`+name+`"}}`)
			defer testengine.Do(t, "DELETE", snapshots, "")
			testengine.Do(t, "PUT", snapshots+"/one?wait_for_completion=true", `{"indices": "`+name+`"}`)
			defer testengine.Do(t, "DELETE", snapshots+"/one", "")
			testengine.Do(t, "POST", index+"/_close", "")
			testengine.Do(t, "POST", snapshots+"/one/_restore?wait_for_completion=true", `{"indices": "`+name+`"}`)
		}, false},
	}
	testengine.Each(t, func(t *testing.T, _, url string) {
		c := newClient(t, url)
		index := testengine.Index(t, url, "fingerprint", fingerprintIndex)
		fill(t, url, index)
		before := settled(t, c, index)
		for _, step := range steps {
			step.change(t, url+"/"+index)
			after := settled(t, c, index)
			if got := before.Equal(after); got != step.same {
				t.Errorf("%s: same = %v, want %v\nbefore %+v\nafter  %+v", step.name, got, step.same, before, after)
			}
			before = after
		}
	})
}

// An index that was deleted and made anew with the same documents is another one.
func TestRealFingerprintOfAnIndexMadeAnew(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, _, url string) {
		c := newClient(t, url)
		index := testengine.Index(t, url, "fingerprint", fingerprintIndex)
		fill(t, url, index)
		before := settled(t, c, index)
		testengine.Remove(t, url, index)
		testengine.Create(t, url, index, fingerprintIndex)
		fill(t, url, index)
		if after := settled(t, c, index); before.Equal(after) {
			t.Errorf("same fingerprint: %+v", after)
		}
	})
}

func fill(t *testing.T, url, index string) {
	t.Helper()
	var lines strings.Builder
	for i, name := range []string{"red shoe", "blue shoe", "television"} {
		fmt.Fprintf(&lines, "{\"index\": {\"_id\": \"%d\"}}\n{\"name\": %q}\n", i+1, name)
	}
	if answer := testengine.Do(t, "POST", url+"/"+index+"/_bulk?refresh=true", lines.String()); !strings.Contains(answer, `"errors":false`) {
		t.Fatal(answer)
	}
}

// settled reads the fingerprint once the shards are ready.
func settled(t *testing.T, c *engine.Client, index string) engine.Fingerprint {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		f, err := c.FullFingerprint(t.Context(), index)
		if err == nil {
			return f
		}
		if time.Now().After(deadline) || !errors.Is(err, engine.ErrNotSettled) && !engine.IsUnavailable(err) {
			t.Fatal(err)
		}
	}
}

func TestRealFingerprintOfAnEmptyIndex(t *testing.T) {
	t.Parallel()
	testengine.Each(t, func(t *testing.T, _, url string) {
		index := testengine.Index(t, url, "fingerprint", "")
		f := settled(t, newClient(t, url), index)
		if f.Docs != 0 || len(f.Shards) != 1 || f.Shards[0].MaxSeqNo != -1 || f.Shards[0].HistoryUUID == "" {
			t.Errorf("fingerprint = %+v", f)
		}
	})
}

// A node that stops, starts again and recovers its shards.
func TestRealFingerprintSurvivesARestart(t *testing.T) {
	t.Parallel()
	script := os.Getenv(envSearchnode)
	if script == "" {
		t.Skipf("This test restarts a node of its own: set %s to the path of hack/searchnode/searchnode.", envSearchnode)
	}
	for _, name := range []string{"elasticsearch", "elasticsearch9", "opensearch"} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			port := freePort(t)
			run := func(args ...string) string {
				t.Helper()
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
				defer cancel()
				command := exec.CommandContext(ctx, script, append(args, "--engine", name, "--port", port)...)
				var failure strings.Builder
				command.Stderr = &failure
				out, err := command.Output()
				if command.ProcessState != nil && command.ProcessState.ExitCode() == 3 {
					testengine.LacksJDK(t, name)
				}
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, failure.String())
				}
				lines := strings.Split(strings.TrimSpace(string(out)), "\n")
				return lines[len(lines)-1]
			}
			start := func() string { return run("start", "--data", data) }

			url := start()
			defer run("stop")
			index := "fingerprint"
			testengine.Create(t, url, index, fingerprintIndex)
			fill(t, url, index)
			testengine.Do(t, "DELETE", url+"/"+index+"/_doc/1?refresh=true", "")
			before := settled(t, newClient(t, url), index)
			run("stop")
			after := settled(t, newClient(t, start()), index)
			if !before.Equal(after) {
				t.Errorf("before %+v\nafter  %+v", before, after)
			}
		})
	}
}

// freePort is a port that nobody listens on; the node must come back on the same.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		t.Fatal(err)
	}
	return port
}
