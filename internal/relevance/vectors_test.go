package relevance

import (
	"math"
	"slices"
	"testing"
)

const (
	tolerance = 1e-12
	unj       = Unjudged
)

// metric makes a metric for a test; relevantFrom is 1, and the scale ends with 5.
func metric(t *testing.T, name string, gain Gain) Metric {
	t.Helper()
	m, err := ParseMetric(name, gain, 1)
	if err == nil {
		m, err = m.WithMaxGrade(5)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func score(t *testing.T, m Metric, ranks, judged []float64) float64 {
	t.Helper()
	value, err := m.Score(ranks, judged)
	if err != nil {
		t.Fatalf("%s of %v with judged %v: %v", m.Name, ranks, judged, err)
	}
	return value
}

func repeat(grade float64, n int) []float64 { return slices.Repeat([]float64{grade}, n) }

func join(parts ...[]float64) []float64 { return slices.Concat(parts...) }

// moduloThree is 20 documents with the grades 1, 2, 0, 1, 2, 0, ...
func moduloThree() []float64 {
	var out []float64
	for i := 1; i <= 20; i++ {
		out = append(out, float64(i%3))
	}
	return out
}

// TestVectors computes published figures of other tools' tests and documentation, corrected where those tools cut the
// ideal ranking or the denominator at the number of hits. A want of -1 is not looked at.
func TestVectors(t *testing.T) {
	type f = []float64
	for _, row := range []struct {
		name          string
		ranks, judged []float64
		cut           string // "@10"
		exp, lin      float64
		precision     float64
		recall        float64
	}{
		{"V1 Wikipedia's example", f{3, 2, 3, 0, 1, 2}, f{3, 2, 3, 0, 1, 2}, "@6", 0.9488107485678985, 0.9608081943360617, 5. / 6, 1},
		{"V1 in reversed order", f{2, 1, 0, 3, 2, 3}, f{3, 2, 3, 0, 1, 2}, "@6", 0.7056799343991444, 0.8073505799899058, 5. / 6, 1},
		{"V2 unjudged hits gain nothing and keep their ranks", f{3, 2, 3, unj, 1, unj}, f{3, 2, 3, 1}, "@6", 0.9574784666412695, 0.9723642841729143, 4. / 6, 1},
		{"V3 fewer hits than k", f{3, 2, 3, unj}, f{3, 2, 3, 1}, "@10", 0.9284946163333048, 0.9111869459345774, .3, .75},
		{"V4 one hit of five is no perfect answer", f{3}, repeat(3, 5), "@10", 0.33916020527361616, 0.33916020527361616, .1, .2},
		{"V4 five hits at ranks 6 to 10", join(repeat(unj, 5), repeat(3, 5)), repeat(3, 5), "@10", 0.5409945177788986, 0.5409945177788986, .5, 1},
		{"V5 the ideal is cut at k", repeat(3, 10), repeat(3, 15), "@10", 1, 1, 1, 10. / 15},
		{"V6 ranx' first query", f{5, 0, 3, 0, 0, 0}, f{5, 3}, "@5", 0.974122003561623, 0.9430144683295216, .4, 1},
		{"V6 ranx' second query", f{0, 6, 0, 0, 1, 0}, f{6, 1}, "@5", 0.6307534313528345, 0.6292377515258687, .4, 1},
		{"V7 four graded documents, one missing", f{0, 5, 0, 4, 3}, f{5, 4, 3, 2}, "@5", 0.6347656803723495, 0.6108112659356222, .6, .75},
		{"V7 four graded documents, worst first", f{2, 3, 5, 4, 0}, f{5, 4, 3, 2}, "@5", 0.649122154840209, 0.8209849544772895, .8, 1},
		{"V7 nothing relevant found", f{0, 0, 0, 0, 0}, f{5, 4, 3, 2}, "@5", 0, 0, 0, 0},
		{"V8 all of twenty", moduloThree(), moduloThree(), "@20", 0.7603307467117582, 0.8068693649864778, .7, 1},
		{"V8 five of twenty at 5", moduloThree()[:5], moduloThree(), "@5", 0.5069341939523101, 0.5878056198050307, .8, 0.2857142857142857},
		{"V8 five of twenty at 8: k stays the denominator", moduloThree()[:5], moduloThree(), "@8", 0.399308847016237, 0.45659725300913595, .5, 0.2857142857142857},
		{"V9 gdeval's first query", f{0, 1, 2, 1, 0}, f{0, 1, 1, 2, 0}, "@20", 0.6201040599710453, 0.6584645692843067, .15, 1},
		{"V9 gdeval's second query", f{unj, 2, unj, unj}, f{1, 2, 2}, "@20", 0.35098520806348704, 0.3354350434265105, .05, 1. / 3},
		{"V9 gdeval's first query at 2", f{0, 1, 2, 1, 0}, f{0, 1, 1, 2, 0}, "@2", 0.17376534287144002, -1, .5, 1. / 3},
		{"V9 gdeval's second query at 2", f{unj, 2, unj, unj}, f{1, 2, 2}, "@2", 0.3868528072345416, -1, .5, 1. / 3},
		{"V10 a document in the pool without a verdict is unjudged", f{1, 0, 2, unj, 0}, f{1, 0, 2, 0}, "@10", -1, 0.7601875334318685, .2, 1},
		{"V10 the second query", f{unj, unj, unj, 2}, f{1, 2, 0}, "@10", -1, 0.3273949503887395, .1, .5},
		{"V10 the second query at 3", f{unj, unj, unj, 2}, f{1, 2, 0}, "@3", 0, 0, 0, 0},
		{"V10 precision counts unjudged ranks", f{unj, unj, 2, 1, 1}, f{2, 1, 1}, "@4", -1, -1, .5, 2. / 3},
		{"V11 one relevant document at rank 3", f{0, 0, 1}, f{0, 0, 1}, "@3", .5, .5, 1. / 3, 1},
		{"V11 two relevant documents at ranks 2 and 3", f{0, 1, 1}, f{0, 1, 1}, "@3", 0.6934264036172708, 0.6934264036172708, 2. / 3, 1},
		{"V12 the best document was not found", f{2, 0, 0}, f{3, 2}, "@3", 0.3373519727104165, 0.46927872602275644, 1. / 3, .5},
		{"V12 the worse document was not found", f{2, 0}, f{1, 2}, "@2", 0.8262346571285599, 0.7601875334318685, .5, .5},
		{"V14 Järvelin and Kekäläinen's grades with today's discount", f{3, 2, 3, 0, 0, 1, 2, 2, 3, 0}, f{3, 3, 3, 2, 2, 2, 1, 1, 1, 1}, "@10", 0.8539377577912776, 0.8336129431797722, .7, .7},
		{"V15 scikit-learn's example", f{5, 1, 0, 0, 10}, f{10, 0, 0, 1, 5}, "@5", -1, 0.6956940443813076, .6, 1},
		{"V15 scikit-learn's example at 4", f{5, 1, 0, 0, 10}, f{10, 0, 0, 1, 5}, "@4", -1, 0.4123818817534531, .5, 2. / 3},
		{"V16 the relevant document second", f{0, 1}, f{0, 1, 0}, "@10", 0.6309297535714575, 0.6309297535714575, .1, 1},
		{"V17 duplicates removed: A, X of A", f{1, unj}, f{1}, "@3", 1, 1, 1. / 3, 1},
		{"V17 duplicates removed: a of a, b", f{1}, f{1, 1}, "@3", 0.6131471927654584, 0.6131471927654584, 1. / 3, .5},
		{"V18 top five relevant", repeat(3, 5), repeat(3, 10), "@10", 0.6489315753318466, 0.6489315753318466, .5, .5},
		{"V18 ranks 6 to 10 relevant", join(repeat(0, 5), repeat(3, 5)), repeat(3, 10), "@10", 0.35106842466815336, 0.35106842466815336, .5, .5},
		{"V18 rank 10 relevant", join(repeat(0, 9), f{3}), repeat(3, 10), "@10", 0.0636207881989517, 0.0636207881989517, .1, .1},
		{"V18 five documents, then noise", join(f{1, 2, 3, 4, 2}, repeat(0, 10)), f{1, 2, 3, 4, 2}, "@5", 0.6201926846304083, 0.7687354202262358, 1, 1},
		{"V18 the same with a larger k", join(f{1, 2, 3, 4, 2}, repeat(0, 10)), f{1, 2, 3, 4, 2}, "@50", 0.6201926846304083, 0.7687354202262358, .1, 1},
		{"V19 ten of ten", repeat(1, 10), repeat(1, 10), "@10", 1, 1, 1, 1},
		{"V19 nine of ten, as with one removed in silence", repeat(1, 9), repeat(1, 10), "@10", 0.9363792118010483, 0.9363792118010483, .9, .9},
		{"V26 judged and unjudged ranks", f{1, 0, unj, 1, 0, 1}, f{1, 1, 1, 1, 0, 0, 0}, "@5", -1, -1, .4, .5},
		{"no hits at all", nil, f{3, 1}, "@10", 0, 0, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, want := range []struct {
				name  string
				gain  Gain
				value float64
			}{
				{"ndcg" + row.cut, Exponential, row.exp},
				{"ndcg" + row.cut, Linear, row.lin},
				{"precision" + row.cut, "", row.precision},
				{"recall" + row.cut, "", row.recall},
			} {
				if want.value < 0 {
					continue
				}
				got := score(t, metric(t, want.name, want.gain), row.ranks, row.judged)
				if math.Abs(got-want.value) > tolerance {
					t.Errorf("%s %s = %.16f, want %.16f", want.name, want.gain, got, want.value)
				}
			}
		})
	}
}

func TestGain(t *testing.T) {
	for grade := range MaxGrade + 1 {
		if got, want := Exponential.of(float64(grade)), float64(int64(1)<<grade-1); got != want {
			t.Errorf("exponential gain of %d = %v, want exactly %v", grade, got, want)
		}
	}
	if got, want := Exponential.of(.5), math.Sqrt2-1; math.Abs(got-want) > tolerance {
		t.Errorf("exponential gain of .5 = %v, want %v", got, want)
	}
	for grade := .001; grade < MaxGrade; grade += .083 {
		if got, want := Exponential.of(grade), math.Pow(2, grade)-1; math.Abs(got-want) > 1e-15*(want+1) {
			t.Errorf("exponential gain of %v = %v, want %v", grade, got, want)
		}
	}
	// Pinned, as it must be the same on every architecture.
	if got, want := Exponential.of(2.3), 3.9245776533796644; got != want {
		t.Errorf("exponential gain of 2.3 = %v, want exactly %v", got, want)
	}
	if got := Linear.of(.5); got != .5 {
		t.Errorf("linear gain of .5 = %v", got)
	}
	if Exponential.of(Unjudged) != 0 || Linear.of(Unjudged) != 0 {
		t.Error("an unjudged hit gains something")
	}
}

func TestRelevantFrom(t *testing.T) {
	ranks, judged := []float64{1, 3, unj, 0, 2}, []float64{1, 3, 0, 2, 3}
	for _, row := range []struct {
		name  string
		from  float64
		value float64
	}{
		{"recall@5", 1, 3. / 4},
		{"recall@5", 2, 2. / 3},
		{"recall@5", 3, 1. / 2},
		{"recall@5", .5, 3. / 4},
		{"precision@5", 1, 3. / 5},
		{"precision@5", 2, 2. / 5},
		{"precision@5", 2.5, 1. / 5},
	} {
		m, err := ParseMetric(row.name, "", row.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := score(t, m, ranks, judged); math.Abs(got-row.value) > tolerance {
			t.Errorf("%s from %v = %v, want %v", row.name, row.from, got, row.value)
		}
	}
	low, _ := ParseMetric("ndcg@5", "", .1)
	high, _ := ParseMetric("ndcg@5", "", 3)
	if score(t, low, ranks, judged) != score(t, high, ranks, judged) {
		t.Error("relevantFrom changes NDCG")
	}
}
