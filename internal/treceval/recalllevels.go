package treceval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

const (
	interpolated = "iprec_at_recall"
	elevenPoints = "11pt_avg"
	geometricMAP = "gm_map"
)

// recallLevels are trec_eval's own levels of recall.
var recallLevels = []float64{0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}

// expand returns the names of what trec_eval's option -m means by an argument: those of relevance.ExpandTrec, and
// iprec_at_recall_0.1 and so on for iprec_at_recall or iprec_at_recall.0.1,0.2.
func expand(argument string) []string {
	rest, found := strings.CutPrefix(argument, interpolated)
	if !found || rest != "" && rest[0] != '.' {
		return relevance.ExpandTrec(argument)
	}
	levels := recallLevels
	if rest != "" {
		levels = nil
		for text := range strings.SplitSeq(rest[1:], ",") {
			level, ok := number(text)
			if !ok {
				return []string{argument}
			}
			levels = append(levels, level)
		}
		slices.Sort(levels)
	}
	var names []string
	for _, level := range levels {
		names = append(names, interpolated+"_"+strconv.FormatFloat(level, 'f', -1, 64))
	}
	return names
}

// interpolatedPrecision is trec_eval's iprec_at_recall: the highest precision at any rank from which on the share of the
// relevant documents that were found is at least the level, which is from 0 to 1.
func interpolatedPrecision(name string) (Measure, error) {
	text := strings.TrimLeft(name[len(interpolated):], "_.")
	level, err := strconv.ParseFloat(text, 64)
	if err != nil || !(level >= 0 && level <= 1) {
		return Measure{}, fmt.Errorf("measure %q has %q for a level of recall: write numbers from 0 to 1, such as %s.0.1,0.5", name, text, interpolated)
	}
	return Measure{Name: fmt.Sprintf("%s_%.2f", interpolated, level), own: func(r *reader) float64 { return precisionFrom(level, r) }}, nil
}

func precisionFrom(level float64, r *reader) float64 {
	// The nine tenths are those of version 9.0.8; version 10 rounds.
	needed := int(level*float64(count(r.judged, r.RelevantFrom, inf)) + .9)
	found, highest := 0, 0.0
	for i, grade := range r.ranks {
		if grade < r.RelevantFrom {
			continue
		}
		if found++; found >= needed {
			highest = max(highest, float64(found)/float64(i+1))
		}
	}
	return highest
}

// averageOfLevels is trec_eval's 11pt_avg: the mean of iprec_at_recall over its eleven levels.
func averageOfLevels(r *reader) float64 {
	sum := 0.0
	for _, level := range recallLevels {
		sum += precisionFrom(level, r)
	}
	return sum / float64(len(recallLevels))
}

// leastAP stands for an average precision of 0 in the geometric mean.
const leastAP = .00001

// geometricMean is that of some average precisions, NaN of none.
func geometricMean(scores []float64) float64 {
	sum := 0.0
	for _, score := range scores {
		sum += math.Log(max(score, leastAP))
	}
	return math.Exp(sum / float64(len(scores)))
}
