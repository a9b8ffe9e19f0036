package relevance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/nearest"
)

// kinds holds the kinds in the order in which messages list them; true: the kind has a cut-off.
var kinds = []struct {
	kind Kind
	cut  bool
}{{NDCG, true}, {Recall, true}, {Precision, true}, {NonEmpty, false}, {NoResults, false}}

// wellFormed is a name with an optional cut-off; guessable is one that probably meant that ("NDCG_cut_10", "ndcg10").
var (
	wellFormed = regexp.MustCompile(`^([a-z]+)(?:@([0-9]+))?$`)
	guessable  = regexp.MustCompile(`^([A-Za-z]+)[^0-9]*([0-9]*)$`)
)

// ParseMetric reads a metric's name, such as "ndcg@10" or "nonempty". An empty gain is Exponential.
//
// The error is one sentence: an unknown name (with the nearest right one), a cut-off that is missing, superfluous or
// outside 1..10000, an unknown gain, a relevantFrom that is not above 0 (with 0, documents judged as not relevant would
// count as relevant).
func ParseMetric(name string, gain Gain, relevantFrom float64) (Metric, error) {
	parts := wellFormed.FindStringSubmatch(name)
	if parts == nil {
		return Metric{}, unknownMetric(name)
	}
	kind, cut, ok := lookUp(parts[1])
	if !ok {
		return Metric{}, unknownMetric(name)
	}
	k, err := parseCutOff(name, cut, parts[2])
	if err != nil {
		return Metric{}, err
	}
	if gain == "" {
		gain = Exponential
	}
	if gain != Exponential && gain != Linear {
		return Metric{}, fmt.Errorf("metric %q has the unknown gain %q: write %s or %s", name, gain, Exponential, Linear)
	}
	notUsed := !cut && relevantFrom == 0
	if !notUsed && !(relevantFrom > 0 && relevantFrom <= MaxGrade) { // written so that NaN is refused
		return Metric{}, fmt.Errorf("metric %q has relevantFrom %v: write a grade above 0 and up to %d", name, relevantFrom, MaxGrade)
	}
	return Metric{Name: name, Kind: kind, K: k, Gain: gain, RelevantFrom: relevantFrom}, nil
}

// parseCutOff reads the digits after the @; without a cut-off there must be none, and it is 0.
func parseCutOff(name string, cut bool, digits string) (int, error) {
	switch {
	case !cut && digits == "":
		return 0, nil
	case !cut:
		return 0, fmt.Errorf("metric %q takes no cut-off: write %s", name, strings.TrimSuffix(name, "@"+digits))
	case digits == "":
		return 0, fmt.Errorf("metric %q has no cut-off: write %s@10, or another number from 1 to %d", name, name, MaxK)
	}
	k, err := strconv.Atoi(digits)
	if err != nil || k < 1 || k > MaxK || digits[0] == '0' {
		return 0, fmt.Errorf("metric %q has the cut-off %s: write a whole number from 1 to %d", name, digits, MaxK)
	}
	return k, nil
}

// lookUp finds a kind by its name.
func lookUp(name string) (kind Kind, cut, ok bool) {
	for _, k := range kinds {
		if string(k.kind) == name {
			return k.kind, k.cut, true
		}
	}
	return "", false, false
}

// unknownMetric says which metric was probably meant or, if none is near, which there are.
func unknownMetric(name string) error {
	if len(name) > 64 {
		return fmt.Errorf("a metric's name is %d bytes long: use %s", len(name), known())
	}
	if parts := guessable.FindStringSubmatch(name); parts != nil {
		if meant, ok := nearest.Word(parts[1], names()); ok {
			if _, cut, _ := lookUp(meant); cut {
				k := parts[2]
				if n, err := strconv.Atoi(k); err != nil || n < 1 || n > MaxK {
					k = "10"
				}
				meant += "@" + strings.TrimLeft(k, "0")
			}
			return fmt.Errorf("metric %q is not known: did you mean %s?", name, meant)
		}
	}
	return fmt.Errorf("metric %q is not known: use %s", name, known())
}

// names lists the names of the kinds.
func names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, string(k.kind))
	}
	return out
}

// known lists the metrics for a message.
func known() string {
	out := ""
	for i, k := range kinds {
		switch {
		case i == len(kinds)-1:
			out += " or "
		case i > 0:
			out += ", "
		}
		out += string(k.kind)
		if k.cut {
			out += "@K"
		}
	}
	return out
}
