package evaluate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
)

func TestRenderPutsParametersIn(t *testing.T) {
	query := golden.Query{Text: `say "hi" \ <b>`, Params: map[string]any{
		"brands": []any{"a", "b"},
		"boost":  json.Number("1.50"),
		"only":   true,
		"brand":  `x"y`,
		"none":   nil,
		"query":  "not this one",
	}}
	for name, test := range map[string]struct{ body, want string }{
		"the query's text": {
			`{"q": "{{query}}"}`, `{"q":"say \"hi\" \\ \u003cb\u003e"}`},
		"spaces in the braces": {
			`{"q": "{{ query }}"}`, `{"q":"say \"hi\" \\ \u003cb\u003e"}`},
		"a whole string takes the value with its type": {
			`{"q": "{{query}}", "b": "{{brands}}", "c": "{{boost}}", "d": "{{only}}", "e": "{{none}}"}`,
			`{"b":["a","b"],"c":1.50,"d":true,"e":null,"q":"say \"hi\" \\ \u003cb\u003e"}`},
		"a longer string takes the text": {
			`{"q": "{{query}}", "b": "name:\"{{brand}}\"^{{boost}} {{only}} {{brands}}"}`,
			`{"b":"name:\"x\"y\"^1.50 true [\"a\",\"b\"]","q":"say \"hi\" \\ \u003cb\u003e"}`},
		"a blank beside it makes the string longer": {
			`{"q": "{{query}}", "b": "{{boost}} "}`, `{"b":"1.50 ","q":"say \"hi\" \\ \u003cb\u003e"}`},
		"keys stay as they are": {
			`{"q": "{{query}}", "{{brand}}": [1, 2.0, null, {"x": false}]}`,
			`{"q":"say \"hi\" \\ \u003cb\u003e","{{brand}}":[1,2.0,null,{"x":false}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			template, _, err := newTemplate(json.RawMessage(test.body))
			if err != nil {
				t.Fatal(err)
			}
			got, err := template.render(query)
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(got) {
				t.Errorf("not JSON: %s", got)
			}
			if want := strings.ReplaceAll(test.want, `x"y`, `x\"y`); string(got) != want {
				t.Errorf("rendered\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestRenderNamesAMissingParameter(t *testing.T) {
	template, _, err := newTemplate(json.RawMessage(`{"q": "{{query}}", "b": "x {{brand}}"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = template.render(golden.Query{Text: "shoes", Params: map[string]any{"brands": "x"}})
	if err == nil || !strings.Contains(err.Error(), `"brand"`) {
		t.Errorf("the error is %v, want one that names brand", err)
	}
}
