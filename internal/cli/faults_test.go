package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// fault answers a request in the engine's place. It may ask the engine first.
type fault func(r *http.Request) (*http.Response, error)

// status answers with a status and a body.
func status(code int, contentType, body string) fault {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: code, Request: r, ContentLength: int64(len(body)),
			Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

// engineError answers with an error as the engine writes it.
func engineError(code int, kind, reason string) fault {
	return status(code, "application/json", fmt.Sprintf(`{"error":{"type":%q,"reason":%q},"status":%d}`, kind, reason, code))
}

// edited changes the engine's answer.
func edited(change func(body string) string) fault {
	return func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		body := change(string(raw))
		if body == string(raw) {
			return nil, errors.New("the fault changed nothing")
		}
		response.ContentLength, response.Body = int64(len(body)), io.NopCloser(strings.NewReader(body))
		response.Header.Del("Content-Length")
		return response, nil
	}
}

// swapped changes the first place of the answer that has a text.
func swapped(text, by string) fault {
	return edited(func(body string) string { return strings.Replace(body, text, by, 1) })
}

// firstItem puts another item in the place of the first search's.
func firstItem(item string) fault {
	return edited(func(body string) string {
		if !strings.Contains(body, `},{"took"`) {
			return `{"responses":[` + item + `]}`
		}
		_, others, _ := strings.Cut(body, `},{"took"`)
		return `{"responses":[` + item + `,{"took"` + others
	})
}

// everyItem puts another item in the place of each.
func everyItem(item string) fault {
	return edited(func(body string) string {
		return `{"responses":[` + strings.TrimSuffix(strings.Repeat(item+",", strings.Count(body, `"took"`)-1), ",") + `]}`
	})
}

// cut lets the connection break in the middle of the answer.
func cut(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(io.LimitReader(response.Body, 40), broken{}), response.Body}
	}
	return response, err
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func reset(*http.Request) (*http.Response, error) { return nil, syscall.ECONNRESET }

// silent never answers.
func silent(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body) // Only then the server sees that the client hangs up.
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// slow answers late.
func slow(r *http.Request) (*http.Response, error) {
	time.Sleep(300 * time.Millisecond)
	return http.DefaultTransport.RoundTrip(r)
}

const (
	breaker  = `{"status":429,"error":{"type":"circuit_breaking_exception","reason":"[parent] Data too large"}}`
	rejected = `{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"rejected execution"}}`
	// good is how a fault ends that did no harm.
	good   = "ThresholdsMet"
	search = "/_msearch"
)

// Every fault of an engine, and how it ends: for evaluate in an exit code, a
// reason and a sentence, for measure, which the Job runs, in a measurement or in
// a failure with a reason. None ends in a score that the fault has touched.
func TestFaultsOfAnEngine(t *testing.T) {
	for name, test := range map[string]struct {
		at    string // end of the path
		times int32  // 0: every time
		fault fault

		code    int
		reason  string
		message string // part of it
		// measured is the reason of the Job's failure; empty where it hands over a
		// measurement, which then has this many queries in error.
		measured string
		errors   int
	}{
		"none":        {at: "/nowhere", reason: good},
		"slow answer": {at: search, fault: slow, reason: good},

		"429 of a call, once":      {at: search, times: 1, fault: status(429, "text/plain", "slow down"), reason: good},
		"429 of every call":        {at: search, fault: status(429, "text/plain", "slow down"), code: 2, reason: "EngineUnavailable", message: "the engine answered 429", measured: "EngineUnavailable"},
		"503 of a call, once":      {at: search, times: 1, fault: engineError(503, "cluster_block_exception", "no master"), reason: good},
		"breaker of a call, once":  {at: search, times: 1, fault: engineError(429, "circuit_breaking_exception", "Data too large"), reason: good},
		"breaker of every call":    {at: search, fault: engineError(429, "circuit_breaking_exception", "Data too large"), code: 2, reason: "EngineUnavailable", message: "the engine answered 429 circuit_breaking_exception", measured: "EngineUnavailable"},
		"breaker of a query, once": {at: search, times: 1, fault: firstItem(breaker), reason: good},
		"breaker of a query":       {at: search, fault: firstItem(breaker), code: 2, reason: "TooManyErrors", message: "1 of 3 queries ended in an error; none may (maxErrors); the first: query q1: searching shoes: the engine answered 429 circuit_breaking_exception", errors: 1},
		"full queue, once":         {at: search, times: 1, fault: firstItem(rejected), reason: good},
		"full queue for all":       {at: search, fault: everyItem(rejected), code: 2, reason: "EngineUnavailable", message: "no search was answered; query q1: searching shoes: the engine answered 429 es_rejected_execution_exception", measured: "EngineUnavailable"},

		"error of a query": {at: search, fault: firstItem(`{"status":500,"error":{"type":"script_exception","reason":"runtime error"}}`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: the engine answered 500 script_exception", errors: 1},
		"failed shard": {at: search, fault: swapped(`"failed":0`, `"failed":1,"failures":[{"reason":{"type":"io_exception","reason":"disk"}}]`),
			code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: 1 of 1 shards failed", errors: 1},
		"missing shard":     {at: search, fault: swapped(`"total":1`, `"total":2`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: 1 of 2 shards answered", errors: 1},
		"partial time-out":  {at: search, fault: swapped(`"timed_out":false`, `"timed_out":true`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: the search timed out, so its hits are not complete", errors: 1},
		"unexpected index":  {at: search, fault: swapped(`"_index":"shoes"`, `"_index":"boots"`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: hit 1: it comes from the index boots, not from shoes", errors: 1},
		"score is NaN":      {at: search, fault: swapped(`"_score":3`, `"_score":"NaN"`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: hit 1: its score NaN is not a number", errors: 1},
		"hit without an id": {at: search, fault: swapped(`"_id":"a"`, `"_id":""`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: hit 1: it has no id", errors: 1},
		"no hits object":    {at: search, fault: swapped(`"hits":{`, `"hit":{`), code: 2, reason: "TooManyErrors", message: "query q1: searching shoes: the answer is not one of", errors: 1},

		"over 10,000 results": {at: search, fault: swapped(`"relation":"eq"`, `"relation":"gte"`), reason: good},
		"k over the result window": {at: search, fault: everyItem(`{"status":400,"error":{"type":"illegal_argument_exception","reason":"Result window is too large"}}`),
			code: 3, reason: "SearchRejected", message: "Result window is too large", measured: "SearchRejected"},

		"reset, once":               {at: search, times: 1, fault: reset, reason: good},
		"reset of every call":       {at: search, fault: reset, code: 2, reason: "EngineUnavailable", message: "searching shoes: ", measured: "EngineUnavailable"},
		"body cut short, once":      {at: search, times: 1, fault: cut, reason: good},
		"body always cut short":     {at: search, fault: cut, code: 2, reason: "EngineUnavailable", message: "searching shoes: reading the answer: unexpected EOF", measured: "EngineUnavailable"},
		"JSON cut short, once":      {at: search, times: 1, fault: edited(func(body string) string { return body[:len(body)-3] }), reason: good},
		"JSON always cut short":     {at: search, fault: edited(func(body string) string { return body[:len(body)-3] }), code: 2, reason: "EngineUnavailable", message: "searching shoes: the answer was cut short", measured: "EngineUnavailable"},
		"reset of a refresh, once":  {at: "/_refresh", times: 1, fault: reset, reason: good},
		"reset of the stats, once":  {at: "/_stats/docs", times: 1, fault: reset, reason: good},
		"reset of the stats":        {at: "/_stats/docs", fault: reset, code: 2, reason: "EngineUnavailable", message: "reading the fingerprint of shoes", measured: "EngineUnavailable"},
		"stats of a broken cluster": {at: "/_stats/docs", fault: swapped(`"failed":0`, `"failed":1`), code: 2, reason: "EvaluationError", message: "1 of 1 shards failed", measured: "EvaluationError"},

		"not JSON":             {at: search, fault: status(200, "text/html", "<html>secret</html>"), code: 3, reason: "NotAnEngine", message: "the answer is not one of Elasticsearch or OpenSearch", measured: "NotAnEngine"},
		"empty body":           {at: search, fault: status(200, "application/json", ""), code: 3, reason: "NotAnEngine", message: "the answer is not one of Elasticsearch or OpenSearch", measured: "NotAnEngine"},
		"an answer too few":    {at: search, fault: swapped(`{"took":1,"responses":[`, `{"responses":[`+rejected+`,`), code: 3, reason: "NotAnEngine", message: "the answer is not one of Elasticsearch or OpenSearch", measured: "NotAnEngine"},
		"a proxy's 502":        {at: search, fault: status(502, "text/html", "<html>secret</html>"), code: 2, reason: "EngineUnavailable", message: "the engine answered 502", measured: "EngineUnavailable"},
		"an error of the call": {at: search, fault: engineError(500, "null_pointer_exception", "null"), code: 2, reason: "EvaluationError", message: "the engine answered 500 null_pointer_exception", measured: "EvaluationError"},
		"credentials expired":  {at: search, fault: engineError(401, "security_exception", "token expired"), code: 3, reason: "Unauthorized", message: "the engine answered 401", measured: "Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The engine behind its faults anew, since some happen only so often.
			engine := func() string {
				url := testengine.SearchingFake(t, findShoes)
				testengine.Create(t, url, "shoes", "")
				var times atomic.Int32
				return testengine.Through(t, url, testengine.RoundTrip(func(r *http.Request) (*http.Response, error) {
					if !strings.HasSuffix(r.URL.Path, test.at) {
						return http.DefaultTransport.RoundTrip(r)
					}
					if n := times.Add(1); test.times > 0 && n > test.times {
						return http.DefaultTransport.RoundTrip(r)
					}
					return test.fault(r)
				}))
			}

			gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: recall@5, min: "0.75"}`))
			doc, result := runJSON(t, "-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--url", engine(), "--candidate", "shoes")
			if result.code != test.code || doc.Reason != test.reason || !strings.Contains(doc.Message, test.message) {
				t.Errorf("evaluate: code %d, %s: %s", result.code, doc.Reason, doc.Message)
			}
			wantNoTouchedScore(t, doc)
			if strings.Contains(result.out+result.errOut, "secret") {
				t.Errorf("the body of a stranger is repeated: %s", result.out)
			}

			measured, summary := runMeasure(t.Context(), t, makePlan(t, engine(), "shoes"), shoesGolden)
			if test.measured != "" {
				wantFailure(t, measured, summary, test.measured)
				return
			}
			plan := makePlan(t, "", "shoes")
			handedOver, err := evaluate.DecodeSummary(summary, plan)
			if err != nil || measured.code != 0 || handedOver.Measurement.Errors != test.errors {
				t.Errorf("measure: code %d, %v: %s", measured.code, err, summary)
			}
		})
	}
}

// findShoes finds "a", "b" and "c" for shoes, "c" for socks, and nothing else.
func findShoes(_ string, body []byte) []testengine.Found {
	switch {
	case bytes.Contains(body, []byte(`"shoes"`)):
		return []testengine.Found{{ID: "a", Score: 3}, {ID: "b", Score: 2}, {ID: "c", Score: 1}}
	case bytes.Contains(body, []byte(`"socks"`)):
		return []testengine.Found{{ID: "c", Score: 2}}
	}
	return nil
}

// wantNoTouchedScore wants the scores of a sound engine, and none for a query in
// error.
func wantNoTouchedScore(t *testing.T, doc document) {
	t.Helper()
	want := map[string]string{"q1": "1.000000", "q2": "0.500000", "n1": "null"}
	for _, query := range doc.Queries {
		recall := text(query.Candidate["recall@5"])
		if query.Error != nil && recall != "null" || query.Error == nil && recall != want[query.ID] {
			t.Errorf("query %s: recall %s, error %s", query.ID, recall, text(query.Error))
		}
	}
}

// A call that is never answered is the deadline's to end.
func TestASilentEngineIsNotWaitedForLongerThanThePlanSays(t *testing.T) {
	url := testengine.SearchingFake(t, findShoes)
	testengine.Create(t, url, "shoes", "")
	plan := makePlan(t, testengine.Through(t, url, testengine.RoundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, search) {
			return silent(r)
		}
		return http.DefaultTransport.RoundTrip(r)
	})), "shoes")
	plan.TimeoutSeconds = 1
	result, summary := runMeasure(t.Context(), t, plan, shoesGolden)
	wantFailure(t, result, summary, "TimedOut")
}
