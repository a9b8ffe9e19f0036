package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// smallQrels has a grade below 0 and one above 1, and a query that smallRun lacks.
	smallQrels = "q1 0 a 2\nq1 0 b 0\nq1 0 c -1\nq1 0 d 1\nq2 0 a 1\nq3 0 a 1\n"
	// smallRun has a tie, and an unjudged hit.
	smallRun = "q1 Q0 a 9 2.0 small\nq1 Q0 b 8 2.0 small\nq1 Q0 x 7 1.5 small\nq1 Q0 d 6 1.0 small\nq2 Q0 a 1 1 small\n"
)

// runScoreCLI runs score on the two small files with more arguments.
func runScoreCLI(t *testing.T, args ...string) ran {
	t.Helper()
	return runCLI(t, append([]string{"score", writeFile(t, "qrels", smallQrels), writeFile(t, "run", smallRun)}, args...)...)
}

func TestScoreAsTrecEval(t *testing.T) {
	result := runScoreCLI(t, strings.Fields("-q -m map -m ndcg_cut_10 -m P_5 -m recall_50 -m recip_rank -m Rprec -m bpref -o trec")...)
	want := strings.ReplaceAll(`map                   |q1|0.5000
Rprec                 |q1|0.5000
bpref                 |q1|0.0000
recip_rank            |q1|0.5000
P_5                   |q1|0.4000
recall_50             |q1|1.0000
ndcg_cut_10           |q1|0.6433
map                   |q2|1.0000
Rprec                 |q2|1.0000
bpref                 |q2|1.0000
recip_rank            |q2|1.0000
P_5                   |q2|0.2000
recall_50             |q2|1.0000
ndcg_cut_10           |q2|1.0000
map                   |all|0.7500
Rprec                 |all|0.7500
bpref                 |all|0.5000
recip_rank            |all|0.7500
P_5                   |all|0.3000
recall_50             |all|1.0000
ndcg_cut_10           |all|0.8217
`, "|", "\t")
	notes := `Note: judged queries without hits, such as "q3": 1; they are not counted; with -c they count as queries that found nothing
Note: judgments with a grade below 0: 1; they count as no judgment
`
	if result.code != 0 || result.out != want || result.errOut != notes {
		t.Errorf("got %d\n%s\n%s", result.code, result.out, result.errOut)
	}
}

func TestScoreOptions(t *testing.T) {
	for line, want := range map[string]string{
		"-m num_q -m map":                 "num_q all 2 map all 0.7500",
		"-q -m gm_map":                    "gm_map all 0.7071",
		"-c -m num_q -m map":              "num_q all 3 map all 0.5000",
		"-c -q -n -m P.1":                 "P_1 q1 0.0000 P_1 q2 1.0000",
		"-l2 -m num_rel":                  "num_rel all 1",
		"-M1 -m num_ret":                  "num_ret all 2",
		"-J -m num_ret":                   "num_ret all 4",
		"-m P.2,1 -m success":             "P_1 all 0.5000 P_2 all 0.5000 success_1 all 0.5000 success_5 all 1.0000 success_10 all 1.0000",
		"-m err@2 --max-grade 2":          "err@2 all 0.3125",
		"-m ndcg@10 -m map":               "map all 0.7500 ndcg@10 all 0.8200",
		"-o csv -m ndcg@10 -m map":        "measure,query,value ndcg@10,all,0.819955 map,all,0.750000",
		"-o markdown -m ndcg@10 -m runid": "| measure | value | |---|---:| | ndcg@10 | 0.8200 | | runid | small |",
		"": "runid all small num_q all 2 num_ret all 5 num_rel all 3 num_rel_ret all 3 map all 0.7500 gm_map all 0.7071 Rprec all 0.7500 bpref all 0.5000 recip_rank all 0.7500 " +
			"iprec_at_recall_0.00 all 0.7500 iprec_at_recall_0.10 all 0.7500 iprec_at_recall_0.20 all 0.7500 iprec_at_recall_0.30 all 0.7500 iprec_at_recall_0.40 all 0.7500 iprec_at_recall_0.50 all 0.7500 " +
			"iprec_at_recall_0.60 all 0.7500 iprec_at_recall_0.70 all 0.7500 iprec_at_recall_0.80 all 0.7500 iprec_at_recall_0.90 all 0.7500 iprec_at_recall_1.00 all 0.7500 " +
			"P_5 all 0.3000 P_10 all 0.1500 P_15 all 0.1000 P_20 all 0.0750 P_30 all 0.0500 P_100 all 0.0150 P_200 all 0.0075 P_500 all 0.0030 P_1000 all 0.0015",
	} {
		result := runScoreCLI(t, strings.Fields(line)...)
		if got := strings.Join(strings.Fields(result.out), " "); result.code != 0 || got != want {
			t.Errorf("score %s: code %d\n%s, want\n%s\n%s", line, result.code, got, want, result.errOut)
		}
	}
}

func TestScoreSaysWhatItHasNot(t *testing.T) {
	if result := runScoreCLI(t, "-m", "set"); !strings.Contains(result.errOut, "Note: measures of trec_eval that are not here: utility, set_relative_P\n") {
		t.Errorf("got %s", result.errOut)
	}
}

func TestScoreJSON(t *testing.T) {
	raw, err := os.ReadFile("../../docs/score.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("score", tree); err != nil {
		t.Fatal(err)
	}
	schema := compiler.MustCompile("score")
	for _, line := range []string{"", "-q -c -m all_trec -m judged@5", "-n", "-q -n -l .5 -M 3 -J"} {
		result := runScoreCLI(t, append(strings.Fields(line), "-o", "json")...)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(result.out))
		if err != nil {
			t.Fatalf("%v: %s", err, result.out)
		}
		if err := schema.Validate(value); err != nil || result.code != 0 {
			t.Errorf("score %s: code %d, the document does not fit its schema: %v", line, result.code, err)
		}
	}
}

func TestScoreReadsTheStandardInput(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, smallRun) // It cannot fail.
	_ = w.Close()
	for name, in := range map[string]io.Reader{"plain": strings.NewReader(smallRun), "packed": &packed} {
		var out, errOut bytes.Buffer
		code := Run(t.Context(), []string{"score", writeFile(t, "qrels", smallQrels), "-", "-m", "map"}, in, &out, &errOut)
		if code != 0 || out.String() != "map                   \tall\t0.7500\n" {
			t.Errorf("%s: code %d, %s%s", name, code, out.String(), errOut.String())
		}
	}
}

func TestScoreRefuses(t *testing.T) {
	qrels, run := writeFile(t, "qrels", smallQrels), writeFile(t, "run", smallRun)
	for _, row := range []struct{ name, line, want string }{
		{"no run", qrels, "accepts 2 arg(s), received 1"},
		{"an unknown output", qrels + " " + run + " -o yaml", `--output is "yaml"; it must be trec, json, csv or markdown`},
		{"an unknown metric", qrels + " " + run + " -m ndgc_cut_10", "ndgc_cut_10"},
		{"a measure of trec_eval that is not here", qrels + " " + run + " -m infAP", "infAP"},
		{"a level that makes all relevant", qrels + " " + run + " -l 0", "-l is 0; write a grade above 0 and up to 1000000"},
		{"a level above all grades", qrels + " " + run + " -l 2e6", "-l is 2e+06; write a grade above 0 and up to 1000000"},
		{"a depth below 0", qrels + " " + run + " -M -1", "-M is -1; write how many hits count at most, or 0 for all"},
		{"a scale above 30", qrels + " " + run + " --max-grade 31", "--max-grade is 31; write a number from 1 to 30"},
		{"no such file", "nowhere " + run, "nowhere"},
		{"a folder", qrels + " " + t.TempDir(), "is a directory"},
		{"the standard input twice", "- -", "only one of the two files can be the standard input"},
		{"an empty standard input", qrels + " -", "standard input: the file is empty"},
		{"a wrong line", qrels + " " + writeFile(t, "bad", "q1 Q0 a 1 x t\n"), `:1:11: found "x", expected a score: a finite number`},
		{"a grade that 2 is not raised to", writeFile(t, "high", "q1 0 a 31\n") + " " + run + " -m map -m ndcg@10", `:1:8: found "31", expected a grade: a number up to 30, since ndcg@10 raises 2 to it`},
		{"a fraction with trec", writeFile(t, "half", "q1 0 a 0.5\n") + " " + run, `:1:8: found "0.5", expected a whole number`},
	} {
		t.Run(row.name, func(t *testing.T) {
			result := runCLI(t, append([]string{"score"}, strings.Fields(row.line)...)...)
			if result.code != 3 || result.out != "" || !strings.Contains(result.errOut, row.want) || strings.Count(result.errOut, "\n") != 1 {
				t.Errorf("got %+v", result)
			}
		})
	}
	if result := runCLI(t, "score", writeFile(t, "half", "q1 0 a 0.5\n"), run, "-o", "csv"); result.code != 0 {
		t.Errorf("a fraction with csv: got %+v", result)
	}
}

// TestScoreInterrupted ends while the standard input is silent.
func TestScoreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	defer func() { _ = in.Close() }()
	cancel()
	var out, errOut bytes.Buffer
	if code := Run(ctx, []string{"score", writeFile(t, "qrels", smallQrels), "-"}, in, &out, &errOut); code != 2 || errOut.String() == "" {
		t.Errorf("code %d, %s", code, errOut.String())
	}
}

func TestScoreTellsABrokenOutput(t *testing.T) {
	read, write := io.Pipe()
	_ = read.Close()
	var errOut bytes.Buffer
	args := []string{"score", writeFile(t, "qrels", smallQrels), writeFile(t, "run", smallRun)}
	if code := Run(t.Context(), args, strings.NewReader(""), write, &errOut); code != 2 || !strings.Contains(errOut.String(), "closed pipe") {
		t.Errorf("code %d, %s", code, errOut.String())
	}
}
