package evaluate

import (
	"testing"

	"github.com/relevance-gate/relevance-gate/golden"
)

func oneFile(text string) []golden.Source {
	return []golden.Source{{Name: "golden.json", Raw: []byte(text)}}
}

func TestAGoldenSetIsKeptWithoutItsReasons(t *testing.T) {
	set, err := ParseGoldenSet(makePlan(t, 1, "ndcg@10"), oneFile(`{"schema": "relevancegate.dev/golden/v1", "queries": [{"id": "q1", "query": "shoes",
		"judgments": [{"id": "a", "grade": 3, "why": "a shoe", "judge": "ana", "at": "2026-01-01"}, {"id": "b", "grade": 0.5}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []golden.Judgment{{DocID: "a", Grade: 3}, {DocID: "b", Grade: 0.5}} {
		if got := set.Queries[0].Judgments[i]; got != want {
			t.Errorf("judgment %d is %+v, want %+v", i, got, want)
		}
	}
}
