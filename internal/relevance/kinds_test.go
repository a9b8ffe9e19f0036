package relevance

import (
	"math"
	"slices"
	"testing"
)

// condensed is a ranking without its unjudged hits.
func condensed(ranks []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(ranks), func(grade float64) bool { return grade == Unjudged })
}

// TestVectorsOfEveryKind computes published figures, and some worked by hand, of the metrics that TestVectors does not
// have. err is on the scale that the row names.
func TestVectorsOfEveryKind(t *testing.T) {
	type f = []float64
	type want = map[string]float64
	sixRanks := f{1, 0, unj, 1, 0, 1} // with four relevant and three other judged documents
	sixJudged := f{1, 1, 1, 1, 0, 0, 0}
	for _, row := range []struct {
		name          string
		ranks, judged []float64
		maxGrade      int
		gain          Gain
		want          want
	}{
		{"V1 Wikipedia's example", f{3, 2, 3, 0, 1, 2}, f{3, 2, 3, 0, 1, 2}, 3, "", want{"dcg@6": 13.848263629272981}},
		{"V1 linear", f{3, 2, 3, 0, 1, 2}, f{3, 2, 3, 0, 1, 2}, 3, Linear, want{"dcg@6": 6.861126688593502, "dcg@2": 3 + 2*0.6309297535714575}},
		{"V1 its ideal", f{3, 3, 2, 2, 1, 0}, nil, 3, "", want{"dcg@6": 14.595390756454924}},
		{"V1 its ideal, linear", f{3, 3, 2, 2, 1, 0}, nil, 3, Linear, want{"dcg@6": 7.1409951840957}},
		{"V1 in reversed order", f{2, 1, 0, 3, 2, 3}, f{3, 2, 3, 0, 1, 2}, 3, "", want{"dcg@6": 10.29967439154499, "dcg@100": 10.29967439154499}},
		{"V2 unjudged hits", f{3, 2, 3, unj, 1, unj}, f{3, 2, 3, 1}, 3, "", want{
			"dcg@6": 12.779642067948915, "unjudgedRate@6": 2. / 6, "judged@6": 4. / 6, "judged@3": 1, "unjudgedRate@3": 0}},
		{"V2 its ideal", f{3, 3, 2, 1}, nil, 3, "", want{"dcg@6": 13.347184833073596}},
		{"V3 fewer hits than k", f{3, 2, 3, unj}, f{3, 2, 3, 1}, 3, "", want{
			"dcg@10": 12.392789260714373, "unjudgedRate@10": .25, "judged@10": .75}},
		{"V6 ranx' first query", f{5, 0, 3, 0, 0, 0}, f{5, 3}, 5, "", want{"map@5": 0.8333333333333333, "mrr": 1, "map": 0.8333333333333333}},
		{"V6 ranx' second query", f{0, 6, 0, 0, 1, 0}, f{6, 1}, 6, "", want{"map@5": .45, "mrr": .5, "map@2": .25, "mrr@1": 0}},
		{"V7 one missing", f{0, 5, 0, 4, 3}, f{5, 4, 3, 2}, 5, Linear, want{"dcg@5": 6.037913421854484}},
		{"V7 worst first", f{2, 3, 5, 4, 0}, f{5, 4, 3, 2}, 5, Linear, want{"dcg@5": 8.115495493007945}},
		{"V7 their ideal", f{5, 4, 3, 2}, nil, 5, "", want{"dcg@5": 45.25597597779204}},
		{"V7 their ideal, linear", f{5, 4, 3, 2}, nil, 5, Linear, want{"dcg@5": 9.885072130432617}},
		{"V7 three of four found", f{1, 0, 0, 1, 1, 0}, f{1, 1, 1, 1}, 1, "", want{"map@6": .525, "precision@5": .6}},
		{"V7 three relevant documents", f{1, 0, 1, 0}, f{1, 1, 1}, 1, "", want{"r-precision": 2. / 3, "Rprec": 2. / 3, "recall@2": 1. / 3}},
		{"V8 all of twenty", moduloThree(), moduloThree(), 2, "", want{"map@20": 0.7589817662434867, "map": 0.7589817662434867}},
		{"V8 five of twenty", moduloThree()[:5], moduloThree(), 2, "", want{"map@5": 0.25357142857142856, "precision@8": .5}},
		{"V9 gdeval's first query", f{0, 1, 2, 1, 0}, f{0, 1, 1, 2, 0}, 4, "", want{
			"err@5": 0.10174560546875, "err@20": 0.10174560546875, "err@2": 0.03125, "judged@10": 1}},
		{"V9 gdeval's second query", f{unj, 2, unj, unj}, f{1, 2, 2}, 4, "", want{
			"err@4": 0.09375, "err@2": 0.09375, "err@1": 0, "judged@10": .25, "judged@4": .25, "judged@3": 1. / 3, "judged@1": 0}},
		{"V10 the first query", f{1, 0, 2, unj, 0}, f{1, 0, 2, 0}, 2, "", want{"map": 0.8333333333333333, "ndcg": 0.7601875334318685}},
		{"V10 the second query", f{unj, unj, unj, 2}, f{1, 2, 0}, 2, "", want{"map": .125, "ndcg": 0.3273949503887395, "ndcg_cut_3": 0}},
		{"V10 judged alone", condensed(f{unj, unj, 2, 1, 1}), f{2, 1, 1}, 2, "", want{"precision@4": .75}},
		{"V10 judged alone, the second query", condensed(f{unj, 1, unj, 0}), f{1, 0}, 2, "", want{"precision@4": .25}},
		{"V10 sets", f{0, 2, 2, 1, 0}, f{0, 1, 2, 2, 0}, 2, "", want{
			"set_P": .6, "set_recall": 1, "set_F": .75, "set_map": .6, "f1@5": .75}},
		{"V10 sets, the second query", f{unj, unj, unj, 2}, f{1, 2, 0}, 2, "", want{
			"set_P": .25, "set_recall": .5, "set_F": 1. / 3, "set_map": .125, "f1@4": 1. / 3}},
		{"V11 one relevant document at rank 3", f{0, 0, 1}, f{0, 0, 1}, 1, "", want{"map": 1. / 3, "mrr": 1. / 3, "ndcg": .5}},
		{"V11 two relevant documents at ranks 2 and 3", f{0, 1, 1}, f{0, 1, 1}, 1, "", want{"map": 0.5833333333333333, "mrr": .5}},
		{"V13 Elasticsearch's err", f{3, 2, 0, 1}, f{3, 2, 0, 1}, 3, "", want{"err@3": 0.8984375, "err@4": 0.90087890625, "err@1": .875}},
		{"V13 with rank 2 unjudged", f{3, unj, 0, 1}, f{3, 0, 1}, 3, "", want{"err@3": 0.875, "err@4": 0.87890625}},
		{"V13 grade 0 satisfies nobody", f{0}, f{0}, 5, "", want{"err@1": 0}},
		{"V13 grade 1 on a scale to 5", f{1}, f{1}, 5, "", want{"err@1": 1. / 32}},
		{"V13 grade 2 on a scale to 5", f{2}, f{2}, 5, "", want{"err@1": 3. / 32}},
		{"V13 grade 3 on a scale to 5", f{3}, f{3}, 5, "", want{"err@1": 7. / 32}},
		{"V13 grade 4 on a scale to 5", f{4}, f{4}, 5, "", want{"err@1": 15. / 32}},
		{"V13 grade 5 on a scale to 5", f{5}, f{5}, 5, "", want{"err@1": 31. / 32}},
		{"V13 the gain does not matter to err", f{3, 2, 0, 1}, f{3, 2, 0, 1}, 3, Linear, want{"err@3": 0.8984375}},
		{"V14 Järvelin and Kekäläinen's grades", f{3, 2, 3, 0, 0, 1, 2, 2, 3, 0}, nil, 3, Linear, want{"dcg@10": 8.318753101481006}},
		{"V14 their ideal", f{3, 3, 3, 2, 2, 2, 1, 1, 1, 1}, nil, 3, Linear, want{"dcg@10": 9.979155397647217}},
		{"V15 scikit-learn's example", f{5, 1, 0, 0, 10}, nil, 10, Linear, want{"dcg@5": 9.499457825916874}},
		{"V15 scikit-learn's second order", f{0, 0, 1, 10, 5}, f{10, 0, 0, 1, 5}, 10, Linear, want{"ndcg@5": 0.4936801913773761, "ndcg@4": 0.3520241100634489}},
		{"N9 the discount of ranks 1 to 3 is 1, .6309 and .5", f{1, 1, 1}, nil, 1, Linear, want{"dcg@1": 1, "dcg@2": 1.6309297535714575, "dcg@3": 2.1309297535714575}},
		{"V17 duplicates removed", f{1}, f{1, 1}, 1, "", want{"success@3": 1, "map@3": .5, "recallCapped@3": .5, "recallCapped@1": 1}},
		{"V19 ten of ten", repeat(1, 10), repeat(1, 10), 1, "", want{"recall@10": 1, "precision@10": 1, "map@10": 1, "bpref": 1, "f1@10": 1}},
		{"V20 ESCI's gains as grades", f{.01, .1, 1, 0}, f{1, .1, .01, 0}, 1, Linear, want{"ndcg@4": 0.536557199213408, "ndcg": 0.536557199213408}},
		{"V26 judged and unjudged ranks", sixRanks, sixJudged, 1, "", want{
			"bpref": .5, "precision@5": .4, "unjudgedRate@5": .2, "judged@5": .8}},
		{"V26 judged alone", condensed(sixRanks), sixJudged, 1, "", want{"precision@5": .6, "bpref": .5}},
		{"success within and beyond k", f{unj, 0, 1}, f{1, 0}, 1, "", want{"success@2": 0, "success@3": 1, "success_10": 1, "mrr@2": 0, "mrr@3": 1. / 3}},
		{"R2 capped recall has room for k alone", f{1, 1, 0}, repeat(1, 10), 1, "", want{"recall@2": .2, "recallCapped@2": 1, "recallCapped@3": 2. / 3, "recallCapped@20": .2}},
		{"A1 AP is divided by all relevant documents", f{1, 1}, repeat(1, 4), 1, "", want{"map@2": .5, "map": .5}},
		{"E1 an unjudged hit satisfies nobody", f{unj, 1}, f{1}, 1, "", want{"err@2": .25}},
		{"M2 the first relevant, not the best", f{1, 3}, f{1, 3}, 3, "", want{"mrr": 1}},
		{"r-precision of fewer hits than relevant documents", f{1}, f{1, 1}, 1, "", want{"r-precision": .5}},
		{"bpref with fewer other documents than relevant ones", f{0, 1, 1, 1}, f{1, 1, 1, 0}, 1, "", want{"bpref": 0}},
		{"bpref with more other documents than relevant ones", f{0, 1, 0, 0, 1}, f{1, 1, 0, 0, 0}, 1, "", want{"bpref": .25}},
		{"bpref without other judged documents", f{unj, 1, unj}, f{1, 1}, 1, "", want{"bpref": .5}},
		{"rbp of ranks 1 and 3", f{1, 0, 1}, f{1, 1, 0}, 1, "", want{"rbp.80": .2 * (1 + .64), "rbp.5": .5 * 1.25, "rbp.80@2": .2}},
		{"rbp keeps the rank of an unjudged hit", f{unj, 1}, f{1}, 1, "", want{"rbp.80": .16}},
		{"f1 is 2 * found / (k + relevant)", f{1, 0, 1}, f{1, 1, 1, 0}, 1, "", want{"f1@3": 4. / 6, "f1@10": 4. / 13, "f1@1": .5}},
		{"no hits at all", nil, f{3, 1}, 3, "", want{
			"dcg@10": 0, "f1@10": 0, "success@10": 0, "mrr": 0, "map": 0, "r-precision": 0, "bpref": 0, "err@10": 0, "rbp.80": 0,
			"recallCapped@10": 0, "ndcg": 0, "set_P": 0, "set_recall": 0, "set_F": 0, "set_map": 0, "nonempty": 0, "noresults": 1}},
		{"hits, and none is judged", f{unj, unj}, f{3, 1}, 3, "", want{
			"dcg@10": 0, "f1@10": 0, "success@10": 0, "mrr": 0, "map": 0, "r-precision": 0, "bpref": 0, "err@10": 0, "rbp.80": 0,
			"set_P": 0, "set_F": 0, "set_map": 0, "judged@10": 0, "unjudgedRate@10": 1, "nonempty": 1, "noresults": 0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for name, value := range row.want {
				m, err := metric(t, name, row.gain).WithMaxGrade(row.maxGrade)
				if err != nil {
					t.Fatal(err)
				}
				if got := score(t, m, row.ranks, row.judged); math.Abs(got-value) > tolerance {
					t.Errorf("%s = %.16f, want %.16f", name, got, value)
				}
			}
		})
	}
}

// TestVectorsOfMeans takes the means of queries above.
func TestVectorsOfMeans(t *testing.T) {
	type f = []float64
	q1, q2 := sample{f{5, 0, 3, 0, 0, 0}, f{5, 3}}, sample{f{0, 6, 0, 0, 1, 0}, f{6, 1}}
	wikipedia := f{3, 2, 3, 0, 1, 2}
	for _, row := range []struct {
		name    string
		gain    Gain
		queries []sample
		want    float64
	}{
		{"dcg@6", Exponential, []sample{{wikipedia, wikipedia}, {f{2, 1, 0, 3, 2, 3}, wikipedia}}, 12.073969010408986},
		{"ndcg@5", Linear, []sample{q1, q2}, 0.7861261099276952},
		{"map@5", "", []sample{q1, q2}, 0.6416666666666666},
		{"mrr", "", []sample{{f{0, 1}, f{1}}, {f{1}, f{1}}, {f{0}, f{1}}}, .5},
		{"ndcg@20", Exponential, []sample{{f{0, 1, 2, 1, 0}, f{0, 1, 1, 2, 0}}, {f{unj, 2, unj, unj}, f{1, 2, 2}}}, (0.6201040599710453 + 0.35098520806348704) / 2},
	} {
		var scores []float64
		for _, query := range row.queries {
			scores = append(scores, score(t, metric(t, row.name, row.gain), query.ranks, query.judged))
		}
		if got := Mean(scores, nil); math.Abs(got-row.want) > tolerance {
			t.Errorf("the mean of %s is %.16f, want %.16f", row.name, got, row.want)
		}
	}
}
