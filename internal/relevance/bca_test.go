package relevance

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// allWeighted lists the weighted means of all n^n draws.
func allWeighted(values, weights []float64) Distribution {
	if weights == nil {
		return all(values)
	}
	weighted := product(values, weights)
	sums, totals := Distribution{0}, Distribution{0}
	for range values {
		var nextSums, nextTotals Distribution
		for i := range sums {
			for j := range values {
				nextSums, nextTotals = append(nextSums, sums[i]+weighted[j]), append(nextTotals, totals[i]+weights[j])
			}
		}
		sums, totals = nextSums, nextTotals
	}
	for i := range sums {
		sums[i] /= totals[i]
	}
	slices.Sort(sums)
	return sums
}

// TestBCa compares with the formula worked out over all draws by another program.
func TestBCa(t *testing.T) {
	six := v21[:6]
	for _, row := range []struct {
		name            string
		values, weights []float64
		confidence      Millionths
		want            Interval
	}{
		{"at 0.95", six, nil, 950_000, Interval{.025, 0.20833333333333334}},
		{"at 0.8", six, nil, 800_000, Interval{0.05833333333333333, 0.18333333333333332}},
		{"weighted", six, []float64{1, 2, 3, 4, 5, 6}, 950_000, Interval{0.013043478260869558, 0.22307692307692306}},
		{"lopsided", []float64{.9, .1, .05, .02, .01, 0}, nil, 900_000, Interval{.03, 0.4916666666666667}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := allWeighted(row.values, row.weights).BCa(row.values, row.weights, row.confidence)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Low-row.want.Low) > tolerance || math.Abs(got.High-row.want.High) > tolerance {
				t.Errorf("the interval is %v, want %v", got, row.want)
			}
		})
	}
}

func TestBCaOfALopsidedColumnIsNotPercentile(t *testing.T) {
	values := []float64{.9, .1, .05, .02, .01, 0}
	means := all(values)
	moved, err := means.BCa(values, nil, 900_000)
	if plain := means.Percentile(900_000); err != nil || !(moved.Low > plain.Low && moved.High > plain.High) {
		t.Errorf("BCa is %v, %v; the percentile interval is %v", moved, err, plain)
	}
}

func TestBCaDigits(t *testing.T) {
	columns, weights := makeColumns(1000)
	drawn, err := Bootstrap(columns, weights, DefaultResamples, 20_260_101)
	if err != nil {
		t.Fatal(err)
	}
	got, err := drawn[2].BCa(columns[2], weights, 950_000)
	if want := (Interval{-0.03661395411501055, 0.019923934544711867}); got != want || err != nil {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestBCaWhereDrawsSayNothing(t *testing.T) {
	for name, row := range map[string]struct {
		drawn           Distribution
		values, weights []float64
		degenerate      bool
	}{
		"no query":               {Distribution{.5}, nil, nil, true},
		"one query":              {Distribution{.5}, []float64{.5}, nil, true},
		"all draws above":        {Distribution{.6, .7}, []float64{.5, .5}, nil, true},
		"all draws below":        {Distribution{.1, .2}, []float64{.5, .5}, nil, true},
		"a column with a NaN":    {Distribution{.5}, []float64{math.NaN(), 1}, nil, false},
		"a weight short of them": {Distribution{.5}, []float64{1, 2}, []float64{1}, false},
	} {
		if got, err := row.drawn.BCa(row.values, row.weights, 950_000); err == nil || errors.Is(err, ErrDegenerate) != row.degenerate {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	same := all([]float64{0, 0, 0})
	if got, err := same.BCa([]float64{0, 0, 0}, nil, 950_000); err != nil || got != (Interval{}) {
		t.Errorf("differences that are all 0: %v, %v", got, err)
	}
}
