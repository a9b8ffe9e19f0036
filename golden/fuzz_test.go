package golden

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Each parser has a fuzz target, whose seeds are what the tools write. `make fuzz` runs them for longer.

// seeds adds texts, and the two ways to pack and mark them.
func seeds(f *testing.F, texts ...string) {
	f.Helper()
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Add([]byte("\xef\xbb\xbf" + texts[0]))
	f.Add(packed(f, []byte(texts[0])))
	f.Add([]byte(texts[0][:len(texts[0])/2]))
}

func FuzzGate(f *testing.F) {
	seeds(f,
		gates(judges(`{"id":"d","grade":1}`)),
		gates(`{"query":"\u00e9\"\\\/\b\f\n\r\t\ud83d\ude00","params":{"a":[1,-0.5e-3,true,false,null,{"b":{}},[]]},"weight":2,"segments":["s"]}`),
		`{"schema":"relevancegate.dev/golden/v1","name":"n","queries":[{"id":"a","query":"b","expectNoResults":true}]}`,
		`[]`, `"`, `{"queries":[{`, `nul`, `-`, "\x1f\x8b", "{\"queries\" : [ {\"query\"\t:\r\n\"a\" , \"judgments\" : [ ] } ] }",
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if set := hold(t, raw, FormatGate); set != nil {
			compare(t, raw, set)
		}
	})
}

func FuzzArticle(f *testing.F) {
	seeds(f,
		`{"culture":"es","source":"s","queries":[{"query":"a","judgments":[{"externalId":"d","relevance":3,"why":"w"}]}]}`,
		`{"queries":[{"query":"a","judgments":[]},{"query":"b"}]}`,
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if set := hold(t, raw, FormatArticle); set != nil {
			compare(t, raw, set)
		}
	})
}

func FuzzShort(f *testing.F) {
	seeds(f,
		`{"name":"n","queries":[{"q":"shoe","judgments":{"p-1":3,"p-2":0}},{"q":"none","judgments":{}}]}`,
		`[{"id":"a","q":"b","expectNoResults":true}]`,
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatShort) })
}

func FuzzQuepid(f *testing.F) {
	seeds(f,
		`{"case_name":"c","scorer":{"name":"nDCG@10"},"queries":[{"query_text":"star wars","options":{"lang":"en"},"notes":null,"ratings":[{"doc_id":"11","rating":3.0,"user_email":"a@b.example"},{"doc_id":"12","rating":null}]}],"try":{}}`,
		`{"queries":[{"query":"a","ratings":{"11":3,"12":null}}]}`,
		`{"snapshots":[{"name":"s","docs":{"7":[{"id":"11"}]},"queries":[{"query_id":7,"query_text":"a","ratings":{"11":1}}]}]}`,
		"query,docid,rating\nstar wars,11,3.0\n\" =a, b\",12,\nnone,,",
		"Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\r\nT,C,1,a,11,1,t,3\r\nT,C,1,b\r\n",
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatQuepid) })
}

func FuzzTREC(f *testing.F) {
	seeds(f,
		"301 0 FR940202-2-00150 1\n301\t0\tLA#1 -1\r\n# c\n\n302 Q0 b 0.5",
		"<top>\n<num> Number: 301\n<title> Organized Crime\n<desc> Description:\nwho\n</top>\n301 0 a 1\n",
		`<topics><topic number="1"><query>a &amp; b</query><narrative>n</narrative></topic></topics>`,
		"1\tboeing 747\n2\ta\n",
		"<top><num>1</num><title>a</title></top>",
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatTREC) })
}

func FuzzRankEval(f *testing.F) {
	seeds(f,
		`{"requests":[{"id":"a","template_id":"t","params":{"query_string":"b","field":"c","n":1},"ratings":[{"_index":"i","_id":"d","rating":3},{"_index":"j","_id":"d","rating":3},{"_index":"j","_id":"e","rating":0}],"summary_fields":["t"]}],"metric":{"dcg":{"k":10}}}`,
		ranked(`"request":{"query":{"bool":{"must":[{"match":{"a":{"query":"b"}}},{"multi_match":{"query":"b"}}],"filter":{"match":{"c":"d"}}}}}`),
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatRankEval) })
}

func FuzzRRE(f *testing.F) {
	seeds(f,
		`{"index":"i","id_field":"id","topics":[{"description":"t","query_groups":[{"name":"g","queries":[{"template":"q","placeholders":{"$query":"a","$lang":"en"}}],"relevant_documents":{"1":{"gain":3}}}]}]}`,
		`{"query_placeholder":"q","query_groups":[{"queries":[{"q":"a"}],"relevant_documents":[{"document_id":"1","gain":2}]}]}`,
		`{"queries":[{"placeholders":{"$query":"a"},"relevant_documents":{"3":["1","2"],"0":["3"]}}]}`,
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatRRE) })
}

func FuzzCSV(f *testing.F) {
	seeds(f,
		"query_id,query,segments,weight,expect_no_results,params,doc_id,grade,why,judge,at\nq1,\"say \"\"hi\"\"\",a;b,2.5,false,\"{\"\"l\"\":1}\",d,3,\"a\nb\",j,t\nn,x,,,true,,,,,,\n",
		"query-id\tcorpus-id\tscore\n1\td\t1\n",
		"query\tdoc\tgrade\r\n12\" pan\td\t1\r\n\"a \"\"b\"\"\"\td\t0\r\n",
		"query;id;rating\na;d;1\n",
		"id\tquery_id\tproduct_id\tlabel\n0\t1\td\tIrrelevant\n1\t1\te\tE\n",
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatCSV) })
}

func FuzzJSONL(f *testing.F) {
	seeds(f,
		"{\"id\":\"1\",\"query\":\"a\",\"judgments\":[{\"id\":\"d\",\"grade\":1}]}\n{\"q\":\"b\",\"judgments\":{\"d\":1}}\n",
		"{\"_id\":\"1\",\"text\":\"a\",\"metadata\":{}}\r\n\r\n{\"_id\":\"2\",\"text\":\"b\"}",
		"{\"query\":\"a\",\"doc_id\":12,\"rating\":3}\n{\"query_id\":7,\"docid\":\"d\",\"grade\":0,\"params\":{\"a\":1},\"segments\":[\"s\"]}",
		"{\"id\":301,\"title\":\"a\"}\n{\"number\":\"302\",\"query\":\"b\"}\n{\"qid\":\"302\",\"doc\":\"d\",\"label\":\"E\"}\n{\"qid\":\"302\",\"doc\":\"e\",\"grade\":\"1\"}",
	)
	f.Fuzz(func(t *testing.T, raw []byte) { hold(t, raw, FormatJSONL) })
}

// FuzzDetect makes sure that a format that is found out reads the text as it does when it is named.
func FuzzDetect(f *testing.F) {
	seeds(f, "query,doc,grade\na,d,1\n", "1 0 d 1\n", "1\ta\n", `[{"q":"a"}]`, `{"q":"a"}`, "<top>", "{}\n{}", `{"topics":[]}`, "\"query\"\n")
	f.Fuzz(func(t *testing.T, raw []byte) {
		set := hold(t, raw, FormatAuto)
		if set == nil {
			return
		}
		data, err := unpack(raw, MaxUnpacked)
		if err != nil {
			t.Fatal(err)
		}
		format, err := detect("f", withoutBOM(data))
		if err != nil {
			t.Fatal(err)
		}
		if named := hold(t, raw, format); named == nil || named.Digest() != set.Digest() {
			t.Errorf("read as %s it is %+v, found out %+v", format, named, set)
		}
	})
}

// hold reads raw as a format and returns the set, or nil if it is refused. Either must be as promised: a refusal is one
// sentence; a set holds its rules, is what is read by who asks for problems, and survives being written in any format
// but for what is said to be lost.
func hold(t *testing.T, raw []byte, format Format) *Set {
	t.Helper()
	opts := Options{Format: format, TextOptional: true}
	if format == FormatCSV || format == FormatJSONL {
		opts.Grades = map[string]float64{"E": 3, "Irrelevant": 0}
	}
	set, err := Parse("f", raw, opts)
	problems := 0
	opts.Places = true
	opts.Problems = func(Problem) { problems++ }
	lenient, lenientErr := Parse("f", raw, opts)
	if err != nil {
		if set != nil || !strings.HasPrefix(err.Error(), "f: ") || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%+v, %q", set, err)
		}
		if lenientErr == nil && problems == 0 {
			t.Errorf("%q is refused by %v, but without a problem", raw, err)
		}
		return nil
	}
	if lenientErr != nil || problems > 0 || lenient.Digest() != set.Digest() {
		t.Fatalf("who asks for problems reads %+v, %v", lenient, lenientErr)
	}
	lines := bytes.Count(raw, []byte{'\n'}) + 1
	checkRules(t, lenient, lines, isGzip(raw))
	for i := range writers {
		checkWritten(t, set, &writers[i])
	}
	return set
}

// checkRules makes sure that a set is what Set promises.
func checkRules(t *testing.T, set *Set, lines int, packed bool) {
	t.Helper()
	ids := map[string]bool{}
	for i, q := range set.Queries {
		if q.ID == "" || ids[q.ID] || !(q.Weight > 0) || math.IsInf(q.Weight, 0) || q.Text != "" && strings.TrimSpace(q.Text) == "" {
			t.Errorf("query %+v", q)
		}
		ids[q.ID] = true
		if place := set.QueryPlace(i); place.File != "f" || place.Line < 1 || place.Line > lines && !packed {
			t.Errorf("query %q stands at %+v of %d lines", q.ID, place, lines)
		}
		docs := map[string]bool{}
		for k, j := range q.Judgments {
			if j.DocID == "" || docs[j.DocID] || !(j.Grade >= 0 && j.Grade <= highestGrade) || q.ExpectNoResults && j.Grade > 0 {
				t.Errorf("judgment %+v of query %q", j, q.ID)
			}
			docs[j.DocID] = true
			if place := set.JudgmentPlace(i, k); place.Line < 1 || place.Line > lines && !packed {
				t.Errorf("judgment %+v stands at %+v of %d lines", j, place, lines)
			}
		}
	}
}

// scoreless are the losses that change no score.
var scoreless = []string{"name of the set", "reasons", "judges", "dates", "carriage returns"}

// checkWritten writes a set and reads it again, with its format named and without.
func checkWritten(t *testing.T, set *Set, w *writer) {
	t.Helper()
	var out bytes.Buffer
	lost, err := set.Write(&out, w.format, WriteOptions{Index: "i"})
	if err != nil {
		if out.Len() > 0 {
			t.Errorf("%s is refused, but begun: %v", w.format, err)
		}
		return
	}
	same := true
	for _, loss := range lost {
		same = same && slices.ContainsFunc(scoreless, func(what string) bool { return strings.HasPrefix(loss, string(w.format)+" holds no "+what) })
	}
	as := map[Format]Format{FormatQuepidCSV: FormatQuepid, FormatTopics: FormatTREC, FormatQrels: FormatTREC, FormatTSV: FormatCSV}[w.format]
	if as == "" {
		as = w.format
	}
	for _, format := range []Format{as, FormatAuto} {
		if out.Len() == 0 { // qrels of a set without judgments
			continue
		}
		again, err := Parse("f", out.Bytes(), Options{Format: format, TextOptional: true})
		if err != nil {
			t.Errorf("%s cannot be read as %s: %v\n%s", w.format, format, err, out.Bytes())
			continue
		}
		if same && again.Digest() != set.Digest() {
			t.Errorf("%s, read as %s, is\n%+v, not\n%+v\n%s", w.format, format, again.Queries, set.Queries, out.Bytes())
		}
		if w.holds.judgments && again.JudgmentCount() != set.JudgmentCount() {
			t.Errorf("%s, read as %s, has %d judgments, not %d\n%s", w.format, format, again.JudgmentCount(), set.JudgmentCount(), out.Bytes())
		}
	}
}

// compare reads raw with encoding/json and compares what it says with set.
func compare(t *testing.T, raw []byte, set *Set) {
	t.Helper()
	text, err := unpack(raw, MaxUnpacked)
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Queries []struct {
			Query     string
			Params    map[string]any
			Segments  []string
			Judgments []struct {
				ID, ExternalID   string
				Grade, Relevance float64
			}
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(withoutBOM(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&want); err != nil {
		t.Fatalf("%q is accepted: %v", raw, err)
	}
	if len(set.Queries) != len(want.Queries) {
		t.Fatalf("%d queries of %d", len(set.Queries), len(want.Queries))
	}
	for i, q := range set.Queries {
		w := want.Queries[i]
		var judgments []Judgment
		for _, j := range w.Judgments {
			judgments = append(judgments, Judgment{DocID: j.ID + j.ExternalID, Grade: j.Grade + j.Relevance})
		}
		for k := range q.Judgments {
			q.Judgments[k] = Judgment{DocID: q.Judgments[k].DocID, Grade: q.Judgments[k].Grade}
		}
		sameParams := len(q.Params) == 0 && len(w.Params) == 0 || reflect.DeepEqual(q.Params, w.Params)
		if q.Text != w.Query || !sameParams || !slices.Equal(q.Segments, w.Segments) || !slices.Equal(q.Judgments, judgments) {
			t.Errorf("query %+v, want %+v", q, w)
		}
	}
}
