package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// full is a set that has everything.
func full() *Set {
	return &Set{Name: "shop & co", Queries: []Query{
		{
			ID: "shoes", Text: `red "shoe", <b>`, Weight: 2.5, Segments: []string{"head", "shoes"},
			Params: map[string]any{"lang": "es", "size": json.Number("42.0")},
			Judgments: []Judgment{
				{DocID: "p-1", Grade: 3, Basis: &Basis{Why: "exactly\nthat", Judge: "ana", At: "2026-03-01"}},
				{DocID: "p-2", Grade: 0, Basis: &Basis{Judge: "ana"}},
			},
		},
		{ID: queryID("bag"), Text: "bag", Weight: 1, Judgments: judged("p-3", 1)},
		{ID: "n", Text: "fridge", Weight: 1, ExpectNoResults: true},
		{ID: "none", Text: "none", Weight: 1},
	}}
}

// written is the set in a format.
func written(t *testing.T, s *Set, format Format) (text string, lost []string) {
	t.Helper()
	var out bytes.Buffer
	lost, err := s.Write(&out, format, WriteOptions{Index: "products-v1"})
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return out.String(), lost
}

// TestRoundTrips writes a set that has everything, reads it again, and makes sure that no more is missing than what was
// said.
func TestRoundTrips(t *testing.T) {
	noName := `holds no name of the set: "shop & co" left out`
	derived := "holds no ids of queries: 3 left out; they will be made from the texts"
	const (
		noParams   = "holds no params: 1 left out"
		noSegments = "holds no segments: 1 queries lose theirs"
		noWeights  = "holds no weights: 1 left out; every query will weigh 1"
		noNegative = "holds no negatives: 1 queries no longer expect no results"
		noWhy      = "holds no reasons: 1 left out"
		noJudge    = "holds no judges: 2 left out"
		noAt       = "holds no dates: 1 left out"
	)
	// What each loss takes from the set.
	loses := map[string]func(*Set){
		noName: func(s *Set) { s.Name = "" },
		derived: func(s *Set) {
			for i := range s.Queries {
				s.Queries[i].ID = queryID(s.Queries[i].Text)
			}
		},
		noParams:   func(s *Set) { s.Queries[0].Params = nil },
		noSegments: func(s *Set) { s.Queries[0].Segments = nil },
		noWeights:  func(s *Set) { s.Queries[0].Weight = 1 },
		noNegative: func(s *Set) { s.Queries[2].ExpectNoResults = false },
		noWhy:      func(s *Set) { s.Queries[0].Judgments[0].Basis.Why = "" },
		noJudge: func(s *Set) {
			s.Queries[0].Judgments[0].Basis.Judge, s.Queries[0].Judgments[1].Basis = "", nil
		},
		noAt: func(s *Set) { s.Queries[0].Judgments[0].Basis.At = "" },
		"holds no queries without judgments: 2 left out": func(s *Set) { s.Queries = s.Queries[:2] },
		"holds no texts of queries: 4 left out; write them as topics": func(s *Set) {
			for i := range s.Queries {
				s.Queries[i].Text = ""
			}
		},
		"holds no judgments: 3 left out; write them as qrels": func(s *Set) {
			s.Queries[0].Judgments, s.Queries[1].Judgments = nil, nil
		},
	}
	onlyTexts := func(set *Set) { set.Queries[0].Text = "red shoe" } // topics cannot hold tags
	plainWhy := func(set *Set) { set.Queries[0].Judgments[0].Basis.Why = "exactly that" }
	for _, row := range []struct {
		format Format
		before func(*Set) // makes a set that the format can hold
		lost   []string
	}{
		{FormatGate, nil, nil},
		{FormatJSONL, nil, []string{noName}},
		{FormatCSV, nil, []string{noName}},
		{FormatTSV, plainWhy, []string{noName}},
		{FormatArticle, nil, []string{derived, noParams, noSegments, noWeights, noNegative, noJudge, noAt}},
		{FormatShort, nil, []string{noParams, noSegments, noWeights, noWhy, noJudge, noAt}},
		{FormatQuepid, nil, []string{derived, noSegments, noWeights, noNegative, noWhy, noAt}},
		{FormatQuepidCSV, nil, []string{noName, derived, noParams, noSegments, noWeights, noNegative, noWhy, noJudge, noAt}},
		{FormatRankEval, nil, []string{noName, noSegments, noWeights, noNegative, noWhy, noJudge, noAt}},
		{FormatRRE, nil, []string{noName, derived, noSegments, noWeights, noNegative, noWhy, noJudge, noAt}},
		{FormatTREC, onlyTexts, []string{noName, noParams, noSegments, noWeights, noNegative, noWhy, noJudge, noAt}},
		{FormatTopics, onlyTexts, []string{noName, noParams, noSegments, noWeights, noNegative, "holds no judgments: 3 left out; write them as qrels"}},
		{FormatQrels, nil, []string{noName, "holds no texts of queries: 4 left out; write them as topics", noParams, noSegments, noWeights, noNegative,
			"holds no queries without judgments: 2 left out", noWhy, noJudge, noAt}},
	} {
		t.Run(string(row.format), func(t *testing.T) {
			s, want := full(), full()
			if row.before != nil {
				row.before(s)
				row.before(want)
			}
			text, lost := written(t, s, row.format)
			var said []string
			for _, loss := range lost {
				said = append(said, strings.TrimPrefix(loss, string(row.format)+" "))
			}
			if !reflect.DeepEqual(said, row.lost) {
				t.Errorf("lost %q, want %q", said, row.lost)
			}
			for _, loss := range row.lost {
				loses[loss](want)
			}
			if row.format == FormatQuepid || row.format == FormatRRE { // which know a query by text and params
				want.Queries[0].ID = paramsID(want.Queries[0].Text, want.Queries[0].Params)
			}
			got, err := Parse("f", []byte(text), Options{TextOptional: true})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got.Name != want.Name || got.Digest() != want.Digest() {
				t.Errorf("read again: %q\n%+v, want %q\n%+v\n%s", got.Name, got.Queries, want.Name, want.Queries, text)
			}
			for i := range want.Queries {
				for k, j := range want.Queries[i].Judgments {
					if got.Queries[i].Judgments[k].Said() != j.Said() {
						t.Errorf("the basis of %s is %+v, want %+v", j.DocID, got.Queries[i].Judgments[k].Said(), j.Said())
					}
				}
			}
			for _, note := range got.Notes {
				if !strings.Contains(note, "has no place for these fields") {
					t.Errorf("note %q", note)
				}
			}
		})
	}
}

// TestTopicsAndQrelsMeetAgain makes sure that the two files of a set are the set.
func TestTopicsAndQrelsMeetAgain(t *testing.T) {
	s := full()
	s.Queries[0].Text = "red shoe"
	topics, _ := written(t, s, FormatTopics)
	qrels, _ := written(t, s, FormatQrels)
	both, _ := written(t, s, FormatTREC)
	if topics+qrels != both {
		t.Errorf("both are\n%s", both)
	}
	parts, err := ParseFiles(sources(qrels, topics), Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Parse("f", []byte(both), Options{})
	if err != nil || parts.Digest() != whole.Digest() {
		t.Errorf("the parts are %+v, the whole %+v, %v", parts, whole, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	with := func(edit func(*Query)) *Set {
		q := Query{ID: "q", Text: "a", Weight: 1, Judgments: judged("d", 1)}
		edit(&q)
		return &Set{Queries: []Query{q}}
	}
	text := func(text string) *Set { return with(func(q *Query) { q.Text = text }) }
	id := func(id string) *Set { return with(func(q *Query) { q.ID = id }) }
	doc := func(id string) *Set { return with(func(q *Query) { q.Judgments[0].DocID = id }) }
	fraction := with(func(q *Query) { q.Judgments[0].Grade = 2.5 })
	segment := func(segment string) *Set { return with(func(q *Query) { q.Segments = []string{segment} }) }
	why := func(why string) *Set { return with(func(q *Query) { q.Judgments[0].Basis = &Basis{Why: why} }) }
	twins := &Set{Queries: []Query{{ID: "a", Text: "x", Weight: 1}, {ID: "b", Text: "x", Weight: 1}}}
	for _, row := range []struct {
		name    string
		set     *Set
		want    string // with FORMAT for the format's name
		formats []Format
	}{
		{"no text", text(""), `query "q" has no text, which FORMAT needs; add the file with the queries`,
			[]Format{FormatGate, FormatArticle, FormatShort, FormatQuepid, FormatQuepidCSV, FormatTREC, FormatTopics, FormatRankEval, FormatRRE, FormatJSONL}},
		{"two queries with one text", twins, `queries "a" and "b" have the same text, by which FORMAT knows a query; it cannot hold both`,
			[]Format{FormatArticle, FormatQuepid, FormatQuepidCSV, FormatRRE}},
		{"a fraction", fraction, `query "q" judges document "d" as 2.5, a fraction, which FORMAT cannot hold`, []Format{FormatQrels, FormatTREC, FormatRankEval}},
		{"an id with a blank", id("a b"), `query "a b" has an id with blanks or a mark that it begins with, which FORMAT cannot hold`, []Format{FormatQrels, FormatTREC, FormatTopics}},
		{"an id with a blank before it", id(" a"), `query " a" has an id with blanks or a mark that it begins with, which FORMAT cannot hold`, []Format{FormatCSV, FormatTSV, FormatQrels}},
		{"an id like a comment", id("#a"), `query "#a" has an id with blanks or a mark that it begins with, which FORMAT cannot hold`, []Format{FormatQrels}},
		{"an id like a label", id("Number:1"), `query "Number:1" has an id with blanks or a mark that it begins with, which FORMAT cannot hold`, []Format{FormatTopics}},
		{"an id like a topic", id("<top>"), `query "<top>" has an id with blanks or a mark that it begins with, which FORMAT cannot hold`, []Format{FormatQrels}},
		{"a document with a blank", doc("d e"), `query "q" judges document "d e", an id with blanks, which FORMAT cannot hold`, []Format{FormatQrels, FormatTREC}},
		{"a document with a tab", doc("d\te"), `query "q" judges document "d\te", an id with blanks, which FORMAT cannot hold`, []Format{FormatQrels, FormatCSV, FormatTSV, FormatQuepidCSV}},
		{"a text of two lines", text("a\nb"), `query "q" has a text with line ends, tabs or tags, which FORMAT cannot hold`, []Format{FormatTSV, FormatTopics, FormatTREC}},
		{"a text with a tag", text("a <title> b"), `query "q" has a text with line ends, tabs or tags, which FORMAT cannot hold`, []Format{FormatTopics, FormatTREC}},
		{"a text with a label", text("topic: b"), `query "q" has a text with line ends, tabs or tags, which FORMAT cannot hold`, []Format{FormatTopics}},
		{"a text with a carriage return", text("a\rb"), `query "q" has a text with a carriage return, which FORMAT cannot hold`, []Format{FormatCSV, FormatQuepidCSV}},
		{"a text like one that was guarded", text(" -a"), `query "q" begins with a blank and a mark of formulas, which FORMAT cannot hold`, []Format{FormatQuepidCSV}},
		{"a segment with a semicolon", segment("a;b"), `query "q" has a segment with a semicolon, or with blanks around it, which FORMAT cannot hold`, []Format{FormatCSV, FormatTSV}},
		{"a segment with a blank after it", segment("a "), `query "q" has a segment with a semicolon, or with blanks around it, which FORMAT cannot hold`, []Format{FormatCSV}},
		{"a reason of two lines", why("a\nb"), `query "q" judges document "d" with a reason of several lines, or with tabs in it, which FORMAT cannot hold`, []Format{FormatTSV}},
		{"no index", &Set{}, "FORMAT names the index that is searched; tell which", []Format{FormatRankEval, FormatRRE}},
		{"a format that is read only", &Set{}, `the format "Auto" cannot be written; use Gate, Article, Short, Quepid, QuepidCSV, TREC, Topics, Qrels, RankEval, RRE, CSV, TSV or JSONL`, []Format{FormatAuto}},
	} {
		for _, format := range row.formats {
			t.Run(row.name+" as "+string(format), func(t *testing.T) {
				var out bytes.Buffer
				opts := WriteOptions{Index: "i"}
				if row.name == "no index" {
					opts = WriteOptions{}
				}
				lost, err := row.set.Write(&out, format, opts)
				if want := strings.ReplaceAll(row.want, "FORMAT", string(format)); err == nil || err.Error() != want || lost != nil || out.Len() > 0 {
					t.Errorf("Write: %v, %q, %q, want\n%s", err, lost, out.String(), want)
				}
			})
		}
	}
}

func TestWriteFormat(t *testing.T) {
	for name, want := range map[string]Format{"gate": FormatGate, "quepid-csv": FormatQuepidCSV, "RANK_EVAL": FormatRankEval, "tsv": FormatTSV} {
		if got, err := WriteFormat(name); got != want || err != nil {
			t.Errorf("WriteFormat(%s) = %s, %v", name, got, err)
		}
	}
}

func TestWhatIsWritten(t *testing.T) {
	s := full()
	s.Queries = s.Queries[:3]
	for format, want := range map[Format]string{
		FormatGate: `{
  "schema": "relevancegate.dev/golden/v1",
  "name": "shop & co",
  "queries": [
    {"id":"shoes","query":"red \"shoe\", <b>","params":{"lang":"es","size":42.0},"segments":["head","shoes"],"weight":2.5,"judgments":[
      {"id":"p-1","grade":3,"why":"exactly\nthat","judge":"ana","at":"2026-03-01"},
      {"id":"p-2","grade":0,"judge":"ana"}]},
    {"id":"` + queryID("bag") + `","query":"bag","judgments":[
      {"id":"p-3","grade":1}]},
    {"id":"n","query":"fridge","expectNoResults":true}]
}
`,
		FormatCSV: `query_id,query,params,segments,weight,expect_no_results,doc_id,grade,why,judge,at
shoes,"red ""shoe"", <b>","{""lang"":""es"",""size"":42.0}",head;shoes,2.5,false,p-1,3,"exactly
that",ana,2026-03-01
shoes,"red ""shoe"", <b>","{""lang"":""es"",""size"":42.0}",head;shoes,2.5,false,p-2,0,,ana,
` + queryID("bag") + `,bag,,,1,false,p-3,1,,,
n,fridge,,,1,true,,,,,
`,
		FormatQrels:     "shoes 0 p-1 3\nshoes 0 p-2 0\n" + queryID("bag") + " 0 p-3 1\n",
		FormatQuepidCSV: "query,docid,rating\n\"red \"\"shoe\"\", <b>\",p-1,3\n\"red \"\"shoe\"\", <b>\",p-2,0\nbag,p-3,1\nfridge,,\n",
	} {
		if got, _ := written(t, s, format); got != want {
			t.Errorf("%s:\n%s, want\n%s", format, got, want)
		}
	}
	if got, _ := written(t, &Set{Queries: []Query{{ID: queryID("=1"), Text: "=1", Weight: 1, Judgments: judged("d", 1)}}}, FormatQuepidCSV); got != "query,docid,rating\n\" =1\",d,1\n" {
		t.Errorf("a formula is written as %q", got)
	}
	if got, _ := written(t, &Set{Queries: []Query{{ID: queryID(`"a"`), Text: `"a"`, Weight: 1, Judgments: judged("d", 1)}}}, FormatTSV); got != "query\tdoc_id\tgrade\n\"\"\"a\"\"\"\td\t1\n" {
		t.Errorf("a text in quotation marks is written as %q", got)
	}
	text := "a  b"
	got, lost := written(t, &Set{Queries: []Query{{ID: "1", Text: text, Weight: 1}}}, FormatTopics)
	if !strings.Contains(got, "<title> a b\n") || len(lost) != 1 || lost[0] != "Topics holds no repeated blanks in texts: 1 changed to single blanks" {
		t.Errorf("%q is written as %q, lost %q", text, got, lost)
	}
	if _, lost := written(t, &Set{Queries: []Query{{ID: queryID("a"), Text: "a", Weight: 1, Judgments: []Judgment{{DocID: "d", Grade: 1, Basis: &Basis{Why: "a\r\nb"}}}}}}, FormatCSV); len(lost) != 1 || lost[0] != "CSV holds no carriage returns: 1 reasons lose theirs" {
		t.Errorf("lost %q", lost)
	}
}

// brokenWriter fails at once.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWriteToABrokenWriter(t *testing.T) {
	for _, w := range writers {
		set := &Set{Queries: []Query{{ID: "q", Text: "a", Weight: 1, Judgments: judged("d", 1)}}}
		if lost, err := set.Write(brokenWriter{}, w.format, WriteOptions{Index: "i"}); err == nil || lost != nil {
			t.Errorf("%s: %q, %v", w.format, lost, err)
		}
	}
}

// TestWriteOfNoSet makes sure that what no reader makes is not written as something else.
func TestWriteOfNoSet(t *testing.T) {
	for _, format := range []Format{FormatGate, FormatCSV, FormatRRE} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a parameter that is no JSON is written", format)
				}
			}()
			set := &Set{Queries: []Query{{ID: "q", Text: "a", Weight: 1, Params: map[string]any{"x": math.NaN()}}}}
			_, _ = set.Write(&bytes.Buffer{}, format, WriteOptions{Index: "i"})
		}()
	}
}

// TestRealSetsRoundTrip converts golden sets of others through every format that can hold them.
func TestRealSetsRoundTrip(t *testing.T) {
	folder := os.Getenv("RELEVANCE_GATE_TEST_DATA")
	names := map[string][]string{"shop": {"shop/golden-es.json"}}
	if folder == "" {
		t.Log("RELEVANCE_GATE_TEST_DATA is not set; with it this test also converts the sets of others")
	} else {
		names["tendero"] = []string{filepath.Join(folder, "tendero", "golden-es.json")}
		names["cranfield"] = []string{filepath.Join(folder, "cranfield", "queries.jsonl"), filepath.Join(folder, "cranfield", "qrels.txt")}
	}
	for name, paths := range names {
		var files []Source
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, Source{path, raw})
		}
		set, err := ParseFiles(files, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []Format{FormatGate, FormatJSONL, FormatCSV, FormatTSV} {
			text, _ := written(t, set, format)
			again, err := Parse("f", []byte(text), Options{})
			if err != nil || again.Digest() != set.Digest() {
				t.Errorf("%s as %s is another set: %v", name, format, err)
			}
		}
	}
}
