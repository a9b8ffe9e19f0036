package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

const (
	// The entry in a mapping's _meta that marks an index as the demo's. Others are never deleted.
	markKey = "madeBy"
	mark    = "relevance-gate demo"

	// shopIndices is what the names of the shop's indices begin with.
	shopIndices = "products-"
	// maxAnswer is more than any answer to the shop has.
	maxAnswer = 16 << 20
)

// client asks no proxy: the demo's search node is on this machine.
var client = &http.Client{Transport: &http.Transport{}}

// engine is the search engine; its calls mean the same to Elasticsearch and to
// OpenSearch.
type engine struct{ url string }

// statusError is an answer that is not a success.
type statusError struct {
	call   string
	status int
	answer string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: status %d: %s", e.call, e.status, e.answer)
}

// call sends the body, if there is one, and reads the answer into result,
// unless that is nil.
func (e engine) call(ctx context.Context, method, path string, body []byte, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(e.url, "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	// A bulk request must have this type, and the others may.
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return &statusError{call: method + " " + path, status: response.StatusCode, answer: string(answer[:min(len(answer), 500)])}
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}

// read gets what may not exist; then result stays as it is.
func (e engine) read(ctx context.Context, path string, result any) error {
	err := e.call(ctx, http.MethodGet, path, nil, result)
	var status *statusError
	if errors.As(err, &status) && status.status == http.StatusNotFound {
		return nil
	}
	return err
}

// ours says of each index that matches whether it carries our mark.
func (e engine) ours(ctx context.Context, indices string) (map[string]bool, error) {
	var mappings map[string]struct {
		Mappings struct {
			Meta map[string]any `json:"_meta"`
		} `json:"mappings"`
	}
	if err := e.read(ctx, "/"+indices+"/_mapping?expand_wildcards=all", &mappings); err != nil {
		return nil, err
	}
	marked := map[string]bool{}
	for index, mapping := range mappings {
		marked[index] = mapping.Mappings.Meta[markKey] == mark
	}
	return marked, nil
}

// mustBeOurs refuses an index, or an alias of one, that somebody else made.
func (e engine) mustBeOurs(ctx context.Context, name string) error {
	marked, err := e.ours(ctx, name)
	if err != nil {
		return err
	}
	for index, yes := range marked {
		if !yes {
			return fmt.Errorf("the index %s is not the demo's and stays as it is; use another search engine", index)
		}
	}
	return nil
}

// targets are the indices that the alias points at, in order.
func (e engine) targets(ctx context.Context, alias string) ([]string, error) {
	var found map[string]any
	if err := e.read(ctx, "/_alias/"+alias, &found); err != nil {
		return nil, err
	}
	indices := []string{}
	for index := range found {
		indices = append(indices, index)
	}
	slices.Sort(indices)
	return indices, nil
}

// point makes the alias point at the index and at no other.
func (e engine) point(ctx context.Context, alias, index string) error {
	if err := e.mustBeOurs(ctx, alias); err != nil {
		return err
	}
	before, err := e.targets(ctx, alias)
	if err != nil {
		return err
	}
	type action map[string]map[string]string
	var actions []action
	for _, other := range before {
		if other != index {
			actions = append(actions, action{"remove": {"index": other, "alias": alias}})
		}
	}
	actions = append(actions, action{"add": {"index": index, "alias": alias}})
	body, err := json.Marshal(map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	return e.call(ctx, http.MethodPost, "/_aliases", body, nil)
}

// clear deletes the shop's indices.
func (e engine) clear(ctx context.Context) error {
	marked, err := e.ours(ctx, shopIndices+"*")
	if err != nil {
		return err
	}
	for index, yes := range marked {
		if !yes {
			continue
		}
		if err := e.call(ctx, http.MethodDelete, "/"+index, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
