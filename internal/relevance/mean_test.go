package relevance

import (
	"math"
	"slices"
	"testing"
)

func TestMean(t *testing.T) {
	for _, row := range []struct {
		name            string
		scores, weights []float64
		want            float64
	}{
		{"V22 heavy queries count more", []float64{1, .5, 0}, []float64{100, 10, 1}, 0.9459459459459459},
		{"V22 nil weights weigh alike", []float64{1, .5, 0}, nil, .5},
		{"V22 the scale of weights is irrelevant", []float64{1, .5, 0}, []float64{1, .1, .01}, 0.9459459459459459},
		{"V23 small scores do not vanish", slices.Repeat([]float64{.004}, 1000), nil, .004},
		{"one query is its own mean", []float64{.25}, []float64{7}, .25},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Mean(row.scores, row.weights); math.Abs(got-row.want) > tolerance {
				t.Errorf("Mean = %.16f, want %.16f", got, row.want)
			}
		})
	}
}

func TestMeanOfNothingIsNoScore(t *testing.T) {
	for _, got := range []float64{Mean(nil, nil), Mean([]float64{}, []float64{}), Mean([]float64{1, 1}, []float64{1})} {
		if _, err := Round(got); err == nil {
			t.Errorf("the mean %v can be rounded to a score", got)
		}
	}
}

func TestMeanOfPerfectScoresIsOne(t *testing.T) {
	var scores, weights []float64
	for i := range 1000 {
		scores, weights = append(scores, 1), append(weights, .1+float64(i)/7)
		if got := Mean(scores, weights); got != 1 {
			t.Fatalf("the mean of %d ones is %v", i+1, got)
		}
	}
}
