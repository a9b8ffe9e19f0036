package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// makeStatistics is a report with an interval, segments and means without weights.
func makeStatistics() (*evaluate.Report, verdict.Outcome, verdict.Limits) {
	r := makeReport()
	r.Confidence = map[string]int64{"ndcg@10": 950_000}
	r.Draws = &evaluate.Draws{Resamples: 10_000, Seed: 18_446_744_073_709_551_615}
	score := &r.Measurement.Scores[1]
	score.Queries, score.Interval, score.DeltaInterval = 50, &verdict.Interval{Low: 700_000, High: 899_999}, &verdict.Interval{Low: -20_001, High: 30_000}
	r.Measurement.Segments = []verdict.SegmentScore{
		{Segment: "head", Metric: "ndcg@10", Queries: 12, Candidate: pointer(int64(849_999)), Live: pointer(int64(900_000)), Lows: []int64{800_000, 790_000}},
		{Segment: "a\x1b[2J", Metric: "recall@50"},
	}
	r.Unweighted = []evaluate.Means{{Candidate: pointer(int64(500_000))}, {Candidate: pointer(int64(700_000)), Live: pointer(int64(600_000))}, {}}
	outcome, limits := makeOutcome()
	outcome.Segments = []verdict.SegmentVerdict{{Segment: "head", Metric: "ndcg@10", Verdict: verdict.Failed}, {Segment: "a", Metric: "recall@50", Verdict: verdict.Inconclusive}}
	limits.Segments = []verdict.SegmentLimit{{Segment: "head", Metric: "ndcg@10", Min: 850_000}, {Segment: "a", Metric: "recall@50", Min: 700_000}}
	return r, outcome, limits
}

func TestDocumentHoldsTheStatistics(t *testing.T) {
	r, outcome, limits := makeStatistics()
	var judged, measured bytes.Buffer
	if err := WriteVerdict(&judged, r, outcome, limits); err != nil {
		t.Fatal(err)
	}
	if err := WriteMeasurement(&measured, r); err != nil {
		t.Fatal(err)
	}
	const (
		recall   = `"delta":"-0.250000","verdict":"Reported","candidateUnweighted":"0.500000"},`
		ndcg     = `"delta":"0.000000","verdict":"Failed","min":"0.800000","maxDrop":"0.020000","confidence":"0.950000","queries":50,"candidateLow":"0.700000","candidateHigh":"0.899999","deltaLow":"-0.020001","deltaHigh":"0.030000","candidateUnweighted":"0.700000","liveUnweighted":"0.600000"},`
		segments = `"segments":[{"segment":"head","metric":"ndcg@10","queries":12,"candidate":"0.849999","live":"0.900000","lows":["0.800000","0.790000"],"verdict":"Failed","min":"0.850000"},` +
			`{"segment":"a\u001b[2J","metric":"recall@50","queries":0,"candidate":null,"live":null,"verdict":"Inconclusive","min":"0.700000"}],"draws":{"resamples":10000,"seed":"18446744073709551615"},"queries":[`
	)
	for _, part := range []string{recall, ndcg, segments} {
		if !strings.Contains(judged.String(), part) {
			t.Errorf("there is no\n%s in\n%s", part, &judged)
		}
	}
	if !strings.Contains(measured.String(), `"lows":["0.800000","0.790000"],"verdict":null}`) {
		t.Errorf("there is no segment without a verdict in\n%s", &measured)
	}
	checkSchema(t, judged.Bytes())
	checkSchema(t, measured.Bytes())
}

func TestTextHoldsTheStatistics(t *testing.T) {
	r, outcome, limits := makeStatistics()
	var out bytes.Buffer
	if err := Text(&out, r, &outcome, limits, Style{}); err != nil {
		t.Fatal(err)
	}
	const want = `
intervals, from 10000 bootstrap resamples with the seed 18446744073709551615 (percentile method):
METRIC   CONFIDENCE  QUERIES  CANDIDATE             DELTA
ndcg@10  0.95        50       0.700000 to 0.899999  -0.020001 to 0.030000

segments:
SEGMENT     METRIC     QUERIES  CANDIDATE  LIVE      LIMIT     VERDICT
head        ndcg@10    12       0.849999   0.900000  min 0.85  Failed
"a\x1b[2J"  recall@50  0        -          -         min 0.7   Inconclusive

without the queries' weights:
METRIC     CANDIDATE  LIVE
recall@50  0.5000     -
ndcg@10    0.7000     0.6000
noresults  -          -

worst queries by recall@50:
`
	if !strings.Contains(out.String(), want) {
		t.Errorf("there is no\n%s in\n%s", want, &out)
	}
	out.Reset()
	if err := Text(&out, r, nil, verdict.Limits{}, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "head        ndcg@10    12       0.8500     0.9000  -") {
		t.Errorf("there is no segment without a limit in\n%s", &out)
	}
}

func TestOneQueryHasNoIntervalToShow(t *testing.T) {
	r, outcome, limits := makeStatistics()
	r.Measurement.Scores[1].Queries, r.Measurement.Scores[1].Interval, r.Measurement.Scores[1].DeltaInterval = 1, nil, nil
	var out bytes.Buffer
	if err := Text(&out, r, &outcome, limits, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "ndcg@10  0.95        1        -          -") {
		t.Errorf("got\n%s", &out)
	}
	out.Reset()
	if err := WriteVerdict(&out, r, outcome, limits); err != nil {
		t.Fatal(err)
	}
	checkSchema(t, out.Bytes())
}

// segmented is a gate whose segment misses its limit, beside limits that lack queries.
func segmented() Result {
	r := makeResult()
	var limits verdict.Limits
	r.Report, _, limits = makeStatistics()
	limits.MaxErrors, limits.MinQueries = 1, 5
	limits.Metrics[1] = verdict.Limit{Metric: "ndcg@10", Min: pointer(int64(790_000)), Confidence: pointer(int64(950_000))}
	limits.Segments[0].Confidence = limits.Metrics[1].Confidence
	limits.Segments[1].Segment = r.Report.Measurement.Segments[1].Segment
	r.Limits, r.Outcome = limits, verdict.Decide(r.Report.Measurement, limits)
	return r
}

func TestMarkdownHoldsTheStatistics(t *testing.T) {
	const want = "| `noresults` | 1.0000 | 1.0000 | 0.0000 | min 1 | ✅ Passed |\n\n" +
		"| segment | metric | queries | candidate | live | limit | verdict |\n| --- | --- | ---: | ---: | ---: | --- | --- |\n" +
		"| `head` | `ndcg@10` | 12 | 0.849999 | 0.900000 | min 0.85 | ❌ Failed |\n" +
		"| `\"a\\x1b[2J\"` | `recall@50` | 0 | - | - | min 0.7 | ⚠️ Inconclusive |\n\n"
	const folded = "<details><summary>How sure the scores are</summary>\n\n" +
		"| metric | confidence | queries | candidate | delta |\n| --- | ---: | ---: | --- | --- |\n" +
		"| `ndcg@10` | 0.95 | 50 | 0.700000 to 0.899999 | -0.020001 to 0.030000 |\n\n" +
		"from 10000 bootstrap resamples with the seed 18446744073709551615 (percentile method)\n\n</details>\n\n" +
		"<details><summary>Without the queries' weights</summary>\n\n| metric | candidate | live |\n| --- | ---: | ---: |\n" +
		"| `recall@50` | 0.5000 | - |\n| `ndcg@10` | 0.7000 | 0.6000 |\n| `noresults` | - | - |\n\n</details>\n\n" +
		"<details><summary>Worst queries"
	got := render(t, FormatMarkdown, segmented())
	at, fold := strings.Index(got, want), strings.Index(got, folded)
	if at < 0 || fold < 0 || fold < at {
		t.Errorf("there is no\n%s\nand behind it\n%s\nin\n%s", want, folded, got)
	}
}

func TestJUnitHoldsTheStatistics(t *testing.T) {
	got := render(t, FormatJUnit, segmented())
	const want = `evidence
ndcg@10 min error TooFewQueries: ndcg@10 0.799996 holds min 0.790000, but its interval at confidence 0.950000 begins at 0.700000: 50 queries are too few, about 4954 more like them would do
noresults min
ndcg@10 of segment head failure BelowThreshold: ndcg@10 of segment "head" 0.849999 is below its min 0.850000 (live 0.900000)
recall@50 of segment a�[2J error TooFewQueries: recall@50 of segment "a\x1b[2J" counts 0 queries, and at least 5 are asked for (segments.minQueries): it takes 5 more`
	if got := cases(t, got); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{
		`<property name="ndcg@10 candidate low" value="0.700000">`, `<property name="ndcg@10 delta high" value="0.030000">`,
		`<property name="ndcg@10 of segment head queries" value="12">`, `<property name="ndcg@10 of segment head candidate" value="0.849999">`,
		`<property name="ndcg@10 of segment head live" value="0.900000">`, `<property name="recall@50 of segment a�[2J queries" value="0">`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}

func TestAnAnnotationSaysWhatItsOwnLimitComesTo(t *testing.T) {
	got := render(t, FormatGitHub, segmented())
	for _, want := range []string{
		"title=relevance gate products-es%3A Inconclusive%2C ndcg@10 min::ndcg@10 0.799996 holds min",
		"title=relevance gate products-es%3A Failed%2C ndcg@10 of segment head::ndcg@10 of segment \"head\" 0.849999 is below",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}
