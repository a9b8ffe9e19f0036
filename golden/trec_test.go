package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTREC(t *testing.T) {
	crime := Query{ID: "301", Text: "International Organized Crime"}
	withJudgments := crime
	withJudgments.Judgments = judged("FR-1", 1, "FR-2", 0)
	mustRead(t, []reading{
		{name: "qrels", format: FormatTREC, text: "301 0 FR-1 1\r\n301\t0\tFR-2\t0\r\n\r\n 302  Q0  LA#1  2.5 \n", want: []Query{
			{ID: "301", Judgments: judged("FR-1", 1, "FR-2", 0)}, {ID: "302", Judgments: []Judgment{{DocID: "LA#1", Grade: 2.5}}}},
			notes: []string{"judgments with Q0 for the iteration, as in a run, whose last part is read as the grade: 1 (first on line 4)"}},
		{name: "documents of the pool that nobody judged", format: FormatTREC, text: "301 0 a 1\n301 0 b -1\n302 0 c -2\n",
			want:  []Query{{ID: "301", Judgments: judged("a", 1)}, {ID: "302"}},
			notes: []string{"judgments with a negative grade, read as not judged: 2 (first on line 2)"}},
		{name: "comments", format: FormatTREC, text: "# from the pool\n301 0 a 1\n#301 0 b 1\n", want: []Query{{ID: "301", Judgments: judged("a", 1)}},
			notes: []string{"lines that begin with #, passed over as comments: 2 (first on line 1)"}},
		{name: "topics", format: FormatTREC, text: "\n<top>\n\n<num> Number: 301 \n<title> International Organized Crime \n\n<desc> Description: \nIdentify organizations.\n\n<narr> Narrative: \nA < b, <5 or > 3.\n\n</top>\n" +
			"<TOP>\n<num> 302\n<title> Topic:  Poliomyelitis and\nPost-Polio\n</TOP>\n",
			want:  []Query{crime, {ID: "302", Text: "Poliomyelitis and Post-Polio"}},
			notes: []string{`a golden set has no place for these fields, which are left out: "desc", "narr"`}},
		{name: "topics with closed parts on one line", format: FormatTREC, text: "<top><num>301</num><title>International Organized Crime</title></top>", want: []Query{crime}},
		{name: "topics and qrels in one file", format: FormatTREC, text: "<top>\n<num> Number: 301\n<title> International Organized Crime\n</top>\n\n301 0 FR-1 1\n301 0 FR-2 0\n", want: []Query{withJudgments}},
		{name: "topics as XML", format: FormatTREC, text: `<?xml version="1.0" encoding="UTF-8"?>
<topics task="COVIDSearch"><topic number="301"><query>International
 Organized Crime</query><question>who?</question></topic>
<topic id="2"><title>AT&amp;T</title></topic><topic><num>3</num><title>c</title></topic><topic><identifier>4</identifier><title>d</title></topic></topics>`,
			want:  []Query{crime, {ID: "2", Text: "AT&T"}, {ID: "3", Text: "c"}, {ID: "4", Text: "d"}},
			notes: []string{`a golden set has no place for these fields, which are left out: "question"`}},
		{name: "XML that tells another encoding than it has", format: FormatTREC, text: `<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1"><query>café</query></topic></topics>`,
			want: []Query{{ID: "1", Text: "café"}}},
		{name: "topics in a language", format: FormatTREC, text: "<top>\n<num> C041 </num>\n<EN-title> Baby Food </EN-title>\n</top>", want: []Query{{ID: "C041", Text: "Baby Food"}}},
		{name: "topics as XML with attributes", format: FormatTREC, text: `<top lang="en"><num>1</num><title>a</title></top>`, want: []Query{{ID: "1", Text: "a"}}},
		{name: "topics by tabs", format: FormatTREC, text: "301\tInternational Organized Crime\n2\tboeing 747\n", want: []Query{crime, {ID: "2", Text: "boeing 747"}}},
	})
	mustRefuse(t, FormatTREC, []refusing{
		{name: "a part too few", text: "301 0 a 1\n301 0 b\n", want: "line 2: a line of qrels has 4 parts (query, iteration, document, grade), this one has 3; correct it"},
		{name: "a part too many", text: "301 0 a 1\n301 0 a b 1\n", want: "line 2: a line of qrels has 4 parts (query, iteration, document, grade), this one has 5; correct it"},
		{name: "a grade that is no number", text: "301 0 é x\n", want: `line 1: column 9: the grade "x" is a word; write a number from 0 to 30, or give each word its grade with relevance-gate convert --grades, such as Exact=2,Partial=1,Irrelevant=0`},
		{name: "a grade above the highest", text: "301 0 a 31\n", want: `line 1: the grade 31 of query "301" is above 30, the highest there is; correct it`},
		{name: "qrels alone", text: "301 0 a 1\n", want: `line 1: query "301" is judged, but no file tells its text, so it cannot be searched; add the file with the queries`},
		{name: "a document twice", text: "301 0 a 1\n301 0 b 1\n301 1 a 1\n", want: `line 3: query "301" judges document "a" twice (first on line 1); keep one of the two`, opts: Options{TextOptional: true}},
		{name: "a document with two grades", text: "301 0 a 1\n301 0 a 0\n", want: `line 2: query "301" judges document "a" as 0 and as 1 (first on line 1); keep one of the two`, opts: Options{TextOptional: true}},
		{name: "reasons are asked for", text: "301 0 a 1\n", opts: Options{RequireWhy: true},
			want: `line 1: query "301" judges document "a" without a why, and requireWhy asks for one; qrels cannot hold reasons`},
		{name: "what may be qrels and topics", text: "301\ta b 1\n302\tboeing 747 2\n",
			want: "each of its lines may be a judgment (query, iteration, document, grade) or a topic (id, tab, text); part judgments by blanks alone, or write topics as <top>"},
		{name: "a topic without a number", text: "<top>\n<title> a\n</top>", want: "line 1: the topic has no number; write one"},
		{name: "a topic without a title", text: "<top>\n<num> 1\n</top>", want: `line 1: topic "1" has no title, so there is nothing to search for; write one`},
		{name: "a topic that does not end", text: "\n<top>\n<num> 1\n<title> a\n", want: "line 2: the topic is not closed; write </top> at its end"},
		{name: "a topic in a topic", text: "<top>\n<num> 1\n<title> a\n<top>\n<num> 2\n<title> b\n</top>\n", want: "line 1: the topic has <num> twice; close it with </top>, or remove one of the two"},
		{name: "something behind a topic", text: "<top>\n<num> 1\n<title> a\n</top> 1 0 a 1", want: "line 4: something follows </top>; write it on a line of its own"},
		{name: "a topic twice", text: "<top><num>1<title>a</top>\n<top><num>1<title>b</top>", want: `line 2: query "1" stands twice (first on line 1); keep one of the two, or give each an id of its own`},
		{name: "topics by tabs with a tab too many", text: manyTopics(maxShapes) + "x\tb\tc\n", want: "line 101: a line of topics has an id, a tab and a text, this one has 3 parts; correct it"},
		{name: "XML that does not end", text: "<topics>\n<topic number='1'>", want: "line 2: it is not XML: unexpected EOF; correct the text there"},
		{name: "XML that ends elsewhere", text: "<topics>\n</topic>", want: "line 2: it is not XML: element <topics> closed by </topic>; correct the text there"},
		{name: "XML without an end", text: "<topics>", want: "line 1: it is not XML: unexpected EOF; correct the text there"},
		{name: "XML without topics", text: "<html></html>", want: "the golden set holds no queries; write at least one with its judgments"},
		{name: "an XML topic without a text", text: "<topics>\n<topic number='1'><query> </query></topic></topics>", want: `line 2: topic "1" has no title, so there is nothing to search for; write one`},
	})
}

// manyTopics are topics by tabs.
func manyTopics(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%d\ta\n", i)
	}
	return text.String()
}

func TestDetectText(t *testing.T) {
	for _, text := range []string{"a,b,c\n1,2,3\n", "shoe p-1 3\n", "query\n", "# a comment\n", "\"query"} {
		if _, err := detect("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "f: it is neither JSON, nor a table") {
			t.Errorf("detect(%q): %v", text, err)
		}
	}
	if _, err := detect("f", []byte("[{]")); err == nil || !strings.Contains(err.Error(), "it is not JSON") {
		t.Errorf("detect of broken JSON: %v", err)
	}
}

// TestRealQrels reads the files of others.
func TestRealQrels(t *testing.T) {
	const variable = "RELEVANCE_GATE_TEST_DATA"
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("%s is not set; with it this test shows that real qrels and queries are read", variable)
	}
	source := func(name string) Source {
		raw, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return Source{Name: name, Raw: raw}
	}
	cranfield, err := ParseFiles([]Source{source("cranfield/queries.jsonl"), source("cranfield/qrels.txt")}, Options{MaxGrade: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := cranfield.Validate("cranfield", 1); err != nil || len(cranfield.Queries) != 225 || cranfield.JudgmentCount() != 1837 || cranfield.Notes != nil {
		t.Errorf("cranfield: %d queries, %d judgments, notes %q, %v", len(cranfield.Queries), cranfield.JudgmentCount(), cranfield.Notes, err)
	}
	levels, err := ParseFiles([]Source{source("trec_eval/qrels.rel_level")}, Options{TextOptional: true})
	if err != nil {
		t.Fatal(err)
	}
	const lines, negative = 3681, 304 // by the file's description
	if len(levels.Queries) != 3 || levels.JudgmentCount() != lines-negative || len(levels.Notes) != 1 || !strings.Contains(levels.Notes[0], ": 304 (first on line") {
		t.Errorf("trec_eval: %d queries, %d judgments, notes %q", len(levels.Queries), levels.JudgmentCount(), levels.Notes)
	}
}
