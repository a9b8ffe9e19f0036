package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// comparison is what compare -o json prints, as far as the tests look at it.
type comparison struct {
	Before, After              string
	Compared, LeftOut, Missing int
	Notes                      []string
	By, Method                 string
	Metrics                    []struct {
		Metric                       string
		Before, After, Delta, Low, P *string
		Wins, Ties, Losses           int
	}
	Worst, Best []struct {
		ID    string
		Moved []struct {
			ID            string
			Grade         *float64
			Before, After *int
		}
	}
}

func runComparison(t *testing.T, args ...string) comparison {
	t.Helper()
	result := runCLI(t, append([]string{"compare", "-o", "json"}, args...)...)
	if result.code != 0 {
		t.Fatalf("got %+v", result)
	}
	schema, err := os.Open("../../docs/comparison.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = schema.Close() }()
	tree, err := jsonschema.UnmarshalJSON(schema)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("comparison", tree); err != nil {
		t.Fatal(err)
	}
	var value any
	var doc comparison
	if err := json.Unmarshal([]byte(result.out), &value); err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("comparison").Validate(value); err != nil {
		t.Errorf("the document does not fit its schema: %v\n%s", err, result.out)
	}
	if err := json.Unmarshal([]byte(result.out), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

const (
	shortQrels = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\nq3 0 e 1\nq4 0 f 1\n"
	runBefore  = "q1 Q0 a 1 3 r\nq1 Q0 b 2 2 r\nq1 Q0 c 3 1 r\nq2 Q0 x 1 2 r\nq2 Q0 d 2 1 r\nq3 Q0 e 1 1 r\n"
	runAfter   = "q1 Q0 b 1 3 s\nq1 Q0 z 2 2 s\nq1 Q0 a 3 1 s\nq2 Q0 d 1 2 s\nq2 Q0 x 2 1 s\n"
)

func TestCompareByAnotherInterval(t *testing.T) {
	qrels, before, after := writeFile(t, "qrels", shortQrels), writeFile(t, "old.run", runBefore), writeFile(t, "new.run", runAfter)
	if doc := runComparison(t, "--qrels", qrels, "-m", "recip_rank", "--interval", "bca", before, after); doc.Method != "bca" || doc.Metrics[0].Low == nil {
		t.Errorf("got %+v", doc)
	}
}

func TestCompareRuns(t *testing.T) {
	qrels, before, after := writeFile(t, "qrels", shortQrels), writeFile(t, "old.run", runBefore), writeFile(t, "new.run", runAfter)
	doc := runComparison(t, "--qrels", qrels, "-m", "recip_rank", "-m", "num_ret", before, after)
	// q1 1 -> 1/3, q2 1/2 -> 1, q3 1 -> 0, and q4 is in neither run.
	change := doc.Metrics[0]
	if doc.Compared != 3 || len(doc.Metrics) != 1 || text(change.Before) != "0.833333" || text(change.After) != "0.444444" || text(change.Delta) != "-0.388889" {
		t.Errorf("got %+v", doc)
	}
	// Of the 8 sign patterns of 2/3, 1/2 and 1 four sum up to 7/6 or more.
	if text(change.P) != "0.500000" || change.Wins != 1 || change.Losses != 2 {
		t.Errorf("p is %s, %d won and %d lost", text(change.P), change.Wins, change.Losses)
	}
	if len(doc.Notes) != 1 || doc.Notes[0] != after+" lacks 1 of the queries; they count there as queries that found nothing." {
		t.Errorf("the notes are %q", doc.Notes)
	}
	if doc.Worst[0].ID != "q3" || doc.Worst[1].ID != "q1" || doc.Best[0].ID != "q2" {
		t.Errorf("worst %+v, best %+v", doc.Worst, doc.Best)
	}
	moved := doc.Worst[1].Moved
	if len(moved) != 4 || moved[0].ID != "a" || *moved[0].Before != 1 || *moved[0].After != 3 || *moved[0].Grade != 2 ||
		moved[3].ID != "c" || moved[3].After != nil || moved[2].ID != "z" || moved[2].Grade != nil {
		t.Errorf("moved %+v", moved)
	}
	same := runComparison(t, "--qrels", qrels, before, before)
	if same.By != "ndcg@10" || text(same.Metrics[0].Delta) != "0.000000" || text(same.Metrics[0].P) != "1.000000" || len(same.Worst)+len(same.Best) > 0 {
		t.Errorf("a run against itself: %+v", same)
	}
}

// The sample files of trec_eval, against themselves cut short.
func TestCompareRealRuns(t *testing.T) {
	data := os.Getenv("RELEVANCE_GATE_TEST_DATA")
	if data == "" {
		t.Skip("RELEVANCE_GATE_TEST_DATA does not name the folder with trec_eval's sample files.")
	}
	dir := filepath.Join(data, "trec_eval")
	doc := runComparison(t, "--qrels", filepath.Join(dir, "qrels.test"), "-m", "map", "-m", "ndcg_cut_10", filepath.Join(dir, "results.test"), filepath.Join(dir, "results.trunc"))
	if text(doc.Metrics[0].Before) != "0.178545" || text(doc.Metrics[0].After) != "0.101565" || text(doc.Metrics[1].After) != "0.171701" {
		t.Errorf("got %+v", doc.Metrics)
	}
}

func TestCompareIsRefused(t *testing.T) {
	qrels, run := writeFile(t, "qrels", shortQrels), writeFile(t, "old.run", runBefore)
	wrong := writeFile(t, "wrong.run", "q1 Q0 a 1 high r\n")
	numbers := writeFile(t, "numbers.run", "301 Q0 a 1 2.5 r\n")
	gate := writeFile(t, "gate.yaml", goodGate)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"one argument":           {[]string{run}, "accepts 2 arg(s)"},
		"an unknown output":      {[]string{"-o", "junit", run, run}, `--output is "junit"; it must be text, json, markdown or csv`},
		"runs and indices":       {[]string{"--qrels", qrels, "-f", gate, "--golden-set", qrels, run, run}, "--qrels compares runs"},
		"a gate alone":           {[]string{"-f", gate, "a", "b"}, "give both -f and --golden-set"},
		"another interval":       {[]string{"--interval", "t", run, run}, `--interval is "t"; it must be percentile or bca`},
		"a negative list":        {[]string{"--list", "-1", run, run}, "--list is -1"},
		"runs without qrels":     {[]string{run, run}, "is no report as evaluate -o json writes it (invalid character 'q' looking for beginning of value); give --qrels to compare runs of TREC, or -f to compare indices"},
		"runs of numbers":        {[]string{numbers, numbers}, "numbers.run is no report as evaluate -o json writes it (it holds a number where there must be something else); give --qrels"},
		"no such file":           {[]string{"no.json", "no.json"}, "no.json: no such file"},
		"no such run":            {[]string{"--qrels", qrels, run, "no.run"}, "no.run: no such file"},
		"a wrong line":           {[]string{"--qrels", qrels, run, wrong}, "wrong.run:1:"},
		"an unknown metric":      {[]string{"--qrels", qrels, "-m", "ndgc@10", run, run}, "ndcg@10"},
		"counts alone":           {[]string{"--qrels", qrels, "-m", "num_ret", run, run}, "none of the measures is a metric"},
		"an unknown --by":        {[]string{"--qrels", qrels, "--by", "mrr", run, run}, `--by is "mrr"; it must be one of ndcg@10, map`},
		"two standard inputs":    {[]string{"-", "-"}, "only one of the two reports"},
		"three standard inputs":  {[]string{"--qrels", "-", "-", run}, "only one of the files"},
		"a gate that is missing": {[]string{"-f", "no.yaml", "--golden-set", qrels, "a", "b"}, "no.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			result := runCLI(t, append([]string{"compare"}, test.args...)...)
			if result.code != 3 || result.out != "" || !strings.Contains(result.errOut, test.want) || strings.Count(result.errOut, "\n") != 1 {
				t.Errorf("got %+v, want %s", result, test.want)
			}
		})
	}
}

func TestCompareIndicesAndTheirReports(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		good := loadShoes(t, url, "shoes", "green shoes and more of it", "socks")
		bad := loadShoes(t, url, "green shoes and more of it", "shoes", "bananas")
		gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: recall@5, min: "0.1"}, {name: ndcg@10}`))
		golden := goldenFile(t, shoesGolden)
		indices := runComparison(t, "-f", gate, "--golden-set", golden, "--url", url, "--by", "ndcg@10", good, bad)
		// The scores are those of TestVerdicts.
		ndcg := indices.Metrics[1]
		if indices.Before != good || indices.Compared != 3 || text(ndcg.Before) != "0.958660" || text(ndcg.After) != "0.315465" || text(ndcg.Delta) != "-0.643195" {
			t.Errorf("got %+v", indices)
		}
		if worst := indices.Worst[0]; worst.ID != "q2" || len(worst.Moved) != 1 || worst.Moved[0].ID != "c" || *worst.Moved[0].Grade != 3 || worst.Moved[0].After != nil {
			t.Errorf("the worst is %+v", worst)
		}

		dir := t.TempDir()
		for name, index := range map[string]string{"old.json": good, "new.json": bad} {
			result := runCLI(t, "evaluate", "-f", gate, "--golden-set", golden, "--url", url, "--candidate", index, "--report", "json="+filepath.Join(dir, name))
			if result.code > 1 {
				t.Fatalf("got %+v", result)
			}
		}
		before, after := filepath.Join(dir, "old.json"), filepath.Join(dir, "new.json")
		reports := runComparison(t, "--by", "ndcg@10", before, after)
		if reports.Before != good+" ("+before+")" || text(reports.Metrics[1].Delta) != "-0.643195" || text(reports.Metrics[1].P) != text(ndcg.P) {
			t.Errorf("got %+v", reports)
		}
		if worst := reports.Worst[0]; worst.ID != "q2" || len(worst.Moved) != 1 || worst.Moved[0].ID != "c" {
			t.Errorf("the worst is %+v", worst)
		}
		var packed bytes.Buffer
		zip := gzip.NewWriter(&packed)
		if _, err := zip.Write([]byte(readFile(t, after))); err != nil || zip.Close() != nil {
			t.Fatal(err)
		}
		if again := runComparison(t, before, writeFile(t, "report.json.gz", packed.String())); text(again.Metrics[1].Delta) != "-0.643195" {
			t.Errorf("got %+v", again)
		}

		other := goldenFile(t, strings.Replace(shoesGolden, `"grade": 1`, `"grade": 2`, 1))
		if result := runCLI(t, "evaluate", "-f", gate, "--golden-set", other, "--url", url, "--candidate", bad, "--report", "json="+after); result.code > 1 {
			t.Fatalf("got %+v", result)
		}
		result := runCLI(t, "compare", before, after)
		if result.code != 3 || !strings.Contains(result.errOut, "the reports are of different golden sets and so not comparable") {
			t.Errorf("got %+v", result)
		}
		result = runCLI(t, "compare", "-f", gate, "--golden-set", golden, "--url", url, good, "no-such-index")
		if result.code != 2 || !strings.Contains(result.errOut, "Error: the index no-such-index does not exist\n") {
			t.Errorf("got %+v", result)
		}
	})
}

// Neither index is refreshed: both may be live.
func TestCompareTouchesNothing(t *testing.T) {
	testengine.Each(t, func(t *testing.T, _, url string) {
		body := `{"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1"}}`
		index := testengine.Index(t, url, "shoes", body)
		testengine.Do(t, "PUT", url+"/"+index+"/_doc/a?refresh=true", `{"name": "shoes"}`)
		testengine.Do(t, "PUT", url+"/"+index+"/_doc/b", `{"name": "shoes"}`)
		gate := writeFile(t, "gate.yaml", matchGate("_id", `{name: recall@5, min: "0.1"}`))
		runComparison(t, "-f", gate, "--golden-set", goldenFile(t, shoesGolden), "--url", url, index, index)
		if answer := testengine.Do(t, "GET", url+"/"+index+"/_count", ""); !strings.Contains(answer, `"count":1`) {
			t.Errorf("the index was refreshed: %s", answer)
		}
	})
}
