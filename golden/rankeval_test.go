package golden

import (
	"encoding/json"
	"fmt"
	"testing"
)

// ranked is a _rank_eval request with one rated request.
func ranked(request string) string {
	return `{"requests":[{"id":"r",` + request + `,"ratings":[{"_index":"i","_id":"d","rating":1}]}]}`
}

func TestRankEval(t *testing.T) {
	const left = `a golden set has no place for these fields, which are left out: `
	text := func(text string) []Query {
		return []Query{{ID: "r", Text: text, Judgments: judged("d", 1)}}
	}
	rows := []reading{
		{name: "templates", format: FormatRankEval, text: `{
  "templates": [{"id": "match_one_field_query", "template": {"inline": {"query": {"match": {"{{field}}": {"query": "{{query_string}}"}}}}}}],
  "requests": [
    {"id": "amsterdam_query", "ratings": [{"_index": "i", "_id": "doc1", "rating": 0}, {"_index": "i", "_id": "doc2", "rating": 3}],
     "template_id": "match_one_field_query", "params": {"query_string": "amsterdam", "field": "text", "size": 10}, "summary_fields": ["title"]},
    {"id": "berlin_query", "ratings": [], "template_id": "match_one_field_query", "params": {"anything": "berlin"}}],
  "metric": {"precision": {"k": 20, "relevant_rating_threshold": 1, "ignore_unlabeled": false}},
  "max_concurrent_searches": 4
}`, want: []Query{
			{ID: "amsterdam_query", Text: "amsterdam", Params: map[string]any{"field": "text", "size": json.Number("10")}, Judgments: judged("doc1", 0, "doc2", 3)},
			{ID: "berlin_query", Text: "berlin"},
		}, notes: []string{left + `"templates", "_index", "template_id", "summary_fields", "metric", "max_concurrent_searches"`}},
		{name: "a name that is likelier than the others", format: FormatRankEval, text: ranked(`"params":{"text":"a","Query-String":"b","q":"c"}`),
			want: []Query{{ID: "r", Text: "b", Params: map[string]any{"text": "a", "q": "c"}, Judgments: judged("d", 1)}}, notes: []string{left + `"_index"`}},
		{name: "a document in two indices", format: FormatRankEval,
			text:  `{"requests":[{"id":"r","params":{"q":"a"},"ratings":[{"_index":"v1","_id":"d","rating":1},{"_index":"v2","_id":"d","rating":1}]}]}`,
			want:  text("a"),
			notes: []string{left + `"_index"`, "documents with the same rating in several indices, judged once: 1 (first on line 1)"}},
	}
	for name, search := range map[string]string{
		"match":                   `{"match":{"title":"coffee"}}`,
		"match with settings":     `{"match":{"title":{"query":"coffee","operator":"and"}}}`,
		"multi_match":             `{"multi_match":{"query":"coffee","fields":["title^3","body"]}}`,
		"the same text twice":     `{"bool":{"should":[{"match":{"title":"coffee"}},{"match_phrase":{"body":"coffee"}}]}}`,
		"a filter beside it":      `{"bool":{"must":[{"match":{"title":"coffee"}},{"term":{"brand":"x"}}],"filter":[{"match":{"country":"es"}}],"must_not":{"match":{"title":"tea"}}}}`,
		"query_string":            `{"query_string":{"query":"coffee"}}`,
		"simple_query_string":     `{"function_score":{"query":{"simple_query_string":{"query":"coffee","fields":["a"]}}}}`,
		"a semantic search":       `{"semantic":{"field":"v","query":"coffee"}}`,
		"a sparse vector":         `{"sparse_vector":{"field":"v","inference_id":"i","query":"coffee"}}`,
		"a text expansion":        `{"text_expansion":{"v":{"model_id":"m","model_text":"coffee"}}}`,
		"the vector of a text":    `{"knn":{"field":"v","query_vector_builder":{"text_embedding":{"model_id":"m","model_text":"coffee"}}}}`,
		"a field called query":    `{"match":{"query":"coffee"}}`,
		"a field called by match": `{"match_phrase":{"match":"coffee"}}`,
	} {
		rows = append(rows, reading{name: name, format: FormatRankEval, text: ranked(`"request":{"size":10,"query":` + search + `}`),
			want: text("coffee"), notes: []string{left + `"request", "_index"`}})
	}
	rows = append(rows, reading{name: "a number", format: FormatRankEval, text: ranked(`"request":{"query":{"match":{"year":1984}}}`),
		want: text("1984"), notes: []string{left + `"request", "_index"`}},
		reading{name: "a number with settings", format: FormatRankEval, text: ranked(`"request":{"query":{"match":{"year":{"query":1984}}}}`),
			want: text("1984"), notes: []string{left + `"request", "_index"`}})
	mustRead(t, rows)

	const noText = `line 1: the request of query "r" searches for no text (by match, multi_match, query_string and the like), so it cannot be told what its query is; write it with template_id and params`
	mustRefuse(t, FormatRankEval, []refusing{
		{name: "two texts", text: ranked(`"request":{"query":{"bool":{"must":[{"match":{"a":"b"}},{"match":{"c":"d"}}]}}}`),
			want: `line 1: the request of query "r" searches for 2 different texts, so it cannot be told which is its query; write it with template_id and params`},
		{name: "no text", text: ranked(`"request":{"query":{"match_all":{}}}`), want: noText},
		{name: "an exact value", text: ranked(`"request":{"query":{"term":{"sku":"x"}}}`), want: noText},
		{name: "no params", text: ranked(`"template_id":"t"`), want: `line 1: the params of query "r" do not tell which of them is the query's text; call that one query_string`},
		{name: "two params without a name for it", text: ranked(`"params":{"a":"b","c":"d"}`), want: `line 1: the params of query "r" do not tell which of them is the query's text; call that one query_string`},
		{name: "two names for it", text: ranked(`"params":{"query_string":"b","queryString":"d"}`), want: `line 1: the params of query "r" do not tell which of them is the query's text; call that one query_string`},
		{name: "a query that is no text", text: ranked(`"params":{"query":{"match":"x"},"q":"a"}`),
			want: `line 1: the params of query "r" name one "query", which stands for the query's text; give it another name`},
		{name: "params that are an array", text: ranked(`"params":["a"]`), want: `line 1: the params of query "r" are no object; write {"name": value}`},
		{name: "no id", text: `{"requests":[{"params":{"q":"a"},"ratings":[]}]}`, want: "line 1: the query that begins on line 1 has no id; write one"},
		{name: "an empty text", text: ranked(`"params":{"q":" "}`), want: `line 1: query "r" has no query text; write one`},
		{name: "no document", text: `{"requests":[{"id":"r","params":{"q":"a"},"ratings":[{"rating":1}]}]}`, want: `line 1: a judgment of query "r" has no _id; write the document's id`},
		{name: "no rating", text: `{"requests":[{"id":"r","params":{"q":"a"},"ratings":[{"_id":"d"}]}]}`, want: `line 1: query "r" judges document "d" without a rating; write a number from 0 to 30`},
		{name: "a document in two indices", text: "{\"requests\":[{\"id\":\"r\",\"params\":{\"q\":\"a\"},\"ratings\":[{\"_index\":\"v1\",\"_id\":\"d\",\"rating\":1},\n{\"_index\":\"v2\",\"_id\":\"d\",\"rating\":2}]}]}",
			want: `line 2: query "r" rates document "d" as 2 in the index "v2" and as 1 in "v1", but a golden set holds for any index; keep one of the two`},
		{name: "a document twice in an index", text: "{\"requests\":[{\"id\":\"r\",\"params\":{\"q\":\"a\"},\"ratings\":[{\"_index\":\"v1\",\"_id\":\"d\",\"rating\":1},\n{\"_index\":\"v1\",\"_id\":\"d\",\"rating\":1}]}]}",
			want: `line 2: query "r" judges document "d" twice (first on line 1); keep one of the two`},
		{name: "a request twice", text: "{\"requests\":[{\"id\":\"r\",\"params\":{\"q\":\"a\"},\"ratings\":[]},\n{\"id\":\"r\",\"params\":{\"q\":\"b\"},\"ratings\":[]}]}",
			want: `line 2: query "r" stands twice (first on line 1); keep one of the two, or give each an id of its own`},
		{name: "endless nesting", text: ranked(`"request":` + nested(101)), want: "line 1: request nests deeper than 100 levels; make it flatter"},
	})
}

// nested are arrays in arrays.
func nested(depth int) string {
	open, end := "", ""
	for range depth {
		open, end = open+"[", end+"]"
	}
	return fmt.Sprint(open, end)
}
