package evaluate

import (
	"encoding/json"
	"fmt"
	"slices"
)

// maxBody is the largest search body, in bytes.
const maxBody = 64 << 10

// droppedFields are ours to set or change no ranking: they are not sent.
var droppedFields = []string{
	"size", "_source", "fields", "aggs", "aggregations", "highlight",
	"suggest", "explain", "profile", "track_total_hits",
}

// refusedFields would change which hits count, or leave some out silently.
var refusedFields = []struct{ field, why string }{
	{"search_after", "a ranking starts at its first hit"},
	{"pit", "the index is searched by its name"},
	{"timeout", "it returns partial hits; use evaluation.timeoutSeconds"},
	{"terminate_after", "it returns partial hits"},
}

// CheckBody holds a search body against the rules and lists the fields that
// will not be sent. The error is one sentence.
func CheckBody(body json.RawMessage) (dropped []string, err error) {
	_, dropped, err = newTemplate(body)
	return dropped, err
}

// checkedBody is the body as a tree, without the dropped fields.
func checkedBody(body json.RawMessage) (tree map[string]any, dropped []string, err error) {
	if len(body) > maxBody {
		return nil, nil, fmt.Errorf("the search body has %d bytes, the limit is %d", len(body), maxBody)
	}
	if err := decodeNumbers(body, &tree); err != nil {
		return nil, nil, fmt.Errorf("the search body is not a JSON object: %w", err)
	}
	for _, refused := range refusedFields {
		if _, found := tree[refused.field]; found {
			return nil, nil, fmt.Errorf("the search body must not have %s: %s", refused.field, refused.why)
		}
	}
	if from, found := tree["from"]; found && from != json.Number("0") {
		return nil, nil, fmt.Errorf("the search body must not have from above 0: a ranking starts at its first hit")
	}
	for _, field := range droppedFields {
		if _, found := tree[field]; found {
			delete(tree, field)
			dropped = append(dropped, field)
		}
	}
	slices.Sort(dropped)
	return tree, dropped, nil
}
