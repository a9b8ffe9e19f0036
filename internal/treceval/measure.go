package treceval

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// Measure is a metric, or one of trec_eval's measures that are none: counts and the run's name.
type Measure struct {
	Name string

	metric relevance.Metric
	count  func(*reader) int // of a query; over all queries it is summed

	own   func(*reader) float64 // in place of a metric
	gains map[float64]float64   // see ndcgWithGains
}

// The measures that a run has only as a whole.
const (
	runName    = "runid"
	queryCount = "num_q"
)

// counts are trec_eval's measures that are whole numbers.
var counts = map[string]func(*reader) int{
	"num_ret":               func(r *reader) int { return len(r.ranks) },
	"num_rel":               func(r *reader) int { return count(r.judged, r.RelevantFrom, inf) },
	"num_rel_ret":           func(r *reader) int { return count(r.ranks, r.RelevantFrom, inf) },
	"num_nonrel_judged_ret": func(r *reader) int { return count(r.ranks, 0, r.RelevantFrom) },
}

var inf = math.Inf(1)

// count counts the grades from one, included, to another, excluded.
func count(grades []float64, from, to float64) int {
	n := 0
	for _, grade := range grades {
		if grade >= from && grade < to {
			n++
		}
	}
	return n
}

// trecOrder holds trec_eval's measures, those that are not here included, in the order in which it prints them.
var trecOrder = []string{
	runName, queryCount, "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
	"iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G",
	"ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall",
	"set_map", "set_F", "num_nonrel_judged_ret",
}

// nicknames are trec_eval's words for several measures.
var nicknames = map[string][]string{
	"official": trecOrder[:12],
	"all_trec": trecOrder,
	"set": {
		runName, queryCount, "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P",
		"set_map", "set_F",
	},
}

// ParseMeasures reads the names of measures: those of relevance.ParseMetric with the Exponential gain, trec_eval's
// counts and its nicknames (official, set, all_trec), and its parameters (P.5,10 and ndcg.1=3 and set_F.0.5). A measure that is named
// twice is taken once. maxGrade is the highest grade of the scale for err@k, or 0.
//
// absent lists what a nickname stands for and is not here. An unknown name is an error.
func ParseMeasures(names []string, relevantFrom float64, maxGrade int) (measures []Measure, absent []string, err error) {
	add := func(name string) error {
		m, err := parseMeasure(name, relevantFrom, maxGrade)
		if err == nil && !slices.ContainsFunc(measures, func(other Measure) bool { return other.Name == m.Name }) {
			measures = append(measures, m)
		}
		return err
	}
	for _, name := range names {
		members, isNickname := nicknames[name]
		if !isNickname {
			members = []string{name}
		}
		for _, member := range members {
			for _, expanded := range expand(member) {
				if err := add(expanded); err != nil && !isNickname {
					return nil, nil, err
				} else if err != nil && !slices.Contains(absent, member) {
					absent = append(absent, member)
				}
			}
		}
	}
	return measures, absent, nil
}

func parseMeasure(name string, relevantFrom float64, maxGrade int) (Measure, error) {
	if count, ok := counts[name]; ok || name == runName || name == queryCount {
		return Measure{Name: name, count: count}, nil
	}
	if m, ok, err := parseParameters(name, relevantFrom); ok {
		return m, err
	}
	metric, err := relevance.ParseMetric(name, relevance.Exponential, relevantFrom)
	if err == nil {
		metric, err = metric.WithMaxGrade(maxGrade)
	}
	return Measure{Name: name, metric: metric}, err
}

// SortAsTrecEval puts measures into the order in which trec_eval prints them, whatever order they were asked for in.
// Measures that it does not know come last, in their order.
func SortAsTrecEval(measures []Measure) {
	slices.SortStableFunc(measures, func(a, b Measure) int {
		placeA, cutA := trecPlace(a.Name)
		placeB, cutB := trecPlace(b.Name)
		return cmp.Or(cmp.Compare(placeA, placeB), cmp.Compare(cutA, cutB))
	})
}

// trecPlace is the place of a measure's name among trecOrder, and its cut-off, if any.
func trecPlace(name string) (place, cut int) {
	if place := slices.Index(trecOrder, name); place >= 0 {
		return place, 0
	}
	if i := strings.LastIndexByte(name, '_'); i >= 0 {
		cut, _ := strconv.Atoi(name[i+1:]) // 0 for parameters of another kind
		if place := slices.Index(trecOrder, name[:i]); place >= 0 {
			return place, cut
		}
	}
	return len(trecOrder), 0
}

// IsCount says that the measure is a whole number that is summed over the queries, not averaged.
func (m Measure) IsCount() bool { return m.count != nil || m.Name == queryCount }

// OfQuery says that the measure has a value for each query.
func (m Measure) OfQuery() bool {
	return m.Name != runName && m.Name != queryCount && m.Name != geometricMAP
}

// format writes a value of the measure: a whole number for a count, else 4 or 6 decimals; false for NaN.
func (m Measure) format(value float64, decimals int) (string, bool) {
	switch {
	case math.IsNaN(value):
		return "", false
	case m.IsCount():
		decimals = 0
	}
	return strconv.FormatFloat(value, 'f', decimals, 64), true
}

// score is the measure's value for the query that r has read. A query without a relevant document counts as 0, as in
// trec_eval; one without a hit has no judged@k, which is NaN.
func (m Measure) score(r *reader) (float64, error) {
	switch {
	case !m.OfQuery() && m.Name != geometricMAP:
		return math.NaN(), nil
	case m.count != nil:
		return float64(m.count(r)), nil
	case m.own != nil:
		return m.own(r), nil
	}
	ranks, judged := r.ranks, r.judged
	if m.gains != nil {
		ranks, judged = m.worth(ranks), m.worth(judged)
	}
	score, err := m.metric.Score(ranks, judged)
	switch {
	case errors.Is(err, relevance.ErrUndefined):
		return 0, nil
	case errors.Is(err, relevance.ErrNoHits):
		return math.NaN(), nil
	}
	return score, err
}
