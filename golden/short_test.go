package golden

import "testing"

func TestShort(t *testing.T) {
	shoe := Query{ID: queryID("shoe"), Text: "shoe", Judgments: judged("p-1", 3, "p-2", 0)}
	mustRead(t, []reading{
		{name: "a set", format: FormatShort, set: "shop",
			text: `{"name":"shop","queries":[{"q":"shoe","judgments":{"p-1":3,"p-2":0}}]}`, want: []Query{shoe}},
		{name: "a list of queries", format: FormatShort,
			text: `[{"judgments":{"p-1":3,"p-2":0},"q":"shoe"}]`, want: []Query{shoe}},
		{name: "an id", format: FormatShort,
			text: `[{"id":"a","q":"shoe","judgments":{"p-1":3}}]`, want: []Query{{ID: "a", Text: "shoe", Judgments: judged("p-1", 3)}}},
		{name: "negatives", format: FormatShort,
			text: "[{\"q\":\"shoe\",\"judgments\":{\"p-1\":3,\"p-2\":0}},\n{\"q\":\"fridge\",\"judgments\":{}},\n{\"q\":\"oven\",\"expectNoResults\":true}]",
			want: []Query{shoe, {ID: queryID("fridge"), Text: "fridge", ExpectNoResults: true}, {ID: queryID("oven"), Text: "oven", ExpectNoResults: true}},
			notes: []string{
				"queries with empty judgments, read as queries that expect no results: 1 (first on line 2)",
			}},
		{name: "no judgments are no negative", format: FormatShort,
			text: `[{"q":"shoe"}]`, want: []Query{{ID: queryID("shoe"), Text: "shoe"}}},
	})
	mustRefuse(t, FormatShort, []refusing{
		{name: "no text", text: `[{"judgments":{"p-1":3}}]`, want: `line 1: the query that begins on line 1 has no query text; write one`},
		{name: "a grade in quotation marks", text: `[{"q":"a","judgments":{"p-1":"3"}}]`, want: `line 1: grade is a string; write a number from 0 to 30`},
		{name: "a negative grade", text: `[{"q":"a","judgments":{"p-1":-1}}]`,
			want: `line 1: the grade -1 of query "q-ca978112ca" is negative; write 0 for a document that is not relevant, or remove the judgment`},
		{name: "no document", text: `[{"q":"a","judgments":{"":1}}]`, want: `line 1: a judgment of query "q-ca978112ca" has no id; write the document's id`},
		{name: "a document twice", text: "[{\"q\":\"a\",\"judgments\":{\"d\":1,\n\"d\":1}}]",
			want: `line 2: query "q-ca978112ca" judges document "d" twice (first on line 1); keep one of the two`},
		{name: "judgments that are a list", text: `[{"q":"a","judgments":[{"id":"d","grade":1}]}]`, want: `line 1: judgments is an array; write an object`},
		{name: "half of a surrogate pair", text: `[{"q":"a","judgments":{"\ud800":1}}]`,
			want: `line 1: the string holds half of a surrogate pair (\ud800 to \udfff alone); write the whole character`},
		{name: "an unknown field", text: `[{"q":"a","weigth":1}]`, want: `line 1: a query has no field "weigth"; its fields are id, q, judgments, expectNoResults`},
		{name: "a string", text: `[1]`, want: `line 1: query is a number; write an object`},
	})
}
