package report

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// makeDocument is the report of a golden set whose queries cannot be made much
// smaller.
func makeDocument(t *testing.T, queries int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	r := makeReport()
	r.Queries = nil
	for i := range queries {
		text := make([]byte, 100)
		for j := range text {
			text[j] = byte(random.IntN(256))
		}
		r.Queries = append(r.Queries, evaluate.QueryResult{
			ID: fmt.Sprintf("q%d", i), Query: hex.EncodeToString(text), Weight: 1,
			// The later a query comes, the worse it is.
			Candidate: &evaluate.Ranking{Values: []float64{1 - float64(i)/float64(queries), 0.5, evaluate.NoValue}},
		})
	}
	var out bytes.Buffer
	if err := WriteMeasurement(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestWhatFitsIsPackedAsItIs(t *testing.T) {
	for _, queries := range []int{0, 1, 2, 1000} {
		document := makeDocument(t, queries)
		packed, leftOut, err := Pack(bytes.NewReader(document), 1<<20)
		if err != nil || leftOut != 0 {
			t.Fatalf("%d queries: left out %d, %v", queries, leftOut, err)
		}
		if !bytes.Equal(unpack(t, packed), document) {
			t.Errorf("%d queries: the document changed", queries)
		}
	}
}

func TestTheBestQueriesAreLeftOut(t *testing.T) {
	const queries, limit = 10_000, 300_000
	document := makeDocument(t, queries)
	packed, leftOut, err := Pack(bytes.NewReader(document), limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > limit || len(packed) < limit*97/100 {
		t.Errorf("packed into %d bytes; they must be at most %d, and nearly that", len(packed), limit)
	}
	raw := unpack(t, packed)
	checkSchema(t, raw)
	var doc Document
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if leftOut == 0 || doc.QueriesLeftOut != leftOut || len(doc.Queries)+leftOut != queries {
		t.Errorf("%d queries are listed and %d left out; Pack says %d", len(doc.Queries), doc.QueriesLeftOut, leftOut)
	}
	for i, query := range doc.Queries {
		if want := fmt.Sprintf("q%d", queries-1-i); query.ID != want {
			t.Fatalf("query %d is %s, want %s, which is worse", i, query.ID, want)
		}
	}
}

func TestWhatIsNoReportIsNotPacked(t *testing.T) {
	document := string(makeDocument(t, 3))
	for name, test := range map[string]struct {
		document io.Reader
		limit    int
		want     string
	}{
		"nothing":               {strings.NewReader(""), 1 << 20, "empty"},
		"another text":          {strings.NewReader("<html>\n"), 1 << 20, "does not begin"},
		"another schema":        {strings.NewReader(strings.Replace(document, "evaluation/v1", "evaluation/v2", 1)), 1 << 20, "does not begin"},
		"no end":                {strings.NewReader(strings.TrimSuffix(document, "]}\n")), 1 << 20, "has no end"},
		"something behind it":   {strings.NewReader(document + "{}\n"), 1 << 20, "follows"},
		"a line without end":    {io.MultiReader(strings.NewReader(document), strings.NewReader(strings.Repeat("x", 8<<20))), 1 << 20, "too long"},
		"no room at all":        {strings.NewReader(document), 5 << 10, "even without its queries"},
		"a reader that fails":   {iotest.ErrReader(errors.New("the log is gone")), 1 << 20, "the log is gone"},
		"it fails at the end":   {io.MultiReader(strings.NewReader(document), iotest.ErrReader(errors.New("checksum"))), 1 << 20, "checksum"},
		"it fails in the midst": {io.MultiReader(strings.NewReader(document[:len(document)*3/4]), iotest.ErrReader(errors.New("cut"))), 1 << 20, "cut"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Pack(test.document, test.limit); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
