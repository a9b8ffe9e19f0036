package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

const documents = 10_000

// words make up documents and queries. A small vocabulary gives every query
// hits, as in a real shop.
func words(random *rand.Rand, n int) string {
	var text []string
	for range n {
		// Few words are common and most are rare, roughly as in language.
		rank := int(random.ExpFloat64() * 120)
		text = append(text, fmt.Sprintf("w%d", rank))
	}
	return strings.Join(text, " ")
}

// load fills an index with the same documents every time.
func load(ctx context.Context, url, index string) error {
	random := rand.New(rand.NewPCG(1, 2))
	var bulk bytes.Buffer
	for i := range documents {
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"d%d\"}}\n{\"title\":%q,\"text\":%q}\n", i, words(random, 5), words(random, 40))
	}
	return loadTexts(ctx, url, index, bulk.Bytes())
}

// loadTexts makes the index anew and fills it with documents that have a title and a text.
func loadTexts(ctx context.Context, url, index string, bulk []byte) error {
	_ = call(ctx, http.MethodDelete, url+"/"+index, nil) // may not exist
	settings := `{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{"title":{"type":"text"},"text":{"type":"text"}}}}`
	if err := call(ctx, http.MethodPut, url+"/"+index, []byte(settings)); err != nil {
		return err
	}
	return call(ctx, http.MethodPost, url+"/"+index+"/_bulk?refresh=true", bulk)
}

// shop is the made-up collection with that many queries.
func shop(queries, rounds int) collection {
	return collection{
		what:   fmt.Sprintf("%d made-up queries", queries),
		load:   load,
		rounds: rounds,
		golden: func(dir string) ([]string, error) {
			set, err := goldenSet(queries)
			if err != nil {
				return nil, err
			}
			file := filepath.Join(dir, "golden.json")
			return []string{file}, os.WriteFile(file, set, 0o600)
		},
	}
}

// goldenSet has that many queries with ten judgments each.
func goldenSet(queries int) ([]byte, error) {
	random := rand.New(rand.NewPCG(3, 4))
	type judgment struct {
		ID    string `json:"id"`
		Grade int    `json:"grade"`
		Why   string `json:"why"`
	}
	type query struct {
		ID        string     `json:"id"`
		Query     string     `json:"query"`
		Judgments []judgment `json:"judgments"`
	}
	set := map[string]any{"schema": "relevancegate.dev/golden/v1", "name": "bench"}
	var all []query
	for i := range queries {
		q := query{ID: fmt.Sprintf("q%d", i), Query: words(random, 3)}
		for _, document := range random.Perm(documents)[:10] {
			q.Judgments = append(q.Judgments, judgment{fmt.Sprintf("d%d", document), 1 + random.IntN(3), "made up"})
		}
		all = append(all, q)
	}
	set["queries"] = all
	return json.Marshal(set)
}

// twoMetrics is what most gates ask for.
const twoMetrics = `
    - {name: ndcg@10, min: "0"}
    - {name: recall@50}`

// gate has places for its namespace, the engine's URL and the metrics.
const gate = `apiVersion: relevancegate.dev/v1alpha1
kind: RelevanceGate
metadata: {name: bench, namespace: %s}
spec:
  engine: {url: %q}
  alias: bench
  candidate: {index: bench-v2}
  goldenSet: {configMapRef: {name: bench, key: golden.json}, maxGrade: 4}
  search:
    body: {query: {multi_match: {query: "{{query}}", fields: ["title^2", "text"]}}}
  metrics: %s
  promotion: {policy: "Off"}
  evaluation: {repeats: 1, settleSeconds: 0, pollSeconds: 5}
`

// call sends a request and fails on anything but success.
func call(ctx context.Context, method, url string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 || bytes.Contains(answer[:min(len(answer), 200)], []byte(`"errors":true`)) {
		return fmt.Errorf("%s %s: %s: %.300s", method, url, response.Status, answer)
	}
	return nil
}
