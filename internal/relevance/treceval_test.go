package relevance

import (
	"bufio"
	"cmp"
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
		t.Skipf("%s is not set; with it this test shows that the metrics are trec_eval's on its own sample files", dataVariable)
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

// topicIDs are the topics of the samples, in trec_eval's order.
var topicIDs = []string{"301", "302", "303"}

// notHere are the measures of the sample files that ParseMetric refuses.
var notHere = []string{
	"runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "gm_map", "iprec_at_recall", "relstring", "infAP", "gm_bpref",
	"Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg_rel", "Rndcg", "relative_P", "set_relative_P",
	"num_nonrel_judged_ret", "rbp", "rbp_resid", "unj", "ndcg_1=3,2=9,4=4.5",
}

// isHere says that a sample file's measure, which may have a parameter behind it, is one of ours.
func isHere(name string) bool {
	return !slices.ContainsFunc(notHere, func(other string) bool {
		parameter, found := strings.CutPrefix(name, other)
		return found && (parameter == "" || parameter[0] == '_' && strings.Trim(parameter[1:], "0123456789.,-") == "")
	})
}

// TestTrecEval compares every figure of trec_eval's own expected output with ours under the same name, digit by digit.
func TestTrecEval(t *testing.T) {
	for _, row := range []struct {
		expected, qrels, run string
		relevantFrom         float64
		figures              int
	}{
		{"out.test.a", "qrels.test", "results.test", 1, 48},
		{"out.test.aq", "qrels.test", "results.test", 1, 4 * 48},
		{"out.test.aqc", "qrels.test", "results.trunc", 1, 4 * 48}, // a topic without results counts with 0
		{"out.test.aql", "qrels.rel_level", "results.test", 2, 4 * 48},
		{"out.test.meas_params", "qrels.test", "results.test", 1, 4 * 11},
	} {
		t.Run(row.expected, func(t *testing.T) {
			topics := topics(t, row.qrels, row.run)
			compared := 0
			for _, line := range lines(t, row.expected) { // measure, topic or all, value
				if !isHere(line[0]) {
					if m, err := ParseMetric(line[0], "", 1); err == nil {
						t.Errorf("%s is here as %+v, and not compared", line[0], m)
					}
					continue
				}
				m, err := ParseMetric(line[0], Exponential, row.relevantFrom)
				if err != nil {
					t.Fatal(err)
				}
				scores := map[string]float64{}
				var all []float64
				for _, id := range topicIDs {
					scores[id] = score(t, m, topics[id].ranks, topics[id].judged)
					all = append(all, scores[id])
				}
				scores["all"] = Mean(all, nil)
				if got := strconv.FormatFloat(scores[line[1]], 'f', 4, 64); got != line[2] {
					t.Errorf("%s of %s is %s, trec_eval has %s", line[0], line[1], got, line[2])
				}
				compared++
			}
			if compared != row.figures {
				t.Errorf("compared %d figures, want %d", compared, row.figures)
			}
		})
	}
}

// TestTrecEvalFloat64 compares with figures that were recomputed in float64 from the sample files: the mean, then each
// topic.
func TestTrecEvalFloat64(t *testing.T) {
	plain := topics(t, "qrels.test", "results.test")
	cut := topics(t, "qrels.test", "results.trunc")
	graded := topics(t, "qrels.rel_level", "results.test")
	judgedOnly := map[string]topic{}
	for id, one := range graded {
		judgedOnly[id] = topic{condensed(one.ranks), one.judged}
	}
	for _, set := range []struct {
		name         string
		topics       map[string]topic
		relevantFrom float64
		want         map[string][4]float64
	}{
		{"A", plain, 1, map[string][4]float64{
			"map":          {0.17854506039656945, 0.03242534480374725, 0.4174542400168801, 0.08575559636908103},
			"recip_rank":   {0.4064327485380117, 0.16666666666666666, 1, 0.05263157894736842},
			"Rprec":        {0.21735437558222367, 0.14556962025316456, 0.5064935064935064, 0},
			"bpref":        {0.19809711444522712, 0.12304830066406734, 0.471243042671614, 0},
			"ndcg":         {0.40210967940022946, 0.1583930870988661, 0.6616868787447869, 0.3862490723570353},
			"ndcg_cut_10":  {0.30157719921022785, 0.15176219107803537, 0.7529694065526482, 0},
			"ndcg_cut_20":  {0.3525429958239022, 0.1984683180844047, 0.8082362297700768, 0.050924439617225085},
			"ndcg_cut_100": {0.3916203070644819, 0.21660902581209734, 0.6045854184010072, 0.3536664769803412},
		}},
		{"C", cut, 1, map[string][4]float64{
			"map":          {0.10156546902493652, 0.03242534480374725, 0, 0.2722710622710623},
			"recip_rank":   {0.16666666666666666, 0.16666666666666666, 0, 0.3333333333333333},
			"Rprec":        {0.1818565400843882, 0.14556962025316456, 0, 0.4},
			"bpref":        {0.1510161002213558, 0.12304830066406734, 0, 0.33000000000000007},
			"ndcg":         {0.21045097932910617, 0.1583930870988661, 0, 0.47295985088845244},
			"ndcg_cut_10":  {0.17170115944586908, 0.15176219107803537, 0, 0.3633412872595719},
			"ndcg_cut_20":  {0.22380938965761907, 0.1984683180844047, 0, 0.47295985088845244},
			"ndcg_cut_100": {0.22985629223351658, 0.21660902581209734, 0, 0.47295985088845244},
		}},
		{"L", graded, 2, map[string][4]float64{
			"map":          {0.16666137984760113, 0.0002714440825190011, 0.4174542400168801, 0.08225845544340431},
			"recip_rank":   {0.3519629693125321, 0.003257328990228013, 1, 0.05263157894736842},
			"Rprec":        {0.1688311688311688, 0, 0.5064935064935064, 0},
			"bpref":        {0.15708101422387133, 0, 0.471243042671614, 0},
			"ndcg":         {0.38938663293212433, 0.1396071094456869, 0.6616868787447867, 0.3668659106058995},
			"ndcg_cut_10":  {0.2656330381569622, 0.043929707918238546, 0.752969406552648, 0},
			"ndcg_cut_20":  {0.3137710633685891, 0.07455152973751016, 0.8082362297700767, 0.05852543059818057},
			"ndcg_cut_100": {0.3576525694961541, 0.13895225888171508, 0.604585418401007, 0.3294200312057401},
		}},
		{"J, judged documents alone", judgedOnly, 1, map[string][4]float64{
			"map":          {0.20157010818228593, 0.04414935903285834, 0.4244844458547333, 0.13607651965926615},
			"recip_rank":   {0.4222222222222222, 0.16666666666666666, 1, 0.1},
			"Rprec":        {0.2187608453431238, 0.14978902953586498, 0.5064935064935064, 0},
			"bpref":        {0.19809711444522712, 0.12304830066406734, 0.471243042671614, 0},
			"ndcg":         {0.41276489441584086, 0.14792373195648917, 0.6654299389100468, 0.4249410123809867},
			"ndcg_cut_10":  {0.2900053176382655, 0.043929707918238546, 0.752969406552648, 0.07311683844390994},
			"ndcg_cut_20":  {0.3191379652757999, 0.07606082761341305, 0.8082362297700767, 0.07311683844390994},
			"ndcg_cut_100": {0.4037104089769387, 0.1814502597673768, 0.6047399547824526, 0.4249410123809867},
		}},
		{"E, exponential gain", graded, 1, map[string][4]float64{
			"ndcg@10000": {0.3780551870860971, 0.10561277190760497, 0.6616868787447869, 0.36686591060589946},
			"ndcg@10":    {0.2553032040959405, 0.012940205735173203, 0.7529694065526482, 0},
			"ndcg@20":    {0.2971087119261426, 0.02456447541017035, 0.8082362297700768, 0.05852543059818057},
			"ndcg@100":   {0.33269474134121174, 0.06407877441688818, 0.6045854184010071, 0.32942003120574004},
		}},
	} {
		for name, want := range set.want {
			m, err := ParseMetric(name, Exponential, set.relevantFrom)
			if err != nil {
				t.Fatal(err)
			}
			var scores []float64
			for i, id := range topicIDs {
				got := score(t, m, set.topics[id].ranks, set.topics[id].judged)
				if math.Abs(got-want[i+1]) > tolerance {
					t.Errorf("%s: %s of topic %s is %.16f, want %.16f", set.name, name, id, got, want[i+1])
				}
				scores = append(scores, got)
			}
			if mean := Mean(scores, nil); math.Abs(mean-want[0]) > tolerance {
				t.Errorf("%s: the mean of %s is %.16f, want %.16f", set.name, name, mean, want[0])
			}
		}
	}
}

// TestRBPOfTheSample compares with the mean that the formula gives where trec_eval 10, which reads memory that it never
// wrote, has another.
func TestRBPOfTheSample(t *testing.T) {
	topics := topics(t, "qrels.test", "results.test")
	var scores []float64
	for _, id := range topicIDs {
		scores = append(scores, score(t, metric(t, "rbp.80", ""), topics[id].ranks, topics[id].judged))
	}
	if mean := Mean(scores, nil); math.Abs(mean-.3077) > .00005 {
		t.Errorf("the mean is %.6f, want .3077", mean)
	}
}
