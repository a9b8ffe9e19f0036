package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

const goodGolden = `{"schema": "relevancegate.dev/golden/v1", "name": "small", "queries": [
	{"id": "q1", "query": "red shoes", "judgments": [{"id": "a", "grade": 3}, {"id": "b", "grade": 2}]}
]}`

// goldenFile returns the path of a golden set.
func goldenFile(t *testing.T, text string) string {
	t.Helper()
	return writeFile(t, "golden.json", text)
}

func TestABadGoldenSetGetsOneSentence(t *testing.T) {
	gate := writeFile(t, "gate.yaml", goodGate)
	for name, test := range map[string]struct{ golden, want string }{
		"empty":            {"", "golden.json: the golden set is empty"},
		"blank":            {" \n\n", "golden.json: the golden set is empty"},
		"not JSON":         {"queries:\n- a", "golden.json"},
		"cut":              {goodGolden[:len(goodGolden)-5], "golden.json"},
		"no queries":       {`{"schema": "relevancegate.dev/golden/v1", "queries": []}`, "golden.json"},
		"an unknown field": {strings.Replace(goodGolden, `"grade": 3`, `"grade": 3, "note": 1`, 1), "note"},
		"a grade too high": {strings.Replace(goodGolden, `"grade": 3`, `"grade": 31`, 1), "31"},
		"nothing relevant": {strings.NewReplacer(`"grade": 3`, `"grade": 1`, `"grade": 2`, `"grade": 1`).Replace(goodGolden), `"q1"`},
		"a judgment twice": {strings.Replace(goodGolden, `"id": "b"`, `"id": "a"`, 1), "golden.json"},
		"a broken archive": {"\x1f\x8bxxxxxxxxxxxxxxxx", "golden.json"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, result := runJSON(t, "-f", gate, "--golden-set", goldenFile(t, test.golden))
			if result.code != 3 || doc.Verdict != nil || doc.Reason != "InvalidGoldenSet" {
				t.Errorf("got code %d, %+v", result.code, doc)
			}
			if !strings.Contains(doc.Message, test.want) || strings.Contains(doc.Message, "\n") {
				t.Errorf("the message is %q", doc.Message)
			}
			if result.errOut != "Error: "+doc.Message+"\n" {
				t.Errorf("standard error is %q", result.errOut)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		result := runCLI(t, "evaluate", "-f", gate, "--golden-set", "nowhere.json")
		if result.code != 3 || !strings.Contains(result.errOut, "nowhere.json") {
			t.Errorf("got %+v", result)
		}
	})
}

func TestAnEngineThatRefusesIsAMistake(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	securityError := func(status int) string {
		return fmt.Sprintf(`{"error":{"type":"security_exception","reason":"missing authentication credentials"},"status":%d}`, status)
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		code    int
		reason  string
	}{
		"401":         {answer(401, securityError(401)), 3, "Unauthorized"},
		"403":         {answer(403, securityError(403)), 3, "Unauthorized"},
		"HTML":        {answer(200, "<html>secret page</html>"), 3, "NotAnEngine"},
		"other JSON":  {answer(200, `["secret"]`), 3, "NotAnEngine"},
		"a redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, 3, "NotAnEngine"},
		"overloaded":  {answer(503, `<html>busy</html>`), 2, "EngineUnavailable"},
		"bad gateway": {answer(502, `<html>busy</html>`), 2, "EngineUnavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			doc, result := runJSON(t, "-f", writeFile(t, "gate.yaml", goodGate), "--golden-set", goldenFile(t, goodGolden), "--url", server.URL)
			if result.code != test.code || doc.Reason != test.reason || (doc.Verdict == nil) != (test.code == 3) {
				t.Errorf("got code %d, %+v", result.code, doc)
			}
			if strings.Contains(result.out+result.errOut, "secret") {
				t.Errorf("the body of a stranger is repeated: %s", result.out)
			}
		})
	}
}

func TestAnEngineThatIsNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close() // Now nobody listens there.
	doc, result := runJSON(t, "-f", writeFile(t, "gate.yaml", goodGate), "--golden-set", goldenFile(t, goodGolden), "--url", server.URL)
	if result.code != 2 || text(doc.Verdict) != "Inconclusive" || doc.Reason != "EngineUnavailable" {
		t.Errorf("got code %d, %+v", result.code, doc)
	}
}

func TestACertificateMustBeTrusted(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	args := []string{"-f", writeFile(t, "gate.yaml", goodGate), "--golden-set", goldenFile(t, goodGolden), "--url", server.URL}
	doc, result := runJSON(t, args...)
	if result.code != 3 || doc.Reason != "UntrustedTLS" {
		t.Errorf("got code %d, %+v", result.code, doc)
	}
	for name, ca := range map[string]string{
		"no such file":    filepath.Join(t.TempDir(), "ca.crt"),
		"no certificates": writeFile(t, "ca.crt", "nothing"),
	} {
		if _, result := runJSON(t, append(args, "--ca-file", ca)...); result.code != 3 {
			t.Errorf("%s: code %d", name, result.code)
		}
	}
}

func TestTheAddressMustBeRight(t *testing.T) {
	noURL := strings.Replace(goodGate, "    url: https://search.shop.svc:9200\n", "    distribution: OpenSearch\n", 1)
	for name, test := range map[string]struct{ gate, url string }{
		"none":             {noURL, ""},
		"with credentials": {goodGate, "http://elastic:hunter2@127.0.0.1:1"},
		"without a scheme": {goodGate, "search.example"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, result := runJSON(t, "-f", writeFile(t, "gate.yaml", test.gate), "--golden-set", goldenFile(t, goodGolden), "--url", test.url)
			if result.code != 3 || doc.Verdict != nil {
				t.Errorf("got code %d, %+v", result.code, doc)
			}
			if strings.Contains(result.out+result.errOut, "hunter2") {
				t.Error("the password is repeated")
			}
		})
	}
}

func TestProgressInPlainLines(t *testing.T) {
	var out strings.Builder
	progress := progressOn(&out)
	for done := 1; done <= 100; done++ {
		progress(done, 100, "measuring products-v2")
	}
	want := "measuring products-v2: 1 of 100 searches\nmeasuring products-v2: 100 of 100 searches\n"
	if out.String() != want {
		t.Errorf("got %q, want the first and the last line", out.String())
	}
}

func TestAGoldenSetOfSeveralFiles(t *testing.T) {
	gate := writeFile(t, "gate.yaml", goodGate)
	topics, qrels := writeFile(t, "topics.tsv", "1\tred shoes\n"), writeFile(t, "qrels.txt", "1 0 a 3\n1 0 b -1\n")
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	result := runCLI(t, "evaluate", "-f", gate, "--golden-set", topics, "--golden-set", qrels, "--url", server.URL)
	if note := "qrels.txt: judgments with a negative grade, read as not judged: 1 (first on line 2)\n"; !strings.HasPrefix(result.errOut, "Note: ") || !strings.Contains(result.errOut, note) {
		t.Errorf("got %+v, want the note %s", result, note)
	}
	doc, _ := runJSON(t, "-f", gate, "--golden-set", qrels)
	if doc.Reason != "InvalidGoldenSet" || !strings.Contains(doc.Message, `query "1" is judged, but no file tells its text`) {
		t.Errorf("qrels alone: %+v", doc)
	}
	doc, _ = runJSON(t, "-f", gate, "--golden-set", topics)
	if doc.Reason != "InvalidGoldenSet" || !strings.Contains(doc.Message, `topics.tsv: query "1" has no judgment`) {
		t.Errorf("topics alone: %+v", doc)
	}
}
