package treceval

import (
	"strings"
	"testing"
)

func names(measures []Measure) string {
	var all []string
	for _, m := range measures {
		all = append(all, m.Name)
	}
	return strings.Join(all, " ")
}

func TestParseMeasures(t *testing.T) {
	for _, row := range []struct{ name, measures, want, absent string }{
		{"names of both kinds, in their order", "ndcg@10 recall_50 num_q map", "ndcg@10 recall_50 num_q map", ""},
		{"cut-offs as trec_eval takes them", "P.10,5 success", "P_5 P_10 success_1 success_5 success_10", ""},
		{"gains and weights", "ndcg.1=3,2=9 set_F.0.5 set_F_.5", "ndcg_1=3,2=9 set_F_0.5 set_F_.5", ""},
		{"levels of recall", "iprec_at_recall.0.5,.125,0 iprec_at_recall_0.50 11pt_avg", "iprec_at_recall_0.00 iprec_at_recall_0.12 iprec_at_recall_0.50 11pt_avg", ""},
		{"the same measure once", "P_5 map P.5,10 map", "P_5 map P_10", ""},
		{
			"the official ones", "official",
			"runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall_0.00 iprec_at_recall_0.10 iprec_at_recall_0.20 iprec_at_recall_0.30 iprec_at_recall_0.40 " +
				"iprec_at_recall_0.50 iprec_at_recall_0.60 iprec_at_recall_0.70 iprec_at_recall_0.80 iprec_at_recall_0.90 iprec_at_recall_1.00 P_5 P_10 P_15 P_20 P_30 P_100 P_200 P_500 P_1000", "",
		},
		{
			"those of sets", "set", "runid num_q num_ret num_rel num_rel_ret set_P set_recall set_map set_F", "utility set_relative_P",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			measures, absent, err := ParseMeasures(strings.Fields(row.measures), 1, 0)
			if err != nil || names(measures) != row.want || strings.Join(absent, " ") != row.absent {
				t.Errorf("got %s, absent %v, %v", names(measures), absent, err)
			}
		})
	}
	for measure, want := range map[string]string{
		"infAP":    "infAP",
		"nonsense": "nonsense",
		"P.x":      "P.x",
		"P.0":      "P_0",
		"err@10":   "highest grade",

		"P.5.5":                 `"5.5" for cut-offs: write whole numbers, such as P.5,10`,
		"ndcg_cut.1=3":          `"1=3" for cut-offs`,
		"map.3":                 "map takes no parameters: write map",
		"num_ret.1":             "num_ret takes no parameters",
		"Rprec_mult.0.5":        "is a measure of trec_eval that is not here",
		"iprec_at_recall.0.5,x": `"0.5,x" for a level of recall: write numbers from 0 to 1`,
		"iprec_at_recall.5":     `"5" for a level of recall`,
		"11pt_avg.0.5":          "11pt_avg takes no parameters",
		"ndcg.1=3,2=x":          `"2=x" for a gain: write GRADE=GAIN`,
		"ndcg.1=3,1=4":          `"1=4" for a gain`,
		"ndcg.":                 `"" for a gain: write GRADE=GAIN`,
		"set_F.x":               `weight "x": write one number from 0 on`,
		"ndcg.1=-1":             `"1=-1" for a gain`,
		"ndcg.1=3,":             `"" for a gain`,
		"set_F.2,3":             `weight "2,3": write one number from 0 on`,
		"set_F_-1":              "set_F_-1",
	} {
		if measures, _, err := ParseMeasures([]string{"map", measure}, 1, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is read as %s, %v", measure, names(measures), err)
		}
	}
}

func TestSortAsTrecEval(t *testing.T) {
	asked := strings.Fields("iprec_at_recall.0.5 gm_map set_F.2 ndcg.1=3 ndcg@10 success_5 P_100 recall_5 P_20 num_nonrel_judged_ret map ndcg_cut_5 mrr runid P_5 ndcg set_F")
	measures, _, err := ParseMeasures(asked, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	SortAsTrecEval(measures)
	want := "runid map gm_map iprec_at_recall_0.50 P_5 P_20 P_100 recall_5 ndcg_1=3 ndcg ndcg_cut_5 success_5 set_F set_F_2 num_nonrel_judged_ret ndcg@10 mrr"
	if names(measures) != want {
		t.Errorf("got %s, want %s", names(measures), want)
	}
}
