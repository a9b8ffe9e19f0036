package treceval

import (
	"strconv"
	"strings"
)

// maxExact is how many digits a float64 holds, whatever they are; a power of ten up to the 22nd is exact too.
const maxExact = 15

// powers holds the powers of ten up to the maxExact-th.
var powers = [maxExact + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// number reads a finite decimal number: an optional sign, digits with an optional point, an optional exponent. Hex,
// NaN, infinities and what exceeds a float64 are none.
func number(text string) (float64, bool) {
	if value, ok := shortNumber(text); ok {
		return value, true
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

// whole is what trec_eval reads a number as: its sign and first digits, without point and exponent.
func whole(text string) float64 {
	end := strings.IndexAny(text, ".eE")
	if end < 0 {
		end = len(text)
	}
	value, _ := strconv.Atoi(text[:end]) // 0 without digits
	return float64(value)
}

// shortNumber reads what most numbers are, up to 15 digits with or without a point, faster than strconv: the quotient
// of two numbers that a float64 holds exactly is rounded once, so it is the same.
func shortNumber(text string) (float64, bool) {
	mantissa, digits, point := 0, 0, len(text)-1
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			mantissa = 10*mantissa + int(c-'0')
			digits++
		case c == '.' && digits == i:
			point = i
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > maxExact {
		return 0, false
	}
	return float64(mantissa) / powers[len(text)-1-point], true
}
