package golden

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// packed is data as gzip makes it.
func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func wantGate() *Set {
	return &Set{Name: "shop-es", Queries: []Query{
		{
			ID: "shoes", Text: "zapatillas running", Weight: 120.5, Segments: []string{"head", "shoes"},
			Params: map[string]any{
				"brand": "Vertex", "size": json.Number("42"),
				"price": map[string]any{"max": json.Number("79.95"), "currencies": []any{"EUR", nil, true}},
			},
			Judgments: []Judgment{
				{DocID: "p-1", Grade: 3, Basis: &Basis{Why: "exactly that", Judge: "ana", At: "2026-03-01"}},
				{DocID: "p-2", Grade: .5, Basis: &Basis{Judge: "ana"}},
			},
		},
		{ID: "q-a4f6433a1b", Text: "mochila", Weight: 1, Judgments: []Judgment{{DocID: "p-3", Grade: 2}, {DocID: "p-1"}}},
		{ID: "nothing", Text: "frigorífico", Weight: 1, ExpectNoResults: true},
	}}
}

func wantArticle() *Set {
	return &Set{Name: "seed-es", Queries: []Query{
		{ID: "q-a97dff9867", Text: "zapatillas running", Weight: 1, Judgments: []Judgment{
			{DocID: "p-1", Grade: 3, Basis: &Basis{Why: "exactly that"}}, {DocID: "p-2", Grade: 1, Basis: &Basis{Why: "same sport, other category"}},
		}},
		{ID: "q-a4f6433a1b", Text: "mochila", Weight: 1, Judgments: []Judgment{{DocID: "p-3", Grade: 3, Basis: &Basis{Why: "the only backpack"}}}},
	}}
}

func TestParse(t *testing.T) {
	gate, article := file(t, "gate.json"), file(t, "article.json")
	bom := []byte("\xef\xbb\xbf")
	crlf := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")) }
	for _, row := range []struct {
		name string
		raw  []byte
		opts Options
		want *Set
	}{
		{"our own form is detected", gate, Options{}, wantGate()},
		{"our own form by name", gate, Options{Format: FormatGate}, wantGate()},
		{"the article's form is detected by externalId", article, Options{Format: FormatAuto}, wantArticle()},
		{"the article's form by name", article, Options{Format: FormatArticle}, wantArticle()},
		{"gzip is found by its magic bytes", packed(t, gate), Options{}, wantGate()},
		{"gzip of the article's form", packed(t, article), Options{}, wantArticle()},
		{"two gzip files in a row are one", append(packed(t, gate[:50]), packed(t, gate[50:])...), Options{}, wantGate()},
		{"a byte order mark is passed over", append(bom, gate...), Options{}, wantGate()},
		{"a byte order mark inside gzip too", packed(t, append(bom, article...)), Options{}, wantArticle()},
		{"Windows line ends", crlf(gate), Options{}, wantGate()},
		{"grades up to the declared maximum", gate, Options{MaxGrade: 3}, wantGate()},
		{"a why everywhere", article, Options{RequireWhy: true}, wantArticle()},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := bytes.Clone(row.raw)
			got, err := Parse("f", row.raw, row.opts)
			if err != nil {
				t.Fatal(err)
			}
			got.Notes = nil // see TestNotes
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("Parse =\n%+v, want\n%+v", got, row.want)
			}
			if !bytes.Equal(row.raw, before) {
				t.Error("Parse changes its argument")
			}
		})
	}
}

func TestParseOfDetails(t *testing.T) {
	one := func(t *testing.T, query string) Query {
		t.Helper()
		set, err := Parse("f", []byte(`{"queries":[`+query+`]}`), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set.Queries[0]
	}
	for grade, want := range map[string]float64{"0": 0, "-0": 0, "30": 30, "2.5": 2.5, "1e1": 10, "0.01": .01, "3.0": 3} {
		got := one(t, `{"query":"a","judgments":[{"id":"d","grade":`+grade+`}]}`).Judgments[0].Grade
		if got != want || fmt.Sprint(got) == "-0" {
			t.Errorf("grade %s is read as %v, want %v", grade, got, want)
		}
	}
	for _, text := range []string{"caf\u00e9", "cafe\u0301"} { // the two ways to write é give one id
		if id := one(t, `{"query":"`+text+`"}`).ID; id != "q-850f7dc439" {
			t.Errorf("the id of %+q is %s", text, id)
		}
	}
	if q := one(t, `{"query":" \ud83d\ude00 \"a\\b\" "}`); q.Text != " 😀 \"a\\b\" " {
		t.Errorf("text is %q", q.Text)
	}
	if q := one(t, `{"query":"a \ufffd � b"}`); q.Text != "a \ufffd \ufffd b" {
		t.Errorf("text is %q", q.Text)
	}
	if q := one(t, `{"query":"a","params":{},"segments":[],"judgments":[]}`); q.Params != nil || q.Segments != nil || q.Judgments != nil {
		t.Errorf("empty values are kept: %+v", q)
	}
	if q := one(t, `{"query":"a","expectNoResults":true,"judgments":[{"id":"d","grade":0}]}`); len(q.Judgments) != 1 {
		t.Errorf("a negative may judge documents as not relevant: %+v", q)
	}
}

func TestDetect(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       Format
	}{
		{"queries without judgments come first", `{"queries":[{"query":"a"},{"query":"b","judgments":[{"relevance":1}]}]}`, FormatArticle},
		{"case does not matter", `{"queries":[{"judgments":[{"ExternalID":"d"}]}]}`, FormatArticle},
		{"an externalId in params tells nothing", `{"queries":[{"params":{"a":{"externalId":"d"}},"judgments":[{"id":"d"}]}]}`, FormatGate},
		{"a why tells nothing", `{"queries":[{"judgments":[{"why":"externalId"},{"externalId":"d"}]}]}`, FormatArticle},
		{"a value tells nothing", `{"queries":[{"query":"id","judgments":[{"why":"grade","externalId":"d"}]}]}`, FormatArticle},
		{"a schema is ours", `{"schema":"?","queries":[{"judgments":[{"externalId":"d"}]}]}`, FormatGate},
		{"nothing to tell by", `{"queries":[]}`, FormatGate},
		{"no object", `"externalId"`, FormatGate},
		{"a name that cannot be read", `{"\ud800":1}`, FormatGate},
		{"deep nesting", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), FormatGate},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := newReader("f", []byte(row.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := detectJSON(*r); got != row.want {
				t.Errorf("detectJSON = %s, want %s", got, row.want)
			}
		})
	}
}

func TestJudgmentCount(t *testing.T) {
	if got := wantGate().JudgmentCount(); got != 4 {
		t.Errorf("JudgmentCount = %d, want 4", got)
	}
}
