package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// lintedSet has nothing wrong with it.
const lintedSet = `{"queries": [
	{"id": "q1", "query": "red shoes", "judgments": [{"id": "a", "grade": 3, "why": "w"}, {"id": "b", "grade": 0, "why": "w"}]},
	{"id": "q2", "query": "socks", "judgments": [{"id": "c", "grade": 2, "why": "w"}, {"id": "a", "grade": 0, "why": "w"}]}
]}`

func TestLint(t *testing.T) {
	good := writeFile(t, "set.json", lintedSet)
	bad := writeFile(t, "bad.json", strings.NewReplacer(`"grade": 2`, `"grade": 0`, `"query": "socks"`, `"query": "Shoes, red"`).Replace(lintedSet))
	gate := writeFile(t, "gate.yaml", strings.NewReplacer("goldenSet:\n", "goldenSet:\n    maxGrade: 2\n").Replace(goodGate))
	for name, test := range map[string]struct {
		args  []string
		code  int
		wants []string
	}{
		"nothing found": {[]string{good}, 0, []string{"no findings in 2 queries with 4 judgments\n"}},
		"findings": {[]string{bad}, 1, []string{
			bad + ":3: error: query \"q2\" has no judgment with a grade of 1 or more; add one, or set expectNoResults where nothing should be found (no-relevant-document; silence it by --ignore no-relevant-document:q2)\n",
			"(near-duplicate-query; silence it by --ignore near-duplicate-query:q2)\n", "(one-grade;", "decide for one grade (near-duplicate-query;", "4 findings in 2 queries with 4 judgments\n"}},
		"silenced": {[]string{bad, "--ignore", "no-relevant-document:q2", "--ignore", "near-duplicate-query", "--ignore", "one-grade"}, 0,
			[]string{"no findings"}},
		"as JSON":            {[]string{bad, "--format", "json"}, 1, []string{`"schema": "relevancegate.dev/lint/v1"`, `"rule": "no-relevant-document"`}},
		"nothing as JSON":    {[]string{good, "--format", "json"}, 0, []string{`"findings": []`}},
		"as SARIF":           {[]string{bad, "--format", "sarif"}, 1, []string{`"version": "2.1.0"`, `"ruleId": "no-relevant-document"`}},
		"for GitHub":         {[]string{bad, "--format", "github"}, 1, []string{"::error file=", "title=no-relevant-document::"}},
		"a scale":            {[]string{good, "--max-grade", "2"}, 1, []string{"the grade 3 of query \"q1\" is above maxGrade 2", "grade-out-of-scale"}},
		"a threshold":        {[]string{good, "--relevant-from", "2.5"}, 1, []string{"query \"q2\" has no judgment with a grade of 2.5 or more"}},
		"a depth":            {[]string{good, "--k", "3"}, 1, []string{"k is 3, but 2 of 2 queries have fewer judged documents"}},
		"a gate":             {[]string{good, "-f", gate}, 1, []string{"is above maxGrade 2", "k is 10, but"}},
		"flags over a gate":  {[]string{good, "-f", gate, "--max-grade", "3", "--k", "2", "--relevant-from", "1"}, 0, []string{"no findings"}},
		"a baseline":         {[]string{good, "--baseline", writeFile(t, "old.json", strings.Replace(lintedSet, `"c"`, `"old"`, 1))}, 1, []string{`query "q2" no longer judges 1 of the 2 documents of the baseline, the first is "old"`}},
		"tables and qrels":   {[]string{writeFile(t, "q.tsv", "1\tred shoes\n"), writeFile(t, "q.txt", "1 0 a 1\n1 0 b 0\n"), "--from", "trec", "--ignore", "missing-reason"}, 0, []string{"no findings in 1 queries with 2 judgments"}},
		"what breaks a gate": {[]string{writeFile(t, "q.csv", "query,doc,grade,why\na,d,1,w\na,d,2,w\na,e,0,w\n")}, 1, []string{":3: error: query \"q-ca978112ca\" judges document \"d\" as 2 and as 1 (first on line 2); keep one of the two (conflicting-judgments;"}},
	} {
		t.Run(name, func(t *testing.T) {
			result := runCLI(t, append([]string{"lint"}, test.args...)...)
			if result.code != test.code || result.errOut != "" {
				t.Errorf("got %+v", result)
			}
			for _, want := range test.wants {
				if !strings.Contains(result.out, want) {
					t.Errorf("the output lacks %q:\n%s", want, result.out)
				}
			}
		})
	}
	t.Run("notes", func(t *testing.T) {
		var out, errOut bytes.Buffer
		code := Run(t.Context(), []string{"lint", "-"}, strings.NewReader("\xef\xbb\xbf"+lintedSet), &out, &errOut)
		if code != 0 || errOut.String() != "Note: standard input: it begins with a byte order mark, which is passed over\n" {
			t.Errorf("got %d, %s", code, errOut.String())
		}
	})
}

func TestLintRefuses(t *testing.T) {
	good := writeFile(t, "set.json", lintedSet)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no file":                   {nil, "requires at least 1 arg"},
		"a file that is not there":  {[]string{"nowhere.json"}, "nowhere.json"},
		"a file that is no set":     {[]string{writeFile(t, "a.json", "{")}, "it is not JSON"},
		"an unknown output":         {[]string{good, "--format", "xml"}, `--format is "xml"; it must be text, json, sarif or github`},
		"an unknown input":          {[]string{good, "--from", "xml"}, `--from: the format "xml" is not known`},
		"an unknown rule":           {[]string{good, "--ignore", "missing-reasons"}, "--ignore: there is no rule \"missing-reasons\"; did you mean missing-reason?"},
		"a scale that is none":      {[]string{good, "--max-grade", "31"}, "--max-grade is 31; it must be from 1 to 30"},
		"a depth that is none":      {[]string{good, "--k", "-1"}, "--k is -1; it must be 1 or more"},
		"a threshold that is none":  {[]string{good, "--relevant-from", "-1"}, "--relevant-from is -1; it must be above 0"},
		"a gate that is none":       {[]string{good, "-f", good}, "there is no RelevanceGate in it"},
		"a baseline that is none":   {[]string{good, "--baseline", "nowhere.json"}, "nowhere.json"},
		"an index without engine":   {[]string{good, "--index", "i"}, "--index and --id-field say where to look documents up; give --url too"},
		"an engine without index":   {[]string{good, "--url", "http://localhost:1"}, "--url is given, but no index to look in; give --index, or a gate by -f"},
		"an address that is none":   {[]string{good, "--url", "localhost", "--index", "i"}, "the engine's URL needs a scheme"},
		"authorities that are none": {[]string{good, "--url", "http://localhost:1", "--index", "i", "--ca-file", "nowhere.crt"}, "nowhere.crt"},
	} {
		t.Run(name, func(t *testing.T) {
			result := runCLI(t, append([]string{"lint"}, test.args...)...)
			if result.code != 3 || result.out != "" || strings.Count(result.errOut, "\n") != 1 || !strings.Contains(result.errOut, test.want) {
				t.Errorf("got %+v, want %s", result, test.want)
			}
		})
	}
}

// shelf answers like an engine with the index products-v2, to which the alias products points, and some documents.
func shelf(t *testing.T, ids ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		switch r.URL.Path {
		case "/products/_alias":
			fmt.Fprint(w, `{"products-v2":{"aliases":{"products":{}}}}`)
		case "/products-v2/_alias":
			fmt.Fprint(w, `{"products-v2":{"aliases":{"products":{}}}}`)
		case "/_msearch":
			var hits []string
			decoder := json.NewDecoder(r.Body)
			var header, body map[string]any
			if decoder.Decode(&header) != nil || decoder.Decode(&body) != nil || header["index"] != "products-v2" {
				t.Errorf("the search is %v, %v", header, body)
			}
			asked := fmt.Sprint(body["query"])
			for _, id := range ids {
				if strings.Contains(asked, id) {
					hits = append(hits, fmt.Sprintf(`{"_index":"products-v2","_id":%q,"_score":1}`, id))
				}
			}
			fmt.Fprintf(w, `{"responses":[{"status":200,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"total":{"value":%d},"hits":[%s]}}]}`, len(hits), strings.Join(hits, ","))
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"type":"index_not_found_exception","reason":"no such index"},"status":404}`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestLintLooksDocumentsUp(t *testing.T) {
	set, gate := writeFile(t, "set.json", lintedSet), writeFile(t, "gate.yaml", goodGate)
	url := shelf(t, "a", "b")
	const lacks = `lacks 1 of the 2 documents that query "q2" judges, the first is "c"`
	for name, test := range map[string]struct {
		args []string
		code int
		want string // in either output
	}{
		"an index":           {[]string{"--index", "products-v2"}, 1, "index products-v2 " + lacks},
		"an alias":           {[]string{"--index", "products"}, 1, "index products " + lacks},
		"a gate's candidate": {[]string{"-f", gate, "--k", "2", "--relevant-from", "1"}, 1, "index products-v2 " + lacks},
		"no such index":      {[]string{"--index", "other"}, 3, "the engine has neither an index nor an alias called other; name another by --index"},
	} {
		t.Run(name, func(t *testing.T) {
			result := runCLI(t, append([]string{"lint", set, "--url", url}, test.args...)...)
			if result.code != test.code || !strings.Contains(result.out+result.errOut, test.want) {
				t.Errorf("got %+v, want %s", result, test.want)
			}
		})
	}
	if result := runCLI(t, "lint", set, "--url", shelf(t, "a", "b", "c"), "--index", "products-v2"); result.code != 0 {
		t.Errorf("all documents are there: %+v", result)
	}
	if result := runCLI(t, "lint", set, "--url", shelf(t), "--index", "products-v2"); result.code != 1 || !strings.Contains(result.out, "index products-v2 has none of the 3 judged documents") {
		t.Errorf("no document is there: %+v", result)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if result := runCLI(t, "lint", set, "--url", gone.URL, "--index", "products-v2"); result.code != 2 {
		t.Errorf("no engine: %+v", result)
	}
}

// TestLintOnEngines looks documents up by the engine's own id, and by a field.
func TestLintOnEngines(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		index := loadShoes(t, url, "shoes", "green shoes", "socks")
		all := writeFile(t, "all.json", lintedSet)
		some := writeFile(t, "some.json", strings.Replace(lintedSet, `"c"`, `"gone"`, 1))
		for _, args := range [][]string{nil, {"--id-field", "sku"}} {
			args = append(args, "--url", url, "--index", index)
			if result := runCLI(t, append([]string{"lint", all}, args...)...); result.code != 0 {
				t.Errorf("%v: %+v", args, result)
			}
			if result := runCLI(t, append([]string{"lint", some}, args...)...); result.code != 1 || !strings.Contains(result.out, `lacks 1 of the 2 documents that query "q2" judges, the first is "gone"`) {
				t.Errorf("%v: %+v", args, result)
			}
		}
	})
}
