package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// makeTiedReport has ties of the candidate at the cut of ndcg@10.
func makeTiedReport() *evaluate.Report {
	r := makeReport()
	r.TiesAtCutoff = 2
	r.CandidateTies = []*evaluate.TieSpread{nil, {Queries: 2, Open: 1, Low: 790_000, High: 812_345}, nil}
	r.LiveTies = []*evaluate.TieSpread{nil, nil, nil}
	r.Queries[0].Candidate.Ties = []evaluate.Tie{{Metric: 1, Low: 0.1, High: 0.25, Open: true}}
	return r
}

func TestDocumentHasTheSpreadOfTies(t *testing.T) {
	outcome, limits := makeOutcome()
	var out bytes.Buffer
	if err := WriteVerdict(&out, makeTiedReport(), outcome, limits); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"verdict":"Failed","min":"0.800000","maxDrop":"0.020000","ties":{"candidate":{"queries":2,"open":1,"low":"0.790000","high":"0.812345"},"live":null}}`,
		`"error":null,"ties":{"candidate":{"ndcg@10":{"low":"0.100000","high":"0.250000","open":true}},"live":{}}}`,
	} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("there is no %s in\n%s", want, &out)
		}
	}
	if got := strings.Count(out.String(), `"ties"`); got != 2 {
		t.Errorf("%d ties are told, want those of one metric and one query:\n%s", got, &out)
	}
	checkSchema(t, out.Bytes())
}

func TestTextTellsWhatTiesAndRepeatsLeaveOpen(t *testing.T) {
	r := makeTiedReport()
	r.LiveTies[0] = &evaluate.TieSpread{Queries: 1, Low: 750_000, High: 750_000} // decides nothing
	r.Measurement.LiveNoise, r.LiveDifference = 12_345, "query q2: recall@50 1, then 0.5 in repeat 2"
	var out bytes.Buffer
	if err := Text(&out, r, nil, verdict.Limits{}, Style{}); err != nil {
		t.Fatal(err)
	}
	want := `queries whose ranking is tied at a cut: 2
  ndcg@10 of the candidate lies between 0.790000 and 0.812345, as the ties fall out
    or outside; queries whose tie reaches to the last hit that was asked for: 1
spread of the live index over the repeats: 0.012345
the live index was not the same in each repeat: query q2: recall@50 1, then 0.5 in repeat 2
`
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant in it\n%s", &out, want)
	}
}

func TestMarkdownNestsWhatTiesLeaveOpen(t *testing.T) {
	r := makeTiedReport()
	var out bytes.Buffer
	outcome := verdict.Outcome{Verdict: verdict.Passed, Scores: make([]verdict.ScoreVerdict, len(r.Measurement.Scores))}
	limits := verdict.Limits{Metrics: make([]verdict.Limit, len(r.Measurement.Scores))}
	if err := Write(&out, FormatMarkdown, Result{Report: r, Limits: limits, Outcome: outcome}, Style{}); err != nil {
		t.Fatal(err)
	}
	want := `- queries whose ranking is tied at a cut: 2
  - ndcg@10 of the candidate lies between 0.790000 and 0.812345, as the ties fall out
    - or outside; queries whose tie reaches to the last hit that was asked for: 1
`
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant in it\n%s", &out, want)
	}
}
