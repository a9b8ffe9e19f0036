package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shopSet is a golden set with something that not every format carries.
const shopSet = `{"schema": "relevancegate.dev/golden/v1", "name": "shop", "queries": [
	{"id": "1", "query": "red shoes", "weight": 2, "judgments": [{"id": "a", "grade": 3, "why": "exactly that"}, {"id": "b", "grade": 0}]}
]}`

func TestConvert(t *testing.T) {
	set := writeFile(t, "set.json", shopSet)
	const counted = "1 queries, 2 judgments; what was read is content-sha256:"
	t.Run("to the standard output", func(t *testing.T) {
		result := runCLI(t, "convert", "--to", "qrels", set)
		if result.code != 0 || result.out != "1 0 a 3\n1 0 b 0\n" {
			t.Errorf("got %+v", result)
		}
		for _, want := range []string{
			"Lost: Qrels holds no reasons: 1 left out\n", "Lost: Qrels holds no texts of queries: 1 left out; write them as topics\n", counted,
			`Lost: Qrels holds no name of the set: "shop" left out`, "Lost: Qrels holds no weights: 1 left out; every query will weigh 1\n",
		} {
			if !strings.Contains(result.errOut, want) {
				t.Errorf("standard error lacks %q: %s", want, result.errOut)
			}
		}
	})
	t.Run("judged in words", func(t *testing.T) {
		words := writeFile(t, "label.csv", "query_id\tproduct_id\tlabel\n7\ta\tExact\n7\tb\tIrrelevant\n")
		result := runCLI(t, "convert", "--to", "qrels", "--grades", "Exact=2,Irrelevant=0", words)
		if result.code != 0 || result.out != "7 0 a 2\n7 0 b 0\n" {
			t.Errorf("got %+v", result)
		}
		result = runCLI(t, "convert", "--to", "qrels", words)
		if result.code != 3 || !strings.Contains(result.errOut, `label.csv: line 2: column 3 (label): the grade "Exact" is a word`) {
			t.Errorf("without --grades: got %+v", result)
		}
		result = runCLI(t, "convert", "--to", "qrels", "--grades", "Exact", words)
		if result.code != 3 || !strings.Contains(result.errOut, `--grades: "Exact" is no word with its grade`) {
			t.Errorf("with a wrong --grades: got %+v", result)
		}
	})
	t.Run("to a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "out.csv")
		result := runCLI(t, "convert", "--to", "csv", "--output", file, set)
		raw, err := os.ReadFile(file)
		if err != nil || result.code != 0 || result.out != "" || !strings.HasPrefix(string(raw), "query_id,query,weight,doc_id,grade,why\n1,red shoes,2,a,3,exactly that\n") {
			t.Errorf("got %+v, %v\n%s", result, err, raw)
		}
	})
	t.Run("from the standard input, and topics with qrels", func(t *testing.T) {
		var out, errOut bytes.Buffer
		qrels := writeFile(t, "qrels.txt", "1 0 a 3\n1 0 b 0\n1 0 c -1\n")
		code := Run(t.Context(), []string{"convert", "--to", "rank-eval", "--index", "products-v1", "--from", "trec", "-", qrels},
			strings.NewReader("<top><num>1</num><title>red shoes</title></top>"), &out, &errOut)
		if code != 0 || !strings.Contains(out.String(), `{"_index":"products-v1","_id":"a","rating":3}`) {
			t.Errorf("got %d, %s%s", code, out.String(), errOut.String())
		}
		if !strings.HasPrefix(errOut.String(), "Note: "+qrels+": judgments with a negative grade, read as not judged: 1 (first on line 3)\n"+counted) {
			t.Errorf("standard error is %s", errOut.String())
		}
	})
	t.Run("qrels alone", func(t *testing.T) {
		qrels := writeFile(t, "qrels.txt", "1 0 a 3\n")
		if result := runCLI(t, "convert", "--to", "csv", qrels); result.code != 0 || result.out != "query_id,doc_id,grade\n1,a,3\n" {
			t.Errorf("got %+v", result)
		}
		if result := runCLI(t, "convert", "--to", "gate", qrels); result.code != 3 || result.out != "" ||
			result.errOut != `Error: query "1" has no text, which Gate needs; add the file with the queries`+"\n" {
			t.Errorf("got %+v", result)
		}
	})
}

func TestConvertRefuses(t *testing.T) {
	set := writeFile(t, "set.json", shopSet)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no format":                   {[]string{set}, `required flag(s) "to" not set`},
		"no file":                     {[]string{"--to", "csv"}, "requires at least 1 arg"},
		"an unknown format to write":  {[]string{"--to", "yaml", set}, `--to: the format "yaml" cannot be written; use Gate, Article`},
		"an unknown format to read":   {[]string{"--to", "csv", "--from", "yaml", set}, `--from: the format "yaml" is not known; use Auto, Gate`},
		"a file that is not there":    {[]string{"--to", "csv", "nowhere.json"}, "nowhere.json"},
		"an empty file":               {[]string{"--to", "csv", writeFile(t, "empty.json", " \n")}, "the golden set is empty"},
		"a file of another format":    {[]string{"--to", "csv", "--from", "trec", set}, "a line of qrels has 4 parts"},
		"a file that is wrong":        {[]string{"--to", "csv", writeFile(t, "bad.csv", "query,doc,grade\na,d,x\n")}, `bad.csv: line 2: column 3 (grade): the grade "x" is a word`},
		"no index":                    {[]string{"--to", "rre", set}, "RRE names the index that is searched; tell which"},
		"a folder that is not there":  {[]string{"--to", "csv", "-o", filepath.Join(t.TempDir(), "a", "b"), set}, "no such file"},
		"what the format cannot hold": {[]string{"--to", "qrels", writeFile(t, "fraction.json", strings.Replace(shopSet, `"grade": 3`, `"grade": 2.5`, 1))}, `query "1" judges document "a" as 2.5, a fraction, which Qrels cannot hold`},
	} {
		t.Run(name, func(t *testing.T) {
			result := runCLI(t, append([]string{"convert"}, test.args...)...)
			if result.code != 3 || result.out != "" || strings.Count(result.errOut, "\n") != 1 || !strings.Contains(result.errOut, test.want) {
				t.Errorf("got %+v, want %s", result, test.want)
			}
		})
	}
}
