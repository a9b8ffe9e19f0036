package relevance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/nearest"
)

// guessable is a name, and a number that was probably meant as its cut-off: "NDCG_cut_10", "ndcg10", "P@5".
var guessable = regexp.MustCompile(`^(.*?)[^A-Za-z0-9]*([0-9]*)$`)

// exampleRBP is rbp with a persistence, without which it is no metric.
const exampleRBP = "rbp.80"

// hitRates are other tools' names of success, which no letter tells.
var hitRates = []string{"hit", "hits", "hitrate"}

// unknownMetric says which metric was probably meant or, if none is near, which there are.
func unknownMetric(name string) error {
	if len(name) > 64 {
		return fmt.Errorf("a metric's name is %d bytes long: use %s", len(name), known())
	}
	if meant := guess(name); meant != "" {
		return fmt.Errorf("metric %q is not known: did you mean %s?", name, meant)
	}
	return fmt.Errorf("metric %q is not known: use %s", name, known())
}

// guess is the name that was probably meant, with its cut-off, or empty.
func guess(name string) string {
	if strings.HasPrefix(strings.ToLower(name), string(RBP)) { // "rbp@0.8" or "RBP(p=0.8)"
		return exampleRBP
	}
	parts := guessable.FindStringSubmatch(name)
	if parts == nil {
		return ""
	}
	number := strings.TrimLeft(parts[2], "0")
	if k, err := strconv.Atoi(number); err != nil || k > MaxK {
		number = ""
	}
	var words []string
	for _, d := range kinds {
		words = append(words, string(d.kind))
	}
	for _, measure := range trecMeasures {
		if len(measure.name) > 1 || strings.EqualFold(measure.name, parts[1]) { // any letter is near to P
			words = append(words, measure.name)
		}
	}
	meant, ok := nearest.Word(parts[1], append(words, hitRates...))
	if !ok {
		return ""
	}
	return complete(meant, number)
}

// complete adds to a word the cut-off, and one of 10 where there must be one.
func complete(word, number string) string {
	sign, cut := "@", mustCut
	if d, ok := lookUp(word); ok {
		cut = d.cut
	} else if measure, ok := lookUpTrec(word); ok {
		sign, cut = "_", measure.cut
	} else {
		word = string(Success)
	}
	if cut == mustCut && number == "" {
		number = "10"
	}
	switch {
	case word == string(RBP):
		return exampleRBP
	case cut == noCut || number == "":
		return word
	}
	return word + sign + number
}

// known lists the metrics for a message.
func known() string {
	var out []string
	for _, d := range kinds {
		switch {
		case d.kind == RBP:
			out = append(out, exampleRBP)
		case d.cut == mustCut:
			out = append(out, string(d.kind)+"@K")
		case d.cut == mayCut:
			out = append(out, string(d.kind), string(d.kind)+"@K")
		default:
			out = append(out, string(d.kind))
		}
	}
	return strings.Join(out, ", ") + " or a name of trec_eval's, such as ndcg_cut_10"
}
