package golden

import "testing"

func TestRRE(t *testing.T) {
	const left = `a golden set has no place for these fields, which are left out: `
	fender := func(text string, segments ...string) Query {
		return Query{ID: queryID(text), Text: text, Segments: segments, Judgments: judged("1", 3, "2", 1)}
	}
	mustRead(t, []reading{
		{name: "all levels", format: FormatRRE, text: `{
  "index": "basses", "corpora_file": "electric_basses.bulk", "id_field": "id",
  "topics": [{"description": "Fender basses", "query_groups": [{
    "name": "Brand search", "description": "The group tests several searches on the Fender brand",
    "queries": [{"template": "only_q.json", "placeholders": {"$query": "fender"}}, {"template": "only_q.json", "placeholders": {"$query": "Fender"}}],
    "relevant_documents": {"1": {"gain": 3}, "2": {"gain": 1}}}]}]
}`, want: []Query{fender("fender", "Brand search", "Fender basses"), fender("Fender", "Brand search", "Fender basses")},
			notes: []string{left + `"index", "corpora_file", "id_field", "template"`}},
		{name: "the documents before the queries, in lists by grade", format: FormatRRE,
			text: `{"topics":[{"query_groups":[{"relevant_documents":{"3":["1"],"1":["2"]},"queries":[{"$query":"fender"}]}]}]}`, want: []Query{fender("fender")}},
		{name: "groups alone, with another placeholder, documents as a list", format: FormatRRE,
			text: `{"index":"i","id_field":"id","query_groups":[{"name":"what is rre","queries":[{"template":"t","placeholders":{"query":"what is rre","$vector":"[0.1]","lang":"en"}}],
"relevant_documents":[{"document_id":"doc1","gain":2},{"document_id":"doc2","gain":0}]}],"query_placeholder":"query"}`,
			want: []Query{{ID: paramsID("what is rre", map[string]any{"vector": "[0.1]", "lang": "en"}), Text: "what is rre",
				Params: map[string]any{"vector": "[0.1]", "lang": "en"}, Judgments: judged("doc1", 2, "doc2", 0)}},
			notes: []string{left + `"index", "id_field", "template"`}},
		{name: "queries alone, as Quepid writes them", format: FormatRRE,
			text:  `{"id_field":"id","index":"movies","template":"template.json","queries":[{"placeholders":{"$query":"star wars"},"relevant_documents":{"1":{"gain":1}}},{"placeholders":{"$query":"none"}},{"placeholders":{"$query":"null"},"relevant_documents":null}]}`,
			want:  []Query{{ID: queryID("star wars"), Text: "star wars", Judgments: judged("1", 1)}, {ID: queryID("none"), Text: "none"}, {ID: queryID("null"), Text: "null"}},
			notes: []string{left + `"id_field", "index", "template"`}},
		{name: "names that say nothing", format: FormatRRE,
			text: `{"topics":[{"name":null,"query_groups":[{"name":"g","queries":[{"$query":"a"}]},{"description":"a","queries":[{"$query":"b"}]}]},{"name":"g","queries":[{"$query":"c"}]}]}`,
			want: []Query{{ID: queryID("a"), Text: "a", Segments: []string{"g"}}, {ID: queryID("b"), Text: "b", Segments: []string{"a"}}, {ID: queryID("c"), Text: "c", Segments: []string{"g"}}}},
		{name: "the same text with another language", format: FormatRRE,
			text: `{"topics":[{"queries":[{"$query":"jazz"},{"$query":"jazz","$lang":"en"}]}]}`,
			want: []Query{{ID: queryID("jazz"), Text: "jazz"}, {ID: paramsID("jazz", map[string]any{"lang": "en"}), Text: "jazz", Params: map[string]any{"lang": "en"}}}},
	})
	group := func(documents string) string {
		return "{\"queries\":[{\"$query\":\"a\"}],\n\"relevant_documents\":" + documents + "}"
	}
	mustRefuse(t, FormatRRE, []refusing{
		{name: "no text", text: `{"queries":[{"placeholders":{"q":"a"}}]}`,
			want: `line 1: the query that begins on line 1 has no placeholder "$query", so its text is not known; write one, or name it in query_placeholder`},
		{name: "a text that is a number", text: `{"queries":[{"placeholders":{"$query":1}}]}`, want: "line 1: $query is a number; write a string in quotation marks"},
		{name: "a placeholder twice", text: `{"queries":[{"placeholders":{"$query":"a","lang":"en","$lang":"es"}}]}`,
			want: `line 1: the placeholder "$lang" of query "q-ca978112ca" stands twice, or for the query's text; give it another name`},
		{name: "a grade that is no number", text: group(`{"good":["d"]}`), want: `line 2: the grade "good" of a list of documents is no number; write a number from 0 to 30`},
		{name: "a grade above the highest", text: group(`{"31":["d"]}`), want: "line 2: the gain 31 of the group of queries with the documents on line 2 is above 30, the highest there is; correct it"},
		{name: "a negative grade", text: group(`{"d":{"gain":-1}}`), want: "line 2: the gain -1 of the group of queries with the documents on line 2 is negative; write 0 for a document that is not relevant, or remove the judgment"},
		{name: "no grade", text: group(`{"d":{}}`), want: `line 2: the group of queries with the documents on line 2 judges document "d" without a gain; write a number from 0 to 30`},
		{name: "a document that is a number", text: group(`{"3":[1]}`), want: "line 2: a document's id is a number; write a string in quotation marks"},
		{name: "a list of numbers", text: group(`[1]`), want: "line 2: document is a number; write an object"},
		{name: "no document in a list", text: group(`[{"gain":1}]`), want: "line 2: a judgment of the group of queries with the documents on line 2 has no document_id; write the document's id"},
		{name: "a document in two grades", text: group(`{"3":["d"],"1":["d"]}`), want: `line 2: query "q-ca978112ca" judges document "d" as 1 and as 3 (first on line 2); keep one of the two`},
		{name: "a query in two groups", text: "{\"query_groups\":[{\"queries\":[{\"$query\":\"a\"}]},\n{\"queries\":[{\"$query\":\"a\"}]}]}",
			want: `line 2: query "q-ca978112ca" stands twice (first on line 1); keep one of the two, or give each an id of its own`},
		{name: "a mixture", text: `{"queries":[],"requests":[]}`, want: `line 1: a ratings file with the field "requests" is a mixture of two formats; split the file, and name the format of each`},
		{name: "a number", text: `{"topics":[1]}`, want: "line 1: ratings file is a number; write an object"},
	})
}
