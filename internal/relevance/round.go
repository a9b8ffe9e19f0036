package relevance

import (
	"fmt"
	"math"
)

// Millionths is a score or a difference of scores as it is compared, stored and printed: a whole number of 0.000001.
type Millionths = int64

// perUnit is how many millionths make 1.
const perUnit = 1_000_000

// maxRounded is where float64 ends to hold every whole number.
const maxRounded = 1 << 53

// Round rounds to the nearest millionth, and to the even one of two that are equally near. NaN, an infinity and a
// number too large to be exact (over 9,007,199,254) are errors.
func Round(x float64) (Millionths, error) {
	scaled := math.RoundToEven(x * perUnit)
	if !(math.Abs(scaled) <= maxRounded) { // written so that NaN is refused
		return 0, fmt.Errorf("%v cannot be rounded to millionths", x)
	}
	return Millionths(scaled), nil
}

// Format prints millionths with six decimals: 712000 is "0.712000", -1 is "-0.000001".
func Format(m Millionths) string {
	sign, abs := "", uint64(m)
	if m < 0 {
		sign, abs = "-", -abs
	}
	return fmt.Sprintf("%s%d.%06d", sign, abs/perUnit, abs%perUnit)
}
