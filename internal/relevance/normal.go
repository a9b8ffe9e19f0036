package relevance

import "math"

// The standard library's exp, erf and erfinv may differ in the last bit from one architecture to the next, and with it the
// end of an interval. So these two are made of sums of quotients and a square root, which are exact or rounded alike
// everywhere.

// farOut is where the tail of the normal distribution is below what a float64 near 1 can tell.
const farOut = 8.5

// normalCDF is the share of a standard normal distribution below x, to about 15 digits, by the series
// 1/2 + density(x) * (x + x^3/3 + x^5/(3*5) + ...) (Marsaglia 2004).
func normalCDF(x float64) float64 {
	if x < 0 {
		return 1 - normalCDF(-x)
	}
	if x > farOut {
		return 1
	}
	term, sum := x, x
	for odd := 3.0; term > sum*1e-17; odd += 2 {
		term = term * x * x / odd
		sum += term
	}
	return .5 + sum/(exponential(x*x/2)*math.Sqrt(2*math.Pi))
}

// exponential is e^x for x from 0 to about 40, by its series, whose terms are all above 0 and so lose no digits.
func exponential(x float64) float64 {
	term, sum := 1.0, 1.0
	for k := 1.0; term > sum*1e-17; k++ {
		term = term * x / k
		sum += term
	}
	return sum
}

// normalQuantile is the x with normalCDF(x) = p, for p above 0 and below 1, found by halving.
func normalQuantile(p float64) float64 {
	low, high := -farOut, farOut
	for {
		middle := (low + high) / 2
		if middle <= low || middle >= high {
			return middle
		}
		if normalCDF(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
}
