package v1alpha1_test

import (
	"math"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

func TestAFractionIsReadExactly(t *testing.T) {
	for _, row := range []struct {
		text v1alpha1.Fraction
		want int64
	}{
		{"0", 0}, {"1", 1_000_000}, {"0.85", 850_000}, {"0.8", 800_000}, {"0.000001", 1}, {"0.999999", 999_999},
		{"1.0", 1_000_000}, {"1.000000", 1_000_000}, {"0.0", 0},
		// As a float these are off by one in the last bit.
		{"0.29", 290_000}, {"0.57", 570_000}, {"0.58", 580_000},
	} {
		g := NewWithT(t)
		n, err := row.text.Millionths()
		g.Expect(err).NotTo(HaveOccurred(), "%q", row.text)
		g.Expect(n).To(Equal(row.want), "%q", row.text)
	}
	for _, text := range []v1alpha1.Fraction{
		"", "2", "1.1", "1.000001", "-0.1", "+0.1", "0.", ".5", "0.1234567", "00.5", "0,5", "1e-1", " 0.5", "0.5 ", "0.+5", "NaN",
	} {
		_, err := text.Millionths()
		NewWithT(t).Expect(err).To(HaveOccurred(), "%q", text)
	}
}

func TestADecimalIsWrittenAndReadExactly(t *testing.T) {
	pattern := regexp.MustCompile(`^-?[0-9]{1,12}\.[0-9]{6}$`)
	for _, row := range []struct {
		millionths int64
		want       v1alpha1.Decimal
	}{
		{0, "0.000000"}, {1, "0.000001"}, {-1, "-0.000001"}, {873_400, "0.873400"}, {-20_000, "-0.020000"},
		{1_000_000, "1.000000"}, {120_500_000, "120.500000"},
		{999_999_999_999_999_999, "999999999999.999999"}, {-999_999_999_999_999_999, "-999999999999.999999"},
	} {
		g := NewWithT(t)
		written := v1alpha1.DecimalOf(row.millionths)
		g.Expect(written).To(Equal(row.want))
		g.Expect(string(written)).To(MatchRegexp(pattern.String()))
		g.Expect(len(written)).To(BeNumerically("<=", 20))
		read, err := written.Millionths()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(read).To(Equal(row.millionths))
	}
	NewWithT(t).Expect(v1alpha1.DecimalOf(math.MinInt64)).To(Equal(v1alpha1.Decimal("-9223372036854.775808")))
	for _, text := range []v1alpha1.Decimal{
		"", "-", "0", "0.5", ".000000", "-.000000", "0.0000000", "--0.000000", "+0.000000", "NaN", "0.00000x",
		"1234567890123.000000", "1_0.000000",
	} {
		_, err := text.Millionths()
		NewWithT(t).Expect(err).To(HaveOccurred(), "%q", text)
	}
}
