package relevance

import (
	"math"
	"slices"
	"testing"
)

// spread makes n differences from -0.45 to 0.55.
func spread(n int) []float64 {
	var out []float64
	for i := range n {
		out = append(out, float64(i*7919%101-45)/100)
	}
	return out
}

// TestRandomizationCountsAllPatterns has the counts of another program, which tried each pattern by itself.
func TestRandomizationCountsAllPatterns(t *testing.T) {
	for _, row := range []struct {
		name                 string
		differences, weights []float64
		hits, patterns       float64
	}{
		{"V21: patterns that tie count", v21, nil, 44, 256},
		{"V21 with weights", v21, []float64{1, 2, 3, 4, 5, 6, 7, 8}, 64, 256},
		{"V21 with the weights of another scale", v21, []float64{.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}, 64, 256},
		{"differences of 0 stay in", append(slices.Clone(v21), 0, 0), nil, 176, 1024},
		{"no difference", []float64{0, 0, 0}, nil, 8, 8},
		{"one query", []float64{.5}, nil, 2, 2},
		{"17 queries", spread(17), nil, 101_510, 131_072},
		{"19 queries", spread(19), nil, 512_686, 524_288},
		{"20 queries, the most", spread(20), nil, 917_612, 1_048_576},
	} {
		t.Run(row.name, func(t *testing.T) {
			// The resamples and the seed play no part.
			if got, err := RandomizationTest(row.differences, row.weights, 1, 1); err != nil || got != row.hits/row.patterns {
				t.Errorf("p is %v, %v; want %v/%v", got, err, row.hits, row.patterns)
			}
			swapped := make([]float64, len(row.differences))
			for i, difference := range row.differences {
				swapped[i] = -difference
			}
			if got, err := RandomizationTest(swapped, row.weights, 1, 1); err != nil || got != row.hits/row.patterns {
				t.Errorf("with the sides swapped p is %v, %v", got, err)
			}
		})
	}
}

// TestRandomPatternsComeNearAllPatterns takes the queries of an exact test with two more that differ by nothing, which
// leaves p as it is.
func TestRandomPatternsComeNearAllPatterns(t *testing.T) {
	differences := slices.Clone(spread(19))
	want := 512_686. / 524_288
	differences = append(differences, 0, 0)
	const resamples = 100_000
	got, err := RandomizationTest(differences, nil, resamples, 11)
	if deviation := math.Sqrt(want * (1 - want) / resamples); err != nil || math.Abs(got-want) > 4*deviation {
		t.Errorf("p is %v, %v; want about %v", got, err, want)
	}
}

func TestRandomizationOfManyQueries(t *testing.T) {
	columns, weights := makeColumns(1000)
	ahead := slices.Clone(columns[2])
	for i := range ahead {
		ahead[i] += .5
	}
	if got, err := RandomizationTest(ahead, weights, 9999, 1); err != nil || got != 1./10_000 {
		t.Errorf("a difference that no pattern reaches has p %v, %v; want the least there is", got, err)
	}
	if got, err := RandomizationTest(make([]float64, 1000), weights, 9999, 1); err != nil || got != 1 {
		t.Errorf("no difference has p %v, %v", got, err)
	}
	for seed, want := range map[uint64]float64{1: 0.5677432256774323, 2: 0.5653434656534346} { // pinned, as the digits of TestBootstrapDigits
		if got, err := RandomizationTest(columns[2], weights, DefaultResamples, seed); got != want || err != nil {
			t.Errorf("with seed %d p is %v, %v; want %v", seed, got, err, want)
		}
	}
}

func TestRandomizationRefusesWhatIsNoDifference(t *testing.T) {
	for name, row := range map[string]struct {
		differences, weights []float64
		resamples            int
	}{
		"no query":    {nil, nil, 10},
		"NaN":         {[]float64{math.NaN(), 1}, nil, 10},
		"a weight of": {[]float64{1, 2}, []float64{1}, 10},
		"no resample": {v21, nil, 0},
	} {
		if got, err := RandomizationTest(row.differences, row.weights, row.resamples, 1); err == nil {
			t.Errorf("%s: p is %v", name, got)
		}
	}
}

func BenchmarkRandomizationTest(b *testing.B) {
	columns, weights := makeColumns(10_000)
	for b.Loop() {
		if _, err := RandomizationTest(columns[2], weights, DefaultResamples, 1); err != nil {
			b.Fatal(err)
		}
	}
}
