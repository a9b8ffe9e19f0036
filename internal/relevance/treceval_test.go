package relevance

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dataVariable names the folder with the data of other projects that tests compare with.
const dataVariable = "RELEVANCE_GATE_TEST_DATA"

// lines reads the fields of every line of a trec_eval sample file.
func lines(t *testing.T, name string) [][]string {
	t.Helper()
	folder := os.Getenv(dataVariable)
	if folder == "" {
		t.Skipf("%s is not set; with it this test shows that ndcg, recall and precision are trec_eval's on its own sample files", dataVariable)
	}
	file, err := os.Open(filepath.Join(folder, "trec_eval", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var out [][]string
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		out = append(out, strings.Fields(scanner.Text()))
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return out
}

// topic is what Score takes of one topic.
type topic struct{ ranks, judged []float64 }

// topics reads qrels and a run the way trec_eval does: the rank column is ignored, hits are ordered by score, then by
// document id, both descending, and a negative grade means that nobody judged the document.
func topics(t *testing.T, qrels, run string) map[string]topic {
	t.Helper()
	number := func(s string) float64 {
		value, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	grades := map[string]map[string]float64{}
	for _, line := range lines(t, qrels) {
		id, document, grade := line[0], line[2], number(line[3])
		if grades[id] == nil {
			grades[id] = map[string]float64{}
		}
		if grade >= 0 {
			grades[id][document] = grade
		}
	}
	type hit struct {
		document string
		score    float64
	}
	hits := map[string][]hit{}
	for _, line := range lines(t, run) {
		hits[line[0]] = append(hits[line[0]], hit{line[2], number(line[4])})
	}
	out := map[string]topic{}
	for id, judged := range grades {
		var one topic
		for _, grade := range judged {
			one.judged = append(one.judged, grade)
		}
		slices.SortFunc(hits[id], func(a, b hit) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.document, a.document))
		})
		for _, h := range hits[id] {
			grade, ok := judged[h.document]
			if !ok {
				grade = Unjudged
			}
			one.ranks = append(one.ranks, grade)
		}
		out[id] = one
	}
	return out
}

// TestTrecEval compares every topic with trec_eval's own expected output, to its four decimals.
func TestTrecEval(t *testing.T) {
	measures := map[string]string{}
	for _, k := range []int{5, 10, 15, 20, 30, 100, 200, 500, 1000} {
		measures[fmt.Sprintf("ndcg_cut_%d", k)] = fmt.Sprintf("ndcg@%d", k)
		measures[fmt.Sprintf("recall_%d", k)] = fmt.Sprintf("recall@%d", k)
		measures[fmt.Sprintf("P_%d", k)] = fmt.Sprintf("precision@%d", k)
	}
	for _, row := range []struct {
		name, qrels, run, expected string
		relevantFrom               float64
	}{
		{"every topic of the plain sample", "qrels.test", "results.test", "out.test.aq", 1},
		{"a topic without results counts with 0", "qrels.test", "results.trunc", "out.test.aqc", 1},
		{"graded judgments, relevant from 2", "qrels.rel_level", "results.test", "out.test.aql", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			topics := topics(t, row.qrels, row.run)
			compared := 0
			scores := map[string][]float64{}
			for _, line := range lines(t, row.expected) { // measure, topic, value; the means stand last
				name, ok := measures[line[0]]
				if !ok {
					continue
				}
				m, err := ParseMetric(name, Linear, row.relevantFrom)
				if err != nil {
					t.Fatal(err)
				}
				var got float64
				if line[1] == "all" {
					got = Mean(scores[name], nil)
				} else {
					got = score(t, m, topics[line[1]].ranks, topics[line[1]].judged)
					scores[name] = append(scores[name], got)
				}
				want, err := strconv.ParseFloat(line[2], 64)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(got-want) > 0.00005+tolerance {
					t.Errorf("topic %s: %s = %.6f, trec_eval has %s %s", line[1], name, got, line[0], line[2])
				}
				compared++
			}
			if want := len(measures) * 4; compared != want { // three topics and their mean
				t.Errorf("compared %d figures, want %d", compared, want)
			}
		})
	}
}

// TestTrecEvalExponential compares with figures that trec_eval gives when the grades of the qrels are replaced by
// 2^grade - 1, recomputed in float64.
func TestTrecEvalExponential(t *testing.T) {
	topics := topics(t, "qrels.rel_level", "results.test")
	for name, want := range map[string]map[string]float64{
		"ndcg@10":   {"301": 0.012940205735173203, "302": 0.7529694065526482, "303": 0},
		"ndcg@20":   {"301": 0.02456447541017035, "302": 0.8082362297700768, "303": 0.05852543059818057},
		"ndcg@100":  {"301": 0.06407877441688818, "302": 0.6045854184010071, "303": 0.32942003120574004},
		"ndcg@1000": {"301": 0.10561277190760497, "302": 0.6616868787447869, "303": 0.36686591060589946},
	} {
		for id, value := range want {
			if got := score(t, metric(t, name, Exponential), topics[id].ranks, topics[id].judged); math.Abs(got-value) > tolerance {
				t.Errorf("topic %s: %s = %.16f, want %.16f", id, name, got, value)
			}
		}
	}
}

// TestTrecEvalFloat64 compares the plain sample with figures recomputed in float64.
func TestTrecEvalFloat64(t *testing.T) {
	topics := topics(t, "qrels.test", "results.test")
	for name, want := range map[string]map[string]float64{
		"ndcg@10":  {"301": 0.15176219107803537, "302": 0.7529694065526482, "303": 0},
		"ndcg@20":  {"301": 0.1984683180844047, "302": 0.8082362297700768, "303": 0.050924439617225085},
		"ndcg@100": {"301": 0.21660902581209734, "302": 0.6045854184010072, "303": 0.3536664769803412},
	} {
		var scores []float64
		for _, id := range []string{"301", "302", "303"} {
			got := score(t, metric(t, name, Linear), topics[id].ranks, topics[id].judged)
			if math.Abs(got-want[id]) > tolerance {
				t.Errorf("topic %s: %s = %.16f, want %.16f", id, name, got, want[id])
			}
			scores = append(scores, got)
		}
		if name == "ndcg@10" {
			if mean, err := Round(Mean(scores, nil)); mean != 301_577 || err != nil {
				t.Errorf("the mean of %s is %d, %v; want 301577", name, mean, err)
			}
		}
	}
}
