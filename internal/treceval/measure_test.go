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
		{"the same measure once", "P_5 map P.5,10 map", "P_5 map P_10", ""},
		{
			"the official ones", "official",
			"runid num_q num_ret num_rel num_rel_ret map Rprec bpref recip_rank P_5 P_10 P_15 P_20 P_30 P_100 P_200 P_500 P_1000",
			"gm_map iprec_at_recall",
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
	} {
		if measures, _, err := ParseMeasures([]string{"map", measure}, 1, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is read as %s, %v", measure, names(measures), err)
		}
	}
}

func TestSortAsTrecEval(t *testing.T) {
	asked := strings.Fields("ndcg@10 success_5 P_100 recall_5 P_20 num_nonrel_judged_ret map ndcg_cut_5 mrr runid P_5 ndcg set_F")
	measures, _, err := ParseMeasures(asked, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	SortAsTrecEval(measures)
	want := "runid map P_5 P_20 P_100 recall_5 ndcg ndcg_cut_5 success_5 set_F num_nonrel_judged_ret ndcg@10 mrr"
	if names(measures) != want {
		t.Errorf("got %s, want %s", names(measures), want)
	}
}
