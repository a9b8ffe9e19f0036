package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

// searchHit is one hit. Hits are nearly all of an answer.
type searchHit struct {
	index, id  string
	score      float64 // NaN: the search sorts by something else
	wrongScore string  // NaN and infinity cannot be JSON numbers and come as texts
	fields     map[string][]json.RawMessage
}

// UnmarshalJSONFrom reads a hit name by name: reflection takes about twice the
// time.
func (h *searchHit) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return errors.Join(err, errors.New("a hit is not an object"))
	}
	h.score = math.NaN()
	for decoder.PeekKind() == jsontext.KindString {
		name, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		if err := h.readField(decoder, name.String()); err != nil {
			return err
		}
	}
	_, err := decoder.ReadToken()
	return err
}

func (h *searchHit) readField(decoder *jsontext.Decoder, name string) error {
	switch name {
	case "_index":
		return jsonv2.UnmarshalDecode(decoder, &h.index)
	case "_id":
		return jsonv2.UnmarshalDecode(decoder, &h.id)
	case "_score":
		return h.readScore(decoder)
	case "fields":
		return jsonv2.UnmarshalDecode(decoder, &h.fields)
	}
	return decoder.SkipValue()
}

// readScore keeps the text of a score that is no number, for the hit's error.
func (h *searchHit) readScore(decoder *jsontext.Decoder) error {
	raw, err := decoder.ReadValue()
	if err != nil || raw.Kind() == jsontext.KindNull {
		return err
	}
	if h.score, err = strconv.ParseFloat(string(raw), 64); err != nil {
		h.wrongScore = strings.Trim(string(raw), `"`)
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
	if a.Shards.Total == 0 || a.Shards.Successful < a.Shards.Total {
		return fail("%d of %d shards answered", a.Shards.Successful, a.Shards.Total)
	}
	if a.Hits == nil || a.Hits.Hits == nil {
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
	if h.index != m.Index {
		return Hit{}, fmt.Errorf("it comes from the index %s, not from %s", h.index, m.Index)
	}
	hit := Hit{Index: h.index, ID: h.id}
	if m.byField() {
		values := h.fields[m.IDField]
		if len(values) != 1 {
			return Hit{}, fmt.Errorf("it has %d values of the id field %s, not one; search.idField must name a field that each document has once", len(values), m.IDField)
		}
		hit.ID = settingText(values[0])
	}
	if hit.ID == "" {
		return Hit{}, errors.New("it has no id")
	}
	if h.wrongScore != "" {
		return Hit{}, fmt.Errorf("its score %s is not a number", h.wrongScore)
	}
	hit.Score = h.score
	return hit, nil
}

// total reads {"value": 3, "relation": "eq"}, and 3 as older engines say it.
func total(raw json.RawMessage) (count int) {
	if jsontext.Value(raw).Kind() == jsontext.KindNumber {
		_ = jsonv2.Unmarshal(raw, &count)
		return count
	}
	var object struct {
		Value int `json:"value"`
	}
	_ = jsonv2.Unmarshal(raw, &object)
	return object.Value
}
