package testengine

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// EachAndFake is Each with the fake engine ("fake") as one more, which is always
// there. What a test proves on the fake it should prove on real engines too.
func EachAndFake(t *testing.T, test func(t *testing.T, name, url string)) {
	t.Helper()
	t.Run("fake", func(t *testing.T) {
		t.Parallel()
		test(t, "fake", Fake(t))
	})
	if os.Getenv(Env) != "" {
		Each(t, test)
	}
}

// Fake starts an engine in memory and returns its URL. It knows as much of indices,
// documents, settings, blocks and aliases as the swap of an alias needs, and
// nothing of searching. Its answers are those of Elasticsearch 7.17.
func Fake(t *testing.T) string {
	t.Helper()
	return SearchingFake(t, nil)
}

// SearchingFake is a Fake that finds what search says.
func SearchingFake(t *testing.T, search Search) string {
	t.Helper()
	server := httptest.NewServer(NewFake(search))
	t.Cleanup(server.Close)
	return server.URL
}

// NewFake is the engine of SearchingFake, for whoever serves it.
func NewFake(search Search) http.Handler {
	return &fake{cluster: rand.Text(), indices: map[string]*fakeIndex{}, search: search}
}

type fake struct {
	search  Search
	mu      sync.Mutex
	cluster string
	indices map[string]*fakeIndex
}

type fakeIndex struct {
	settings map[string]any
	mapping  map[string]any
	aliases  map[string]map[string]any
	docs     map[string]bool
	history  string
	seqNo    int
}

func (i *fakeIndex) is(setting string) bool { return fmt.Sprint(i.settings[setting]) == "true" }

// fakeError is an engine's error.
type fakeError struct {
	status       int
	kind, reason string
}

func missing(name string) *fakeError {
	return &fakeError{404, "index_not_found_exception", "no such index [" + name + "]"}
}

func blocked(name, by string) *fakeError {
	return &fakeError{403, "cluster_block_exception", "index [" + name + "] blocked by: [" + by + "];"}
}

const (
	byReadOnly = "FORBIDDEN/5/index read-only (api)"
	byWrite    = "FORBIDDEN/8/index write (api)"
)

type object = map[string]any

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_msearch" && f.search != nil {
		f.multiSearch(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	body := object{}
	_ = json.NewDecoder(r.Body).Decode(&body)
	answer, failure := f.route(r.Method, strings.Split(strings.Trim(r.URL.Path, "/"), "/"), body)
	w.Header().Set("Content-Type", "application/json")
	if failure != nil {
		w.WriteHeader(failure.status)
		answer = object{"status": failure.status, "error": object{"type": failure.kind, "reason": failure.reason}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

var acknowledged = object{"acknowledged": true}

func (f *fake) route(method string, path []string, body object) (any, *fakeError) {
	name := path[0]
	switch {
	case name == "":
		return object{"cluster_uuid": f.cluster, "tagline": "You Know, for Search", "version": object{"number": "7.17.29"}}, nil
	case name == "_aliases":
		return f.updateAliases(body)
	case name == "_cluster": // _cluster/health/{index}
		return f.health(path[2])
	case len(path) == 1 && method == http.MethodPut:
		return f.create(name, body)
	case len(path) == 1 && method == http.MethodDelete:
		return f.delete(name)
	}
	found := f.resolve(name)
	if len(found) == 0 {
		return nil, missing(name)
	}
	return f.routeIndex(method, path, found, body)
}

// routeIndex answers what is asked of the indices that the path's name stands for.
func (f *fake) routeIndex(method string, path, found []string, body object) (any, *fakeError) {
	index := f.indices[found[0]]
	switch path[1] + " " + method {
	case "_settings GET":
		return f.each(found, func(i *fakeIndex) object { return object{"settings": i.settings} }), nil
	case "_settings PUT":
		return f.putSettings(found[0], body)
	case "_alias GET":
		return f.each(found, func(i *fakeIndex) object { return object{"aliases": i.aliases} }), nil
	case "_alias PUT":
		index.aliases[path[2]] = object{}
		return acknowledged, nil
	case "_mapping GET":
		return f.each(found, func(i *fakeIndex) object { return object{"mappings": i.mapping} }), nil
	case "_mapping PUT":
		for key, value := range body {
			index.mapping[key] = value
		}
		return acknowledged, nil
	case "_block PUT":
		return f.blockWrite(found[0])
	case "_doc PUT", "_doc DELETE":
		return f.write(found[0], path[2], method == http.MethodPut)
	case "_count GET", "_count POST":
		return object{"count": len(index.docs), "_shards": object{"total": 1, "successful": 1, "failed": 0}}, nil
	case "_refresh POST":
		return object{"_shards": object{"total": 1, "successful": 1, "failed": 0}}, nil
	case "_stats GET":
		return f.stats(found[0]), nil
	}
	return nil, &fakeError{400, "illegal_argument_exception", "the fake engine does not know " + method + " " + strings.Join(path, "/")}
}

// resolve lists the indices that a name stands for.
func (f *fake) resolve(name string) []string {
	if f.indices[name] != nil {
		return []string{name}
	}
	var found []string
	for index, i := range f.indices {
		if i.aliases[name] != nil {
			found = append(found, index)
		}
	}
	slices.Sort(found)
	return found
}

func (f *fake) each(names []string, show func(*fakeIndex) object) object {
	answer := object{}
	for _, name := range names {
		answer[name] = show(f.indices[name])
	}
	return answer
}

func (f *fake) create(name string, body object) (any, *fakeError) {
	if len(f.resolve(name)) > 0 {
		return nil, &fakeError{400, "resource_already_exists_exception", name}
	}
	index := &fakeIndex{
		settings: object{"index.uuid": rand.Text(), "index.number_of_shards": "1", "index.number_of_replicas": "1"},
		mapping:  object{}, aliases: map[string]map[string]any{}, docs: map[string]bool{}, history: rand.Text(), seqNo: -1,
	}
	if settings, ok := body["settings"].(object); ok {
		for key, value := range settings {
			index.settings["index."+key] = fmt.Sprint(value)
		}
	}
	if aliases, ok := body["aliases"].(object); ok {
		for alias := range aliases {
			index.aliases[alias] = object{}
		}
	}
	f.indices[name] = index
	return acknowledged, nil
}

func (f *fake) delete(name string) (any, *fakeError) {
	index := f.indices[name]
	switch {
	case index == nil && len(f.resolve(name)) > 0:
		return nil, &fakeError{400, "illegal_argument_exception", "The provided expression [" + name + "] matches an alias"}
	case index == nil:
		return nil, missing(name)
	case index.is("index.blocks.read_only"):
		return nil, blocked(name, byReadOnly)
	}
	delete(f.indices, name)
	return acknowledged, nil
}

func (f *fake) putSettings(name string, changes object) (any, *fakeError) {
	index := f.indices[name]
	_, lifts := changes["index.blocks.read_only"]
	if index.is("index.blocks.read_only") && (!lifts || len(changes) > 1) {
		return nil, blocked(name, byReadOnly)
	}
	for key, value := range changes {
		if value == nil {
			delete(index.settings, key)
		} else {
			index.settings[key] = fmt.Sprint(value)
		}
	}
	return acknowledged, nil
}

func (f *fake) blockWrite(name string) (any, *fakeError) {
	index := f.indices[name]
	if index.is("index.blocks.read_only") {
		return nil, blocked(name, byReadOnly)
	}
	if index.is("index.blocks.write") {
		return object{"acknowledged": true, "shards_acknowledged": false, "indices": []any{}}, nil
	}
	index.settings["index.blocks.write"] = "true"
	return object{"acknowledged": true, "shards_acknowledged": true, "indices": []any{object{"name": name, "blocked": true}}}, nil
}

func (f *fake) write(name, id string, put bool) (any, *fakeError) {
	index := f.indices[name]
	switch {
	case index.is("index.blocks.read_only"):
		return nil, blocked(name, byReadOnly)
	case index.is("index.blocks.write"):
		return nil, blocked(name, byWrite)
	}
	index.seqNo++
	if put {
		index.docs[id] = true
	} else {
		delete(index.docs, id)
	}
	return object{"result": "done"}, nil
}

func (f *fake) stats(name string) object {
	index := f.indices[name]
	shard := object{
		"routing": object{"primary": true},
		"commit":  object{"user_data": object{"history_uuid": index.history}},
		"seq_no":  object{"max_seq_no": index.seqNo, "local_checkpoint": index.seqNo, "global_checkpoint": index.seqNo},
	}
	return object{
		"_shards": object{"total": 1, "successful": 1, "failed": 0},
		"indices": object{name: object{"uuid": index.settings["index.uuid"], "shards": object{"0": []any{shard}}}},
	}
}

func (f *fake) health(name string) (any, *fakeError) {
	index := f.indices[name]
	switch {
	case index == nil:
		return object{"status": "red"}, nil
	case index.settings["index.number_of_replicas"] == "0":
		return object{"status": "green"}, nil
	}
	return object{"status": "yellow"}, nil
}

// updateAliases checks every action before it carries out any.
func (f *fake) updateAliases(body object) (any, *fakeError) {
	actions, _ := body["actions"].([]any)
	for _, carryOut := range []bool{false, true} {
		for _, action := range actions {
			kinds, _ := action.(object)
			for kind, raw := range kinds {
				detail, _ := raw.(object)
				if failure := f.aliasAction(kind, detail, carryOut); failure != nil {
					return nil, failure
				}
			}
		}
	}
	return acknowledged, nil
}

func (f *fake) aliasAction(kind string, detail object, carryOut bool) *fakeError {
	name, alias := fmt.Sprint(detail["index"]), fmt.Sprint(detail["alias"])
	index := f.indices[name]
	switch {
	case index == nil:
		return missing(name)
	case index.is("index.blocks.read_only"):
		return blocked(name, byReadOnly)
	case kind == "remove" && !carryOut && detail["must_exist"] == true && index.aliases[alias] == nil:
		return &fakeError{404, "resource_not_found_exception", "required alias [" + alias + "] does not exist"}
	case !carryOut:
		return nil
	case kind == "remove":
		delete(index.aliases, alias)
	case kind == "add":
		delete(detail, "index")
		delete(detail, "alias")
		if routing, ok := detail["routing"]; ok {
			detail["index_routing"], detail["search_routing"] = routing, routing
			delete(detail, "routing")
		}
		index.aliases[alias] = detail
	}
	return nil
}
