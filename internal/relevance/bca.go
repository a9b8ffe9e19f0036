package relevance

import "math"

// alike is by how much two means may differ for rounding alone.
const alike = 1e-12

// BCa is the bias-corrected and accelerated interval (Efron 1987) at a confidence, in millionths, of the mean of a column
// that d was drawn from. It is the percentile interval with ends moved by how lopsided the draws are (the share of them
// below the mean, ties by half) and by how much the spread depends on the mean (from the means with one query left out).
//
// Errors: ErrDegenerate for fewer than two queries, or when all draws lie on one side of the mean; those of Bootstrap.
func (d Distribution) BCa(values, weights []float64, confidence Millionths) (Interval, error) {
	mean, err := checkedMean(values, weights)
	if err != nil {
		return Interval{}, err
	}
	below := 0.0
	for _, drawn := range d {
		switch off := drawn - mean; {
		case off < -alike:
			below++
		case off <= alike:
			below += .5
		}
	}
	share := below / float64(len(d))
	if share == 0 || share == 1 {
		return Interval{}, ErrDegenerate
	}
	bias, lean := normalQuantile(share), acceleration(values, weights)
	end := func(p float64) float64 {
		z := bias + normalQuantile(p)
		moved := normalCDF(bias + z/(1-float64(lean*z)))
		rank := int(math.Ceil(float64(len(d)) * moved))
		return d[min(max(1, rank), len(d))-1]
	}
	a := float64(perUnit-confidence) / (2 * perUnit)
	return Interval{Low: end(a), High: end(1 - a)}, nil
}

// acceleration is sum(off^3) / (6 * sum(off^2)^1.5) over how far each mean with one query left out lies below the mean of
// these means. It is 0 when they are all alike.
func acceleration(values, weights []float64) float64 {
	sum, total := 0.0, 0.0
	for i, value := range values {
		sum += float64(weightOf(weights, i) * value)
		total += weightOf(weights, i)
	}
	left := make([]float64, len(values))
	for i, value := range values {
		left[i] = (sum - float64(weightOf(weights, i)*value)) / (total - weightOf(weights, i))
	}
	mean := Mean(left, nil)
	squares, cubes := 0.0, 0.0
	for _, value := range left {
		off := mean - value
		squares += float64(off * off)
		cubes += float64(off * off * off)
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * squares * math.Sqrt(squares))
}
