package testengine

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
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
// nothing of searching. Its answers are those of Elasticsearch 7.17, but where
// OpenSearch is stricter: under read_only no other setting is changed.
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
func NewFake(search Search) *Cluster { return NewCluster(search, rand.Text) }

// NewCluster is NewFake with UUIDs that id makes up, for tests that are repeated.
func NewCluster(search Search, id func() string) *Cluster {
	return &Cluster{uuid: id(), id: id, indices: map[string]*fakeIndex{}, search: search}
}

// Cluster is an engine in memory.
type Cluster struct {
	search  Search
	id      func() string
	mu      sync.Mutex
	uuid    string
	indices map[string]*fakeIndex
}

type fakeIndex struct {
	settings map[string]any
	mapping  map[string]any
	aliases  map[string]map[string]any
	docs     map[string]object // as written
	shown    map[string]object // as of the last refresh, which is what searches see
	history  string
	seqNo    int
}

func (i *fakeIndex) is(setting string) bool { return fmt.Sprint(i.settings[setting]) == "true" }

// refresh shows what was written.
func (i *fakeIndex) refresh() { i.shown = maps.Clone(i.docs) }

// State is an index of a Cluster as it is at this moment.
type State struct {
	UUID    string
	Aliases []string // sorted
	Blocks  []string // those of write, read_only and hidden that are set
	Docs    map[string]map[string]any
	Shown   map[string]map[string]any // what searches see of Docs
	SeqNo   int
	Mapping string
}

// Look tells how an index is, and whether it exists.
func (f *Cluster) Look(name string) (State, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	index := f.indices[name]
	if index == nil {
		return State{}, false
	}
	state := State{
		UUID: fmt.Sprint(index.settings["index.uuid"]), Docs: maps.Clone(index.docs), Shown: maps.Clone(index.shown), SeqNo: index.seqNo,
		Aliases: slices.Sorted(maps.Keys(index.aliases)), Mapping: fmt.Sprint(index.mapping),
	}
	for _, block := range []string{"write", "read_only"} {
		if index.is("index.blocks." + block) {
			state.Blocks = append(state.Blocks, block)
		}
	}
	if index.is("index.hidden") {
		state.Blocks = append(state.Blocks, "hidden")
	}
	return state, true
}

// Members are the indices that an alias points at, sorted.
func (f *Cluster) Members(alias string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.members(alias)
}

// UUID is that of the cluster.
func (f *Cluster) UUID() string { return f.uuid }

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

func (f *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_msearch" && f.search != nil {
		f.multiSearch(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	body := object{}
	_ = json.NewDecoder(r.Body).Decode(&body)
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	answer, failure := f.route(r.Method, parts, body)
	if failure == nil && r.URL.Query().Get("refresh") == "true" {
		f.indices[f.resolve(parts[0])[0]].refresh()
	}
	w.Header().Set("Content-Type", "application/json")
	if failure != nil {
		w.WriteHeader(failure.status)
		answer = object{"status": failure.status, "error": object{"type": failure.kind, "reason": failure.reason}}
	}
	if written, ok := answer.(object); ok && written["result"] == "created" {
		w.WriteHeader(http.StatusCreated)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

var acknowledged = object{"acknowledged": true}

func (f *Cluster) route(method string, path []string, body object) (any, *fakeError) {
	name := path[0]
	switch {
	case name == "":
		return object{"cluster_uuid": f.uuid, "tagline": "You Know, for Search", "version": object{"number": "7.17.29"}}, nil
	case name == "_aliases":
		return f.updateAliases(body)
	case len(path) == 3 && path[1] == "_alias" && method != http.MethodGet:
		return f.oneAlias(method, name, path[2], body)
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
func (f *Cluster) routeIndex(method string, path, found []string, body object) (any, *fakeError) {
	index := f.indices[found[0]]
	switch path[1] + " " + method {
	case "_settings GET":
		return f.each(found, func(i *fakeIndex) object { return object{"settings": i.settings} }), nil
	case "_settings PUT":
		return f.putSettings(found[0], body)
	case "_alias GET":
		return f.each(found, func(i *fakeIndex) object { return object{"aliases": i.aliases} }), nil
	case "_mapping GET":
		return f.each(found, func(i *fakeIndex) object { return object{"mappings": i.mapping} }), nil
	case "_mapping PUT":
		for key, value := range body {
			index.mapping[key] = value
		}
		return acknowledged, nil
	case "_block PUT":
		return f.blockWrite(found[0])
	case "_close POST":
		index.settings["index.verified_before_close"] = "true"
		return acknowledged, nil
	case "_open POST":
		delete(index.settings, "index.verified_before_close")
		return acknowledged, nil
	case "_doc PUT", "_doc DELETE":
		return f.write(found[0], path[2], method == http.MethodPut, body)
	case "_count GET", "_count POST":
		return object{"count": len(index.shown), "_shards": object{"total": 1, "successful": 1, "failed": 0}}, nil
	case "_refresh POST":
		index.refresh()
		return object{"_shards": object{"total": 1, "successful": 1, "failed": 0}}, nil
	case "_stats GET":
		return f.stats(found[0]), nil
	}
	return nil, &fakeError{400, "illegal_argument_exception", "the fake engine does not know " + method + " " + strings.Join(path, "/")}
}

// resolve lists the indices that a name stands for.
func (f *Cluster) resolve(name string) []string {
	if f.indices[name] != nil {
		return []string{name}
	}
	return f.members(name)
}

func (f *Cluster) members(alias string) []string {
	var found []string
	for name, index := range f.indices {
		if index.aliases[alias] != nil {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func (f *Cluster) each(names []string, show func(*fakeIndex) object) object {
	answer := object{}
	for _, name := range names {
		answer[name] = show(f.indices[name])
	}
	return answer
}

func (f *Cluster) create(name string, body object) (any, *fakeError) {
	if len(f.resolve(name)) > 0 {
		return nil, &fakeError{400, "resource_already_exists_exception", name}
	}
	index := &fakeIndex{
		settings: object{"index.uuid": f.id(), "index.number_of_shards": "1", "index.number_of_replicas": "1"},
		mapping:  object{}, aliases: map[string]map[string]any{}, docs: map[string]object{}, shown: map[string]object{},
		history: f.id(), seqNo: -1,
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

func (f *Cluster) delete(name string) (any, *fakeError) {
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

func (f *Cluster) putSettings(name string, changes object) (any, *fakeError) {
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

func (f *Cluster) blockWrite(name string) (any, *fakeError) {
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

// write writes or deletes a document. Without a refresh interval it shows at once,
// which is after a second on a real engine.
func (f *Cluster) write(name, id string, put bool, document object) (any, *fakeError) {
	index := f.indices[name]
	switch {
	case index.is("index.blocks.read_only"):
		return nil, blocked(name, byReadOnly)
	case index.is("index.blocks.write"):
		return nil, blocked(name, byWrite)
	}
	index.seqNo++
	result := "updated"
	switch {
	case !put:
		result = "deleted"
		delete(index.docs, id)
	case index.docs[id] == nil:
		result = "created"
		fallthrough
	default:
		index.docs[id] = document
	}
	if index.settings["index.refresh_interval"] != "-1" {
		index.refresh()
	}
	return object{"result": result}, nil
}

func (f *Cluster) stats(name string) object {
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

func (f *Cluster) health(name string) (any, *fakeError) {
	index := f.indices[name]
	switch {
	case index == nil:
		return object{"status": "red"}, nil
	case index.settings["index.number_of_replicas"] == "0":
		return object{"status": "green"}, nil
	}
	return object{"status": "yellow"}, nil
}

// aliasAction is one action of _aliases on one index.
type aliasAction struct {
	kind, index, alias string
	mustExist          bool
	properties         object
	// byName: the index was named, and not matched by a wildcard. Only then the
	// engine looks at its blocks.
	byName bool
}

// updateAliases checks every action before it carries out any.
func (f *Cluster) updateAliases(body object) (any, *fakeError) {
	var actions []aliasAction
	list, _ := body["actions"].([]any)
	for _, each := range list {
		kinds, _ := each.(object)
		for kind, raw := range kinds {
			detail, _ := raw.(object)
			read, failure := f.readAction(kind, detail)
			if failure != nil {
				return nil, failure
			}
			actions = append(actions, read...)
		}
	}
	return f.carryOut(actions)
}

// oneAlias is PUT or DELETE /{index}/_alias/{alias}.
func (f *Cluster) oneAlias(method, index, alias string, properties object) (any, *fakeError) {
	kind := "add"
	if method == http.MethodDelete {
		kind = "remove"
	}
	properties["index"], properties["alias"] = index, alias
	actions, failure := f.readAction(kind, properties)
	if failure != nil {
		return nil, failure
	}
	return f.carryOut(actions)
}

// readAction makes one action for each index that is meant.
func (f *Cluster) readAction(kind string, detail object) ([]aliasAction, *fakeError) {
	pattern, alias := fmt.Sprint(detail["index"]), fmt.Sprint(detail["alias"])
	action := aliasAction{kind: kind, alias: alias, mustExist: detail["must_exist"] == true, properties: detail}
	delete(detail, "index")
	delete(detail, "alias")
	if pattern == "_all" {
		pattern = "*"
	}
	if !strings.Contains(pattern, "*") {
		action.byName = true
		action.index = pattern
		if f.indices[pattern] == nil {
			return nil, missing(pattern)
		}
		return []aliasAction{action}, nil
	}
	var actions []aliasAction
	for _, name := range slices.Sorted(maps.Keys(f.indices)) {
		if matched, _ := path.Match(pattern, name); matched && !f.indices[name].is("index.hidden") {
			action.index, action.properties = name, maps.Clone(detail)
			actions = append(actions, action)
		}
	}
	if len(actions) == 0 {
		return nil, missing(pattern)
	}
	return actions, nil
}

func (f *Cluster) carryOut(actions []aliasAction) (any, *fakeError) {
	hits := 0
	for _, action := range actions {
		applies, failure := f.check(action)
		if failure != nil {
			return nil, failure
		}
		if applies {
			hits++
		}
	}
	if hits == 0 {
		return nil, &fakeError{404, "aliases_not_found_exception", "aliases [" + actions[0].alias + "] missing"}
	}
	for _, action := range actions {
		index := f.indices[action.index]
		switch action.kind {
		case "remove":
			delete(index.aliases, action.alias)
		case "remove_index":
			delete(f.indices, action.index)
		case "add":
			index.aliases[action.alias] = properties(action.properties)
		}
	}
	return acknowledged, nil
}

// check tells whether an action would change anything. A remove without must_exist
// that would not is left out, and the others are carried out.
func (f *Cluster) check(action aliasAction) (applies bool, failure *fakeError) {
	index := f.indices[action.index]
	there := index.aliases[action.alias] != nil
	switch {
	case action.byName && index.is("index.blocks.read_only"):
		return false, blocked(action.index, byReadOnly)
	case action.kind == "add" && f.indices[action.alias] != nil:
		return false, &fakeError{400, "invalid_alias_name_exception", "Invalid alias name [" + action.alias + "]: an index or data stream exists with the same name as the alias"}
	case action.kind == "remove" && !there && action.mustExist:
		return false, &fakeError{404, "resource_not_found_exception", "required alias [" + action.alias + "] does not exist"}
	}
	return action.kind != "remove" || there, nil
}

// properties are an alias's as the engine shows them.
func properties(given object) object {
	if routing, ok := given["routing"]; ok {
		given["index_routing"], given["search_routing"] = routing, routing
		delete(given, "routing")
	}
	return given
}
