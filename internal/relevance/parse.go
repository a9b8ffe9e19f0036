package relevance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// wellFormed is a name, for rbp the decimals of its persistence, and a cut-off where there is one.
var wellFormed = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)(?:\.([0-9]{1,6}))?(?:@([0-9]+))?$`)

// ParseMetric reads a metric's name: one of this project, such as "ndcg@10", "map" or "rbp.80" (persistence 0.80), or
// one of trec_eval, such as "ndcg_cut_10" or "recip_rank". An empty gain is Exponential. trec_eval's names mean what
// they mean there, so its ndcg and ndcg_cut_K have the Linear gain, whatever gain is given. err needs WithMaxGrade too.
//
// The error is one sentence: an unknown name (with the nearest right one), a measure of trec_eval that is not here, a
// cut-off that is missing, superfluous or outside 1..10000, a persistence that is missing or 0, an unknown gain, a
// relevantFrom that is not above 0 (with 0, documents judged as not relevant would count as relevant).
func ParseMetric(name string, gain Gain, relevantFrom float64) (Metric, error) {
	if gain == "" {
		gain = Exponential
	}
	m := Metric{Name: name, Gain: gain, RelevantFrom: relevantFrom}
	read, err := m.readTrec()
	if !read && err == nil {
		err = m.readOwn()
	}
	if err != nil {
		return Metric{}, err
	}
	if gain != Exponential && gain != Linear {
		return Metric{}, fmt.Errorf("metric %q has the unknown gain %q: write %s or %s", name, gain, Exponential, Linear)
	}
	notUsed := !m.UsesRelevantFrom() && relevantFrom == 0
	if !notUsed && !(relevantFrom > 0 && relevantFrom <= MaxLinearGrade) { // written so that NaN is refused
		return Metric{}, fmt.Errorf("metric %q has relevantFrom %v: write a grade above 0 and up to %d", name, relevantFrom, MaxLinearGrade)
	}
	return m, nil
}

// readOwn fills in what a name of this project says.
func (m *Metric) readOwn() error {
	parts := wellFormed.FindStringSubmatch(m.Name)
	if parts == nil {
		return unknownMetric(m.Name)
	}
	word, decimals, digits := parts[1], parts[2], parts[3]
	d, ok := lookUp(word)
	if !ok || decimals != "" && d.kind != RBP {
		return unknownMetric(m.Name)
	}
	m.Kind = d.kind
	if d.kind == RBP {
		m.Persistence, _ = strconv.ParseFloat("0."+decimals, 64) // digits alone
		if m.Persistence == 0 {
			return fmt.Errorf("metric %q does not say with what probability the reader goes on: write rbp.80 for 0.80", m.Name)
		}
	}
	var err error
	m.K, err = parseCutOff(m.Name, d.cut, digits)
	return err
}

// parseCutOff reads the digits after the @. Without a cut-off it is 0.
func parseCutOff(name string, cut cutOff, digits string) (int, error) {
	switch {
	case cut == noCut && digits != "":
		return 0, fmt.Errorf("metric %q takes no cut-off: write %s", name, strings.TrimSuffix(name, "@"+digits))
	case cut == mustCut && digits == "":
		return 0, fmt.Errorf("metric %q has no cut-off: write %s@10, or another number from 1 to %d", name, name, MaxK)
	case digits == "":
		return 0, nil
	}
	k, err := strconv.Atoi(digits)
	if err != nil || k < 1 || k > MaxK || digits[0] == '0' {
		return 0, fmt.Errorf("metric %q has the cut-off %s: write a whole number from 1 to %d", name, digits, MaxK)
	}
	return k, nil
}

// lookUp finds a kind by the name that it has here.
func lookUp(name string) (definition, bool) {
	for _, d := range kinds {
		if string(d.kind) == name {
			return d, true
		}
	}
	return definition{}, false
}
