package relevance

import (
	"math"
	"testing"
)

func TestRound(t *testing.T) {
	for _, row := range []struct {
		name string
		x    float64
		want Millionths
	}{
		{"zero", 0, 0},
		{"one", 1, 1_000_000},
		{"down", 0.7123454, 712_345},
		{"up", 0.7123456, 712_346},
		{"half to the even one below", 0.0000005, 0},
		{"half to the even one above", 0.0000015, 2},
		{"half to the even one below again", 0.0000025, 2},
		{"an exact binary half to the even one below", 1. / 128, 7812},
		{"an exact binary half to the even one above", 3. / 128, 23438},
		{"a negative half to the even one", -0.0000015, -2},
		{"a third", 1. / 3, 333_333},
		{"just below one", math.Nextafter(1, 0), 1_000_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := Round(row.x); got != row.want || err != nil {
				t.Errorf("Round(%v) = %d, %v; want %d", row.x, got, err, row.want)
			}
		})
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e11, -1e300} {
		if got, err := Round(bad); err == nil {
			t.Errorf("Round(%v) = %d, want an error", bad, got)
		}
	}
}

func TestFormat(t *testing.T) {
	for m, want := range map[Millionths]string{
		0: "0.000000", 1: "0.000001", 712_000: "0.712000", 1_000_000: "1.000000", -1: "-0.000001", -149_000: "-0.149000",
		12_345_678: "12.345678", math.MaxInt64: "9223372036854.775807", math.MinInt64: "-9223372036854.775808",
	} {
		if got := Format(m); got != want {
			t.Errorf("Format(%d) = %q, want %q", m, got, want)
		}
	}
}
