package testengine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// exchange is one request and what is told of its answer: the status, and after it
// the error's type, or what the answer says about what was asked.
type exchange struct{ request, body, want string }

// The simulation of a gate's life and many tests of the swap believe the fake
// engine, so it has to answer as real ones do. NEW and OLD are indices of the
// test's own, ALIAS is an alias.
func TestTheFakeAnswersAsRealEnginesDo(t *testing.T) {
	t.Parallel()
	const (
		add       = `{"add": {"index": "NEW", "alias": "ALIAS"}}`
		remove    = `{"remove": {"index": "OLD", "alias": "ALIAS"}}`
		mustExist = `{"remove": {"index": "OLD", "alias": "ALIAS", "must_exist": true}}`
		swap      = `{"actions": [` + mustExist + `, ` + add + `]}`
		goes      = "200 NEW"
		stays     = "200 OLD"
	)
	lock := []exchange{
		{"PUT /NEW/_block/write", "", "200"},
		{"PUT /NEW/_settings", `{"index.hidden": true, "index.blocks.read_only": true}`, "200"},
	}
	for title, exchanges := range map[string][]exchange{
		"a swap, and the same call again": {
			{"POST /_aliases", swap, "200"},
			{"GET /ALIAS/_alias", "", goes},
			{"POST /_aliases", swap, "404 not_found"},
			{"GET /ALIAS/_alias", "", goes},
		},
		"a remove that matches nothing, without must_exist": {
			{"POST /_aliases", `{"actions": [` + remove + `]}`, "200"},
			{"POST /_aliases", `{"actions": [` + remove + `, ` + add + `]}`, "200"},
			{"GET /ALIAS/_alias", "", goes},
			{"POST /_aliases", `{"actions": [` + remove + `]}`, "404 aliases_not_found_exception"},
		},
		"an index that is missing": {
			{"DELETE /NEW", "", "200"},
			{"POST /_aliases", swap, "404 index_not_found_exception"},
			{"GET /ALIAS/_alias", "", stays},
			{"GET /NEW/_settings", "", "404 index_not_found_exception"},
			{"GET /NEW/_count", "", "404 index_not_found_exception"},
			{"PUT /NEW/_block/write", "", "404 index_not_found_exception"},
			{"DELETE /NEW", "", "404 index_not_found_exception"},
		},
		"the write block": {
			{"PUT /NEW/_block/write", "", "200 shards"},
			{"PUT /NEW/_block/write", "", "200"},
			{"PUT /NEW/_doc/1", `{"name": "hat"}`, "403 cluster_block_exception"},
			{"DELETE /NEW/_doc/1", "", "403 cluster_block_exception"},
			{"POST /NEW/_refresh", "", "200"},
			{"POST /_aliases", swap, "200"},
			{"GET /ALIAS/_alias", "", goes},
			{"PUT /NEW/_settings", `{"index.blocks.write": null}`, "200"},
			{"PUT /NEW/_doc/1", `{"name": "hat"}`, "201"},
		},
		"read_only refuses what names the index": append(lock,
			exchange{"POST /_aliases", swap, "403 cluster_block_exception"},
			exchange{"PUT /NEW/_alias/ALIAS", "", "403 cluster_block_exception"},
			exchange{"POST /_aliases", `{"actions": [{"remove_index": {"index": "NEW"}}]}`, "403 cluster_block_exception"},
			exchange{"DELETE /NEW", "", "403 cluster_block_exception"},
			exchange{"PUT /NEW/_doc/1", `{"name": "hat"}`, "403 cluster_block_exception"},
			exchange{"PUT /NEW/_settings", `{"index.hidden": null}`, "403 cluster_block_exception"},
			exchange{"PUT /NEW/_block/write", "", "403 cluster_block_exception"},
			exchange{"POST /NEW/_refresh", "", "200"},
			exchange{"GET /NEW/_count", "", "200"},
			exchange{"GET /NEW/_stats?level=shards", "", "200"},
			exchange{"GET /ALIAS/_alias", "", stays},
			exchange{"PUT /NEW/_settings", `{"index.blocks.read_only": null}`, "200"},
			exchange{"PUT /NEW/_settings", `{"index.blocks.write": null, "index.hidden": null}`, "200"},
			exchange{"DELETE /NEW", "", "200"},
		),
		"wildcards pass read_only by, but not hidden": append(lock,
			exchange{"PUT /NEW*/_alias/ALIAS", "", "404 index_not_found_exception"},
			exchange{"POST /_aliases", `{"actions": [{"add": {"index": "NEW*", "alias": "ALIAS"}}]}`, "404 index_not_found_exception"},
			exchange{"GET /ALIAS/_alias", "", stays},
			exchange{"PUT /NEW/_settings", `{"index.blocks.read_only": null}`, "200"},
			exchange{"PUT /NEW/_settings", `{"index.hidden": null}`, "200"},
			exchange{"PUT /NEW/_settings", `{"index.blocks.read_only": true}`, "200"},
			exchange{"POST /_aliases", `{"actions": [{"add": {"index": "NEW*", "alias": "ALIAS"}}]}`, "200"},
			exchange{"GET /ALIAS/_alias", "", "200 NEW OLD"},
		),
		"an alias and an index of one name": {
			{"PUT /ALIAS", "", "400"},
			{"DELETE /ALIAS", "", "400 illegal_argument_exception"},
			{"PUT /OLD/_alias/NEW", "", "400 invalid_alias_name_exception"},
			{"PUT /NEW", "", "400 resource_already_exists_exception"},
		},
		"an alias that is taken away": {
			{"DELETE /OLD/_alias/ALIAS", "", "200"},
			{"GET /ALIAS/_alias", "", "404 index_not_found_exception"},
			{"DELETE /OLD/_alias/ALIAS", "", "404 aliases_not_found_exception"},
		},
		"an index deleted under its alias, and made anew": {
			{"DELETE /OLD", "", "200"},
			{"GET /ALIAS/_alias", "", "404 index_not_found_exception"},
			{"PUT /OLD", `{"aliases": {"ALIAS": {}}}`, "200"},
			{"GET /ALIAS/_alias", "", stays},
		},
		"properties of an alias": {
			{"POST /_aliases", `{"actions": [{"add": {"index": "OLD", "alias": "ALIAS", "routing": "1", "is_write_index": true}}]}`, "200"},
			{"GET /OLD/_alias", "", `200 {"index_routing":"1","is_write_index":true,"search_routing":"1"}`},
		},
		"documents show after a refresh": {
			{"PUT /NEW/_settings", `{"index.refresh_interval": "-1"}`, "200"},
			{"PUT /NEW/_doc/1", `{"name": "hat"}`, "201"},
			{"GET /NEW/_count", "", "200 0"},
			{"POST /NEW/_refresh", "", "200"},
			{"GET /NEW/_count", "", "200 1"},
			{"DELETE /NEW/_doc/1", "", "200"},
			{"GET /NEW/_count", "", "200 1"},
			{"PUT /NEW/_doc/2?refresh=true", `{"name": "scarf"}`, "201"},
			{"GET /NEW/_count", "", "200 1"},
			{"GET /NEW/_stats?level=shards", "", "200 seq 2"},
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			testengine.EachAndFake(t, func(t *testing.T, _, url string) {
				named := strings.NewReplacer(
					"NEW", testengine.Index(t, url, "new", ""), "OLD", testengine.Index(t, url, "old", ""), "ALIAS", testengine.Name(t, url, "alias"))
				testengine.Do(t, "PUT", url+named.Replace("/OLD/_alias/ALIAS"), "")
				for i, each := range exchanges {
					method, path, _ := strings.Cut(named.Replace(each.request), " ")
					status, answer := testengine.Try(t, method, url+path, named.Replace(each.body))
					want := named.Replace(each.want)
					if got := told(status, answer, want); got != want {
						t.Fatalf("%d. %s %s: %s, want %s; the answer is %s", i+1, each.request, each.body, got, want, answer)
					}
				}
			})
		})
	}
}

// told says of an answer what want says of it.
func told(status int, answer, want string) string {
	kind, detail, _ := strings.Cut(want, " ")
	text := fmt.Sprint(status)
	if text != kind || detail == "" {
		return text
	}
	var body struct {
		Error struct{ Type string }
		Count *int
		All   struct {
			Primaries json.RawMessage
		} `json:"_all"`
		ShardsAcknowledged bool `json:"shards_acknowledged"`
		Indices            json.RawMessage
	}
	_ = json.Unmarshal([]byte(answer), &body)
	switch {
	case body.Error.Type != "":
		// One engine says resource_not_found_exception, the other aliases_not_found_exception.
		if detail == "not_found" && strings.HasSuffix(body.Error.Type, "_not_found_exception") {
			return want
		}
		return text + " " + body.Error.Type
	case body.Count != nil:
		return fmt.Sprint(text, " ", *body.Count)
	case body.ShardsAcknowledged:
		return text + " shards"
	case strings.HasPrefix(detail, "seq "):
		return text + " " + seqNo(body.Indices)
	}
	return text + " " + members(answer, strings.HasPrefix(detail, "{"))
}

// seqNo is the highest sequence number in an answer of _stats.
func seqNo(indices json.RawMessage) string {
	var found map[string]struct {
		Shards map[string][]struct {
			SeqNo struct {
				Max int `json:"max_seq_no"`
			} `json:"seq_no"`
		}
	}
	_ = json.Unmarshal(indices, &found)
	for _, index := range found {
		return fmt.Sprint("seq ", index.Shards["0"][0].SeqNo.Max)
	}
	return "no seq"
}

// members are the indices of an answer of _alias, or the properties of the only one.
func members(answer string, properties bool) string {
	var found map[string]struct {
		Aliases map[string]map[string]any
	}
	_ = json.Unmarshal([]byte(answer), &found)
	var names []string
	for index, entry := range found {
		for _, alias := range entry.Aliases {
			if properties {
				raw, _ := json.Marshal(alias)
				return string(raw)
			}
		}
		names = append(names, index)
	}
	// "new" sorts before "old".
	if len(names) == 2 && names[0] > names[1] {
		names[0], names[1] = names[1], names[0]
	}
	return strings.Join(names, " ")
}
