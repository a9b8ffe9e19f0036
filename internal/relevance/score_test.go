package relevance

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
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
		{"a grade that overflows in err", Metric{Name: "x", Kind: ERR, K: 1, MaxGrade: 3}, f{1}, f{31}, "grade 31 is not between 0 and 30"},
		{"a grade above all scales", metric(t, "map", ""), f{1}, f{1_000_001}, "grade 1.000001e+06 is not between 0 and 1000000"},
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
		{"judged of no hits", metric(t, "judged@10", ""), nil, f{1}, ErrNoHits.Error()},
		{"unjudgedRate of no hits", metric(t, "unjudgedRate@10", ""), nil, f{1}, ErrNoHits.Error()},
		{"err without a scale", Metric{Name: "x", Kind: ERR, K: 1}, f{1}, f{1}, `metric "x" has the highest grade 0: it must be from 1 to 30`},
		{"a hit beyond the scale", metric(t, "err@10", ""), f{6}, f{1}, "grade 6 is above 5, the highest of the scale"},
		{"a judgment beyond the scale", metric(t, "err@10", ""), f{1}, f{1, 5.5}, "grade 5.5 is above 5, the highest of the scale"},
		{"rbp without a persistence", Metric{Name: "x", Kind: RBP, RelevantFrom: 1}, f{1}, f{1}, `metric "x" has the persistence 0: it must be above 0 and below 1`},
		{"a persistence that is no number", Metric{Name: "x", Kind: RBP, Persistence: math.NaN(), RelevantFrom: 1}, f{1}, f{1}, `metric "x" has the persistence NaN`},
		{"a dcg that cannot be rounded", metric(t, "dcg@100", ""), repeat(30, 100), f{30}, "dcg@100 is too large: "},
		{"dcg without a gain", Metric{Name: "x", Kind: DCG, K: 1}, f{1}, f{1}, `metric "x" has the unknown gain ""`},
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

// TestAQueryWithoutARelevantDocument is undefined for what is divided by the number of relevant documents or by the
// ideal; for the others it scores 0.
func TestAQueryWithoutARelevantDocument(t *testing.T) {
	undefined := []string{
		"ndcg@1", "ndcg@5", "ndcg@10", "ndcg", "recall@5", "recall@100", "recallCapped@5", "f1@5", "map@5", "map",
		"r-precision", "bpref", "set_recall", "set_F", "set_map",
	}
	for _, name := range everyName {
		value, err := metric(t, name, "").Score([]float64{unj, 0}, []float64{0, 0})
		if got, want := errors.Is(err, ErrUndefined), slices.Contains(undefined, name); got != want {
			t.Errorf("%s is %v, %v; undefined should be %t", name, value, err, want)
		}
		rate := name == "judged@5" || name == "unjudgedRate@5" || name == "nonempty"
		if value != 0 && !rate {
			t.Errorf("%s is %v", name, value)
		}
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

var (
	// withCutOff are metrics with a small cut-off, one of every kind that takes one, and withoutOne those without.
	withCutOff = []string{
		"ndcg@1", "ndcg@5", "ndcg@10", "dcg@5", "precision@5", "recall@5", "recall@100", "recallCapped@5", "f1@5", "success@2",
		"mrr@5", "map@5", "err@5", "rbp.80@5", "judged@5", "unjudgedRate@5",
	}
	withoutOne = []string{"ndcg", "mrr", "map", "r-precision", "bpref", "rbp.80", "set_P", "set_recall", "set_F", "set_map", "nonempty", "noresults"}
	everyName  = slices.Concat(withCutOff, withoutOne)
)

// valueOf is the score, or NaN for a query without hits where the metric speaks of hits alone.
func valueOf(t *testing.T, m Metric, ranks, judged []float64) float64 {
	t.Helper()
	if len(ranks) == 0 && (m.Kind == Judged || m.Kind == UnjudgedRate) {
		return math.NaN()
	}
	return score(t, m, ranks, judged)
}

// same tells whether two scores are the same in every bit.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestEveryKindIsTested(t *testing.T) {
	tested := map[Kind]bool{}
	for _, name := range everyName {
		tested[metric(t, name, "").Kind] = true
	}
	for kind := range definitions {
		if !tested[kind] {
			t.Errorf("no property is tested of %s", kind)
		}
	}
}

func TestScoresAreFromZeroToOne(t *testing.T) {
	everySample(t, everyName, func(t *testing.T, m Metric, s sample) {
		value := valueOf(t, m, s.ranks, s.judged)
		if value < 0 || value > 1 && m.Kind != DCG {
			t.Fatalf("%v with judged %v scores %v", s.ranks, s.judged, value)
		}
	})
}

func TestThePerfectOrderScoresOne(t *testing.T) {
	perfect := []string{
		"ndcg@1", "ndcg@5", "ndcg@100", "ndcg", "recall@100", "recallCapped@1", "recallCapped@100", "success@1", "mrr", "map",
		"map@100", "r-precision", "bpref", "set_recall", "judged@10",
	}
	everySample(t, perfect, func(t *testing.T, m Metric, s sample) {
		best := slices.Sorted(slices.Values(s.judged))
		slices.Reverse(best)
		if value := score(t, m, best, s.judged); value != 1 {
			t.Fatalf("%v scores %v", best, value)
		}
	})
}

func TestABetterDocumentFurtherUpNeverLowersTheScore(t *testing.T) {
	// Less is better of unjudgedRate, and noresults does not look at documents.
	names := slices.DeleteFunc(slices.Clone(everyName), func(name string) bool { return name == "unjudgedRate@5" || name == "noresults" })
	everySample(t, names, func(t *testing.T, m Metric, s sample) {
		value := valueOf(t, m, s.ranks, s.judged)
		for up := range s.ranks {
			for down := up + 1; down < len(s.ranks); down++ {
				if s.ranks[down] <= s.ranks[up] {
					continue
				}
				if m.Kind == BPref && s.ranks[down] < m.RelevantFrom {
					continue // A judged document that is not relevant counts against those below it; an unjudged one does not.
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
	everySample(t, withCutOff, func(t *testing.T, m Metric, s sample) {
		if len(s.ranks) < m.K {
			return
		}
		value := score(t, m, s.ranks, s.judged)
		for _, other := range [][]float64{s.ranks[:m.K], append(slices.Clone(s.ranks), Unjudged, Unjudged)} {
			if got := score(t, m, other, s.judged); !same(got, value) {
				t.Fatalf("%v scores %v, but %v scores %v", s.ranks, value, other, got)
			}
		}
	})
}

func TestUnjudgedHitsBehindTheLastDoNotMatter(t *testing.T) {
	// The sets have no last: there, and in the judged rates, every hit counts.
	names := slices.DeleteFunc(slices.Clone(everyName), func(name string) bool {
		return slices.Contains([]string{"set_P", "set_F", "set_map", "judged@5", "unjudgedRate@5"}, name)
	})
	everySample(t, names, func(t *testing.T, m Metric, s sample) {
		longer := append(slices.Clone(s.ranks), Unjudged, Unjudged)
		if a, b := score(t, m, s.ranks, s.judged), score(t, m, longer, s.judged); len(s.ranks) > 0 && !same(a, b) {
			t.Fatalf("%v scores %v, with two unjudged hits behind it %v", s.ranks, a, b)
		}
	})
}

func TestTheOrderOfJudgmentsDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	everySample(t, everyName, func(t *testing.T, m Metric, s sample) {
		mixed := slices.Clone(s.judged)
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if a, b := valueOf(t, m, s.ranks, s.judged), valueOf(t, m, s.ranks, mixed); !same(a, b) {
			t.Fatalf("judged %v gives %v, %v gives %v", s.judged, a, mixed, b)
		}
	})
}

func TestALargerCutNeverFindsLess(t *testing.T) {
	for _, name := range []string{"recall", "success", "mrr", "map", "dcg", "err", "rbp.80"} {
		for _, s := range samples() {
			before := 0.0
			for k := 1; k <= len(s.ranks)+2; k++ {
				m := metric(t, name+"@"+strconv.Itoa(k), "")
				value := score(t, m, s.ranks, s.judged)
				if value < before {
					t.Fatalf("%s of %v is %v, less than at %d", m.Name, s.ranks, value, k-1)
				}
				before = value
			}
		}
	}
}

// TestGradesBeyondTheThresholdDoNotMatter makes relevant documents all alike, and the others too.
func TestGradesBeyondTheThresholdDoNotMatter(t *testing.T) {
	everySample(t, everyName, func(t *testing.T, m Metric, s sample) {
		if !m.UsesRelevantFrom() {
			return
		}
		flat := func(grades []float64) []float64 {
			out := slices.Clone(grades)
			for i, grade := range out {
				switch {
				case grade >= m.RelevantFrom:
					out[i] = 1
				case grade >= 0:
					out[i] = 0
				}
			}
			return out
		}
		if a, b := score(t, m, s.ranks, s.judged), score(t, m, flat(s.ranks), flat(s.judged)); !same(a, b) {
			t.Fatalf("%v scores %v, without the grades %v", s.ranks, a, b)
		}
	})
}

func TestGradedMetricsKnowNoThreshold(t *testing.T) {
	everySample(t, everyName, func(t *testing.T, m Metric, s sample) {
		if m.UsesRelevantFrom() {
			return
		}
		other := m
		other.RelevantFrom = 4
		if a, b := valueOf(t, m, s.ranks, s.judged), valueOf(t, other, s.ranks, s.judged); !same(a, b) {
			t.Fatalf("%v scores %v, with another relevantFrom %v", s.ranks, a, b)
		}
	})
}

func TestNamesOfTrecEvalMeanTheSame(t *testing.T) {
	for theirs, ours := range map[string]string{
		"ndcg_cut_5": "ndcg@5", "ndcg": "ndcg@10000", "P_5": "precision@5", "recall_5": "recall@5", "map_cut_5": "map@5",
		"success_2": "success@2", "recip_rank": "mrr", "Rprec": "r-precision", "set_recall": "recall@10000",
	} {
		for _, s := range samples() {
			a, b := score(t, metric(t, theirs, Exponential), s.ranks, s.judged), score(t, metric(t, ours, Linear), s.ranks, s.judged)
			if !same(a, b) {
				t.Fatalf("%s of %v is %v, %s is %v", theirs, s.ranks, a, ours, b)
			}
		}
	}
}

func TestJudgedAndUnjudgedMakeOne(t *testing.T) {
	for _, s := range samples() {
		a, b := valueOf(t, metric(t, "judged@5", ""), s.ranks, s.judged), valueOf(t, metric(t, "unjudgedRate@5", ""), s.ranks, s.judged)
		if math.Abs(a+b-1) > tolerance {
			t.Fatalf("%v has the rates %v and %v", s.ranks, a, b)
		}
	}
}

func TestScoreLeavesItsArgumentsAlone(t *testing.T) {
	everySample(t, everyName, func(t *testing.T, m Metric, s sample) {
		ranks, judged := slices.Clone(s.ranks), slices.Clone(s.judged)
		valueOf(t, m, s.ranks, s.judged)
		if !slices.Equal(s.ranks, ranks) || !slices.Equal(s.judged, judged) {
			t.Fatal("the arguments have changed")
		}
	})
}

func TestDiscount(t *testing.T) {
	for rank := 1; rank <= MaxK+10; rank++ {
		got, want := discounts().at(rank), math.Log2(float64(rank+1))
		if math.Abs(got-want) > 4e-16*want {
			t.Errorf("the discount of rank %d is %v, want %v", rank, got, want)
		}
	}
	for power := range 31 {
		if got := log2(1 << power); got != float64(power) {
			t.Errorf("log2(2^%d) is %v", power, got)
		}
	}
}

// TestDiscountIsTheSameOnEveryMachine pins the bits of the whole table.
func TestDiscountIsTheSameOnEveryMachine(t *testing.T) {
	hash := fnv.New64a()
	for rank := 1; rank <= MaxK; rank++ {
		hash.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(discounts().at(rank))))
	}
	if got, want := hash.Sum64(), uint64(0x52975d9272430e91); got != want {
		t.Errorf("the bits of the table have the hash %#x, elsewhere they have %#x", got, want)
	}
}

func TestTheIdealIsTheBestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		judged := make([]float64, random.IntN(40))
		for i := range judged {
			judged[i] = float64(random.IntN(MaxGrade + 1))
			if random.IntN(500) == 0 {
				judged[i] += MaxGrade
			}
		}
		best := slices.Sorted(slices.Values(judged))
		slices.Reverse(best)
		for _, gain := range []Gain{Exponential, Linear} {
			for k := range 45 {
				want := best
				if k > 0 {
					want = best[:min(k, len(best))]
				}
				if a, b := idealGain(judged, k, gain), discountedGain(want, gain); !same(a, b) {
					t.Fatalf("the ideal of %v at %d is %v, want %v", judged, k, a, b)
				}
			}
		}
	}
}

func BenchmarkScore(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	ranks := make([]float64, 100)
	for i := range ranks {
		ranks[i] = float64(random.IntN(5) - 1)
	}
	judged := slices.DeleteFunc(slices.Clone(ranks), func(g float64) bool { return g < 0 })
	for _, name := range []string{"ndcg@10", "ndcg", "map", "recall@50", "bpref", "err@10"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			m, err := ParseMetric(name, Exponential, 1)
			if err == nil {
				m, err = m.WithMaxGrade(5)
			}
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Score(ranks, judged); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
