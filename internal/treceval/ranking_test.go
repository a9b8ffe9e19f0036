package treceval

import (
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

func TestRanking(t *testing.T) {
	source := func(text string) *Source {
		s, err := Read("file", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	qrels := source("q1 0 a 2\nq1 0 b 0\nq1 0 c -1\nq2 0 a 1\n")
	run := source("q1 Q0 b 1 0.5 r\nq1 Q0 a 2 0.9 r\nq1 Q0 d 3 0.5 r\nq1 Q0 c 4 0.1 r\n")
	options := Options{RelevantFrom: 1}
	got, err := Ranking(qrels, run, "q1", options)
	want := []RankedHit{{"a", 2}, {"d", relevance.Unjudged}, {"b", 0}, {"c", relevance.Unjudged}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := Ranking(qrels, run, "q2", options); err != nil || len(got) != 0 {
		t.Errorf("a query that the run lacks: got %v, %v", got, err)
	}
	if _, err := Ranking(qrels, source("q1 Q0 b 1 high r\n"), "q1", options); err == nil {
		t.Error("a score that is no number was taken")
	}
}
