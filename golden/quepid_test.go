package golden

import (
	"encoding/json"
	"testing"
)

func TestQuepid(t *testing.T) {
	wars := Query{ID: queryID("star wars"), Text: "star wars"}
	withJudge := wars
	withJudge.Judgments = []Judgment{{DocID: "11", Grade: 3, Basis: &Basis{Judge: "ana@shop.example"}}, {DocID: "1893"}}
	plain := wars
	plain.Judgments = judged("11", 3, "1893", 0)
	trek := Query{ID: paramsID("star trek", map[string]any{"lang": "en", "boost": json.Number("2")}), Text: "star trek",
		Params: map[string]any{"lang": "en", "boost": json.Number("2")}}
	mustRead(t, []reading{
		{name: "ratings in quotation marks", format: FormatQuepid, text: `{"queries":[{"query_text":"a","ratings":{"d":"2.0"}}]}`,
			want: []Query{{ID: queryID("a"), Text: "a", Judgments: judged("d", 2)}}},
		{name: "a case", format: FormatQuepid, set: "Movies Search", text: `{
  "case_name": "Movies Search",
  "owned": true,
  "owner_email": "ana@shop.example",
  "public": false,
  "archived": false,
  "options": {},
  "scorer": {"scorer_id": 1, "name": "nDCG@10", "code": "…", "scale": [0, 1, 2, 3]},
  "queries": [
    {"arranged_at": 0, "arranged_next": null, "query_text": "star wars", "options": {}, "notes": null, "information_need": "The films", "ratings": [
      {"doc_id": "11", "rating": 3.0, "user_email": "ana@shop.example"},
      {"doc_id": "1893", "rating": 0, "user_email": null},
      {"doc_id": "1894", "rating": null}]},
    {"arranged_at": 1, "query_text": "star trek", "options": {"lang": "en", "boost": 2}, "notes": "", "ratings": []}
  ],
  "try": {"custom_headers": "", "escape_query": true, "curator_variables": []}
}`, want: []Query{withJudge, trek}, notes: []string{
			`a golden set has no place for these fields, which are left out: "owned", "owner_email", "options", "scorer", "information_need", "notes", "try"`,
			"documents without a rating, read as not judged: 1 (first on line 13)",
		}},
		{name: "a case whose ratings are an object", format: FormatQuepid, set: "Movies",
			text: `{"case_name":"Movies","queries":[{"query_text":"star wars","options":"","ratings":{"11":3,"1893":0,"1894":null}},{"query_text":"none","ratings":null}]}`,
			want: []Query{plain, {ID: queryID("none"), Text: "none"}},
			notes: []string{
				`a golden set has no place for these fields, which are left out: "options"`,
				"documents without a rating, read as not judged: 1 (first on line 1)",
			}},
		{name: "ratings", format: FormatQuepid, text: `{"queries":[{"query":"star wars","ratings":{"11":3,"1893":0}}]}`, want: []Query{plain}},
		{name: "a snapshot", format: FormatQuepid, set: "before the tuning", text: `{"id":5,"name":"before the tuning","time":"2026-03-01T10:00:00.000Z","has_snapshot_file":true,
"scorer":{"name":"nDCG@10"},"try":{"try_number":2},"docs":{"7":[{"id":"11","explain":null,"rated_only":false,"fields":{"title":"Star Wars"}}]},
"queries":[{"arranged_at":0,"query_id":7,"query_text":"star wars","options":{},"modified_at":"2026-02-01","ratings":{"11":3,"1893":0}}],
"scores":[{"query_id":7,"score":0.7,"all_rated":true,"number_of_results":12}]}`,
			want: []Query{plain}, notes: []string{
				`a golden set has no place for these fields, which are left out: "id", "time", "has_snapshot_file", "scorer", "try", "docs", "scores"`,
			}},
		{name: "a list of one snapshot", format: FormatQuepid, set: "s",
			text: `{"snapshots":[{"name":"s","queries":[{"query_text":"star wars","ratings":{"11":3,"1893":0}}]}]}`, want: []Query{plain}},
		{name: "the same text with other options", format: FormatQuepid,
			text: `{"queries":[{"query_text":"star trek","options":{"lang":"en","boost":2},"ratings":{}},{"query_text":"star trek","ratings":{}}]}`,
			want: []Query{trek, {ID: queryID("star trek"), Text: "star trek"}}},
	})
	mustRefuse(t, FormatQuepid, []refusing{
		{name: "no text", text: `{"queries":[{"query_text":" ","ratings":{"d":1}}]}`, want: "line 1: the query that begins on line 1 has no query text; write one"},
		{name: "no document", text: `{"queries":[{"query_text":"a","ratings":[{"rating":1}]}]}`, want: `line 1: a judgment of query "q-ca978112ca" has no doc_id; write the document's id`},
		{name: "no rating", text: `{"queries":[{"query_text":"a","ratings":[{"doc_id":"d"}]}]}`,
			want: `line 1: query "q-ca978112ca" judges document "d" without a rating; write a number from 0 to 30`},
		{name: "a rating in words", text: `{"queries":[{"query_text":"a","ratings":{"d":"good"}}]}`,
			want: `line 1: the grade "good" is a word; write a number from 0 to 30, or give each word its grade with relevance-gate convert --grades, such as Exact=2,Partial=1,Irrelevant=0`},
		{name: "a rating in quotation marks above the scale", text: `{"queries":[{"query_text":"a","ratings":{"d":"4"}}]}`, opts: Options{MaxGrade: 3},
			want: `line 1: the rating 4 of query "q-ca978112ca" is above maxGrade 3; correct it, or declare a higher maxGrade`},
		{name: "ratings in words", text: `{"queries":[{"query_text":"a","ratings":"good"}]}`, want: "line 1: ratings is a string; write an object"},
		{name: "several snapshots", text: "{\"snapshots\":[{\"queries\":[]},\n{\"queries\":[]}]}",
			want: "line 2: the export holds several snapshots, which repeat the same ratings; keep one of them"},
		{name: "a book", text: `{"name":"b","query_doc_pairs":[]}`,
			want: "line 1: it is a book of Quepid, which holds what each judge said; export the case that the book was turned into"},
		{name: "a mixture", text: `{"case_name":"a","requests":[]}`,
			want: `line 1: a Quepid export with the field "requests" is a mixture of two formats; split the file, and name the format of each`},
		{name: "options that hide the query", text: `{"queries":[{"query_text":"a","options":{"query":"b"}}]}`,
			want: `line 1: the params of query "q-ca978112ca" name one "query", which stands for the query's text; give it another name`},
		{name: "a query twice", text: "{\"queries\":[{\"query_text\":\"a\"},\n{\"query_text\":\"a\"}]}",
			want: `line 2: query "q-ca978112ca" stands twice (first on line 1); keep one of the two, or give each an id of its own`},
		{name: "a user that is a number", text: `{"queries":[{"query_text":"a","ratings":[{"doc_id":"d","rating":1,"user_email":1}]}]}`,
			want: "line 1: user_email is a number; write a string in quotation marks"},
	})
}

// TestQuepidTables reads the tables that Quepid writes on its server and in the browser.
func TestQuepidTables(t *testing.T) {
	wars := Query{ID: queryID("star wars"), Text: "star wars", Judgments: judged("11", 3, "1893", 0)}
	const dropped = "documents without a rating, read as not judged: 1 (first on line 4)"
	mustRead(t, []reading{
		{name: "ratings", format: FormatQuepid, text: "query,docid,rating\nstar wars,11,3.0\nstar wars,1893,0\nnone,,",
			want: []Query{wars, {ID: queryID("none"), Text: "none"}}},
		{name: "ratings of a snapshot", format: FormatQuepid, text: "query,docid,rating\nstar wars,11,3\nstar wars,1893,0\nstar wars,1894,\n", want: []Query{wars}, notes: []string{dropped}},
		{name: "ratings from the browser", format: FormatQuepid, text: "query,doc_id,rating\r\nstar wars,11,3\r\nstar wars,1893,0\r\n", want: []Query{wars}},
		{name: "a case in detail", format: FormatQuepid,
			text: "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,score,id\r\nT,Movies,6789,star wars,11,1,\"Star, Wars\",3,9,x\r\n" +
				"T,Movies,6789,star wars,1893,2,,0,9,y\r\nT,Movies,6789,star wars,1894,3,,,9,z\r\nT,Movies,6789,none\r\n",
			want: []Query{wars, {ID: queryID("none"), Text: "none"}}, notes: []string{
				`a golden set has no place for these fields, which are left out: "Team Name", "Case Name", "Case ID", "Doc Position", "Title", "score", "id"`, dropped,
			}},
		{name: "what a spreadsheet would take for a formula", format: FormatQuepid, text: "query,docid,rating\n -shoe,d,1\n shoe,d,1\n",
			want: []Query{{ID: queryID("-shoe"), Text: "-shoe", Judgments: judged("d", 1)}, {ID: queryID(" shoe"), Text: " shoe", Judgments: judged("d", 1)}}},
	})
	mustRefuse(t, FormatQuepid, []refusing{
		{name: "a snapshot without ratings", text: "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\ns,t,1,a,d,1\n",
			want: "line 1: it is a table of Quepid without ratings; export the ratings of the case instead"},
		{name: "scores", text: "Team Name,Case Name,Case ID,Query Text,Score,Date Last Scored,Count\nt,c,1,a,0.5,d,10\n",
			want: "line 1: it is a table of Quepid without ratings; export the ratings of the case instead"},
		{name: "a document without a rating, which Quepid did not write", opts: Options{Format: FormatCSV}, text: "query,docid,rating\na,d,\n",
			want: `line 2: column 3 (rating): document "d" has no grade; write a number from 0 to 30`},
		{name: "a cell too many", text: "query,docid,rating\na,d,1,2\n",
			want: "line 2: the row has 4 cells, the header has 3; write as many, in quotation marks where a cell holds the separator"},
	})
}
