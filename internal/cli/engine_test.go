package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// indexed is a document of an index.
type indexed struct {
	id     string
	fields map[string]any
}

// loadIndex makes an index of one shard with these fields and documents. Their
// order counts: it decides between equal scores.
func loadIndex(t *testing.T, url, prefix string, fields map[string]any, documents []indexed) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"settings": map[string]any{"number_of_shards": 1, "number_of_replicas": 0},
		"mappings": map[string]any{"properties": fields},
	})
	if err != nil {
		t.Fatal(err)
	}
	index := testengine.Index(t, url, prefix, string(body))
	var lines strings.Builder
	for _, document := range documents {
		raw, err := json.Marshal(document.fields)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "{\"index\": {\"_id\": %q}}\n%s\n", document.id, raw)
	}
	answer := testengine.Do(t, "POST", url+"/"+index+"/_bulk?refresh=true", lines.String())
	if !strings.Contains(answer, `"errors":false`) {
		t.Fatal(answer)
	}
	return index
}

// loadShoes makes an index in which "shoes" finds a, b and c in that order.
func loadShoes(t *testing.T, url string, words ...string) string {
	t.Helper()
	var documents []indexed
	for i, id := range []string{"a", "b", "c"} {
		documents = append(documents, indexed{id, map[string]any{"sku": id, "name": words[i]}})
	}
	return loadIndex(t, url, "shoes",
		map[string]any{"name": map[string]any{"type": "text"}, "sku": map[string]any{"type": "keyword"}}, documents)
}

func matchGate(idField, metrics string) string {
	return `apiVersion: relevancegate.dev/v1alpha1
kind: RelevanceGate
spec:
  engine: {distribution: ""}
  alias: no-such-alias
  candidate: {index: no-such-index}
  goldenSet: {}
  search: {idField: ` + idField + `, body: {query: {match: {name: "{{query}}"}}}}
  metrics: [` + metrics + `]
`
}

const shoesGolden = `{"schema": "relevancegate.dev/golden/v1", "queries": [
	{"id": "q1", "query": "shoes", "judgments": [{"id": "a", "grade": 3}]},
	{"id": "q2", "query": "socks", "judgments": [{"id": "c", "grade": 3}, {"id": "gone", "grade": 1}]},
	{"id": "n1", "query": "bananas", "expectNoResults": true}
]}`

func TestAPatternFindsTheCandidate(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		live := loadShoes(t, url, "shoes", "socks", "hats")
		pattern := live + "-next-*"
		gate := writeFile(t, "gate.yaml", strings.Replace(matchGate("_id", `{name: recall@5, min: "0.1"}`), "index: no-such-index", `pattern: "`+pattern+`"`, 1))
		args := []string{"-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--url", url, "--live", live}
		doc, result := runJSON(t, args...)
		if result.code != exitUsage || !strings.Contains(doc.Message, "no index that matches spec.candidate.pattern "+pattern+" was created after the live index "+live) {
			t.Errorf("code %d: %s", result.code, doc.Message)
		}
		for _, name := range []string{"-next-2", "-next-1"} {
			t.Cleanup(func() { testengine.Remove(t, url, live+name) })
			testengine.Create(t, url, live+name, "")
			testengine.Put(t, url, live+name, "a", `{"name": "shoes"}`)
		}
		doc, result = runJSON(t, args...)
		if result.code != 0 || !strings.Contains(result.out, `"`+live+"-next-1"+`"`) || strings.Contains(result.out, `"`+live+"-next-2"+`"`) {
			t.Errorf("code %d: %s", result.code, result.out)
		}
	})
}

func TestVerdicts(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		good := loadShoes(t, url, "shoes", "green shoes and more of it", "socks")
		bad := loadShoes(t, url, "green shoes and more of it", "shoes", "bananas")
		alias := testengine.Name(t, url, "shoes-alias")
		testengine.Do(t, "PUT", url+"/"+good+"/_alias/"+alias, "")
		golden := goldenFile(t, shoesGolden)
		gate := writeFile(t, "gate.yaml", strings.Replace(
			matchGate("_id", `{name: ndcg@10, min: "0.5", maxDrop: "0.1"}, {name: recall@5}`), "no-such-alias", alias, 1))
		for name, test := range map[string]struct {
			args    []string
			code    int
			verdict string
			reason  string
			scores  string
		}{
			"the same index in both places": {[]string{"--candidate", bad, "--live", bad}, 1, "Failed", "BelowThreshold",
				"ndcg@10 null/0.315465/null Failed, recall@5 null/0.500000/null Reported, noresults null/0.000000/null Failed"},
			"a good one": {[]string{"--candidate", good, "--live", bad}, 0, "Passed", "ThresholdsMet",
				"ndcg@10 0.958660/0.315465/0.643195 Passed, recall@5 0.750000/0.500000/0.250000 Reported, noresults 1.000000/0.000000/1.000000 Passed"},
			"a bad one, live from the alias": {[]string{"--candidate", bad}, 1, "Failed", "BelowThreshold",
				"ndcg@10 0.315465/0.958660/-0.643195 Failed, recall@5 0.500000/0.750000/-0.250000 Reported, noresults 0.000000/1.000000/-1.000000 Failed"},
			"the alias points at the candidate": {[]string{"--candidate", good}, 0, "Passed", "ThresholdsMet",
				"ndcg@10 null/0.958660/null Passed, recall@5 null/0.750000/null Reported, noresults null/1.000000/null Passed"},
			"no such candidate":          {[]string{"--candidate", "no-such-index"}, 2, "Inconclusive", "CandidateMissing", ""},
			"no such live":               {[]string{"--candidate", good, "--live", "no-such-index"}, 2, "Inconclusive", "LiveMissing", ""},
			"an alias as the candidate":  {[]string{"--candidate", alias, "--live", bad}, 3, "null", "InvalidPlan", ""},
			"a pattern as the candidate": {[]string{"--candidate", "shoes-*", "--live", bad}, 3, "null", "InvalidPlan", ""},
		} {
			t.Run(name, func(t *testing.T) {
				doc, result := runJSON(t, append(test.args, "-f", gate, "--golden-set", golden, "--url", url)...)
				if result.code != test.code || text(doc.Verdict) != test.verdict || doc.Reason != test.reason {
					t.Errorf("got code %d, %s %s: %s", result.code, text(doc.Verdict), doc.Reason, doc.Message)
				}
				var scores []string
				for _, s := range doc.Scores {
					scores = append(scores, fmt.Sprintf("%s %s/%s/%s %s", s.Metric, text(s.Candidate), text(s.Live), text(s.Delta), text(s.Verdict)))
				}
				if got := strings.Join(scores, ", "); got != test.scores {
					t.Errorf("scores are %s\nwant %s", got, test.scores)
				}
				if test.scores != "" && (len(doc.Queries) != 3 || doc.Queries[2].ID != "n1") {
					t.Errorf("the queries are %+v", doc.Queries)
				}
			})
		}
	})
}

func TestTextNamesMissingDocuments(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		index := loadShoes(t, url, "shoes", "shoes", "socks")
		for _, idField := range []string{"_id", "sku"} {
			result := runCLI(t, "evaluate", "-f", writeFile(t, "gate.yaml", matchGate(idField, `{name: recall@5, min: "0.1"}`)),
				"--golden-set", goldenFile(t, shoesGolden), "--url", url, "--candidate", index)
			if result.code != 0 || !strings.Contains(result.out, "judged documents that the candidate does not hold: 1\n") {
				t.Errorf("idField %s: got %+v", idField, result)
			}
			if !strings.HasSuffix(result.errOut, "measuring "+index+": 6 of 6 searches\n") {
				t.Errorf("standard error is %q", result.errOut)
			}
		}
	})
}

func TestEvidenceThatIsNotValid(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		index := loadShoes(t, url, "shoes", "shoes", "socks")
		metrics := `{name: recall@5, min: "0.1"}`
		broken := strings.Replace(matchGate("_id", metrics), `match: {name: "{{query}}"}`, `no_such_query: {name: "{{query}}"}`, 1)
		someBroken := strings.Replace(matchGate("_id", metrics), `match: {name: "{{query}}"}`, `range: {name: {boost: "{{boost}}", gte: "{{query}}"}}`, 1)
		for name, test := range map[string]struct {
			gate, golden string
			code         int
			reason       string
			message      string
		}{
			"a query that the engine does not know": {broken, shoesGolden, 3, "SearchRejected", "query q1: "},
			"one query that is rejected": {someBroken, `{"schema": "relevancegate.dev/golden/v1", "queries": [
				{"id": "q1", "query": "a", "params": {"boost": 1}, "judgments": [{"id": "a", "grade": 3}]},
				{"id": "q2", "query": "a", "params": {"boost": "much"}, "judgments": [{"id": "a", "grade": 3}]}]}`,
				2, "TooManyErrors", "1 of 2"},
			"a parameter that a query lacks": {someBroken, `{"schema": "relevancegate.dev/golden/v1", "queries": [
				{"id": "q1", "query": "a", "params": {"boost": 1}, "judgments": [{"id": "a", "grade": 3}]},
				{"id": "q2", "query": "a", "judgments": [{"id": "a", "grade": 3}]}]}`,
				2, "TooManyErrors", "1 of 2"},
			"an id field that no document has": {matchGate("ean", metrics), shoesGolden, 2, "TooManyErrors", ""},
			"judgments of another shop": {matchGate("_id", metrics), `{"schema": "relevancegate.dev/golden/v1", "queries": [
				{"id": "q1", "query": "shoes", "judgments": [{"id": "x", "grade": 3}]}]}`, 2, "NothingJudged", "judg"},
		} {
			t.Run(name, func(t *testing.T) {
				doc, result := runJSON(t, "-f", writeFile(t, "gate.yaml", test.gate), "--golden-set", goldenFile(t, test.golden),
					"--url", url, "--candidate", index)
				if result.code != test.code || doc.Reason != test.reason || !strings.Contains(doc.Message, test.message) {
					t.Errorf("got code %d, %s: %s", result.code, doc.Reason, doc.Message)
				}
			})
		}
		t.Run("no document is called missing where no search worked", func(t *testing.T) {
			result := runCLI(t, "evaluate", "-f", writeFile(t, "gate.yaml", matchGate("ean", metrics)),
				"--golden-set", goldenFile(t, `{"schema": "relevancegate.dev/golden/v1", "queries": [
				{"id": "q1", "query": "shoes", "judgments": [{"id": "a", "grade": 3}]}]}`), "--url", url, "--candidate", index)
			if result.code != 2 || strings.Contains(result.out, "does not hold") {
				t.Errorf("got %+v", result)
			}
		})
		t.Run("the rejected query is named", func(t *testing.T) {
			doc, _ := runJSON(t, "-f", writeFile(t, "gate.yaml", broken), "--golden-set", goldenFile(t, shoesGolden),
				"--url", url, "--candidate", index)
			if !strings.Contains(doc.Message, "no_such_query") || !strings.Contains(doc.Message, "_exception") {
				t.Errorf("the message is %q", doc.Message)
			}
		})
	})
}

func TestAnAliasOnTwoIndicesMustBeResolved(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		one, two := loadShoes(t, url, "shoes", "shoes", "socks"), loadShoes(t, url, "shoes", "shoes", "socks")
		alias := testengine.Name(t, url, "shoes-alias")
		testengine.Do(t, "PUT", url+"/"+one+","+two+"/_alias/"+alias, "")
		gate := writeFile(t, "gate.yaml", strings.Replace(matchGate("_id", `{name: recall@5, min: "0.1"}`), "no-such-alias", alias, 1))
		args := []string{"-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--url", url, "--candidate", one}
		if doc, result := runJSON(t, args...); result.code != 3 || doc.Reason != "AliasNotPlain" {
			t.Errorf("got code %d, %+v", result.code, doc)
		}
		if doc, result := runJSON(t, append(args, "--live", two)...); result.code != 0 {
			t.Errorf("with --live: got code %d, %+v", result.code, doc)
		}
	})
}

// testData is the folder with other people's data, or the test is skipped.
func testData(t *testing.T, would string) string {
	t.Helper()
	folder := os.Getenv("RELEVANCE_GATE_TEST_DATA")
	if folder == "" {
		t.Skipf("RELEVANCE_GATE_TEST_DATA does not name the folder with the test data; with it this would show that %s.", would)
	}
	return folder
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func analyzed(analyzer string) map[string]any {
	return map[string]any{"type": "text", "analyzer": analyzer}
}

func TestPublishedFiguresOfTheShop(t *testing.T) {
	data := testData(t, "the eight figures of an article come out to three digits")
	var products []struct {
		ID          string            `json:"item_id"`
		Name        map[string]string `json:"name"`
		Description map[string]string `json:"description"`
		Brand       string            `json:"brand"`
		Type        string            `json:"product_type"`
		Attributes  json.RawMessage   `json:"attributes"`
	}
	readJSON(t, filepath.Join(data, "tendero/products.json"), &products)

	match := func(kind, fields string) string {
		return `{multi_match: {query: "{{query}}", type: ` + kind + `, operator: and, fields: [` + fields + `]}}`
	}
	fields := `name^3, brand^2, attributesText^2, description`
	fuzzy := func(fields string) string {
		return strings.Replace(match("best_fields", fields), "operator", "fuzziness: AUTO, operator", 1)
	}
	firstDay := fuzzy(fields + ", category")
	fixed := `{bool: {should: [` + match("cross_fields", fields) + `, ` + fuzzy(fields) + `]}}`

	eachAndSecured(t, func(t *testing.T, url string, flags ...string) {
		for language, analyzer := range map[string]string{"es": "spanish", "en": "english"} {
			var documents []indexed
			for i, product := range products {
				documents = append(documents, indexed{fmt.Sprint(i), map[string]any{
					"externalId": product.ID, "name": product.Name[language], "description": product.Description[language],
					"brand": product.Brand, "category": product.Type, "attributesText": attributesText(product.Attributes),
				}})
			}
			keyword := map[string]any{"type": "keyword"}
			index := loadIndex(t, url, "tendero-"+language, map[string]any{
				"name": analyzed(analyzer), "description": analyzed(analyzer), "attributesText": analyzed(analyzer),
				"brand": analyzed("standard"), "category": keyword, "externalId": keyword,
			}, documents)
			golden := filepath.Join(data, "tendero/golden-"+language+".json")
			for name, test := range map[string]struct {
				query string
				want  map[string]string
			}{
				"first day": {firstDay, map[string]string{"es": "0.769 0.750", "en": "0.674 0.636"}},
				"fixed":     {fixed, map[string]string{"es": "0.860 0.841", "en": "0.720 0.682"}},
			} {
				gate := strings.Replace(matchGate("externalId", `{name: ndcg@10, min: "0"}, {name: recall@50}`),
					`{match: {name: "{{query}}"}}`, test.query, 1)
				doc, result := runJSON(t, slices.Concat(flags, []string{"-f", writeFile(t, "gate.yaml", gate), "--golden-set", golden, "--candidate", index})...)
				if result.code != 0 {
					t.Fatalf("%s, %s: code %d: %s", language, name, result.code, doc.Message)
				}
				if got := threeDigits(t, doc); got != test.want[language] {
					t.Errorf("%s, %s: NDCG@10 and recall@50 are %s, want %s", language, name, got, test.want[language])
				}
			}
		}
	})
}

// attributesText is "key value" for each attribute, in the order of the file.
func attributesText(raw json.RawMessage) string {
	var words []string
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	for {
		token, err := decoder.Token()
		if err != nil {
			return strings.Join(words, " ")
		}
		if _, isDelimiter := token.(json.Delim); !isDelimiter {
			words = append(words, fmt.Sprint(token))
		}
	}
}

func threeDigits(t *testing.T, doc document) string {
	t.Helper()
	var all []string
	for _, score := range doc.Scores {
		var value float64
		if _, err := fmt.Sscan(text(score.Candidate), &value); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%.3f", value))
	}
	return strings.Join(all, " ")
}

func TestCranfield(t *testing.T) {
	data := testData(t, "Cranfield's four figures come out to six digits, five times alike")
	var documents []indexed
	for _, document := range readLines(t, filepath.Join(data, "cranfield/docs.jsonl")) {
		documents = append(documents, indexed{
			fmt.Sprint(document["id"]), map[string]any{"title": document["title"], "text": document["text"]},
		})
	}
	golden := goldenFile(t, cranfieldGolden(t, data))
	gate := writeFile(t, "gate.yaml", strings.Replace(matchGate("_id", `{name: ndcg@10, min: "0"}, {name: recall@50}`),
		`{match: {name: "{{query}}"}}`, `{multi_match: {query: "{{query}}", fields: [title^2, text]}}`, 1)+
		"  evaluation: {repeats: 1}\n")

	eachAndSecured(t, func(t *testing.T, url string, flags ...string) {
		indices := map[string]string{}
		for _, analyzer := range []string{"standard", "english"} {
			indices[analyzer] = loadIndex(t, url, "cranfield-"+analyzer,
				map[string]any{"title": analyzed(analyzer), "text": analyzed(analyzer)}, documents)
		}
		args := slices.Concat(flags, []string{"-f", gate, "--golden-set", golden, "--candidate", indices["english"], "--live", indices["standard"]})
		doc, first := runJSON(t, args...)
		if first.code != 0 {
			t.Fatalf("code %d: %s", first.code, doc.Message)
		}
		for i, want := range []string{"ndcg@10 0.478173 0.426529", "recall@50 0.657660 0.599527"} {
			score := doc.Scores[i]
			if got := score.Metric + " " + text(score.Candidate) + " " + text(score.Live); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if len(doc.Queries) != 225 {
			t.Errorf("%d queries, want 225", len(doc.Queries))
		}
		for range 4 {
			if _, again := runJSON(t, args...); again.out != first.out {
				t.Error("another run gives another document")
			}
		}
	})
}

func readLines(t *testing.T, path string) []map[string]any {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for text := range bytes.Lines(raw) {
		var line map[string]any
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// cranfieldGolden puts queries and qrels into the gate's own form.
func cranfieldGolden(t *testing.T, data string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(data, "cranfield/qrels.txt"))
	if err != nil {
		t.Fatal(err)
	}
	judgments := map[string][]map[string]any{}
	for line := range strings.Lines(string(raw)) {
		var query, iteration, id string
		var grade int
		if _, err := fmt.Sscan(line, &query, &iteration, &id, &grade); err != nil {
			t.Fatal(err)
		}
		judgments[query] = append(judgments[query], map[string]any{"id": id, "grade": grade})
	}
	var queries []map[string]any
	for _, query := range readLines(t, filepath.Join(data, "cranfield/queries.jsonl")) {
		query["judgments"] = judgments[fmt.Sprint(query["id"])]
		queries = append(queries, query)
	}
	golden, err := json.Marshal(map[string]any{"schema": "relevancegate.dev/golden/v1", "queries": queries})
	if err != nil {
		t.Fatal(err)
	}
	return string(golden)
}

func TestQueriesThatGotWorseAreShownInTheGoldenSet(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		good := loadShoes(t, url, "shoes", "green shoes and more of it", "socks")
		bad := loadShoes(t, url, "green shoes and more of it", "shoes", "bananas")
		gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: ndcg@10}`)+"  regressions: {metric: ndcg@10, drop: \"0.05\", maxQueries: 0}\n")
		golden := goldenFile(t, shoesGolden)
		result := runCLI(t, "evaluate", "-f", gate, "--golden-set", golden, "--url", url, "--candidate", bad, "--live", good, "-o", "github")
		for _, want := range []string{
			"::warning file=" + golden + ",line=2,title=relevance gate no-such-alias%3A query q1 got worse::ndcg@10 is ",
			"::warning file=" + golden + ",line=3,title=relevance gate no-such-alias%3A query q2 got worse::ndcg@10 is 0.000000 for the candidate",
		} {
			if !strings.Contains(result.out, want) {
				t.Errorf("there is no %s in\n%s", want, result.out)
			}
		}
	})
}
