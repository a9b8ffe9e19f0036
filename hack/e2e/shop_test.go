package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// A small shop: each document is found by its own words, so the right ranking
// is known.
var shop = []string{
	"red running shoes", "blue running shoes", "waterproof hiking boots", "leather office shoes",
	"steel water bottle", "insulated coffee mug", "cast iron frying pan", "bamboo cutting board",
}

const searchBody = `{"query":{"match":{"title":{"query":"{{query}}","operator":"and"}}}}`

// golden judges every document for its own title, and those that share words.
// Each query has one document of grade 3; a negative finds nothing.
func golden() string {
	type judgment struct {
		ID    string `json:"id"`
		Grade int    `json:"grade"`
		Why   string `json:"why"`
	}
	type query struct {
		ID              string     `json:"id"`
		Query           string     `json:"query"`
		ExpectNoResults bool       `json:"expectNoResults,omitempty"`
		Judgments       []judgment `json:"judgments,omitempty"`
	}
	var queries []query
	for i, title := range shop {
		queries = append(queries, query{ID: fmt.Sprintf("q%d", i), Query: title, Judgments: []judgment{{fmt.Sprint(i), 3, "exactly that"}}})
	}
	queries = append(queries, query{ID: "negative", Query: "tractor", ExpectNoResults: true})
	raw, err := json.Marshal(map[string]any{"schema": "relevancegate.dev/golden/v1", "name": "e2e", "queries": queries})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// wrongGolden asks for documents that the searches cannot find.
func wrongGolden() string {
	return strings.ReplaceAll(golden(), `"id":"0","grade":3`, `"id":"7","grade":3`)
}

// makeIndex fills an index with the shop. A bad one has lost the last word of
// every other title, as a build that cuts a field short would.
func makeIndex(t *testing.T, index string, bad bool) {
	t.Helper()
	must(t, request(t.Context(), http.MethodPut, "/"+index, `{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"title":{"type":"text"}}}}`))
	var bulk strings.Builder
	for i, title := range shop {
		if bad && i%2 == 1 {
			title = title[:strings.LastIndex(title, " ")]
		}
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"%d\"}}\n{\"title\":%q}\n", i, title)
	}
	must(t, request(t.Context(), http.MethodPost, "/"+index+"/_bulk?refresh=true", bulk.String()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		// A lock may be left on it by a test that failed.
		_ = request(ctx, http.MethodPut, "/"+index+"/_settings", `{"index.blocks.read_only":null}`)
		_ = request(ctx, http.MethodDelete, "/"+index, "")
	})
}

func makeAlias(t *testing.T, alias, index string) {
	t.Helper()
	must(t, request(t.Context(), http.MethodPut, "/"+index+"/_alias/"+alias, ""))
}

// pointsAt reads the index that the alias points at, past the operator.
func pointsAt(ctx context.Context, alias string) (string, error) {
	client, err := engine.New(engine.Config{URL: engineAddress})
	if err != nil {
		return "", err
	}
	defer client.Close()
	members, err := client.Alias(ctx, alias)
	if err != nil {
		return "", err
	}
	var names []string
	for _, member := range members {
		names = append(names, member.Index)
	}
	return strings.Join(names, ","), nil
}

// blocks reads the blocks of an index.
func blocks(ctx context.Context, index string) (engine.Blocks, error) {
	client, err := engine.New(engine.Config{URL: engineAddress})
	if err != nil {
		return engine.Blocks{}, err
	}
	defer client.Close()
	settings, err := client.Settings(ctx, index)
	return settings[index].Blocks, err
}

// write indexes one document.
func write(ctx context.Context, index, id, title string) error {
	return request(ctx, http.MethodPut, "/"+index+"/_doc/"+id, fmt.Sprintf(`{"title":%q}`, title))
}

// request sends one call to the engine.
func request(ctx context.Context, method, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, engineAddress+path, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	return nil
}
