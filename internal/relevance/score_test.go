package relevance

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestNonEmptyAndNoResults(t *testing.T) {
	for _, row := range []struct {
		name  string
		ranks []float64
		want  float64
	}{
		{"nonempty", nil, 0},
		{"nonempty", []float64{unj}, 1},
		{"nonempty", []float64{3, 0}, 1},
		{"noresults", nil, 1},
		{"noresults", []float64{unj}, 0},
	} {
		m, err := ParseMetric(row.name, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := score(t, m, row.ranks, nil); got != row.want {
			t.Errorf("%s of %v = %v, want %v", row.name, row.ranks, got, row.want)
		}
	}
}

func TestScoreRefuses(t *testing.T) {
	type f = []float64
	ndcg10 := metric(t, "ndcg@10", Exponential)
	for _, row := range []struct {
		name          string
		metric        Metric
		ranks, judged []float64
		want          string
	}{
		{"NDCG without a gain in the judgments is undefined", ndcg10, f{unj}, f{0, 0}, ErrUndefined.Error()},
		{"NDCG without judgments is undefined", ndcg10, f{unj}, nil, ErrUndefined.Error()},
		{"recall without a relevant document is undefined", metric(t, "recall@10", ""), f{unj}, f{0, .5}, ErrUndefined.Error()},
		{"NaN in the ranking", ndcg10, f{math.NaN()}, f{1}, "grade NaN is not between 0 and 30"},
		{"NaN in the judgments", ndcg10, f{1}, f{math.NaN()}, "grade NaN is not between 0 and 30"},
		{"a grade that overflows", ndcg10, f{1}, f{31}, "grade 31 is not between 0 and 30"},
		{"an infinite grade", ndcg10, f{math.Inf(1)}, f{1}, "grade +Inf is not between 0 and 30"},
		{"a negative grade that is not Unjudged", ndcg10, f{-2}, f{1}, "grade -2 is not between 0 and 30"},
		{"a judgment that is Unjudged", ndcg10, f{1}, f{-1}, "grade -1 is not between 0 and 30"},
		{"a document twice in the ranking", ndcg10, f{1, 1}, f{1}, "internal error: ndcg@10 is 1.63"},
		{"a document twice in recall", metric(t, "recall@10", ""), f{1, 1}, f{1}, "internal error: recall@10 is 2, outside 0..1"},
		{"a metric without a cut-off", Metric{Name: "x", Kind: DCG, Gain: Linear}, f{1}, f{1}, `metric "x" has the cut-off 0`},
		{"a metric with a cut-off that it has not", Metric{Name: "x", Kind: BPref, K: 1, RelevantFrom: 1}, f{1}, f{1}, `metric "x" has the cut-off 1`},
		{"a negative cut-off", Metric{Name: "x", Kind: MAP, K: -1, RelevantFrom: 1}, f{1}, f{1}, `metric "x" has the cut-off -1`},
		{"a metric without a kind", Metric{Name: "x", K: 1}, f{1}, f{1}, `metric "x" has the unknown kind ""`},
		{"a metric without a gain", Metric{Name: "x", Kind: NDCG, K: 1}, f{1}, f{1}, `metric "x" has the unknown gain ""`},
	} {
		t.Run(row.name, func(t *testing.T) {
			value, err := row.metric.Score(row.ranks, row.judged)
			if err == nil || !strings.HasPrefix(err.Error(), row.want) || value != 0 {
				t.Errorf("Score = %v, %v; want the error %q", value, err, row.want)
			}
		})
	}
	if _, err := ndcg10.Score(nil, nil); !errors.Is(err, ErrUndefined) {
		t.Errorf("%v is not ErrUndefined", err)
	}
}

func TestBounded(t *testing.T) {
	if got, err := bounded("m", 1+1e-13); got != 1 || err != nil {
		t.Errorf("a value a rounding error above 1 gives %v, %v; want 1", got, err)
	}
	for _, bad := range []float64{math.NaN(), 1 + 1e-9, -1e-300, math.Inf(1)} {
		if _, err := bounded("m", bad); err == nil {
			t.Errorf("%v passes for a score", bad)
		}
	}
}

// sample is a ranking with the judgments of its query.
type sample struct{ ranks, judged []float64 }

// samples makes random rankings, always the same ones, of judged and unjudged hits, one of them relevant.
var samples = sync.OnceValue(func() []sample {
	random := rand.New(rand.NewPCG(1, 2))
	var out []sample
	for range 300 {
		judged := make([]float64, 1+random.IntN(12))
		for i := range judged {
			judged[i] = float64(random.IntN(9)) / 2
		}
		judged[0] = 3
		ranks := append(slices.Clone(judged), repeat(Unjudged, random.IntN(6))...)
		random.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		out = append(out, sample{ranks[:random.IntN(len(ranks)+1)], judged})
	}
	return out
})

// everySample calls check for every sample with a number of metrics.
func everySample(t *testing.T, names []string, check func(t *testing.T, m Metric, s sample)) {
	t.Helper()
	for _, name := range names {
		for _, gain := range []Gain{Exponential, Linear} {
			m := metric(t, name, gain)
			t.Run(name+" "+string(gain), func(t *testing.T) {
				for _, s := range samples() {
					check(t, m, s)
				}
			})
		}
	}
}

var cut = []string{"ndcg@1", "ndcg@5", "ndcg@10", "recall@5", "recall@100", "precision@5"}

func TestScoresAreFromZeroToOne(t *testing.T) {
	everySample(t, append(slices.Clone(cut), "nonempty", "noresults"), func(t *testing.T, m Metric, s sample) {
		if value := score(t, m, s.ranks, s.judged); !(value >= 0 && value <= 1) {
			t.Fatalf("%v with judged %v scores %v", s.ranks, s.judged, value)
		}
	})
}

func TestThePerfectOrderScoresOne(t *testing.T) {
	everySample(t, []string{"ndcg@1", "ndcg@5", "ndcg@100", "recall@100"}, func(t *testing.T, m Metric, s sample) {
		perfect := slices.Sorted(slices.Values(s.judged))
		slices.Reverse(perfect)
		if value := score(t, m, perfect, s.judged); value != 1 {
			t.Fatalf("%v scores %v", perfect, value)
		}
	})
}

func TestABetterDocumentFurtherUpNeverLowersTheScore(t *testing.T) {
	everySample(t, cut, func(t *testing.T, m Metric, s sample) {
		value := score(t, m, s.ranks, s.judged)
		for up := range s.ranks {
			for down := up + 1; down < len(s.ranks); down++ {
				if s.ranks[down] <= s.ranks[up] {
					continue
				}
				better := slices.Clone(s.ranks)
				better[up], better[down] = better[down], better[up]
				if moved := score(t, m, better, s.judged); moved < value-tolerance {
					t.Fatalf("%v scores %v, but %v scores %v", s.ranks, value, better, moved)
				}
			}
		}
	})
}

func TestHitsBelowTheCutDoNotMatter(t *testing.T) {
	everySample(t, cut, func(t *testing.T, m Metric, s sample) {
		if len(s.ranks) < m.K {
			return
		}
		value := score(t, m, s.ranks, s.judged)
		for _, other := range [][]float64{s.ranks[:m.K], append(slices.Clone(s.ranks), Unjudged, Unjudged)} {
			if got := score(t, m, other, s.judged); got != value {
				t.Fatalf("%v scores %v, but %v scores %v", s.ranks, value, other, got)
			}
		}
	})
}

func TestTheOrderOfJudgmentsDoesNotMatter(t *testing.T) {
	everySample(t, cut, func(t *testing.T, m Metric, s sample) {
		reversed := slices.Clone(s.judged)
		slices.Reverse(reversed)
		if a, b := score(t, m, s.ranks, s.judged), score(t, m, s.ranks, reversed); a != b {
			t.Fatalf("judged %v gives %v, reversed it gives %v", s.judged, a, b)
		}
	})
}

func TestScoreLeavesItsArgumentsAlone(t *testing.T) {
	everySample(t, cut, func(t *testing.T, m Metric, s sample) {
		ranks, judged := slices.Clone(s.ranks), slices.Clone(s.judged)
		score(t, m, s.ranks, s.judged)
		if !slices.Equal(s.ranks, ranks) || !slices.Equal(s.judged, judged) {
			t.Fatal("the arguments have changed")
		}
	})
}

func TestDiscountBeyondTheTable(t *testing.T) {
	for _, rank := range []int{1, 2, 3, MaxK, MaxK + 1, 1 << 20} {
		if got, want := discount(rank), math.Log2(float64(rank+1)); got != want {
			t.Errorf("discount(%d) = %v, want %v", rank, got, want)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	ranks := make([]float64, 100)
	for i := range ranks {
		ranks[i] = float64(random.IntN(5) - 1)
	}
	m := Metric{Name: "ndcg@10", Kind: NDCG, K: 10, Gain: Exponential, RelevantFrom: 1}
	judged := slices.DeleteFunc(slices.Clone(ranks), func(g float64) bool { return g < 0 })
	for b.Loop() {
		if _, err := m.Score(ranks, judged); err != nil {
			b.Fatal(err)
		}
	}
}
