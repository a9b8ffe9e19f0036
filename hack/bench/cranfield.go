package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// cranfield is the real collection in the folder of test data: 1,400 abstracts and
// 225 queries.
func cranfield(data string, rounds int) collection {
	folder := filepath.Join(data, "cranfield")
	return collection{
		what:   "225 Cranfield queries",
		rounds: rounds,
		load: func(ctx context.Context, engine, index string) error {
			raw, err := os.ReadFile(filepath.Join(folder, "docs.jsonl"))
			if err != nil {
				return err
			}
			var bulk bytes.Buffer
			for line := range bytes.Lines(raw) {
				var document struct {
					ID string `json:"id"`
				}
				if err := json.Unmarshal(line, &document); err != nil {
					return fmt.Errorf("docs.jsonl: %w", err)
				}
				fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n%s\n", document.ID, bytes.TrimSpace(line))
			}
			return loadTexts(ctx, engine, index, bulk.Bytes())
		},
		golden: func(string) ([]string, error) {
			return []string{filepath.Join(folder, "queries.jsonl"), filepath.Join(folder, "qrels.txt")}, nil
		},
	}
}
