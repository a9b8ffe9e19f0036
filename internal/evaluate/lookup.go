package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

// lookupSize is how many documents one search looks up.
const lookupSize = 1_000

// Lookup says where documents are looked up by their ids.
type Lookup struct {
	Index         string // a concrete index
	IDField       string // the field that holds the ids; "_id" or empty for the engine's own
	Preference    string
	MaxConcurrent int
}

// Missing returns the ids, of those given, that no document of the index has, in
// the order given. An error means that it cannot be told.
func (l Lookup) Missing(ctx context.Context, c *engine.Client, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var bodies []json.RawMessage
	for chunk := range slices.Chunk(ids, lookupSize) {
		body, err := json.Marshal(map[string]any{"query": l.query(chunk)})
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
	results, err := c.MultiSearch(ctx, engine.MultiSearch{
		Index:         l.Index,
		Preference:    l.Preference,
		IDField:       l.IDField,
		Size:          lookupSize + 1,
		MaxConcurrent: max(1, l.MaxConcurrent),
	}, bodies)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, result := range results {
		if result.Err != nil {
			return nil, result.Err
		}
		// A full page may hide documents behind copies of others.
		if len(result.Hits) > lookupSize {
			return nil, fmt.Errorf("index %s: more documents than ids were found, so several have the same %s", l.Index, l.IDField)
		}
		for _, hit := range result.Hits {
			found[hit.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return found[id] }), nil
}

func (l Lookup) query(ids []string) map[string]any {
	if l.IDField != "" && l.IDField != "_id" {
		return map[string]any{"terms": map[string]any{l.IDField: ids}}
	}
	return map[string]any{"ids": map[string]any{"values": ids}}
}
