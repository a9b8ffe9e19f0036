package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// found is a good `_msearch` item with the given hits.
func found(hits ...string) string {
	return `{"status":200,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
		"hits":{"total":{"value":` + fmt.Sprint(len(hits)) + `,"relation":"eq"},"hits":[` + strings.Join(hits, ",") + `]}}`
}

func hit(index, id, more string) string {
	return fmt.Sprintf(`{"_index":%q,"_id":%q,"_score":1.5%s}`, index, id, more)
}

func rejected(status int) string {
	return fmt.Sprintf(`{"error":{"type":"es_rejected_execution_exception","reason":"queue full"},"status":%d}`, status)
}

func responses(items ...string) answer {
	return answer{body: `{"took":1,"responses":[` + strings.Join(items, ",") + `]}`}
}

// bodies makes search bodies that are told apart by their number.
func bodies(n int) []json.RawMessage {
	var list []json.RawMessage
	for i := range n {
		list = append(list, json.RawMessage(fmt.Sprintf(`{"query": {"match": {"name": "q%d"}}}`, i)))
	}
	return list
}

func TestMultiSearchSendsWhatIsWanted(t *testing.T) {
	var request *http.Request
	var sent string
	c := newFake(t, func(_, _, body string) answer {
		sent = body
		return responses(found())
	})
	inner := c.transport
	c.transport = performer(func(r *http.Request) (*http.Response, error) {
		request = r
		return inner.Perform(r)
	})
	m := MultiSearch{Index: "products-v1", Preference: "gate-1", IDField: "sku", Size: 11, MaxConcurrent: 4}
	// What the gate decides itself wins over the body.
	if _, err := c.MultiSearch(t.Context(), m, []json.RawMessage{json.RawMessage("{\n\"query\": {\"match_all\": {}}, \"size\": 1, \"_source\": true}")}); err != nil {
		t.Fatal(err)
	}
	want := `{"index":"products-v1","preference":"gate-1","allow_partial_search_results":false}` + "\n" +
		`{"size":11,"_source":false,"fields":["sku"],"query":{"match_all":{}}}` + "\n"
	if sent != want {
		t.Errorf("sent\n%swant\n%s", sent, want)
	}
	if got := request.URL.Path + "?" + request.URL.RawQuery; got != "/_msearch?max_concurrent_searches=4" {
		t.Errorf("path = %s", got)
	}
	if got := request.Header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("content type = %s", got)
	}
}

type performer func(*http.Request) (*http.Response, error)

func (p performer) Perform(r *http.Request) (*http.Response, error) { return p(r) }

func TestMultiSearchItems(t *testing.T) {
	for name, test := range map[string]struct {
		idField string
		item    string
		ids     string // of the hits, when there is no error
		want    string // part of the error
	}{
		"hits in order":       {"", found(hit("products-v1", "b", ""), hit("products-v1", "a", "")), "b a", ""},
		"the id field _id":    {"_id", found(hit("products-v1", "b", "")), "b", ""},
		"no hits":             {"", found(), "", ""},
		"a keyword":           {"sku", found(hit("products-v1", "1", `,"fields":{"sku":["s-1"]}`)), "s-1", ""},
		"a number":            {"sku", found(hit("products-v1", "1", `,"fields":{"sku":[12345678901234567]}`)), "12345678901234567", ""},
		"no id field":         {"sku", found(hit("products-v1", "1", `,"fields":{"sku":["s-1"]}`), hit("products-v1", "2", "")), "", "hit 2: it has 0 values of the id field sku"},
		"two values":          {"sku", found(hit("products-v1", "1", `,"fields":{"sku":["a","b"]}`)), "", "2 values of the id field sku"},
		"an empty value":      {"sku", found(hit("products-v1", "1", `,"fields":{"sku":[""]}`)), "", "it has no id"},
		"another index":       {"", found(hit("products-v1", "1", ""), hit("products-v2", "2", "")), "", "hit 2: it comes from the index products-v2, not from products-v1"},
		"a time-out":          {"", strings.Replace(found(), `"timed_out":false`, `"timed_out":true`, 1), "", "timed out"},
		"a failed shard":      {"", strings.Replace(found(), `"failed":0`, `"failed":1,"failures":[{"reason":{"type":"io_exception","reason":"disk"}}]`, 1), "", "1 of 1 shards failed: disk"},
		"a missing shard":     {"", strings.Replace(found(), `"total":1`, `"total":2`, 1), "", "1 of 2 shards answered"},
		"no shards":           {"", `{"status":200,"hits":{"hits":[]}}`, "", "not one of Elasticsearch"},
		"no hits object":      {"", `{"status":200,"_shards":{"total":1,"successful":1,"failed":0}}`, "", "not one of Elasticsearch"},
		"empty shards":        {"", strings.Replace(found(), `"total":1,"successful":1,"skipped":0,"failed":0`, "", 1), "", "0 of 0 shards answered"},
		"over 10,000 results": {"", strings.Replace(found(hit("products-v1", "a", "")), `"value":1,"relation":"eq"`, `"value":10000,"relation":"gte"`, 1), "a", ""},
		"no list of hits":     {"", `{"status":200,"_shards":{"total":1,"successful":1,"failed":0},"hits":{"total":0}}`, "", "not one of Elasticsearch"},
		"names twice":         {"", found(hit("products-v1", "a", `,"_id":"b"`)), "b", ""},
		"an escaped id":       {"", found(hit("products-v1", `a"é`, "")), `a"é`, ""},
		"unknown fields":      {"", found(hit("products-v1", "a", `,"_type":"_doc","sort":[1,{"a":[]}],"_ignored":null`)), "a", ""},
		"an infinite score":   {"", found(strings.Replace(hit("products-v1", "1", ""), "1.5", `1e999`, 1)), "", "its score 1e999 is not a number"},
		"an error":            {"", `{"status":404,"error":{"type":"index_not_found_exception","reason":"no such index [products-v1]"}}`, "", "no such index"},
		"its root cause":      {"", `{"status":400,"error":{"type":"search_phase_execution_exception","reason":"all shards failed","root_cause":[{"type":"query_shard_exception","reason":"no field"}]}}`, "", "query_shard_exception: no field"},
		"an error, no status": {"", `{"error":{"type":"x","reason":"y"}}`, "", "x: y"},
		"a status, no error":  {"", `{"status":500}`, "", "500"},
		"a score that is NaN": {"", found(strings.Replace(hit("products-v1", "1", ""), "1.5", `"NaN"`, 1)), "", "its score NaN is not a number"},
		"sorted, no score":    {"", found(strings.Replace(hit("products-v1", "1", ""), "1.5", `null`, 1)), "1", ""},
		"the old total":       {"", strings.Replace(found(), `{"value":0,"relation":"eq"}`, "0", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, always(responses(test.item)))
			results, err := c.MultiSearch(t.Context(), MultiSearch{Index: "products-v1", IDField: test.idField, Size: 10}, bodies(1))
			if err != nil {
				t.Fatal(err)
			}
			got := results[0]
			if (got.Err == nil) != (test.want == "") || got.Err != nil && !strings.Contains(got.Err.Error(), test.want) {
				t.Fatalf("error = %v, want %q", got.Err, test.want)
			}
			var ids []string
			for _, h := range got.Hits {
				ids = append(ids, h.ID)
			}
			if strings.Join(ids, " ") != test.ids {
				t.Errorf("ids = %v, want %s", ids, test.ids)
			}
		})
	}
}

func TestMultiSearchTotals(t *testing.T) {
	for body, want := range map[string]int{`{"value":7,"relation":"eq"}`: 7, `7`: 7, ``: 0} {
		if got := total(json.RawMessage(body)); got != want {
			t.Errorf("total(%s) = %d, want %d", body, got, want)
		}
	}
}

func TestMultiSearchFindsTheBrokenBody(t *testing.T) {
	// The engine refuses the call as a whole as long as q3 or q6 is in it.
	calls := 0
	c := newFake(t, func(_, _, body string) answer {
		calls++
		if strings.Contains(body, "q3") || strings.Contains(body, "q6") {
			return answer{status: 400, body: `{"error":{"type":"parsing_exception","reason":"unknown query [mtach]"},"status":400}`}
		}
		return responses(slices.Repeat([]string{found()}, strings.Count(body, "match"))...)
	})
	results, err := c.MultiSearch(t.Context(), MultiSearch{Index: "products-v1", Size: 10}, bodies(8))
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		broken := i == 3 || i == 6
		if (result.Err != nil) != broken {
			t.Errorf("search %d: error = %v, want one: %v", i, result.Err, broken)
		}
		if broken && !strings.Contains(result.Err.Error(), "mtach") {
			t.Errorf("search %d: error = %v, want the engine's reason", i, result.Err)
		}
	}
	if calls > 13 {
		t.Errorf("%d calls for two broken bodies out of eight", calls)
	}
}

func TestMultiSearchWithABodyThatIsNotJSON(t *testing.T) {
	c := newFake(t, func(_, _, body string) answer {
		if strings.Count(body, "\n") != 2 {
			t.Errorf("sent %q, want the one good body", body)
		}
		return responses(found(hit("products-v1", "a", "")))
	})
	list := []json.RawMessage{json.RawMessage(`{"query":`), bodies(1)[0], json.RawMessage(`null`), json.RawMessage(`[]`)}
	results, err := c.MultiSearch(t.Context(), MultiSearch{Index: "products-v1", Size: 10}, list)
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		if (result.Err == nil) != (i == 1) {
			t.Errorf("search %d: error = %v", i, result.Err)
		}
	}
}

func TestMultiSearchBacksOff(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	breaker := `{"status":429,"error":{"type":"circuit_breaking_exception","reason":"[parent] Data too large","durability":"TRANSIENT"}}`
	for name, test := range map[string]struct {
		answers []answer // the last one repeats
		calls   int
		whole   string // kind of the call's error
		items   string // for each search: ok or the kind of its error
	}{
		"whole 429, then well":        {[]answer{{status: 429}, responses(found(), found())}, 2, "", "ok ok"},
		"whole 503, then well":        {[]answer{{status: 503, contentType: "text/html", body: "<html>"}, responses(found(), found())}, 2, "", "ok ok"},
		"whole 429 for good":          {[]answer{{status: 429}}, searchTries, "unavailable", ""},
		"one item 429, then well":     {[]answer{responses(found(), rejected(429)), responses(found())}, 2, "", "ok ok"},
		"one item 503 for good":       {[]answer{responses(rejected(503), found()), responses(rejected(503))}, searchTries, "", "unavailable ok"},
		"a reset, then well":          {[]answer{{err: reset}, responses(found(), found())}, 2, "", "ok ok"},
		"a reset for good":            {[]answer{{err: reset}}, searchTries, "unavailable", ""},
		"a broken pipe, then well":    {[]answer{{err: &net.OpError{Op: "write", Err: syscall.EPIPE}}, responses(found(), found())}, 2, "", "ok ok"},
		"closed at once, then well":   {[]answer{{err: io.EOF}, responses(found(), found())}, 2, "", "ok ok"},
		"a body that breaks off":      {[]answer{{body: `{"took":1,`, broken: io.ErrUnexpectedEOF}, responses(found(), found())}, 2, "", "ok ok"},
		"a body that is reset":        {[]answer{{body: `{"took":1,`, broken: reset}, responses(found(), found())}, 2, "", "ok ok"},
		"a body that ends early":      {[]answer{{body: `{"took":1,"responses":[` + found() + `,`}, responses(found(), found())}, 2, "", "ok ok"},
		"one that always ends early":  {[]answer{{body: `{"took":1`}}, searchTries, "unavailable", ""},
		"an empty body":               {[]answer{{body: ""}}, 1, "not an engine", ""},
		"refused is not retried":      {[]answer{{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}}, 1, "unavailable", ""},
		"a breaker, then well":        {[]answer{responses(found(), breaker), responses(found())}, 2, "", "ok ok"},
		"a breaker for good":          {[]answer{responses(found(), breaker), responses(breaker)}, searchTries, "", "ok unavailable"},
		"a wrong item is not retried": {[]answer{responses(found(), rejected(500))}, 1, "", "ok "},
		"401 is not retried":          {[]answer{{status: 401}}, 1, "unauthorized", ""},
		"502 is not retried":          {[]answer{{status: 502}}, 1, "unavailable", ""},
		"HTML is not retried":         {[]answer{{body: "<html>"}}, 1, "not an engine", ""},
		"HTML 400 is not halved":      {[]answer{{status: 400, body: "<html>"}}, 1, "not an engine", ""},
		"too few answers":             {[]answer{responses(found())}, 1, "not an engine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := newFake(t, func(_, _, _ string) answer {
				calls++
				return test.answers[min(calls, len(test.answers))-1]
			})
			var slept []time.Duration
			c.sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
			c.random = func() float64 { return 1 }
			results, err := c.MultiSearch(t.Context(), MultiSearch{Index: "products-v1", Size: 10}, bodies(2))
			if calls != test.calls || len(slept) != calls-1 {
				t.Errorf("%d calls, slept %v; want %d calls and a pause between them", calls, slept, test.calls)
			}
			for i := 1; i < len(slept); i++ {
				if slept[i] < slept[i-1] || slept[i] > maxBackoff {
					t.Errorf("pauses %v do not grow up to %v", slept, maxBackoff)
				}
			}
			if kinds(err) != test.whole || (err == nil) != (test.whole == "") {
				t.Fatalf("error = %v, want %q", err, test.whole)
			}
			var items []string
			for _, r := range results {
				item := "ok"
				if r.Err != nil {
					item = kinds(r.Err)
				}
				items = append(items, item)
			}
			if err == nil && strings.Join(items, " ") != test.items {
				t.Errorf("items = %q, want %q", items, test.items)
			}
		})
	}
}

func TestMultiSearchDoesNotWaitForEver(t *testing.T) {
	calls := 0
	c := newFake(t, nil)
	c.transport = performer(func(r *http.Request) (*http.Response, error) {
		calls++
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	c.searchTimeout = 10 * time.Millisecond
	_, err := c.MultiSearch(t.Context(), MultiSearch{Index: "products-v1", Size: 10}, bodies(1))
	if !IsUnavailable(err) || err.Error() != "searching products-v1: no answer within 10ms: context deadline exceeded" || calls != 1 {
		t.Errorf("error = %v after %d calls", err, calls)
	}
}

func TestMultiSearchHalvesWhatIsTooLarge(t *testing.T) {
	c := newFake(t, func(_, _, body string) answer {
		if strings.Contains(body, "q2") {
			return answer{body: strings.Repeat(" ", maxAnswer+1)}
		}
		return responses(slices.Repeat([]string{found()}, strings.Count(body, "match"))...)
	})
	results, err := c.MultiSearch(t.Context(), MultiSearch{Index: "products-v1", Size: 10}, bodies(3))
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		if (result.Err != nil) != (i == 2) || i == 2 && !strings.Contains(result.Err.Error(), "larger than 64 MiB") {
			t.Errorf("search %d: error = %v", i, result.Err)
		}
	}
}

func TestBackoffHasJitter(t *testing.T) {
	for try := 1; try <= searchTries; try++ {
		low, high := backoff(try, 0), backoff(try, 1)
		if low <= 0 || high != 2*low || high > maxBackoff {
			t.Errorf("try %d: between %v and %v", try, low, high)
		}
	}
}

func TestMultiSearchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newFake(t, func(_, _, _ string) answer { cancel(); return answer{status: 429} })
	c.sleep = sleep
	start := time.Now()
	_, err := c.MultiSearch(ctx, MultiSearch{Index: "products-v1", Size: 10}, bodies(1))
	if err == nil || time.Since(start) > time.Second {
		t.Errorf("error = %v after %v", err, time.Since(start))
	}
}
