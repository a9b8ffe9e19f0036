package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/relevance-gate/relevance-gate/golden"
)

// queryParameter is the placeholder that stands for the query's text.
const queryParameter = "query"

var (
	placeholder     = regexp.MustCompile(`\{+[^{}]*\}\}+`)
	placeholderName = regexp.MustCompile(`^\{\{ *([A-Za-z_][A-Za-z0-9_.-]*) *\}\}$`)
)

// template is a search body cut at its placeholders, so that rendering a query
// only joins parts.
type template struct {
	parts []part
	// sorted: the body has an order of its own, which the scores do not show.
	sorted bool
}

// part is a piece of JSON text, or the placeholder of a parameter.
type part struct {
	literal   []byte
	parameter string
	// inString: the placeholder stands inside a longer string and gives its
	// text; else it is the whole string and gives a JSON value.
	inString bool
}

// newTemplate checks the body and cuts it.
func newTemplate(body json.RawMessage) (t *template, dropped []string, err error) {
	tree, dropped, err := checkedBody(body)
	if err != nil {
		return nil, nil, err
	}
	_, sorted := tree["sort"]
	t = &template{sorted: sorted}
	if err := t.addValue(tree); err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(t.parts, func(p part) bool { return p.parameter == queryParameter }) {
		return nil, nil, errors.New(`the search body has no "{{query}}", so every query would be the same search`)
	}
	return t, dropped, nil
}

// render gives the body of one query. A parameter that the query lacks is an
// error.
func (t *template) render(query golden.Query) (json.RawMessage, error) {
	var body bytes.Buffer
	for _, p := range t.parts {
		if p.parameter == "" {
			body.Write(p.literal)
			continue
		}
		value, err := parameter(query, p.parameter)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("parameter %q: %w", p.parameter, err)
		}
		if p.inString {
			text = insideString(value, text)
		}
		body.Write(text)
	}
	return body.Bytes(), nil
}

func parameter(query golden.Query, name string) (any, error) {
	if name == queryParameter {
		return query.Text, nil
	}
	if value, found := query.Params[name]; found {
		return value, nil
	}
	return nil, fmt.Errorf("the search body wants the parameter %q, which the query's params do not have", name)
}

// insideString is the value's text, escaped for a place between two quotes.
func insideString(value any, asJSON []byte) []byte {
	if _, isString := value.(string); !isString {
		asJSON, _ = json.Marshal(string(asJSON)) // A string always marshals.
	}
	return asJSON[1 : len(asJSON)-1]
}

// addValue appends the JSON text of value; keys are sorted and not rendered.
func (t *template) addValue(value any) error {
	switch value := value.(type) {
	case map[string]any:
		t.addText("{")
		for i, key := range slices.Sorted(maps.Keys(value)) {
			if i > 0 {
				t.addText(",")
			}
			t.addJSON(key)
			t.addText(":")
			if err := t.addValue(value[key]); err != nil {
				return err
			}
		}
		t.addText("}")
	case []any:
		t.addText("[")
		for i, item := range value {
			if i > 0 {
				t.addText(",")
			}
			if err := t.addValue(item); err != nil {
				return err
			}
		}
		t.addText("]")
	case string:
		return t.addString(value)
	default:
		t.addJSON(value)
	}
	return nil
}

// addString cuts a string at its placeholders.
func (t *template) addString(text string) error {
	found := placeholder.FindAllStringIndex(text, -1)
	if len(found) == 0 {
		t.addJSON(text)
		return nil
	}
	whole := found[0][0] == 0 && found[0][1] == len(text)
	if !whole {
		t.addText(`"`)
	}
	end := 0
	for _, at := range found {
		written := text[at[0]:at[1]]
		name := placeholderName.FindStringSubmatch(written)
		if name == nil {
			return fmt.Errorf("%q in the search body is not a placeholder; a placeholder is a name in two braces, such as {{query}}", written)
		}
		t.addEscaped(text[end:at[0]])
		t.parts = append(t.parts, part{parameter: name[1], inString: !whole})
		end = at[1]
	}
	t.addEscaped(text[end:])
	if !whole {
		t.addText(`"`)
	}
	return nil
}

func (t *template) addEscaped(text string) {
	quoted, _ := json.Marshal(text) // A string always marshals.
	t.addText(string(quoted[1 : len(quoted)-1]))
}

func (t *template) addJSON(value any) {
	raw, _ := json.Marshal(value) // A decoded JSON value always marshals.
	t.addText(string(raw))
}

// addText joins text to the part before it, if that is text too.
func (t *template) addText(text string) {
	if last := len(t.parts) - 1; last >= 0 && t.parts[last].parameter == "" {
		t.parts[last].literal = append(t.parts[last].literal, text...)
		return
	}
	t.parts = append(t.parts, part{literal: []byte(text)})
}
