package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// digestOf is the content digest of a text.
func digestOf(t *testing.T, text string) string {
	t.Helper()
	set, err := Parse("f", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set.Digest()
}

func TestContentDigest(t *testing.T) {
	const lines = `{"id":"a","query":"red \u003cshoe\u003e","params":{"b":42.0,"c":"d"},"segments":["s","t"],"weight":2.5,"expectNoResults":false,"judgments":[{"id":"d","grade":3},{"id":"e","grade":0.5}]}
{"id":"b","query":"none","weight":1,"expectNoResults":true,"judgments":[]}
`
	sum := sha256.Sum256([]byte(lines))
	want := "content-sha256:" + hex.EncodeToString(sum[:])
	text := gates(
		`{"id":"a","query":"red <shoe>","params":{"c":"d","b":42.0},"segments":["t","s"],"weight":2.5,"judgments":[{"id":"e","grade":0.5},{"id":"d","grade":3}]}`,
		`{"id":"b","query":"none","expectNoResults":true}`)
	if got := digestOf(t, text); got != want {
		t.Errorf("Digest = %s, want %s", got, want)
	}

	same := map[string]string{
		"the order of queries and judgments": gates(
			`{"expectNoResults":true,"query":"none","id":"b"}`,
			`{"id":"a","query":"red <shoe>","params":{"b":42.0,"c":"d"},"segments":["s","t"],"weight":2.50,"judgments":[{"grade":3.0,"id":"d"},{"id":"e","grade":5e-1}]}`),
		"spacing":      strings.ReplaceAll(text, ",", " ,\r\n\t"),
		"the name":     strings.Replace(text, "{", `{"name":"shop",`, 1),
		"a reason":     strings.Replace(text, `"grade":3`, `"grade":3,"why":"w","judge":"j","at":"t"`, 1),
		"defaults":     strings.Replace(text, `"query":"none"`, `"query":"none","weight":1,"segments":[],"params":{}`, 1),
		"another file": text,
	}
	for name, text := range same {
		if got := digestOf(t, text); got != want {
			t.Errorf("%s changes the digest: %s", name, got)
		}
	}
	for name, edit := range map[string][2]string{
		"a query's id":      {`"id":"b"`, `"id":"c"`},
		"a text":            {"none", "nothing"},
		"a grade":           {`"grade":3`, `"grade":2`},
		"a document":        {`"id":"d"`, `"id":"x"`},
		"a parameter":       {`"c":"d"`, `"c":"e"`},
		"a segment":         {`["t","s"]`, `["t"]`},
		"a weight":          {"2.5", "2"},
		"a negative":        {"true", "false"},
		"a judgment":        {`{"id":"e","grade":0.5},`, ""},
		"a judgment's side": {`"expectNoResults":true`, `"expectNoResults":true,"judgments":[{"id":"e","grade":0}]`},
	} {
		changed := strings.Replace(text, edit[0], edit[1], 1)
		if changed == text || digestOf(t, changed) == want {
			t.Errorf("%s does not change the digest", name)
		}
	}
}

func TestContentDigestOfNoSet(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a weight that is no number has a digest")
		}
	}()
	_ = (&Set{Queries: []Query{{ID: "a", Weight: math.NaN()}}}).Digest()
}
