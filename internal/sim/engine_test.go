package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// aliasName is the alias that the gates guard.
const aliasName = "products"

// engineCall is a request to the engine, read once.
type engineCall struct {
	method, path string
	body         []byte
	op           string // the last word of the API: _settings, _block, _aliases, ...
	index        string // the index or alias that it names
	request      *http.Request
}

func readCall(request *http.Request) *engineCall {
	call := &engineCall{method: request.Method, path: request.URL.Path, request: request}
	if request.Body != nil {
		call.body, _ = io.ReadAll(request.Body)
	}
	parts := strings.Split(strings.Trim(call.path, "/"), "/")
	switch {
	case parts[0] == "_cluster":
		call.op, call.index = "_health", parts[len(parts)-1]
	case strings.HasPrefix(parts[0], "_"):
		call.op = parts[0]
	case len(parts) > 1:
		call.index, call.op = parts[0], parts[1]
	default:
		call.index = parts[0]
	}
	return call
}

func (c *engineCall) String() string { return c.method + " " + c.path + " " + string(c.body) }

// aliasActions are the actions of POST /_aliases.
type aliasActions struct {
	Actions []struct {
		Add *struct {
			Index, Alias string
		}
		Remove *struct {
			Index, Alias string
			MustExist    bool `json:"must_exist"`
		}
	}
}

func (c *engineCall) actions() aliasActions {
	var actions aliasActions
	_ = json.Unmarshal(c.body, &actions)
	return actions
}

// settings are the changes of PUT /{index}/_settings.
func (c *engineCall) settings() map[string]any {
	changes := map[string]any{}
	_ = json.Unmarshal(c.body, &changes)
	return changes
}

// callEngine is a manager's call as it reaches the engine.
func (w *world) callEngine(p *pass, call *engineCall) *http.Response {
	w.seq++
	w.checkCall(p, call)
	return w.carryOut(p, call)
}

// carryOut has the engine do what was sent.
func (w *world) carryOut(p *pass, call *engineCall) *http.Response {
	w.seq++
	before := w.cluster().Members(aliasName)
	response := w.serve(call)
	w.afterCall(p, call, before, response.StatusCode)
	if w.tracing {
		w.tell("    %d. %s: %d", p.calls-1, call, response.StatusCode)
	}
	return response
}

// serve gives the call to the cluster that is behind the URL now.
func (w *world) serve(call *engineCall) *http.Response {
	request := call.request
	request.Body = io.NopCloser(bytes.NewReader(call.body))
	recorder := httptest.NewRecorder()
	w.cluster().ServeHTTP(recorder, request)
	return recorder.Result()
}

// ask sends the engine a request of somebody else's, and tells the status.
func (w *world) ask(method, path string, body any) int {
	w.seq++
	raw := []byte{}
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	before := w.cluster().Members(aliasName)
	request := httptest.NewRequestWithContext(w.ctx, method, path, bytes.NewReader(raw))
	call := readCall(request)
	response := w.serve(call)
	w.afterCall(nil, call, before, response.StatusCode)
	if w.tracing {
		w.tell("      others: %s %s %s: %d", method, path, raw, response.StatusCode)
	}
	return response.StatusCode
}

func errorAnswer(status int, kind string) *http.Response {
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "application/json")
	recorder.WriteHeader(status)
	fmt.Fprintf(recorder, `{"error": {"type": %q, "reason": "simulated"}, "status": %d}`, kind, status)
	return recorder.Result()
}

// find is the engine's search: documents whose name has the word of the query, or
// those with the ids asked for.
func find(cluster func() *testengine.Cluster) testengine.Search {
	return func(index string, body []byte) []testengine.Found {
		var wanted struct {
			Query struct {
				Match struct{ Name string }
				IDs   struct{ Values []string }
			}
		}
		_ = json.Unmarshal(body, &wanted)
		state, _ := cluster().Look(index)
		var found []testengine.Found
		for _, id := range sortedIDs(state.Shown) {
			if slices.Contains(wanted.Query.IDs.Values, id) || wanted.Query.Match.Name != "" && state.Shown[id]["name"] == wanted.Query.Match.Name {
				found = append(found, testengine.Found{ID: id, Score: 1})
			}
		}
		return found
	}
}

// content names exactly what an index holds: no two contents have the same.
func content(state testengine.State) string {
	return fmt.Sprintf("%s/%d/%s", state.UUID, state.SeqNo, state.Mapping)
}

func sortedIDs(docs map[string]map[string]any) []string {
	ids := make([]string, 0, len(docs))
	for id := range docs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
