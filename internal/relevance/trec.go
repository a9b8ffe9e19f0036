package relevance

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// trecMeasure is what trec_eval calls a metric, with _K behind it where cut is mustCut.
type trecMeasure struct {
	name string
	kind Kind
	cut  cutOff
}

// trecMeasures holds the measures of trec_eval that are here under its names. map and bpref need no line: they have the
// same name and meaning on both sides.
var trecMeasures = []trecMeasure{
	{"ndcg", NDCG, noCut},
	{"ndcg_cut", NDCG, mustCut},
	{"P", Precision, mustCut},
	{"recall", Recall, mustCut},
	{"map_cut", MAP, mustCut},
	{"success", Success, mustCut},
	{"recip_rank", MRR, noCut},
	{"Rprec", RPrecision, noCut},
	{"set_P", SetPrecision, noCut},
	{"set_recall", SetRecall, noCut},
	{"set_F", SetF, noCut},
	{"set_map", SetMAP, noCut},
}

// trecOnly are the measures of trec_eval, versions 9 and 10, that are not here. They may have a parameter behind them.
var trecOnly = []string{
	"11pt_avg", "G", "P_avgjg", "Rndcg", "Rprec_mult", "Runj", "binG", "gm_bpref", "gm_map", "ideal_dcg", "infAP",
	"iprec_at_recall", "map_avgjg", "ndcg_rel", "num_nonjudged_ret", "num_nonrel_judged_ret", "num_q", "num_rel",
	"num_rel_ret", "num_ret", "prefs", "rbp_resid", "relative_P", "relstring", "runid", "set_relative_P", "unj",
	"utility", "yaap",
}

var (
	// withCut is a measure of trec_eval with a cut-off.
	withCut = regexp.MustCompile(`^([A-Za-z_]+)_([0-9]+)$`)
	// withParameter splits off what trec_eval appends to a measure's name.
	withParameter = regexp.MustCompile(`^(.+?)(?:[_.][0-9.,=-]+)?$`)
)

// readTrec fills in what a name of trec_eval says; read is false for a name that is none of its.
func (m *Metric) readTrec() (read bool, err error) {
	name, digits := m.Name, ""
	if parts := withCut.FindStringSubmatch(name); parts != nil {
		name, digits = parts[1], parts[2]
	}
	measure, ok := lookUpTrec(name)
	if !ok || (measure.cut == mustCut) != (digits != "") {
		return false, refuseTrecOnly(m.Name)
	}
	m.Kind, m.Gain = measure.kind, Linear
	m.K, err = parseCutOff(m.Name, measure.cut, digits)
	return true, err
}

// lookUpTrec finds a measure of trec_eval that is here by its name without a cut-off.
func lookUpTrec(name string) (trecMeasure, bool) {
	for _, m := range trecMeasures {
		if m.name == name {
			return m, true
		}
	}
	return trecMeasure{}, false
}

// refuseTrecOnly returns an error for a measure that only trec_eval has.
func refuseTrecOnly(name string) error {
	word := withParameter.FindStringSubmatch(name)
	if word == nil {
		return nil
	}
	if slices.Contains(trecOnly, word[1]) || strings.HasPrefix(name, "prefs_") {
		return fmt.Errorf("metric %q is a measure of trec_eval that is not here: use %s", name, known())
	}
	return nil
}

// trecCuts are trec_eval's own cut-offs, and successCuts those of its success.
var (
	trecCuts    = []int{5, 10, 15, 20, 30, 100, 200, 500, 1000}
	successCuts = []int{1, 5, 10}
)

// ExpandTrec returns the names, for ParseMetric, of what trec_eval's option -m means by an argument: "P.10,5" is P_5 and
// P_10, in the order in which trec_eval prints them, and "P" is P_5 to P_1000, trec_eval's own cut-offs. Any other
// argument is itself, also one whose cut-offs are no numbers.
func ExpandTrec(argument string) []string {
	name, list, given := strings.Cut(argument, ".")
	measure, ok := lookUpTrec(name)
	if !ok || measure.cut != mustCut {
		return []string{argument}
	}
	cuts := trecCuts
	if name == "success" {
		cuts = successCuts
	}
	if given {
		cuts = nil
		for _, text := range strings.Split(list, ",") {
			k, err := strconv.Atoi(text)
			if err != nil {
				return []string{argument}
			}
			cuts = append(cuts, k)
		}
		slices.SortFunc(cuts, cmp.Compare[int])
	}
	var names []string
	for _, k := range cuts {
		names = append(names, fmt.Sprintf("%s_%d", name, k))
	}
	return names
}
