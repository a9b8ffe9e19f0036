package golden

import (
	"encoding/json"
	"testing"
)

func TestCSV(t *testing.T) {
	shoe := Query{ID: queryID("red, shoe"), Text: "red, shoe", Judgments: judged("p-1", 3, "p-2", 0)}
	full := Query{
		ID: "q1", Text: `say "hi"`, Segments: []string{"head", "shoes"}, Weight: 2.5,
		Params: map[string]any{"lang": "es", "size": json.Number("42.0")},
		Judgments: []Judgment{
			{DocID: "p-1", Grade: 3, Basis: &Basis{Why: "exactly\nthat", Judge: "ana", At: "2026-03-01"}},
			{DocID: "p-2", Grade: .5, Basis: &Basis{Judge: "ana"}},
		},
	}
	mustRead(t, []reading{
		{name: "commas", format: FormatCSV, text: "query,doc,grade\n\"red, shoe\",p-1,3\n\"red, shoe\",p-2,0\n", want: []Query{shoe}},
		{name: "tabs and Windows line ends", format: FormatCSV, text: "Query Text\tProduct ID\tRelevance\r\nred, shoe\tp-1\t3\r\n\r\nred, shoe\tp-2\t0.0", want: []Query{shoe}},
		{name: "semicolons", format: FormatCSV, text: "query;doc-id;rating\nred, shoe;p-1;3\nred, shoe;p-2;0\n", want: []Query{shoe}},
		{name: "an id is the document's where nothing else is", format: FormatCSV, text: "id,query,grade\np-1,\"red, shoe\",3\np-2,\"red, shoe\",0\n", want: []Query{shoe}},
		{name: "rows of a query need not follow each other", format: FormatCSV, text: "query,doc,grade\n\"red, shoe\",p-1,3\nb,d,1\n\"red, shoe\",p-2,0\n",
			want: []Query{shoe, {ID: queryID("b"), Text: "b", Judgments: judged("d", 1)}}},
		{name: "everything", format: FormatCSV, text: `query_id,query,segments,weight,expect_no_results,params,doc_id,grade,why,judge,at
q1,"say ""hi""",head;shoes,2.5,false,"{""lang"":""es"",""size"":42.0}",p-1,3,"exactly
that",ana,2026-03-01
q1,,,,,,p-2,.5,,ana,
n,fridge,,,TRUE,,,,,,
`, want: []Query{full, {ID: "n", Text: "fridge", ExpectNoResults: true}}},
		{name: "columns that nobody knows", format: FormatCSV, text: "query,doc,grade,price,title\n\"red, shoe\",p-1,3,9,t\n\"red, shoe\",p-2,0,8,u\n", want: []Query{shoe},
			notes: []string{`a golden set has no place for these fields, which are left out: "price", "title"`}},
		{name: "blanks around values", format: FormatCSV, text: "query, doc, grade\n\"red, shoe\", p-1, 3\n\"red, shoe\", p-2,0\n", want: []Query{shoe},
			notes: []string{"cells with blanks around their value, which are passed over: 3 (first on line 2)"}},
		{name: "the labels of ESCI", format: FormatCSV, opts: Options{Grades: map[string]float64{"E": 3, "S": 2, "I": 0}},
			text:  "example_id,query,query_id,product_id,product_locale,esci_label,split\n0,\"shoe, red\",7,B1,us,E,train\n1,\"shoe, red\",7,B2,us,S,train\n2,\"shoe, red\",7,B3,us,I,test\n",
			want:  []Query{{ID: "7", Text: "shoe, red", Judgments: judged("B1", 3, "B2", 2, "B3", 0)}},
			notes: []string{`a golden set has no place for these fields, which are left out: "example_id", "product_locale", "split"`}},
		{name: "the labels of WANDS, whose id is the row's", format: FormatCSV, opts: Options{Grades: map[string]float64{"Exact": 2, "Irrelevant": 0}},
			text:  "id\tquery_id\tproduct_id\tlabel\n0\t7\t25434\tExact\n1\t7\t12088\tIrrelevant\n2\t7\t42\t1\n",
			want:  []Query{{ID: "7", Judgments: judged("25434", 2, "12088", 0, "42", 1)}},
			notes: []string{`a golden set has no place for these fields, which are left out: "id"`}},
		{name: "a label beside a grade", format: FormatCSV, text: "query,doc,grade,label\nshoe,p-1,3,best\n", want: []Query{{ID: queryID("shoe"), Text: "shoe", Judgments: judged("p-1", 3)}},
			notes: []string{`a golden set has no place for these fields, which are left out: "label"`}},
		{name: "judgments alone", format: FormatCSV, text: "query-id\tcorpus-id\tscore\n7\td\t1\n", want: []Query{{ID: "7", Judgments: judged("d", 1)}}},
		{name: "queries alone", format: FormatCSV, text: "query_id\tquery\n7\tshoe\n", want: []Query{{ID: "7", Text: "shoe"}}},
		{name: "quotation marks among tabs", format: FormatCSV, text: "query\tdoc\tgrade\n12\" pan\td\t1\n\"a \"\"b\"\"\"\td\t1\n\"a\" b \"c\"\td\t1\n\"\td\t1\n",
			want: []Query{
				{ID: queryID(`12" pan`), Text: `12" pan`, Judgments: judged("d", 1)}, {ID: queryID(`a "b"`), Text: `a "b"`, Judgments: judged("d", 1)},
				{ID: queryID(`"a" b "c"`), Text: `"a" b "c"`, Judgments: judged("d", 1)}, {ID: queryID(`"`), Text: `"`, Judgments: judged("d", 1)},
			}},
		{name: "two ways to write an accent are one query", format: FormatCSV, text: "query,doc,grade\ncaf\u00e9,d,1\ncafe\u0301,e,0\n",
			want: []Query{{ID: queryID("café"), Text: "caf\u00e9", Judgments: judged("d", 1, "e", 0)}}},
	})
	mustRefuse(t, FormatCSV, []refusing{
		{name: "no header", text: "shoe,p-1,3\n", want: "line 1: no column holds the queries; call it query, or query_id if another file tells their texts"},
		{name: "one column", text: "shoe\n", want: "line 1: its first line names no columns; write a header, such as query,docid,rating"},
		{name: "no document", text: "query,grade\na,1\n", want: "line 1: no column holds the documents; call it doc_id"},
		{name: "a grade of each judge", text: "query,docid,ana,bea\na,d,1,2\n",
			want: "line 1: no column holds the grades; call it grade or rating, and where each judge has a column, as in a book of Quepid, settle on one"},
		{name: "a word without a grade", text: "query,doc,label\na,d,X\n", opts: Options{Grades: map[string]float64{"S": 2, "E": 3}},
			want: `line 2: column 3 (label): the grade "X" is neither a number nor one of the words E, S; give it a grade, or write a number from 0 to 30`},
		{name: "a word above maxGrade", text: "query,doc,label\na,d,E\n", opts: Options{MaxGrade: 2, Grades: map[string]float64{"E": 3}},
			want: `line 2: the grade E of query "q-ca978112ca" is above maxGrade 2; correct it, or declare a higher maxGrade`},
		{name: "no grade", text: "query,doc\na,d\n", want: "line 1: no column holds the grades; call it grade or rating"},
		{name: "neither texts nor documents", text: "query_id,weight\na,1\n", want: "line 1: no column holds the documents, and none the texts of the queries; call them doc_id and query"},
		{name: "two columns of documents", text: "query,docid,product_id,rating\na,d,e,1\n", want: `line 1: the columns "docid" and "product_id" both seem to hold the document's id; rename one of them`},
		{name: "an id of nobody knows what", text: "id,query,docid,rating\n1,a,d,1\n", want: `line 1: the column "id" may hold the query's id or the document's; call it query_id or doc_id`},
		{name: "a cell too few", text: "query,doc,grade\na,d,1\nb,d\n", want: "line 3: the row has 2 cells, the header has 3; write as many, in quotation marks where a cell holds the separator"},
		{name: "a quotation mark in a bare cell", text: "query,doc,grade\na \"b\" c,d,1\n",
			want: `line 2: column 3: a quotation mark stands where none may be; write a cell that holds one as "…""…"`},
		{name: "no query", text: "query,doc,grade\n ,d,1\n", want: "line 2: the row names no query; write its text"},
		{name: "no document in a row", text: "query,doc,grade\na,,1\n", want: "line 2: the row has a grade, but column 2 (doc) is empty; write the document's id"},
		{name: "no grade in a row", text: "query,doc,grade\na,d,\n", opts: Options{MaxGrade: 3}, want: `line 2: column 3 (grade): document "d" has no grade; write a number from 0 to 3`},
		{name: "a decimal comma", text: "query;doc;grade\na;d;2,5\n", want: `line 2: column 3 (grade): the grade "2,5" is no number; write a number from 0 to 30`},
		{name: "a grade in letters", text: "query,doc,grade\na,d,E\n", want: `line 2: column 3 (grade): the grade "E" is a word; write a number from 0 to 30, or give each word its grade with relevance-gate convert --grades, such as Exact=2,Partial=1,Irrelevant=0`},
		{name: "NaN", text: "query,doc,grade\na,d,NaN\n", want: `line 2: column 3 (grade): the grade "NaN" is no number; write a number from 0 to 30`},
		{name: "a hexadecimal number", text: "query,doc,grade\na,d,0x1p1\n", want: `line 2: column 3 (grade): the grade "0x1p1" is no number; write a number from 0 to 30`},
		{name: "an endless grade", text: "query,doc,grade\na,d,1e999\n", want: `line 2: column 3 (grade): the grade "1e999" is no number; write a number from 0 to 30`},
		{name: "a negative grade", text: "query,doc,grade\na,d,-1\n", want: `line 2: the grade -1 of query "q-ca978112ca" is negative; write 0 for a document that is not relevant, or remove the judgment`},
		{name: "a grade above maxGrade", text: "qid,query,doc,grade\n7,a,d,4\n", opts: Options{MaxGrade: 3}, want: `line 2: the grade 4 of query "7" is above maxGrade 3; correct it, or declare a higher maxGrade`},
		{name: "a document twice", text: "query,doc,grade\na,d,1\nb,d,1\na,d,1\n", want: `line 4: query "q-ca978112ca" judges document "d" twice (first on line 2); keep one of the two`},
		{name: "a document with two grades", text: "query,doc,grade\na,d,1\na,d,2\n", want: `line 3: query "q-ca978112ca" judges document "d" as 2 and as 1 (first on line 2); keep one of the two`},
		{name: "another text", text: "qid,query,doc,grade\n7,a,d,1\n7,b,e,1\n", want: `line 3: query "7" has another text here than before (first on line 2); correct one of the two, or give each query an id of its own`},
		{name: "another weight", text: "query,weight,doc,grade\na,2,d,1\na,3,e,1\n",
			want: `line 3: query "q-ca978112ca" has other params, segments, another weight or expectNoResults here than before (first on line 2); write the same, or leave it out here`},
		{name: "a weight of 0", text: "query,weight,doc,grade\na,0,d,1\n", want: `line 2: column 2 (weight): the weight "0" is no number above 0; write one, or leave it out`},
		{name: "neither true nor false", text: "query,expectNoResults\na,maybe\n", want: `line 2: column 2 (expectNoResults): "maybe" is neither true nor false; write one of them, or leave it out`},
		{name: "a segment twice", text: "query,segments\na,s; s\n", want: `line 2: the segment "s" stands twice; keep one of the two`},
		{name: "params that are no JSON", text: "query,params\na,lang=es\n", want: `line 2: column 2 (params): it is no JSON object; write {"name": value}`},
		{name: "params that are a list", text: "query,params\na,[1]\n", want: `line 2: the params of the query that begins on line 2 are no object; write {"name": value}`},
		{name: "a judged query without a text", text: "query_id,doc,grade\n7,d,1\n", want: `line 2: query "7" is judged, but no file tells its text, so it cannot be searched; add the file with the queries`},
		{name: "no reason", text: "query,doc,grade\na,d,1\n", opts: Options{RequireWhy: true},
			want: `line 2: query "q-ca978112ca" judges document "d" without a why, and requireWhy asks for one; write the reason`},
		{name: "nothing but a header", text: "query,doc,grade\n", want: "the golden set holds no queries; write at least one with its judgments"},
	})
}

// TestTablesMeet makes sure that queries and judgments find each other whatever file comes first.
func TestTablesMeet(t *testing.T) {
	queries, judgments := "query_id\tquery\n7\tshoe\n8\that\n", "query-id\tcorpus-id\tscore\n8\td\t1\n7\td\t2\n7\te\t0\n"
	lines := `{"_id":"7","text":"shoe","metadata":{}}` + "\n" + `{"_id":"8","text":"hat","metadata":{}}` + "\n"
	want := ""
	for _, files := range [][]string{{queries, judgments}, {judgments, queries}, {lines, judgments}, {judgments, lines}} {
		set, err := ParseFiles(sources(files...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if digest := set.Digest(); want == "" {
			want = digest
		} else if digest != want {
			t.Errorf("%q is another set than the others: %+v", files, set.Queries)
		}
		if set.JudgmentCount() != 3 || len(set.Queries) != 2 {
			t.Errorf("%q: %+v", files, set.Queries)
		}
	}
}
