package treceval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

var (
	// withGains is trec_eval's ndcg with what grades are worth, and withWeight its set_F with the weight of recall; with a
	// point as its option -m has them, or with the line that it prints.
	withGains  = regexp.MustCompile(`^ndcg(?:\.(.*)|_([0-9]+=.*))$`)
	withWeight = regexp.MustCompile(`^set_F(?:\.(.*)|_([0-9.].*))$`)
)

// parseParameters reads a measure of trec_eval with parameters that are no cut-offs, or with levels of recall, or gm_map.
// ok is false for any other.
func parseParameters(name string, relevantFrom float64) (m Measure, ok bool, err error) {
	if parts := withGains.FindStringSubmatch(name); parts != nil {
		m, err = ndcgWithGains(parts[1] + parts[2])
		return m, true, err
	}
	if parts := withWeight.FindStringSubmatch(name); parts != nil {
		m, err = weightedF(parts[1] + parts[2])
		return m, true, err
	}
	switch {
	case name == geometricMAP:
		m, err = parseMeasure("map", relevantFrom, 0)
		m.Name = geometricMAP
		return m, true, err
	case name == elevenPoints:
		return Measure{Name: name, own: averageOfLevels}, true, nil
	case strings.HasPrefix(name, interpolated):
		m, err = interpolatedPrecision(name)
		return m, true, err
	}
	family, parameters, found := strings.Cut(name, ".")
	if !found || !slices.Contains(trecOrder, family) {
		return Measure{}, false, nil
	}
	if len(relevance.ExpandTrec(family)) > 1 {
		return Measure{}, true, fmt.Errorf("measure %q has %q for cut-offs: write whole numbers, such as %s.5,10", name, parameters, family)
	}
	if _, err := parseMeasure(family, 1, 0); err != nil {
		return Measure{}, true, err
	}
	return Measure{}, true, fmt.Errorf("measure %q: %s takes no parameters: write %s", name, family, family)
}

// ndcgWithGains is ndcg with other gains than the grades, as in "1=3.5,2=9": a grade that is not listed is worth itself.
func ndcgWithGains(text string) (Measure, error) {
	m := Measure{Name: "ndcg_" + text, gains: map[float64]float64{}}
	for _, pair := range strings.Split(text, ",") {
		left, right, _ := strings.Cut(pair, "=")
		grade, err := strconv.Atoi(left)
		gain, ok := number(right)
		if _, again := m.gains[float64(grade)]; err != nil || again || !ok || !(gain >= 0 && gain <= relevance.MaxLinearGrade) {
			return Measure{}, fmt.Errorf("measure %q has %q for a gain: write GRADE=GAIN, each grade once, with a gain from 0 to %d, such as ndcg.1=3.5,2=9",
				"ndcg."+text, pair, relevance.MaxLinearGrade)
		}
		m.gains[float64(grade)] = gain
	}
	var err error
	m.metric, err = relevance.ParseMetric("ndcg", relevance.Linear, 1)
	return m, err
}

// worth replaces grades by their gains.
func (m Measure) worth(grades []float64) []float64 {
	out := slices.Clone(grades)
	for i, grade := range out {
		if gain, ok := m.gains[grade]; ok {
			out[i] = gain
		}
	}
	return out
}

// weightedF is trec_eval's set_F with a weight x of recall from 0 on: (x+1) * P * R / (R + x*P). The x is not squared.
func weightedF(text string) (Measure, error) {
	x, ok := number(text)
	if !ok || x < 0 {
		return Measure{}, fmt.Errorf("measure %q has the weight %q: write one number from 0 on, such as set_F.0.5", "set_F."+text, text)
	}
	return Measure{Name: "set_F_" + text, own: func(r *reader) float64 { return scoreF(x, r) }}, nil
}

// scoreF is set_F of the query that r has read; 0 if nothing relevant was found or is there.
func scoreF(x float64, r *reader) float64 {
	found := float64(count(r.ranks, r.RelevantFrom, inf))
	if found == 0 {
		return 0
	}
	precision := found / float64(len(r.ranks))
	recall := found / float64(count(r.judged, r.RelevantFrom, inf))
	return (x + 1) * precision * recall / (recall + x*precision)
}
