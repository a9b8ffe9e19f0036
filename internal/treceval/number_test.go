package treceval

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "7": 7, "2.129133": 2.129133, "-1": -1, "+3": 3, "1e3": 1000, "-2.5E-3": -0.0025, ".5": .5, "5.": 5, "00.10": .1,
		"0.1234567890123456789": 0.1234567890123456789, "123456789012345678": 123456789012345678, "1e-400": 0,
		"999999999999999": 999999999999999, "0.00000000000001": 1e-14, "9007199254740993": 9007199254740992,
	} {
		if got, ok := number(text); !ok || got != want {
			t.Errorf("number(%q) = %v, %t; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", ".", "-", "+", "e", "1e", "1.2.3", "1,5", "nan", "NaN", "-nan", "inf", "+Inf", "infinity", "0x10", "1_000", "1e400",
		"-1e999", "--1", "1-", "1 2", "score", "٣", "1e5.0",
	} {
		if got, ok := number(text); ok {
			t.Errorf("number(%q) = %v", text, got)
		}
	}
}

// TestShortNumberIsStrconvs compares the fast way with the standard library's, bit for bit.
func TestShortNumberIsStrconvs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		text := strconv.FormatInt(random.Int64N(1_000_000_000_000_000)>>random.IntN(50), 10)
		if point := random.IntN(len(text) + 1); random.IntN(3) > 0 {
			text = text[:point] + "." + text[point:]
		}
		got, ok := shortNumber(text)
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !ok || got != want {
			t.Fatalf("%s is read as %v, %t; want %v", text, got, ok, want)
		}
	}
}
