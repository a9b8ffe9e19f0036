package golden

import "testing"

func TestJSONL(t *testing.T) {
	shoe := Query{ID: queryID("shoe"), Text: "shoe", Judgments: judged("p-1", 3, "p-2", 0)}
	mustRead(t, []reading{
		{name: "queries of our own form", format: FormatJSONL, text: "{\"id\":\"a\",\"query\":\"b\",\"weight\":2}\n\n{\"query\":\"shoe\",\"judgments\":[{\"id\":\"p-1\",\"grade\":3},{\"id\":\"p-2\",\"grade\":0}]}\r\n",
			want: []Query{{ID: "a", Text: "b", Weight: 2}, shoe}},
		{name: "one query", format: FormatJSONL, text: `{"id":"1","query":"what similarity laws must be obeyed"}`, want: []Query{{ID: "1", Text: "what similarity laws must be obeyed"}}},
		{name: "queries of the short form", format: FormatJSONL, text: "{\"q\":\"shoe\",\"judgments\":{\"p-1\":3,\"p-2\":0}}\n{\"q\":\"b\"}\n",
			want: []Query{shoe, {ID: queryID("b"), Text: "b"}}},
		{name: "queries of BEIR", format: FormatJSONL, text: `{"_id":"1","text":"shoe","metadata":{"query":"x"}}` + "\n" + `{"_id":"2","text":"hat","metadata":{}}`,
			want:  []Query{{ID: "1", Text: "shoe"}, {ID: "2", Text: "hat"}},
			notes: []string{`a golden set has no place for these fields, which are left out: "metadata"`}},
		{name: "topics", format: FormatJSONL, text: "{\"id\":301,\"title\":\"shoe\",\"description\":\"d\"}\n{\"id\":\"302\",\"title\":\"hat\"}\n{\"qid\":303,\"query\":\"sock\"}\n{\"number\":304,\"query\":\"belt\"}\n{\"topic_id\":305,\"title\":\"scarf\"}\n{\"query_id\":\"306\",\"text\":\"coat\"}",
			want:  []Query{{ID: "301", Text: "shoe"}, {ID: "302", Text: "hat"}, {ID: "303", Text: "sock"}, {ID: "304", Text: "belt"}, {ID: "305", Text: "scarf"}, {ID: "306", Text: "coat"}},
			notes: []string{`a golden set has no place for these fields, which are left out: "description"`}},
		{name: "grades that are words", format: FormatJSONL, opts: Options{Grades: map[string]float64{"E": 3}},
			text: "{\"query\":\"shoe\",\"product_id\":\"p-1\",\"esci_label\":\"E\"}\n{\"query\":\"shoe\",\"product_id\":\"p-2\",\"esci_label\":0}", want: []Query{shoe}},
		{name: "judgments", format: FormatJSONL, text: "{\"query\":\"shoe\",\"doc_id\":\"p-1\",\"rating\":3}\n{\"query\":\"shoe\",\"doc_id\":\"p-2\",\"rating\":0}", want: []Query{shoe}},
		{name: "judgments by ids that are numbers, with all there is", format: FormatJSONL,
			text: `{"query_id":7,"query":"a","docid":12,"grade":1,"why":"w","judge":"j","at":null,"segments":["s"],"weight":3,"params":{"b":"c"},"title":"t","expectNoResults":false}` + "\n" + `{"query_id":"7","id":"x","grade":0}`,
			want: []Query{{ID: "7", Text: "a", Segments: []string{"s"}, Weight: 3, Params: map[string]any{"b": "c"},
				Judgments: []Judgment{{DocID: "12", Grade: 1, Basis: &Basis{Why: "w", Judge: "j"}}, {DocID: "x"}}}},
			notes: []string{`a golden set has no place for these fields, which are left out: "title"`}},
	})
	mustRefuse(t, FormatJSONL, []refusing{
		{name: "a line that is no JSON", text: "{\"query\":\"a\"}\n{\"query\":\"b\"", want: "line 2, column 13: it is not JSON: unexpected end of JSON input; correct the text there"},
		{name: "a line that is no object", text: "{\"query\":\"a\"}\n7", want: "line 2: line is a number; write an object"},
		{name: "an unknown field", text: "{\"query\":\"a\"}\n{\"query\":\"b\",\"weigth\":2}", want: `line 2: a query has no field "weigth"; did you mean "weight"?`},
		{name: "a word without a grade", text: `{"query":"a","doc":"d","label":"X"}`, opts: Options{Grades: map[string]float64{"E": 3}},
			want: `line 1: the grade "X" is neither a number nor one of the words E; give it a grade, or write a number from 0 to 30`},
		{name: "no text", text: `{"_id":"1"}`, want: `line 1: query "1" has no query text; write one`},
		{name: "no query", text: `{"doc":"d","grade":1,"query":""}`, want: "line 1: the line names no query; write its text"},
		{name: "no column of queries", text: `{"doc":"d","grade":1}`, want: "line 1: no column holds the queries; call it query, or query_id if another file tells their texts"},
		{name: "no document", text: `{"query":"a","doc":"","grade":1}`, want: "line 1: the line has a grade, but names no document; write its id"},
		{name: "no grade", text: `{"query":"a","doc":"d","grade":null}`, want: "line 1: grade is null; write a number from 0 to 30, or leave it out where it is not needed"},
		{name: "no grade at all", text: "{\"query\":\"a\",\"doc\":\"d\",\"grade\":1}\n{\"query\":\"a\",\"doc\":\"e\"}", want: "line 2: no column holds the grades; call it grade or rating"},
		{name: "a negative grade", text: `{"query":"a","doc":"d","grade":-1}`, want: `line 1: the grade -1 of query "q-ca978112ca" is negative; write 0 for a document that is not relevant, or remove the judgment`},
		{name: "a document that is true", text: `{"query":"a","doc":true,"grade":1}`, want: "line 1: doc is true; write a string in quotation marks"},
		{name: "a field twice", text: `{"query":"a","query":"b","doc":"d","grade":1}`, want: `line 1: the columns "query" and "query" both seem to hold the query's text; rename one of them`},
		{name: "half of a surrogate pair", text: `{"\ud800":"a"}`, want: `line 1: the string holds half of a surrogate pair (\ud800 to \udfff alone); write the whole character`},
		{name: "a fault in a row", text: "{\"query\":\"a\"}\n{\"query\":\"b\",\"doc\":\"d\",\"grade\":1,\"weight\":0}",
			want: `line 2: the weight 0 of query "q-3e23e81600" is not above 0; write a number above 0, or remove the query`},
		{name: "a number for a reason", text: `{"query":"b","doc":"d","grade":1,"why":1}`, want: "line 1: why is a number; write a string in quotation marks"},
		{name: "another weight", text: "{\"query\":\"b\",\"doc\":\"d\",\"grade\":1,\"weight\":2}\n{\"query\":\"b\",\"doc\":\"e\",\"grade\":1,\"weight\":3}",
			want: `line 2: query "q-3e23e81600" has other params, segments, another weight or expectNoResults here than before (first on line 1); write the same, or leave it out here`},
	})
}
