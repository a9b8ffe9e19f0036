package golden

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzParse makes sure that no text makes Parse panic, that whatever it accepts is JSON, and that what it reads is what
// encoding/json reads.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		gates(judges(`{"id":"d","grade":1}`)),
		gates(`{"query":"\u00e9\"\\\/\b\f\n\r\t\ud83d\ude00","params":{"a":[1,-0.5e-3,true,false,null,{"b":{}},[]]},"weight":2,"segments":["s"]}`),
		`{"culture":"es","source":"s","queries":[{"query":"a","judgments":[{"externalId":"d","relevance":3,"why":"w"}]}]}`,
		"\xef\xbb\xbf{}", `[]`, `"`, `{"queries":[{`, `nul`, `-`, "\x1f\x8b", "{\"queries\" : [ {\"query\"\t:\r\n\"a\" , \"judgments\" : [ ] } ] }",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		set, err := Parse("f", raw, Options{})
		if err != nil {
			if set != nil || !strings.HasPrefix(err.Error(), "f: ") {
				t.Errorf("%+v, %v", set, err)
			}
			return
		}
		compare(t, raw, set)
	})
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
