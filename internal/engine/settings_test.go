package engine

import (
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	c := newFake(t, always(answer{body: `{"products-v1":{"settings":{"index.uuid":"u1","index.blocks.write":"true","index.hidden":"false",
		"index.number_of_shards":"2","index.analysis.filter.s.synonyms":["a, b","c => d"]}}}`}))
	all, err := c.Settings(t.Context(), "products")
	if err != nil {
		t.Fatal(err)
	}
	got := all["products-v1"]
	if got.Name != "products-v1" || got.UUID != "u1" || got.Blocks != (Blocks{Write: true}) {
		t.Errorf("settings = %+v", got)
	}
	if got.Flat["index.number_of_shards"] != "2" || got.Flat["index.analysis.filter.s.synonyms"] != `["a, b","c => d"]` {
		t.Errorf("flat settings = %v", got.Flat)
	}
}

func TestBlockWrite(t *testing.T) {
	const (
		done    = `{"acknowledged":true,"shards_acknowledged":true,"indices":[{"name":"products","blocked":true}]}`
		already = `{"acknowledged":true,"shards_acknowledged":false,"indices":[]}`
		late    = `{"acknowledged":true,"shards_acknowledged":false,"indices":[{"name":"products","blocked":false}]}`
		// What OpenSearch says when the right indices:admin/block/add[s] is missing.
		forbidden = `{"acknowledged":false,"shards_acknowledged":false,"indices":[{"name":"products","shards":[{"id":"0","failures":
			[{"shard":0,"index":"products","status":"FORBIDDEN","reason":{"type":"security_exception","reason":"no permissions for [indices:admin/block/add[s]]"}}]}]}]}`
	)
	for name, test := range map[string]struct {
		answers []string // to the block calls, in order
		kind    string
		fails   bool
		calls   string
	}{
		"set":                               {[]string{done}, "", false, "block"},
		"set before: taken off and set":     {[]string{already, done}, "", false, "block settings block"},
		"set before, and again by a rival":  {[]string{already, already}, "unavailable", true, "block settings block"},
		"not all shards have answered":      {[]string{late}, "unavailable", true, "block"},
		"a right is missing in the shards":  {[]string{forbidden}, "unauthorized", true, "block"},
		"an answer that is not an engine's": {[]string{`{}`}, "not an engine", true, "block"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			next := 0
			c := newFake(t, func(_, path, _ string) answer {
				if strings.HasSuffix(path, "/_settings") {
					calls = append(calls, "settings")
					return answer{body: `{"acknowledged":true}`}
				}
				calls = append(calls, "block")
				next++
				return answer{body: test.answers[next-1]}
			})
			err := c.BlockWrite(t.Context(), "products")
			if (err != nil) != test.fails || kinds(err) != test.kind {
				t.Errorf("error = %v, want %q", err, test.kind)
			}
			if got := strings.Join(calls, " "); got != test.calls {
				t.Errorf("calls = %q, want %q", got, test.calls)
			}
		})
	}
}

func TestPutSettings(t *testing.T) {
	var sent string
	c := newFake(t, func(method, path, body string) answer {
		sent = method + " " + path + " " + body
		return answer{body: `{"acknowledged":false}`}
	})
	err := c.PutSettings(t.Context(), "products", map[string]any{"index.blocks.write": nil, "index.hidden": true})
	if !IsUnavailable(err) {
		t.Errorf("error = %v, want unavailable: not acknowledged", err)
	}
	if want := `PUT /products/_settings {"index.blocks.write":null,"index.hidden":true}`; sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
}

func TestHealthOfAnIndexThatIsMissing(t *testing.T) {
	c := newFake(t, always(answer{status: 408, body: `{"status":"red","timed_out":true}`}))
	if health, err := c.Health(t.Context(), "products"); health != "red" || err != nil {
		t.Errorf("Health = %q, %v; want red", health, err)
	}
}

func TestCountWithAFailedShard(t *testing.T) {
	c := newFake(t, always(answer{body: `{"count":7,"_shards":{"total":2,"successful":1,"failed":1}}`}))
	if _, err := c.Count(t.Context(), "products"); err == nil {
		t.Error("no error")
	}
}
