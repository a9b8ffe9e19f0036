package treceval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// try scores a run with one worker's options and returns the output of trec, perQuery and summary.
func try(t *testing.T, qrels, run string, o Options, measures ...string) (string, *Result, error) {
	t.Helper()
	if o.RelevantFrom == 0 {
		o.RelevantFrom = 1
	}
	parsed, _, err := ParseMeasures(measures, o.RelevantFrom, o.MaxGrade)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Score(t.Context(), source(t, "qrels", qrels), source(t, "run", run), parsed, o)
	if err != nil {
		return "", nil, err
	}
	var out strings.Builder
	if err := r.WriteTrec(&out, Print{Queries: true}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(out.String()), " "), r, nil
}

func TestScore(t *testing.T) {
	const qrels = "q 0 a 0\nq 0 b 1\nq 0 c 0\n"
	for _, row := range []struct {
		name, qrels, run string
		options          Options
		measure, want    string
	}{
		{"V16 of equal scores the greater id comes first", qrels, "q Q0 b 1 1.0 t\nq Q0 a 2 1.0 t\n", Options{}, "ndcg", "ndcg q 1.0000 ndcg all 1.0000"},
		{"V16 whatever the order of lines and the rank", qrels, "q Q0 b 1 1.0 t\nq Q0 c 2 1.0 t\n", Options{}, "ndcg", "ndcg q 0.6309 ndcg all 0.6309"},
		{"ids are compared as bytes", "q 0 Z 1\n", "q Q0 Z 1 1 t\nq Q0 a 2 1 t\n", Options{}, "recip_rank", "recip_rank q 0.5000 recip_rank all 0.5000"},
		{"V16 float64 tells scores apart", qrels, "q Q0 a 1 .50000000001 t\nq Q0 b 2 .5 t\n", Options{}, "P_1", "P_1 q 0.0000 P_1 all 0.0000"},
		{"V16 float32, as trec_eval has it, does not", qrels, "q Q0 a 1 .50000000001 t\nq Q0 b 2 .5 t\n", Options{AsTrecEval: true}, "P_1", "P_1 q 1.0000 P_1 all 1.0000"},
		{"a score above float32 is infinite", qrels, "q Q0 a 1 1e39 t\nq Q0 b 2 1e40 t\n", Options{AsTrecEval: true}, "P_1", "P_1 q 1.0000 P_1 all 1.0000"},
		{"negative scores are ordered too", qrels, "q Q0 a 1 -2 t\nq Q0 b 2 -1.5 t\n", Options{}, "P_1", "P_1 q 1.0000 P_1 all 1.0000"},
		{"an unjudged document is not relevant", qrels, "q Q0 x 1 3 t\nq Q0 b 2 2 t\n", Options{}, "recip_rank", "recip_rank q 0.5000 recip_rank all 0.5000"},
		{"judged documents alone", qrels, "q Q0 x 1 3 t\nq Q0 b 2 2 t\n", Options{JudgedOnly: true}, "recip_rank", "recip_rank q 1.0000 recip_rank all 1.0000"},
		{"a negative grade is no judgment", "q 0 a -1\nq 0 b 1\n", "q Q0 a 1 3 t\nq Q0 b 2 2 t\n", Options{JudgedOnly: true}, "num_ret", "num_ret q 1 num_ret all 1"},
		{"the depth cuts before unjudged documents go", qrels, "q Q0 x 1 3 t\nq Q0 b 2 2 t\n", Options{JudgedOnly: true, Depth: 1}, "num_ret", "num_ret q 0 num_ret all 0"},
		{"the depth cuts in the order of scores", qrels, "q Q0 a 1 1 t\nq Q0 b 2 2 t\n", Options{Depth: 1}, "num_rel_ret", "num_rel_ret q 1 num_rel_ret all 1"},
		{"relevant from 2", "q 0 a 1\nq 0 b 2\n", "q Q0 a 1 1 t\nq Q0 b 2 2 t\n", Options{RelevantFrom: 2}, "num_rel", "num_rel q 1 num_rel all 1"},
		{"a fraction of a grade", "q 0 a .5\nq 0 b 1\n", "q Q0 a 1 1 t\n", Options{RelevantFrom: .5}, "num_rel_ret", "num_rel_ret q 1 num_rel_ret all 1"},
		{"relevance does not touch ndcg", "q 0 a 1\nq 0 b 2\n", "q Q0 a 1 3 t\nq Q0 b 2 2 t\n", Options{RelevantFrom: 2}, "ndcg", "ndcg q 0.8597 ndcg all 0.8597"},
		{"judged documents that are not relevant", "q 0 a 1\nq 0 b 2\n", "q Q0 a 1 3 t\nq Q0 x 2 2 t\n", Options{RelevantFrom: 2}, "num_nonrel_judged_ret", "num_nonrel_judged_ret q 1 num_nonrel_judged_ret all 1"},
		{"counts are summed", "q 0 a 1\nr 0 b 1\n", "q Q0 a 1 3 t\nr Q0 x 2 2 t\nr Q0 y 2 2 t\n", Options{}, "num_ret", "num_ret q 1 num_ret r 2 num_ret all 3"},
		{"queries are in the order of their bytes", "9 0 a 1\n10 0 b 1\n", "9 Q0 a 1 3 t\n10 Q0 x 2 2 t\n", Options{}, "P_1", "P_1 10 0.0000 P_1 9 1.0000 P_1 all 0.5000"},
		{"a query that the run lacks is left out", "q 0 a 1\nr 0 b 1\n", "q Q0 a 1 3 t\n", Options{}, "P_1", "P_1 q 1.0000 P_1 all 1.0000"},
		{"or counts as one that found nothing, and is not listed", "q 0 a 1\nr 0 b 1\n", "q Q0 a 1 3 t\n", Options{Complete: true}, "P_1", "P_1 q 1.0000 P_1 all 0.5000"},
		{"so does what is relevant for it", "q 0 a 1\nr 0 b 1\n", "q Q0 a 1 3 t\n", Options{Complete: true}, "num_rel", "num_rel q 1 num_rel all 2"},
		{"of which trec_eval counts all above 0", "q 0 a 1\nr 0 b 2\n", "q Q0 a 1 3 t\n", Options{Complete: true, RelevantFrom: 2, AsTrecEval: true}, "num_rel", "num_rel q 0 num_rel all 2"},
		{"a query without judgments is left out", "q 0 a 1\n", "q Q0 a 1 3 t\nr Q0 a 1 3 t\n", Options{Complete: true}, "num_q", "num_q all 1"},
		{"a query without a relevant document scores 0", "q 0 a 0\nr 0 a 1\n", "q Q0 a 1 3 t\nr Q0 a 1 3 t\n", Options{}, "map", "map q 0.0000 map r 1.0000 map all 0.5000"},
		{"no hit is nothing judged", "q 0 a 1\nr 0 a 1\n", "q Q0 a 1 3 t\nr Q0 x 1 3 t\n", Options{JudgedOnly: true}, "judged@5", "judged@5 q 1.0000 judged@5 all 1.0000"},
		{"a mean of nothing", "q 0 a 1\n", "q Q0 x 1 3 t\n", Options{JudgedOnly: true}, "judged@5", "judged@5 all nan"},
		{"the last line's run name", "q 0 a 1\n", "q Q0 x 1 3 first\nq Q0 y 1 2 last\n", Options{}, "runid", "runid all last"},
		{"lines of a query may stand apart", "q 0 a 1\nr 0 a 1\nq 0 b 1\n", "r Q0 x 1 3 t\nq Q0 a 1 3 t\nr Q0 a 1 2 t\nq Q0 b 1 2 t\n", Options{}, "map", "map q 1.0000 map r 0.5000 map all 0.7500"},
		{"the exponential gain", "q 0 a 1\nq 0 b 3\n", "q Q0 a 1 3 t\n", Options{}, "ndcg@1", "ndcg@1 q 0.1429 ndcg@1 all 0.1429"},
		{"a high grade", "q 0 a 100\nq 0 b 31\n", "q Q0 b 1 3 t\nq Q0 a 2 2 t\n", Options{RelevantFrom: 32}, "ndcg", "ndcg q 0.7870 ndcg all 0.7870"},
		{"relevant from a high grade", "q 0 a 100\nq 0 b 31\n", "q Q0 b 1 3 t\nq Q0 a 2 2 t\n", Options{RelevantFrom: 32}, "map", "map q 0.5000 map all 0.5000"},
		{"gains of grades", "q 0 a 4\nq 0 b 3\nq 0 c 2\nq 0 d 1\n", "q Q0 c 1 4 t\nq Q0 b 1 3 t\nq Q0 a 1 2 t\nq Q0 d 1 1 t\n", Options{}, "ndcg.1=0,2=.01,3=.1,4=1", "ndcg_1=0,2=.01,3=.1,4=1 q 0.5366 ndcg_1=0,2=.01,3=.1,4=1 all 0.5366"},
		{"a gain of grade 0, none of no judgment", "q 0 a 0\nq 0 b 0\n", "q Q0 x 1 4 t\nq Q0 a 1 3 t\nq Q0 b 1 2 t\n", Options{}, "ndcg.0=1", "ndcg_0=1 q 0.6934 ndcg_0=1 all 0.6934"},
		{"V10 recall weighs half", "q 0 a 0\nq 0 b 1\nq 0 c 2\nq 0 d 2\nq 0 e 0\n", "q Q0 a 1 5 t\nq Q0 c 1 4 t\nq Q0 d 1 3 t\nq Q0 b 1 2 t\nq Q0 e 1 1 t\n", Options{}, "set_F.0.5", "set_F_0.5 q 0.6923 set_F_0.5 all 0.6923"},
		{"V10 recall weighs twice", "q 0 a 1\nq 0 b 2\nq 0 c 0\n", "q Q0 x 1 5 t\nq Q0 y 1 4 t\nq Q0 z 1 3 t\nq Q0 b 1 2 t\n", Options{}, "set_F.2", "set_F_2 q 0.3750 set_F_2 all 0.3750"},
		{"the best precision from a level of recall on", "q 0 a 1\nq 0 b 1\nq 0 c 1\n", "q Q0 x 1 4 t\nq Q0 a 1 3 t\nq Q0 b 1 2 t\n", Options{}, "iprec_at_recall.0,.4,.9", "iprec_at_recall_0.00 q 0.6667 iprec_at_recall_0.40 q 0.6667 iprec_at_recall_0.90 q 0.0000 iprec_at_recall_0.00 all 0.6667 iprec_at_recall_0.40 all 0.6667 iprec_at_recall_0.90 all 0.0000"},
		{"its mean over eleven levels", "q 0 a 1\nq 0 b 1\n", "q Q0 a 1 3 t\n", Options{}, "11pt_avg", "11pt_avg q 0.5455 11pt_avg all 0.5455"},
		{"no hit is judged for a level of recall", "q 0 a 1\n", "q Q0 x 1 3 t\n", Options{JudgedOnly: true}, "11pt_avg", "11pt_avg q 0.0000 11pt_avg all 0.0000"},
		{"a geometric mean", "q 0 a 1\nr 0 a 1\ns 0 b 1\n", "q Q0 a 1 3 t\nr Q0 x 1 4 t\nr Q0 y 1 3 t\nr Q0 z 1 2 t\nr Q0 a 1 1 t\n", Options{}, "gm_map", "gm_map all 0.5000"},
		{"a geometric mean with a query that found nothing", "q 0 a 1\nr 0 a 1\n", "q Q0 a 1 3 t\n", Options{Complete: true}, "gm_map", "gm_map all 0.0032"},
		{"nothing relevant for set_F", "q 0 a 0\n", "q Q0 a 1 5 t\n", Options{}, "set_F_2", "set_F_2 q 0.0000 set_F_2 all 0.0000"},
		{"the scale's highest grade", "q 0 a 1\n", "q Q0 a 1 3 t\n", Options{MaxGrade: 1}, "err@1", "err@1 q 0.5000 err@1 all 0.5000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, _, err := try(t, row.qrels, row.run, row.options, row.measure)
			if err != nil || got != row.want {
				t.Errorf("got %s, %v; want %s", got, err, row.want)
			}
		})
	}
}

func TestWrongLines(t *testing.T) {
	const qrels, run = "q 0 a 1\n", "q Q0 a 1 2.5 t\n"
	for _, row := range []struct {
		name, qrels, run string
		options          Options
		want             string
	}{
		{"a judgment without a grade", qrels + "q 0 b\n", run, Options{}, "qrels:2:6: found 3 columns, expected 4 columns (query, iteration, document, grade)"},
		{"a judgment with a column too many", "q 0 my doc 1\n", run, Options{}, "qrels:1:13: found 5 columns, expected 4 columns (query, iteration, document, grade)"},
		{"a header", "query-id\tcorpus-id\tscore\n" + qrels, run, Options{}, "qrels:1:25: found 3 columns, expected 4 columns (query, iteration, document, grade)"},
		{"the files in the wrong order", run, qrels, Options{}, "qrels:1:15: found 6 columns as in a run, which goes after the qrels on the command line, expected 4 columns (query, iteration, document, grade)"},
		{"a word", "q\n", run, Options{}, "qrels:1:2: found 1 column, expected 4 columns (query, iteration, document, grade)"},
		{"an exponent for trec_eval", "q 0 a 1e1\n", run, Options{AsTrecEval: true}, `qrels:1:7: found "1e1", expected a whole number, since trec_eval would read 1 (another output than trec takes fractions)`},
		{"half below 0 for trec_eval", "q 0 a -.5\n", run, Options{AsTrecEval: true}, `qrels:1:7: found "-.5", expected a whole number, since trec_eval would read 0 (another output than trec takes fractions)`},
		{"a grade that is no number", "q 0 a x\n", run, Options{}, `qrels:1:7: found "x", expected a grade: a number up to 1000000`},
		{"a grade that is not a number", "q 0 a nan\n", run, Options{}, `qrels:1:7: found "nan", expected a grade: a number up to 1000000`},
		{"a grade too high", "q 0 a 1000001\n", run, Options{}, `qrels:1:7: found "1000001", expected a grade: a number up to 1000000`},
		{"a grade above the scale", "q 0 a 4\n", run, Options{MaxGrade: 3}, `qrels:1:7: found "4", expected a grade: a number up to 3`},
		{"a fraction for trec_eval", "\n\tq 0 a  2.9\n", run, Options{AsTrecEval: true}, `qrels:2:9: found "2.9", expected a whole number, since trec_eval would read 2 (another output than trec takes fractions)`},
		{"a document judged twice", qrels + "r 0 a 1\nq 0 a 2\n", run, Options{}, `qrels:3:5: found the document "a" a second time, expected each document once a query, and query "q" has it on line 1`},
		{"a document judged twice alike", qrels + qrels, run, Options{}, `qrels:2:5: found the document "a" a second time, expected each document once a query, and query "q" has it on line 1`},
		{"a hit without a run name", qrels, "q Q0 a 1 2.5\n", Options{}, "run:1:13: found 5 columns, expected 6 columns (query, Q0, document, rank, score, run name)"},
		{"a header of a run", qrels, "query Q0 doc rank score run\n", Options{}, `run:1:19: found "score", expected a score: a finite number`},
		{"a score that is not a number", qrels, run + "q Q0 b 2 nan t\n", Options{}, `run:2:10: found "nan", expected a score: a finite number`},
		{"a score that is infinite", qrels, "q Q0 b 2 -inf t\n", Options{}, `run:1:10: found "-inf", expected a score: a finite number`},
		{"a score with a comma", qrels, "q Q0 b 2 2,5 t\r\n", Options{}, `run:1:10: found "2,5", expected a score: a finite number`},
		{"a long value is cut", qrels, "q Q0 b 2 " + strings.Repeat("x", 99) + " t\n", Options{}, `run:1:10: found "` + strings.Repeat("x", 40) + `", expected a score: a finite number`},
		{"a hit twice", qrels, run + "q Q0 a 2 1.5 t\n", Options{}, `run:2:6: found the document "a" a second time, expected each document once a query, and query "q" has it on line 1`},
		{"an unjudged hit twice, below the depth", qrels, run + "q Q0 x 2 1 t\nq Q0 x 3 1 t\n", Options{Depth: 1}, `run:3:6: found the document "x" a second time, expected each document once a query, and query "q" has it on line 2`},
		{"a wrong line of a query that does not count", qrels + "z 0 a x\n", run, Options{}, `qrels:2:7: found "x", expected a grade: a number up to 1000000`},
		{"a wrong hit of a query without judgments", qrels, run + "z Q0 a 1 x t\n", Options{}, `run:2:10: found "x", expected a score: a finite number`},
		{"the first of several in the file, not in the order of queries", "z 0 a x\na 0 b y\n", run, Options{}, `qrels:1:7: found "x", expected a grade: a number up to 1000000`},
		{"the qrels before the run", qrels + "z 0 a x\n", "a Q0 b 1 y t\n", Options{}, `qrels:2:7: found "x", expected a grade: a number up to 1000000`},
		{"no query in both", qrels + "a 0 b 1\n", "r Q0 a 1 2.5 t\n", Options{Complete: true}, `no query is in both files: the first of qrels is "a", of run "r"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := try(t, row.qrels, row.run, row.options, "map")
			if err == nil || err.Error() != row.want {
				t.Errorf("got\n%v, want\n%s", err, row.want)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	qrels := "a 0 x 1\nb 0 x 1\nb 0 y -1\nb 0 z -2\nc 0 x 0\nd 0 x 1\n"
	run := "b Q0 x 1 1 t and more\nb Q0 y 2 1 t\nc Q0 x 1 1 t\ne Q0 x 1 1 t\n"
	for _, row := range []struct {
		name, qrels, run string
		complete         bool
		want             []string
	}{
		{"nothing to say", "a 0 x 1\n", "a Q0 x 1 1 t\n", false, nil},
		{"everything", qrels, run, false, []string{
			`judged queries without hits, such as "a": 2; they are not counted; with -c they count as queries that found nothing`,
			`queries without judgments, such as "e": 1; they are not counted`,
			`queries without a relevant document: 1; they score 0`,
			`judgments with a grade below 0: 2; they count as no judgment`,
			`hits with more than 6 columns: 1; what follows the run name is ignored`,
		}},
		{"missing queries that count", "a 0 x 1\nb 0 x 1\n", "a Q0 x 1 1 t\n", true, []string{
			`judged queries without hits, such as "b": 1; they count as queries that found nothing`,
		}},
		{"qrels like a run", "a Q0 x 1\na 0 y 1\n", "a Q0 x 1 1 t\n", false, []string{
			`judgments with Q0 for the iteration, as in a run: 1; their last column counts as the grade`,
		}},
		{"ids that do not fit", "a 0 x 1\n", "a Q0 X 1 1 t\n", false, []string{
			`no hit is judged: do both files name documents alike?`,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, r, err := try(t, row.qrels, row.run, Options{Complete: row.complete}, "map")
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Notes.Lines(row.complete); strings.Join(got, "\n") != strings.Join(row.want, "\n") {
				t.Errorf("got\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
			}
		})
	}
}

// TestOrderOfLinesDoesNotMatter shuffles both files: no digit changes, whoever scores which query.
func TestOrderOfLinesDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var qrels, run []string
	for q := range 50 {
		for d := range 20 {
			qrels = append(qrels, fmt.Sprintf("q%d 0 d%d %d\n", q, d, random.IntN(5)-1))
			run = append(run, fmt.Sprintf("q%d Q0 d%d 1 %d t\n", q, d+5, random.IntN(5)))
		}
	}
	measures := []string{"all_trec", "ndcg@5", "judged@10", "rbp.80", "f1@3"}
	want, _, err := try(t, strings.Join(qrels, ""), strings.Join(run, ""), Options{}, measures...)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		random.Shuffle(len(qrels), func(i, j int) { qrels[i], qrels[j] = qrels[j], qrels[i] })
		random.Shuffle(len(run), func(i, j int) { run[i], run[j] = run[j], run[i] })
		if got, _, err := try(t, strings.Join(qrels, ""), strings.Join(run, ""), Options{}, measures...); err != nil || got != want {
			t.Fatalf("another order gives another result: %v", err)
		}
	}
}

func TestScoreEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Score(ctx, source(t, "qrels", "q 0 a 1\n"), source(t, "run", "q Q0 a 1 1 t\n"), nil, Options{RelevantFrom: 1})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
