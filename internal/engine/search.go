package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	ID    string  // the value of the id field
	Score float64 // NaN when the search sorts by something else
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
// that body is found by halving, and only it gets the error; so is one whose
// answer is too large. Searches that the engine is too busy for (429, 503), or
// whose connection breaks, are sent again, with growing pauses.
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

// searchBody is a search body: what the gate decides itself, and the rest.
type searchBody struct {
	Size   jsontext.Value `json:"size"`
	Source jsontext.Value `json:"_source"`
	Fields jsontext.Value `json:"fields,omitzero"`
	Rest   jsontext.Value `json:",embed"`
}

// complete puts what the gate decides itself into a search body. The result is
// one line, as _msearch wants it.
func (m MultiSearch) complete(raw json.RawMessage) ([]byte, error) {
	var search searchBody
	if jsontext.Value(raw).Kind() != jsontext.KindBeginObject || jsonv2.Unmarshal(raw, &search, asEnginesWrite) != nil {
		return nil, errors.New("the search body is not a JSON object")
	}
	search.Size = strconv.AppendInt(nil, int64(m.Size), 10)
	search.Source = jsontext.Value("false")
	if m.byField() {
		fields, err := json.Marshal([]string{m.IDField})
		if err != nil {
			return nil, fmt.Errorf("encoding the id field: %w", err)
		}
		search.Fields = fields
	}
	return jsonv2.Marshal(search, asEnginesWrite)
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
		case errors.Is(err, errTooLarge),
			errors.As(err, &e) && (e.Status == http.StatusBadRequest || e.Status == http.StatusRequestEntityTooLarge) && !IsNotAnEngine(err):
			return c.bisect(ctx, m, items, err)
		case IsConnectionLost(err), errors.As(err, &e) && isBusy(e.Status):
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
	if _, err := c.callWithin(ctx, c.searchTimeout, m.op(), request, &answer); err != nil {
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
