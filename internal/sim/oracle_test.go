package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/types"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/golden"
)

// The words that are searched for. Document d1 is what the first query is about, and
// so on: an index is good at a query if that document has its word.
var words = []string{"hat", "scarf", "shoe", "sock"}

// A golden set judges documents by their ids. The second one judges a document
// that no index has, so every index is worse at its last query; the third has
// two queries only; the last cannot be read.
var goldenSets = [][]string{{"d1", "d2", "d3", "d4"}, {"d1", "d2", "d3", "d9"}, {"d1", "d2"}, nil}

const goldenName = "golden"

// goldenText is a golden set as a file.
func goldenText(judged []string) string {
	if judged == nil {
		return "{"
	}
	type object = map[string]any
	var queries []object
	for i, id := range judged {
		queries = append(queries, object{"id": "q" + strconv.Itoa(i+1), "query": words[i], "judgments": []object{{"id": id, "grade": 1}}})
	}
	raw, err := json.Marshal(object{"schema": "relevancegate.dev/golden/v1", "name": "shop", "queries": queries})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// documents are those of an index that is good at the first n queries.
func documents(n int) map[string]string {
	docs := map[string]string{}
	for i, word := range words {
		if i >= n {
			word = "nothing"
		}
		docs["d"+strconv.Itoa(i+1)] = word
	}
	return docs
}

// recall is what recall@10 is by right, in millionths.
func recall(docs map[string]map[string]any, judged []string) int {
	found := 0
	for i, id := range judged {
		if docs[id]["name"] == words[i] {
			found++
		}
	}
	return found * 1_000_000 / len(judged)
}

// measurement is what a pod has measured, as the simulation saw it happen.
type measurement struct {
	gate          types.UID
	key, job      string
	golden        string // resource version of the golden set that was mounted
	candidate     string // content; empty: the live index alone
	candidateUUID string
	liveUUID      string // empty: none
	// candidates and lives are the recalls of each search.
	candidates, lives []int
	contents          []string // of the candidate at each search
	broken            bool     // a search gave no result that counts
	told              bool     // the result is in the status of a pod
}

// right is the verdict that the numbers deserve, by the limits of a spec.
func (m *measurement) right(spec *v1alpha1.RelevanceGateSpec) v1alpha1.Verdict {
	least, drop := fraction(spec.Metrics[0].Min), fraction(spec.Metrics[0].MaxDrop)
	if m.broken {
		return v1alpha1.VerdictInconclusive
	}
	if m.candidate == "" {
		return passedIf(len(m.lives) > 0 && slices.Max(m.lives) >= least)
	}
	switch {
	case len(m.candidates) == 0, slices.Min(m.candidates) != slices.Max(m.candidates), slices.Compact(slices.Clone(m.contents))[0] != m.candidate,
		len(slices.Compact(slices.Clone(m.contents))) > 1:
		return v1alpha1.VerdictInconclusive
	case m.candidates[0] < least:
		return v1alpha1.VerdictFailed
	case m.liveUUID == "":
		if spec.Promotion.CreateAlias {
			return v1alpha1.VerdictPassed
		}
		return v1alpha1.VerdictInconclusive
	case len(m.lives) == 0:
		return v1alpha1.VerdictInconclusive
	}
	return passedIf(m.candidates[0] >= slices.Max(m.lives)-drop)
}

func passedIf(passed bool) v1alpha1.Verdict {
	if passed {
		return v1alpha1.VerdictPassed
	}
	return v1alpha1.VerdictFailed
}

func fraction(f v1alpha1.Fraction) int {
	millionths, err := f.Millionths()
	if err != nil {
		panic(fmt.Sprint(f, err))
	}
	return int(millionths)
}

// measured finds what was measured for a gate under a key, the latest first.
func (w *world) measured(gate types.UID, key string) []*measurement {
	var found []*measurement
	for _, m := range slices.Backward(w.measurements) {
		if m.gate == gate && m.key == key && m.told {
			found = append(found, m)
		}
	}
	return found
}

func (m *measurement) String() string {
	return fmt.Sprintf("{candidate %s %v, live %s %v, golden set %s}", m.candidate, m.candidates, m.liveUUID, m.lives, m.golden)
}

func digestOf(judged []string) string {
	digest, err := golden.Digest([]byte(goldenText(judged)))
	if err != nil {
		panic(err)
	}
	return digest
}
