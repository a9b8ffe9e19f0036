package v1alpha1

import (
	"fmt"
	"strconv"
	"strings"
)

// million is how many millionths make one: the resolution of every number in spec and status.
const million = 1_000_000

// Millionths returns the fraction as an integer number of millionths, which compares without error. An empty fraction
// is an error, and so is anything that the API server would have refused.
func (f Fraction) Millionths() (int64, error) {
	whole, decimals, dotted := strings.Cut(string(f), ".")
	if (whole != "0" && whole != "1") || len(decimals) > 6 || (dotted && decimals == "") || strings.Trim(decimals, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a fraction between 0 and 1 with at most 6 decimals", string(f))
	}
	n, err := strconv.ParseInt(whole+decimals+"000000"[len(decimals):], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the fraction %q: %w", string(f), err)
	}
	if n > million {
		return 0, fmt.Errorf("%q is above 1", string(f))
	}
	return n, nil
}

// DecimalOf writes an integer number of millionths with 6 decimals: 873400 becomes "0.873400".
func DecimalOf(millionths int64) Decimal {
	sign, n := "", uint64(millionths)
	if millionths < 0 {
		sign, n = "-", -n
	}
	return Decimal(fmt.Sprintf("%s%d.%06d", sign, n/million, n%million))
}

// Millionths returns the number as an integer number of millionths.
func (d Decimal) Millionths() (int64, error) {
	whole, decimals, _ := strings.Cut(strings.TrimPrefix(string(d), "-"), ".")
	digits := whole + decimals
	if whole == "" || len(whole) > 12 || len(decimals) != 6 || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a number with 6 decimals", string(d))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the number %q: %w", string(d), err)
	}
	if strings.HasPrefix(string(d), "-") {
		n = -n
	}
	return n, nil
}
