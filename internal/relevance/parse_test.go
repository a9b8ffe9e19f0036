package relevance

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestParseMetric(t *testing.T) {
	for _, row := range []struct {
		name string
		gain Gain
		from float64
		want Metric
	}{
		{"ndcg@10", "", 1, Metric{"ndcg@10", NDCG, 10, Exponential, 1}},
		{"ndcg@5", Linear, 2.5, Metric{"ndcg@5", NDCG, 5, Linear, 2.5}},
		{"recall@50", Exponential, 3, Metric{"recall@50", Recall, 50, Exponential, 3}},
		{"precision@1", "", 1, Metric{"precision@1", Precision, 1, Exponential, 1}},
		{"recall@10000", "", 30, Metric{"recall@10000", Recall, MaxK, Exponential, 30}},
		{"nonempty", "", 0, Metric{"nonempty", NonEmpty, 0, Exponential, 0}},
		{"noresults", "", 1, Metric{"noresults", NoResults, 0, Exponential, 1}},
	} {
		if got, err := ParseMetric(row.name, row.gain, row.from); got != row.want || err != nil {
			t.Errorf("ParseMetric(%q) = %+v, %v; want %+v", row.name, got, err, row.want)
		}
	}
}

func TestParseMetricRefuses(t *testing.T) {
	for _, row := range []struct {
		name string
		gain Gain
		from float64
		want string
	}{
		{"ndgc@10", "", 1, `metric "ndgc@10" is not known: did you mean ndcg@10?`},
		{"NDCG@10", "", 1, `metric "NDCG@10" is not known: did you mean ndcg@10?`},
		{"ndcg_cut_20", "", 1, `metric "ndcg_cut_20" is not known: did you mean ndcg@20?`},
		{"recal@050", "", 1, `metric "recal@050" is not known: did you mean recall@50?`},
		{"recall50", "", 1, `metric "recall50" is not known: did you mean recall@50?`},
		{"recal", "", 1, `metric "recal" is not known: did you mean recall@10?`},
		{"non-empty", "", 1, `metric "non-empty" is not known: use ndcg@K, recall@K, precision@K, nonempty or noresults`},
		{"nonemty", "", 1, `metric "nonemty" is not known: did you mean nonempty?`},
		{"mrr@10", "", 1, `metric "mrr@10" is not known: use ndcg@K, recall@K, precision@K, nonempty or noresults`},
		{"", "", 1, `metric "" is not known: use ndcg@K, recall@K, precision@K, nonempty or noresults`},
		{"ndcg", "", 1, `metric "ndcg" has no cut-off: write ndcg@10, or another number from 1 to 10000`},
		{"nonempty@10", "", 1, `metric "nonempty@10" takes no cut-off: write nonempty`},
		{"ndcg@0", "", 1, `metric "ndcg@0" has the cut-off 0: write a whole number from 1 to 10000`},
		{"ndcg@010", "", 1, `metric "ndcg@010" has the cut-off 010: write a whole number from 1 to 10000`},
		{"ndcg@10001", "", 1, `metric "ndcg@10001" has the cut-off 10001: write a whole number from 1 to 10000`},
		{"ndcg@99999999999999999999", "", 1, `metric "ndcg@99999999999999999999" has the cut-off 99999999999999999999: write a whole number from 1 to 10000`},
		{"ndcg@10", "Log", 1, `metric "ndcg@10" has the unknown gain "Log": write Exponential or Linear`},
		{"recall@10", "", 0, `metric "recall@10" has relevantFrom 0: write a grade above 0 and up to 30`},
		{"recall@10", "", -1, `metric "recall@10" has relevantFrom -1: write a grade above 0 and up to 30`},
		{"recall@10", "", 31, `metric "recall@10" has relevantFrom 31: write a grade above 0 and up to 30`},
		{"recall@10", "", math.NaN(), `metric "recall@10" has relevantFrom NaN: write a grade above 0 and up to 30`},
		{strings.Repeat("n", 1000), "", 1, `a metric's name is 1000 bytes long: use ndcg@K, recall@K, precision@K, nonempty or noresults`},
	} {
		got, err := ParseMetric(row.name, row.gain, row.from)
		if err == nil || err.Error() != row.want {
			t.Errorf("ParseMetric(%q) = %+v,\n%v; want\n%s", row.name, got, err, row.want)
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
