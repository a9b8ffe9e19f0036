package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// BenchmarkMultiSearch reads what an engine answers to one `_msearch` of a
// measurement: 64 searches with 51 hits each, as Elasticsearch 7.17 writes them.
func BenchmarkMultiSearch(b *testing.B) {
	const searches, hits = 64, 51
	var list []string
	for i := range hits {
		list = append(list, fmt.Sprintf(`{"_index":"products-v1","_type":"_doc","_id":"d%d","_score":%.6f}`, i*197, 20-float64(i)/7))
	}
	item := fmt.Sprintf(`{"took":2,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},`+
		`"hits":{"total":{"value":8123,"relation":"eq"},"max_score":20.0,"hits":[%s]},"status":200}`, strings.Join(list, ","))
	c, err := New(Config{URL: "http://engine.example:9200", Transport: always(responses(slices.Repeat([]string{item}, searches)...))})
	if err != nil {
		b.Fatal(err)
	}
	body := json.RawMessage(`{"query":{"multi_match":{"query":"red running shoes","fields":["title^2","text"]}}}`)
	queries := make([]json.RawMessage, searches)
	for i := range queries {
		queries[i] = body
	}
	b.ReportAllocs()
	for b.Loop() {
		results, err := c.MultiSearch(b.Context(), MultiSearch{Index: "products-v1", Preference: "gate", Size: hits}, queries)
		if err != nil || len(results) != searches || len(results[searches-1].Hits) != hits {
			b.Fatalf("%d results, %v", len(results), err)
		}
	}
}
