package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// MultiSearch says how a list of searches is sent.
type MultiSearch struct {
	// Index is the concrete index that is searched and that every hit must come
	// from.
	Index string
	// Preference keeps all searches on the same copy of each shard; copies can
	// score differently.
	Preference string
	// IDField is the field that names a document; "_id" or empty for the engine's
	// own id. Only this field is fetched.
	IDField string
	// Size is the number of hits wanted.
	Size int
	// MaxConcurrent bounds how many searches the engine runs at once; 0 leaves it
	// to the engine.
	MaxConcurrent int
}

// Hit is one document found, in the engine's order.
type Hit struct {
	Index string
	ID    string   // the value of the id field
	Score *float64 // nil when the search sorts by something else
}

// SearchResult is the outcome of one search. With Err set nothing else counts.
type SearchResult struct {
	Hits  []Hit
	Total int // as counted by the engine, which stops at 10,000
	Err   error
}

// Back-off: six tries over about six seconds. A queue that stays full longer is
// for the caller to wait for.
const (
	searchTries  = 6
	firstBackoff = 200 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// MultiSearch runs the searches by one `_msearch`. The bodies are search bodies
// without size, _source and fields, which are set here.
//
// A search that fails has its error in its result: a body that is not JSON, an
// error status, a time-out, a failed shard, a hit from another index or without
// the id field. When the engine refuses the whole call for one malformed body,
// that body is found by halving, and only it gets the error. Searches that the
// engine is too busy for (429, 503) are sent again, with growing pauses.
//
// Errors: the call as a whole failed, and no result counts.
func (c *Client) MultiSearch(ctx context.Context, m MultiSearch, bodies []json.RawMessage) ([]SearchResult, error) {
	if err := checkName("index", m.Index); err != nil {
		return nil, err
	}
	results := make([]SearchResult, len(bodies))
	var items []searchItem
	for i, raw := range bodies {
		full, err := m.complete(raw)
		if err != nil {
			results[i].Err = &Error{Op: m.op(), Status: http.StatusBadRequest, err: err}
			continue
		}
		items = append(items, searchItem{body: full, result: &results[i]})
	}
	if err := c.search(ctx, m, items); err != nil {
		return nil, err
	}
	return results, nil
}

func (m MultiSearch) op() string { return "searching " + m.Index }

// searchItem is one search on its way: the body that is sent, and where its
// outcome goes.
type searchItem struct {
	body   []byte
	result *SearchResult
}

// complete adds what the gate decides itself to a search body.
func (m MultiSearch) complete(raw json.RawMessage) ([]byte, error) {
	var search map[string]json.RawMessage
	if json.Unmarshal(raw, &search) != nil || search == nil {
		return nil, errors.New("the search body is not a JSON object")
	}
	set := func(key string, value any) {
		encoded, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("encoding %s: %v", key, err))
		}
		search[key] = encoded
	}
	set("size", m.Size)
	set("_source", false)
	if m.byField() {
		set("fields", []string{m.IDField})
	}
	return json.Marshal(search) // one line, as _msearch wants it
}

func (m MultiSearch) byField() bool { return m.IDField != "" && m.IDField != "_id" }

// search sends the items until each has an outcome.
func (c *Client) search(ctx context.Context, m MultiSearch, items []searchItem) error {
	for try := 1; len(items) > 0; try++ {
		err := c.searchOnce(ctx, m, items)
		var e *Error
		switch {
		case err == nil:
			items = busy(items)
			if len(items) == 0 || try == searchTries {
				return nil // those still busy keep their error
			}
		case errors.As(err, &e) && (e.Status == http.StatusBadRequest || e.Status == http.StatusRequestEntityTooLarge) && !IsNotAnEngine(err):
			return c.bisect(ctx, m, items, err)
		case errors.As(err, &e) && isBusy(e.Status):
			if try == searchTries {
				return err
			}
		default:
			return err
		}
		if err := c.sleep(ctx, backoff(try, c.random())); err != nil {
			return &Error{Op: m.op(), err: err}
		}
	}
	return nil
}

// bisect narrows a refused call down to the bodies that the engine refuses.
func (c *Client) bisect(ctx context.Context, m MultiSearch, items []searchItem, refusal error) error {
	if len(items) == 1 {
		items[0].result.Err = refusal
		return nil
	}
	half := len(items) / 2
	if err := c.search(ctx, m, items[:half]); err != nil {
		return err
	}
	return c.search(ctx, m, items[half:])
}

// busy returns the items that the engine had no room for.
func busy(items []searchItem) []searchItem {
	var left []searchItem
	for _, item := range items {
		var e *Error
		if errors.As(item.result.Err, &e) && isBusy(e.Status) {
			left = append(left, item)
		}
	}
	return left
}

func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// backoff doubles with every try, and lies between half of that and all of it.
func backoff(try int, random float64) time.Duration {
	d := min(firstBackoff<<(try-1), maxBackoff)
	return d/2 + time.Duration(random*float64(d/2))
}

// searchOnce sends one `_msearch` and stores the outcome of each item.
func (c *Client) searchOnce(ctx context.Context, m MultiSearch, items []searchItem) error {
	header, err := json.Marshal(struct {
		Index      string `json:"index"`
		Preference string `json:"preference,omitempty"`
		// Else a lost shard is a 200 with fewer hits.
		AllowPartial bool `json:"allow_partial_search_results"`
	}{m.Index, m.Preference, false})
	if err != nil {
		return fmt.Errorf("encoding the search header: %w", err)
	}
	var lines bytes.Buffer
	for _, item := range items {
		lines.Write(header)
		lines.WriteByte('\n')
		lines.Write(item.body)
		lines.WriteByte('\n')
	}
	request := esapi.MsearchRequest{
		Body:   bytes.NewReader(lines.Bytes()),
		Header: http.Header{"Content-Type": {"application/x-ndjson"}},
	}
	if m.MaxConcurrent > 0 {
		request.MaxConcurrentSearches = &m.MaxConcurrent
	}
	var answer struct {
		Responses []searchAnswer `json:"responses"`
	}
	if _, err := c.callWithin(ctx, searchTimeout, m.op(), request, &answer); err != nil {
		return err
	}
	if len(answer.Responses) != len(items) {
		return &Error{Op: m.op(), Status: http.StatusOK, err: ErrNotAnEngine}
	}
	for i, item := range items {
		*item.result = answer.Responses[i].result(m)
	}
	return nil
}

// searchAnswer is one element of an `_msearch` answer.
type searchAnswer struct {
	Status   int             `json:"status"`
	Error    json.RawMessage `json:"error"`
	TimedOut bool            `json:"timed_out"`
	Shards   *shards         `json:"_shards"`
	Hits     *struct {
		Total json.RawMessage `json:"total"`
		Hits  []searchHit     `json:"hits"`
	} `json:"hits"`
}

type searchHit struct {
	Index  string                       `json:"_index"`
	ID     string                       `json:"_id"`
	Score  hitScore                     `json:"_score"`
	Fields map[string][]json.RawMessage `json:"fields"`
}

// hitScore is a score as it is read: a number, null where the search sorts by
// something else, or a text, since NaN and infinity cannot be JSON numbers.
type hitScore struct {
	value *float64
	wrong string
}

// UnmarshalJSON reads a score; one that is no number is told by the hit.
func (s *hitScore) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if text == "null" {
		return nil
	}
	if value, err := strconv.ParseFloat(text, 64); err == nil {
		s.value = &value
	} else {
		s.wrong = strings.Trim(text, `"`)
	}
	return nil
}

// result checks everything that can be wrong inside a 200.
func (a searchAnswer) result(m MultiSearch) SearchResult {
	fail := func(format string, args ...any) SearchResult {
		return SearchResult{Err: &Error{Op: m.op(), Status: http.StatusOK, err: fmt.Errorf(format, args...)}}
	}
	if len(a.Error) > 0 || a.Status != 0 && a.Status != http.StatusOK {
		e := &Error{Op: m.op(), Status: a.Status}
		var detail errorBody
		if json.Unmarshal(a.Error, &detail) == nil {
			detail.fill(e)
		}
		if e.Status == 0 {
			e.Status = http.StatusInternalServerError
		}
		return SearchResult{Err: e}
	}
	if a.TimedOut {
		return fail("the search timed out, so its hits are not complete")
	}
	if err := a.Shards.err(m.op()); err != nil {
		return SearchResult{Err: err}
	}
	if a.Shards.Successful < a.Shards.Total {
		return fail("%d of %d shards answered", a.Shards.Successful, a.Shards.Total)
	}
	if a.Hits == nil {
		return fail("%w", ErrNotAnEngine)
	}
	result := SearchResult{Hits: make([]Hit, 0, len(a.Hits.Hits)), Total: total(a.Hits.Total)}
	for i, found := range a.Hits.Hits {
		hit, err := found.hit(m)
		if err != nil {
			return fail("hit %d: %w", i+1, err)
		}
		result.Hits = append(result.Hits, hit)
	}
	return result
}

func (h searchHit) hit(m MultiSearch) (Hit, error) {
	if h.Index != m.Index {
		return Hit{}, fmt.Errorf("it comes from the index %s, not from %s", h.Index, m.Index)
	}
	hit := Hit{Index: h.Index, ID: h.ID}
	if m.byField() {
		values := h.Fields[m.IDField]
		if len(values) != 1 {
			return Hit{}, fmt.Errorf("it has %d values of the id field %s, not one; search.idField must name a field that each document has once", len(values), m.IDField)
		}
		hit.ID = settingText(values[0])
	}
	if hit.ID == "" {
		return Hit{}, errors.New("it has no id")
	}
	if h.Score.wrong != "" {
		return Hit{}, fmt.Errorf("its score %s is not a number", h.Score.wrong)
	}
	hit.Score = h.Score.value
	return hit, nil
}

// total reads {"value": 3, "relation": "eq"}, and 3 as older engines say it.
func total(raw json.RawMessage) int {
	var object struct {
		Value int `json:"value"`
	}
	if json.Unmarshal(raw, &object) == nil {
		return object.Value
	}
	var number int
	_ = json.Unmarshal(raw, &number)
	return number
}
