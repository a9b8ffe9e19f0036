package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// TestAScoreAboveOne is the largest dcg that there is, beside a live index that found nothing.
func TestAScoreAboveOne(t *testing.T) {
	const largest = 9_007_199_254.740992
	millionths, err := relevance.Round(largest)
	if err != nil {
		t.Fatal(err)
	}
	r := &evaluate.Report{
		GoldenDigest: "sha256:" + strings.Repeat("0", 64),
		WorstMetric:  "dcg@10",
		Metrics:      []relevance.Metric{{Name: "dcg@10", Kind: relevance.DCG, K: 10}},
		Measurement: verdict.Measurement{
			Queries: 1, Deterministic: true,
			Scores: []verdict.Score{{Metric: "dcg@10", Candidate: &millionths, Live: pointer(int64(0))}},
		},
		Queries: []evaluate.QueryResult{{
			ID: "q1", Query: "red", Weight: 1,
			Candidate: &evaluate.Ranking{Values: []float64{largest}, Returned: 1},
			Live:      &evaluate.Ranking{Values: []float64{0}},
		}},
		UncutDepth: 100,
	}
	var document, text bytes.Buffer
	if err := WriteMeasurement(&document, r); err != nil {
		t.Fatal(err)
	}
	checkSchema(t, document.Bytes())
	if !strings.Contains(document.String(), `"delta":"9007199254.740992"`) {
		t.Errorf("the document is %s", &document)
	}
	if err := Text(&text, r, nil, verdict.Limits{}, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"9007199254.7410", "metrics without a cut-off looked at the first 100 hits"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
}
