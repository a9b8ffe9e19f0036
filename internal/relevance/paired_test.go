package relevance

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestCount(t *testing.T) {
	for _, row := range []struct {
		name        string
		differences []float64
		want        Tally
	}{
		{"V21", v21, Tally{5, 1, 2}},
		{"no query", nil, Tally{}},
		{"what is printed as no difference is a tie", []float64{4e-7, -4e-7, 1e-17}, Tally{Ties: 3}},
		{"a millionth is a difference", []float64{1e-6, -1e-6}, Tally{Wins: 1, Losses: 1}},
	} {
		if got, err := Count(row.differences); err != nil || got != row.want {
			t.Errorf("%s: %+v, %v; want %+v", row.name, got, err, row.want)
		}
	}
	if got, err := Count([]float64{math.NaN()}); err == nil {
		t.Errorf("NaN is %+v", got)
	}
}

// oneToEight weighs V21.
var oneToEight = []float64{1, 2, 3, 4, 5, 6, 7, 8}

func TestEffectSize(t *testing.T) {
	for _, row := range []struct {
		name    string
		weights []float64
		want    float64
	}{
		{"V21: t / sqrt(8)", nil, 1.7218920641845574 / math.Sqrt(8)},
		{"V21 weighted", oneToEight, 0.4502961663430369},
		{"V21 with equal weights", slices.Repeat([]float64{7}, 8), 1.7218920641845574 / math.Sqrt(8)},
	} {
		if got, err := EffectSize(v21, row.weights); err != nil || math.Abs(got-row.want) > tolerance {
			t.Errorf("%s: %v, %v; want %v", row.name, got, err, row.want)
		}
	}
	for name, differences := range map[string][]float64{"no query": nil, "one query": {.5}, "all alike": slices.Repeat([]float64{.1}, 10)} {
		if got, err := EffectSize(differences, nil); !errors.Is(err, ErrDegenerate) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := EffectSize(v21, []float64{1}); err == nil || errors.Is(err, ErrDegenerate) {
		t.Errorf("weights of another length: %v, %v", got, err)
	}
}

func TestDetectable(t *testing.T) {
	for _, row := range []struct {
		name    string
		weights []float64
		want    float64
	}{
		{"V21", nil, 0.1321969034565925},
		{"V21 weighted", oneToEight, 0.13799061440846308},
	} {
		if got, err := Detectable(v21, row.weights, 950_000, 800_000); err != nil || math.Abs(got-row.want) > tolerance {
			t.Errorf("%s: %v, %v; want %v", row.name, got, err, row.want)
		}
	}
	// Four times as many queries of the same kind can tell about half as much: sqrt(32/31) / 2 / sqrt(8/7) of it.
	got, err := Detectable(slices.Repeat(v21, 4), nil, 950_000, 800_000)
	if want := 0.1321969034565925 * math.Sqrt(32./31) / 2 / math.Sqrt(8./7); err != nil || math.Abs(got-want) > tolerance {
		t.Errorf("four times as many queries: %v, %v; want %v", got, err, want)
	}
	if got, err := Detectable([]float64{0, 0, 0}, nil, 950_000, 800_000); got != 0 || err != nil {
		t.Errorf("differences that are all 0: %v, %v", got, err)
	}
	if got, err := Detectable([]float64{.5}, nil, 950_000, 800_000); !errors.Is(err, ErrDegenerate) {
		t.Errorf("one query: %v, %v", got, err)
	}
}

func TestQueriesNeeded(t *testing.T) {
	for _, row := range []struct {
		name        string
		n           int
		can, wanted float64
		want        int
	}{
		{"half as much takes four times as many", 50, .02, .01, 200},
		{"a fraction of a query is a query", 50, .03, .02, 113},
		{"enough as it is", 50, .01, .02, 50},
		{"nothing is never told from nothing", 50, .01, 0, 0},
		{"nor is less", 50, .01, -.01, 0},
		{"nor is NaN", 50, .01, math.NaN(), 0},
		{"more than can be counted", 50, 1, 1e-9, math.MaxInt32},
	} {
		if got := QueriesNeeded(row.n, row.can, row.wanted); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

func TestHolm(t *testing.T) {
	for _, row := range []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one is left as it is", []float64{.04}, []float64{.04}},
		{"the smallest counts as often as there are values", []float64{.01, .04, .03}, []float64{.03, .06, .06}},
		{"a later one is never smaller", []float64{.02, .02, .02}, []float64{.06, .06, .06}},
		{"at most 1", []float64{.6, .9}, []float64{1, 1}},
		{"in any order", []float64{.03, .01, .04}, []float64{.06, .03, .06}},
	} {
		got := Holm(row.p)
		for i := range got {
			if math.Abs(got[i]-row.want[i]) > tolerance {
				t.Errorf("%s: %v, want %v", row.name, got, row.want)
				break
			}
		}
		if len(got) != len(row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestNormal(t *testing.T) {
	for x, want := range map[float64]float64{
		-3: 0.0013498980316301035, -1: 0.15865525393145707, 0: .5, .5: 0.6914624612740131, 1: 0.8413447460685429,
		1.959963984540054: .975, 5: 0.9999997133484282, 9: 1, -9: 0,
	} {
		if got := normalCDF(x); math.Abs(got-want) > 1e-14 {
			t.Errorf("below %v there is %v, want %v", x, got, want)
		}
	}
	for p, want := range map[float64]float64{
		.0001: -3.7190164854557084, .001: -3.090232306167813, .025: -1.9599639845400538, .2: -0.8416212335729142, .5: 0,
		.8: 0.8416212335729144, .975: 1.9599639845400536, .9999: 3.7190164854557084,
	} {
		if got := normalQuantile(p); math.Abs(got-want) > 1e-10 {
			t.Errorf("%v lies below %v, want %v", p, got, want)
		}
	}
}
