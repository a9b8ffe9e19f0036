package relevance

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestParseMetric(t *testing.T) {
	for _, row := range []struct {
		gain Gain
		want Metric // with the name to read
	}{
		{"", Metric{Name: "ndcg@10", Kind: NDCG, K: 10, Gain: Exponential, RelevantFrom: 1}},
		{Linear, Metric{Name: "ndcg@5", Kind: NDCG, K: 5, Gain: Linear, RelevantFrom: 2.5}},
		{Linear, Metric{Name: "dcg@5", Kind: DCG, K: 5, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "precision@1", Kind: Precision, K: 1, Gain: Exponential, RelevantFrom: 1}},
		{Exponential, Metric{Name: "recall@50", Kind: Recall, K: 50, Gain: Exponential, RelevantFrom: 3}},
		{"", Metric{Name: "recall@10000", Kind: Recall, K: MaxK, Gain: Exponential, RelevantFrom: 30}},
		{"", Metric{Name: "recallCapped@10", Kind: RecallCapped, K: 10, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "f1@10", Kind: F1, K: 10, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "success@1", Kind: Success, K: 1, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "mrr", Kind: MRR, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "mrr@10", Kind: MRR, K: 10, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "map", Kind: MAP, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "map@100", Kind: MAP, K: 100, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "r-precision", Kind: RPrecision, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "bpref", Kind: BPref, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "err@20", Kind: ERR, K: 20, Gain: Exponential, RelevantFrom: 0}},
		{"", Metric{Name: "rbp.80", Kind: RBP, Gain: Exponential, RelevantFrom: 1, Persistence: .8}},
		{"", Metric{Name: "rbp.8", Kind: RBP, Gain: Exponential, RelevantFrom: 1, Persistence: .8}},
		{"", Metric{Name: "rbp.95@100", Kind: RBP, K: 100, Gain: Exponential, RelevantFrom: 1, Persistence: .95}},
		{"", Metric{Name: "judged@10", Kind: Judged, K: 10, Gain: Exponential, RelevantFrom: 0}},
		{"", Metric{Name: "unjudgedRate@10", Kind: UnjudgedRate, K: 10, Gain: Exponential, RelevantFrom: 1}},
		{"", Metric{Name: "nonempty", Kind: NonEmpty, Gain: Exponential, RelevantFrom: 0}},
		{"", Metric{Name: "noresults", Kind: NoResults, Gain: Exponential, RelevantFrom: 1}},

		// trec_eval's names; the gain that a gate gives by default does not change them.
		{Exponential, Metric{Name: "ndcg", Kind: NDCG, Gain: Linear, RelevantFrom: 1}},
		{Exponential, Metric{Name: "ndcg_cut_10", Kind: NDCG, K: 10, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "P_5", Kind: Precision, K: 5, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "recall_50", Kind: Recall, K: 50, Gain: Linear, RelevantFrom: 2}},
		{"", Metric{Name: "map_cut_100", Kind: MAP, K: 100, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "success_1", Kind: Success, K: 1, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "recip_rank", Kind: MRR, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "Rprec", Kind: RPrecision, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "set_P", Kind: SetPrecision, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "set_recall", Kind: SetRecall, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "set_F", Kind: SetF, Gain: Linear, RelevantFrom: 1}},
		{"", Metric{Name: "set_map", Kind: SetMAP, Gain: Linear, RelevantFrom: 1}},
	} {
		if got, err := ParseMetric(row.want.Name, row.gain, row.want.RelevantFrom); got != row.want || err != nil {
			t.Errorf("ParseMetric(%q) = %+v, %v; want %+v", row.want.Name, got, err, row.want)
		}
	}
}

// every lists the metrics, as messages do.
const every = "ndcg, ndcg@K, dcg@K, precision@K, recall@K, recallCapped@K, f1@K, success@K, mrr, mrr@K, map, map@K, " +
	"r-precision, bpref, err@K, rbp.80, judged@K, unjudgedRate@K, nonempty, noresults or a name of trec_eval's, such as ndcg_cut_10"

func TestParseMetricRefuses(t *testing.T) {
	for _, row := range []struct {
		name string
		gain Gain
		from float64
		want string
	}{
		{"", "", 1, `metric "" is not known: use ` + every},
		{"nd\ncg@10", "", 1, `metric "nd\ncg@10" is not known: use ` + every},
		{"click-through", "", 1, `metric "click-through" is not known: use ` + every},
		{strings.Repeat("n", 1000), "", 1, `a metric's name is 1000 bytes long: use ` + every},
		{"recall", "", 1, `metric "recall" has no cut-off: write recall@10, or another number from 1 to 10000`},
		{"err", "", 1, `metric "err" has no cut-off: write err@10, or another number from 1 to 10000`},
		{"nonempty@10", "", 1, `metric "nonempty@10" takes no cut-off: write nonempty`},
		{"bpref@10", "", 1, `metric "bpref@10" takes no cut-off: write bpref`},
		{"ndcg@0", "", 1, `metric "ndcg@0" has the cut-off 0: write a whole number from 1 to 10000`},
		{"ndcg@010", "", 1, `metric "ndcg@010" has the cut-off 010: write a whole number from 1 to 10000`},
		{"P_010", "", 1, `metric "P_010" has the cut-off 010: write a whole number from 1 to 10000`},
		{"map@10001", "", 1, `metric "map@10001" has the cut-off 10001: write a whole number from 1 to 10000`},
		{"ndcg@99999999999999999999", "", 1, `metric "ndcg@99999999999999999999" has the cut-off 99999999999999999999: write a whole number from 1 to 10000`},
		{"ndcg@10", "Log", 1, `metric "ndcg@10" has the unknown gain "Log": write Exponential or Linear`},
		{"ndcg_cut_10", "Log", 1, `metric "ndcg_cut_10" has the unknown gain "Log": write Exponential or Linear`},
		{"recall@10", "", 0, `metric "recall@10" has relevantFrom 0: write a grade above 0 and up to 1000000`},
		{"map", "", 0, `metric "map" has relevantFrom 0: write a grade above 0 and up to 1000000`},
		{"recall@10", "", -1, `metric "recall@10" has relevantFrom -1: write a grade above 0 and up to 1000000`},
		{"recall@10", "", 1_000_001, `metric "recall@10" has relevantFrom 1.000001e+06: write a grade above 0 and up to 1000000`},
		{"recall@10", "", math.NaN(), `metric "recall@10" has relevantFrom NaN: write a grade above 0 and up to 1000000`},
		{"rbp", "", 1, `metric "rbp" does not say with what probability the reader goes on: write rbp.80 for 0.80`},
		{"rbp@10", "", 1, `metric "rbp@10" does not say with what probability the reader goes on: write rbp.80 for 0.80`},
		{"rbp.00", "", 1, `metric "rbp.00" does not say with what probability the reader goes on: write rbp.80 for 0.80`},
		{"gm_map", "", 1, `metric "gm_map" is a measure of trec_eval that is not here: use ` + every},
	} {
		got, err := ParseMetric(row.name, row.gain, row.from)
		if err == nil || err.Error() != row.want {
			t.Errorf("ParseMetric(%q) = %+v,\n%v; want\n%s", row.name, got, err, row.want)
		}
	}
}

func TestParseMetricSuggests(t *testing.T) {
	for name, want := range map[string]string{
		"ndgc@10":          "ndcg@10",
		"NDCG@10":          "ndcg@10",
		"ndcg10":           "ndcg@10",
		"ndcg_10":          "ndcg@10",
		"ndcg@10000000":    "", // its cut-off is wrong, not its name
		"NDCG@10000000":    "ndcg",
		"ndcg_cut":         "ndcg_cut_10",
		"ndcg_cut@5":       "ndcg_cut_5",
		"ndcg_cutt_20":     "ndcg_cut_20",
		"DCG":              "dcg@10",
		"recal@050":        "recall@50",
		"recall50":         "recall@50",
		"recal":            "recall@10",
		"recalcapped@10":   "recallCapped@10",
		"precison@5":       "precision@5",
		"P@5":              "P_5",
		"p_5":              "P_5",
		"P":                "P_10",
		"F1@5":             "f1@5",
		"sucess@1":         "success@1",
		"hits@5":           "success@5",
		"hit_rate@5":       "success@5",
		"RR@10":            "mrr@10",
		"MRR":              "mrr",
		"recip_rnk":        "recip_rank",
		"AP":               "map",
		"MAP@100":          "map@100",
		"map_cut":          "map_cut_10",
		"R-Precision":      "r-precision",
		"r_precision":      "r-precision",
		"rprec":            "Rprec",
		"Bpref":            "bpref",
		"ERR@20":           "err@20",
		"rbp@0.8":          "rbp.80",
		"RBP(p=0.8)":       "rbp.80",
		"rbp.8000001":      "rbp.80",
		"rpb.80":           "rbp.80",
		"Bp0":              "rbp.80",
		"judged_10":        "judged@10",
		"Judged@10":        "judged@10",
		"unjudged_rate@10": "unjudgedRate@10",
		"non-empty":        "nonempty",
		"nonemty":          "nonempty",
		"NoResults":        "noresults",
		"set_f":            "set_F",
		"map.80":           "map@80",
		"x@10":             "",
	} {
		_, err := ParseMetric(name, "", 1)
		if err == nil {
			t.Errorf("%q is a metric", name)
			continue
		}
		_, got, _ := strings.Cut(err.Error(), "did you mean ")
		if got = strings.TrimSuffix(got, "?"); got != want {
			t.Errorf("%v; want the suggestion %q", err, want)
		}
		if _, err := ParseMetric(want, "", 1); want != "" && err != nil {
			t.Errorf("the suggestion for %q is wrong: %v", name, err)
		}
	}
}

// TestTrecEvalOnlyMeasures reads what trec_eval 10 prints, with its parameters, and what version 9 has.
func TestTrecEvalOnlyMeasures(t *testing.T) {
	for _, name := range []string{
		"runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "gm_map", "iprec_at_recall_0.10", "iprec_at_recall.25", "relstring",
		"relstring_20", "infAP", "gm_bpref", "Rprec_mult_0.20", "utility", "utility_2,-1,0,0", "11pt_avg", "11pt_avg_.25,.5,.75",
		"binG", "G", "ndcg_rel", "Rndcg", "relative_P_5", "set_relative_P", "num_nonrel_judged_ret", "rbp_resid", "unj_5",
		"prefs_pair", "prefs_num_prefs_ful_ret", "map_avgjg", "ideal_dcg",
	} {
		if _, err := ParseMetric(name, "", 1); err == nil || !strings.Contains(err.Error(), "is a measure of trec_eval that is not here") {
			t.Errorf("ParseMetric(%q) says %v", name, err)
		}
	}
	// A parameter that changes the value must not be lost.
	for _, name := range []string{"set_F_0.5", "set_F.0.5", "ndcg_1=3,2=9,4=4.5", "ndcg.1=3"} {
		if m, err := ParseMetric(name, "", 1); err == nil {
			t.Errorf("ParseMetric(%q) = %+v", name, m)
		}
	}
}

func TestExpandTrec(t *testing.T) {
	for argument, want := range map[string]string{
		"ndcg_cut.10": "ndcg_cut_10",
		"P.10,5":      "P_5 P_10",
		"P":           "P_5 P_10 P_15 P_20 P_30 P_100 P_200 P_500 P_1000",
		"success":     "success_1 success_5 success_10",
		"success.2":   "success_2",
		"recall.50":   "recall_50",
		"map_cut":     "map_cut_5 map_cut_10 map_cut_15 map_cut_20 map_cut_30 map_cut_100 map_cut_200 map_cut_500 map_cut_1000",
		"map":         "map",
		"P_5":         "P_5",
		"ndcg@10":     "ndcg@10",
		"rbp.80":      "rbp.80",
		"P.5,x":       "P.5,x",
		"P.":          "P.",
		"Rprec.5":     "Rprec.5",
	} {
		if got := strings.Join(ExpandTrec(argument), " "); got != want {
			t.Errorf("ExpandTrec(%q) = %s, want %s", argument, got, want)
		}
	}
}

func TestWithMaxGrade(t *testing.T) {
	e, err := ParseMetric("err@10", "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.WithMaxGrade(3); err != nil || got.MaxGrade != 3 {
		t.Errorf("err@10 with the scale 0..3 is %+v, %v", got, err)
	}
	for _, wrong := range []int{0, -1, 31} {
		if _, err := e.WithMaxGrade(wrong); err == nil || !strings.Contains(err.Error(), `metric "err@10" needs the highest grade of the scale`) {
			t.Errorf("the highest grade %d: %v", wrong, err)
		}
	}
	n, _ := ParseMetric("ndcg@10", "", 1)
	for _, maxGrade := range []int{0, 3} {
		if got, err := n.WithMaxGrade(maxGrade); got != n || err != nil {
			t.Errorf("ndcg@10 becomes %+v, %v", got, err)
		}
	}
}

func TestLimitProblem(t *testing.T) {
	for name, want := range map[string]string{
		"dcg@7":          `metric "dcg@7" can have no limit, as it is not normalised: put the limit on ndcg@7`,
		"unjudgedRate@5": `metric "unjudgedRate@5" can have no limit, as less of it is better: put the limit on judged@5`,
	} {
		if err := metric(t, name, "").LimitProblem(); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	for _, name := range []string{"ndcg@10", "judged@10", "nonempty", "map", "set_F"} {
		if err := metric(t, name, "").LimitProblem(); err != nil {
			t.Errorf("%s may have no limit: %v", name, err)
		}
	}
}

func TestMetricSurvivesJSON(t *testing.T) {
	want, err := ParseMetric("ndcg@10", Linear, 2)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if text := `{"name":"ndcg@10","kind":"ndcg","k":10,"gain":"Linear","relevantFrom":2}`; string(raw) != text {
		t.Errorf("JSON is %s, want %s", raw, text)
	}
	var got Metric
	if err := json.Unmarshal(raw, &got); err != nil || got != want {
		t.Errorf("read back %+v, %v; want %+v", got, err, want)
	}
}

func FuzzParseMetric(f *testing.F) {
	for _, seed := range append([]string{"", "ndcg@", "P.5,10", "rbp@0.8", "NDCG_cut_10", "nd\ncg", "11pt_avg_.25,.5", "\xff@1"}, everyName...) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, err := ParseMetric(name, "", 1)
		if err != nil {
			if text := err.Error(); strings.ContainsAny(text, "\r\n") || len(text) > 600 {
				t.Errorf("%q is refused with %q", name, text)
			}
			if _, meant, ok := strings.Cut(err.Error(), "did you mean "); ok {
				if _, err := ParseMetric(strings.TrimSuffix(meant, "?"), "", 1); err != nil {
					t.Errorf("the suggestion for %q is wrong: %v", name, err)
				}
			}
			return
		}
		if m, err = m.WithMaxGrade(3); err != nil || m.Name != name {
			t.Fatalf("%q becomes %+v, %v", name, m, err)
		}
		if _, err := m.Score([]float64{1, Unjudged, 3, 0}, []float64{1, 3, 0, 2}); err != nil {
			t.Errorf("%q cannot be computed: %v", name, err)
		}
	})
}
