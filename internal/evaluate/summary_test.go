package evaluate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const (
	testKey    = "sha256:" + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	testGolden = "sha256:" + "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
)

func pointer[T any](value T) *T { return &value }

// testPlan asks for 20 metrics with intervals, and for 10 segments by one of
// them.
func testPlan() *Plan {
	plan := &Plan{EvaluationKey: testKey, GoldenDigest: testGolden}
	for i := range 20 {
		plan.Metrics = append(plan.Metrics, relevance.Metric{Name: fmt.Sprintf("precision@%d", 9981+i)})
	}
	for i := range 10 {
		plan.Segments = append(plan.Segments, Segment{strings.Repeat("é", 64) + fmt.Sprint(i), "precision@9981"})
	}
	return plan
}

// largestSummary has the longest of everything that a summary may have.
func largestSummary() Summary {
	index := func(fingerprint string) *IndexResult {
		return &IndexResult{Name: strings.Repeat("n", 255), UUID: strings.Repeat("u", 22), Docs: 1 << 40, Fingerprint: fingerprint}
	}
	plan := testPlan()
	report := Report{
		Depth:     relevance.MaxK,
		Engine:    engine.Info{Distribution: engine.Elasticsearch, Version: "10.100.100-SNAPSHOT"},
		Candidate: index(testKey),
		Live:      index(""),
		Measurement: verdict.Measurement{
			Queries: 1 << 30, Judgments: 1 << 30, Errors: 1 << 30, FirstError: strings.Repeat("<", maxFirstError),
			Noise: 999_999, LiveNoise: 999_999,
			JudgedCandidate: pointer(int64(999_999)), JudgedLive: pointer(int64(999_999)),
			HitsCandidate: 1 << 30, HitsLive: 1 << 30, JudgedHitsCandidate: 1 << 30, JudgedHitsLive: 1 << 30,
			EmptyCandidate: 1 << 30, EmptyLive: 1 << 30, NegativesFailed: 1 << 30, MissingDocs: 1 << 30,
			RegressionCount: 1 << 30, ProtectedRegressions: 1 << 30, ProtectedErrors: 1 << 30,
		},
	}
	m := &report.Measurement
	for _, metric := range plan.Metrics {
		m.Scores = append(m.Scores, verdict.Score{
			Metric: metric.Name, Candidate: pointer(int64(999_998)), Live: pointer(int64(999_999)), LiveHigh: pointer(int64(1_000_000)),
			Queries: 130_000, Interval: &verdict.Interval{Low: 999_997, High: 999_999}, DeltaInterval: &verdict.Interval{Low: -999_999, High: -999_998},
		})
	}
	m.Scores = append(m.Scores, verdict.Score{Metric: "noresults", Candidate: pointer(int64(999_998)), Live: pointer(int64(999_999)), LiveHigh: pointer(int64(1_000_000))})
	for i, segment := range plan.Segments {
		score := verdict.SegmentScore{
			Segment: segment.Segment, Metric: segment.Metric, Queries: 130_000 + i, Candidate: pointer(int64(999_999)), Live: pointer(int64(999_998)),
		}
		for low := range int64(10) {
			score.Lows = append(score.Lows, 999_997-low)
		}
		m.Segments = append(m.Segments, score)
	}
	for i := range 10 {
		m.Worst = append(m.Worst, verdict.Regression{
			Query: strings.Repeat("\x01é", 200) + fmt.Sprint(i), Live: 1_000_000, Candidate: 999_999, Weight: 1.2345678901234567e+300,
		})
	}
	return report.Summary(plan)
}

// usualSummary has two scores with intervals and one segment.
func usualSummary() (Summary, *Plan) {
	sent, plan := largestSummary(), testPlan()
	sent.Measurement.Scores, sent.Measurement.Segments = sent.Measurement.Scores[:2], sent.Measurement.Segments[:1]
	plan.Metrics, plan.Segments = plan.Metrics[:2], plan.Segments[:1]
	sent.Measurement.Worst = []verdict.Regression{{Query: "q-1", Live: 2, Candidate: 1, Weight: 1}}
	sent.Measurement.FirstError = "query q1: no"
	sent.Candidate.Name, sent.Live.Name = "products-v2", "products-v1"
	return sent, plan
}

func TestTheLargestSummaryFits(t *testing.T) {
	sent := largestSummary()
	sent.Measurement.FirstDifference = strings.Repeat("<", maxFirstDifference)
	raw, err := sent.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) >= 3072 {
		t.Fatalf("the summary has %d bytes", len(raw))
	}
	summary, err := DecodeSummary(raw, testPlan())
	if err != nil {
		t.Fatal(err)
	}
	if !summary.WorstCut {
		t.Error("the summary does not say that queries were cut")
	}
	got, want := summary.Measurement, sent.Measurement
	if !reflect.DeepEqual(got.Scores, want.Scores) || !reflect.DeepEqual(got.Segments, want.Segments) {
		t.Errorf("other scores arrived:\n%+v\n%+v", got, want)
	}
	if summary.Candidate.UUID != sent.Candidate.UUID || summary.Candidate.Docs != sent.Candidate.Docs || summary.Live.UUID != sent.Live.UUID {
		t.Errorf("other indices arrived: %+v, %+v", summary.Candidate, summary.Live)
	}
	if sent.Candidate.Name == "" {
		t.Error("the report was changed")
	}
}

// Without intervals and segments there is room for the worst queries too.
func TestTwentyMetricsLeaveRoomForTheWorstQueries(t *testing.T) {
	sent, plan := largestSummary(), testPlan()
	sent.Measurement.Segments, plan.Segments, sent.Measurement.FirstError = nil, nil, ""
	for i := range sent.Measurement.Scores {
		score := &sent.Measurement.Scores[i]
		score.Queries, score.Interval, score.DeltaInterval = 0, nil, nil
	}
	for i := range sent.Measurement.Worst {
		sent.Measurement.Worst[i].Query = fmt.Sprintf("q-%010x", i)
	}
	raw, err := sent.Encode()
	if err != nil {
		t.Fatal(err)
	}
	summary, err := DecodeSummary(raw, plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Measurement.Worst) != 10 || summary.WorstCut {
		t.Errorf("%d of the worst queries arrived", len(summary.Measurement.Worst))
	}
}

func TestAnUsualSummaryArrivesAsItWas(t *testing.T) {
	sent, plan := usualSummary()
	raw, err := sent.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 1500 {
		t.Errorf("an usual summary has %d bytes, want about 1 KiB", len(raw))
	}
	got, err := DecodeSummary(raw, plan)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*got, sent) {
		t.Errorf("it changed on its way:\n%+v\n%+v", *got, sent)
	}
}

func TestScoresTravelWithWhateverTheyLack(t *testing.T) {
	plan := testPlan()
	plan.Metrics, plan.Segments = plan.Metrics[:1], plan.Segments[:1]
	low := &verdict.Interval{Low: -1, High: 2}
	for _, score := range []verdict.Score{
		{},
		{Candidate: pointer(int64(0))},
		{Live: pointer(int64(0))},
		{Candidate: pointer(int64(1)), Live: pointer(int64(2))},
		{Candidate: pointer(int64(1)), Queries: 1},
		{Candidate: pointer(int64(1)), Queries: 9, Interval: low},
		{Live: pointer(int64(1)), Queries: 9, DeltaInterval: low},
	} {
		for _, segment := range []verdict.SegmentScore{{}, {Queries: 3, Live: pointer(int64(0))}, {Queries: 3, Candidate: pointer(int64(0)), Lows: []int64{0, -1}}} {
			score.Metric, segment.Segment, segment.Metric = plan.Metrics[0].Name, plan.Segments[0].Segment, plan.Segments[0].Metric
			sent := Summary{Schema: SummarySchema, EvaluationKey: testKey, GoldenDigest: testGolden, Live: &IndexResult{}}
			sent.Measurement.Scores, sent.Measurement.Segments = []verdict.Score{score}, []verdict.SegmentScore{segment}
			raw, err := sent.Encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeSummary(raw, plan)
			if err != nil {
				t.Fatalf("%v: %s", err, raw)
			}
			if m := got.Measurement; !reflect.DeepEqual(m.Scores[0], score) || !reflect.DeepEqual(m.Segments[0], segment) {
				t.Errorf("%s is read as %+v", raw, m)
			}
		}
	}
}

func TestASummaryThatCannotFitIsAnError(t *testing.T) {
	sent := largestSummary()
	sent.Measurement.Scores = slices.Repeat(sent.Measurement.Scores, 3)
	if raw, err := sent.Encode(); err == nil {
		t.Errorf("%d bytes", len(raw))
	}
}

func TestEveryPrefixOfASummaryIsRefused(t *testing.T) {
	raw, err := largestSummary().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for end := range raw {
		if _, err := DecodeSummary(raw[:end], testPlan()); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", end, len(raw))
		}
	}
}

func TestDecodeSummaryIsStrict(t *testing.T) {
	sent, plan := usualSummary()
	raw, err := sent.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if _, err := DecodeSummary(raw, plan); err != nil {
		t.Fatal(err)
	}
	withScores := func(scores, segments string) string {
		return fmt.Sprintf(`{"schema":%q,"key":%q,"golden":%q,"live":{},"measurement":{"scores":%s,"segments":%s}}`,
			SummarySchema, testKey, testGolden, scores, segments)
	}
	if _, err := DecodeSummary([]byte(withScores(`[[1],[2]]`, `[[1,null,3]]`)), plan); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ raw, key, golden string }{
		"another key":         {text, testGolden, testGolden},
		"another golden set":  {text, testKey, testKey},
		"a trailing byte":     {text + "x", testKey, testGolden},
		"a second document":   {text + "{}", testKey, testGolden},
		"an unknown field":    {strings.Replace(text, `"engine"`, `"motor"`, 1), testKey, testGolden},
		"another schema":      {strings.Replace(text, SummarySchema, "relevancegate.dev/summary/v1", 1), testKey, testGolden},
		"no index":            {strings.Replace(withScores(`[[1],[2]]`, `[[1,null,3]]`), `"live":{},`, ``, 1), testKey, testGolden},
		"a failure":           {`{"schema":"` + FailureSchema + `","reason":"X","message":"y"}`, testKey, testGolden},
		"more than the limit": {text + strings.Repeat(" ", MaxSummary), testKey, testGolden},

		"a depth below 0":          {strings.Replace(withScores(`[[1],[2]]`, `[[1,null,3]]`), `"live"`, `"depth":-1,"live"`, 1), testKey, testGolden},
		"more depth than there is": {strings.Replace(withScores(`[[1],[2]]`, `[[1,null,3]]`), `"live"`, `"depth":10001,"live"`, 1), testKey, testGolden},

		"no scores":                     {withScores(`[]`, `[[1,null,3]]`), testKey, testGolden},
		"a score too few":               {withScores(`[[1]]`, `[[1,null,3]]`), testKey, testGolden},
		"two scores too many":           {withScores(`[[1],[2],[3],[4]]`, `[[1,null,3]]`), testKey, testGolden},
		"no segment":                    {withScores(`[[1],[2]]`, `[]`), testKey, testGolden},
		"a segment too many":            {withScores(`[[1],[2]]`, `[[1,null,3],[1,null,3]]`), testKey, testGolden},
		"a number too many":             {withScores(`[[1,2,3,4,5,6,7,8,9],[2]]`, `[[1,null,3]]`), testKey, testGolden},
		"half an interval":              {withScores(`[[1,2,3,4,5],[2]]`, `[[1,null,3]]`), testKey, testGolden},
		"half of a delta's":             {withScores(`[[1,2,3,4,5,6,null,8],[2]]`, `[[1,null,3]]`), testKey, testGolden},
		"a segment without its queries": {withScores(`[[1],[2]]`, `[[1,2]]`), testKey, testGolden},
		"a segment with null queries":   {withScores(`[[1],[2]]`, `[[1,2,null]]`), testKey, testGolden},
		"a low end that is null":        {withScores(`[[1],[2]]`, `[[1,2,3,null]]`), testKey, testGolden},
		"a score that is no number":     {withScores(`[["1"],[2]]`, `[[1,2,3]]`), testKey, testGolden},
		"a score that is a fraction":    {withScores(`[[0.5],[2]]`, `[[1,2,3]]`), testKey, testGolden},
	} {
		t.Run(name, func(t *testing.T) {
			asked := *plan
			asked.EvaluationKey, asked.GoldenDigest = test.key, test.golden
			if _, err := DecodeSummary([]byte(test.raw), &asked); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}

func TestFailureArrivesAsItWas(t *testing.T) {
	sent := NewFailure(ReasonUnauthorized, fmt.Errorf("no %s", strings.Repeat("ä", 5000)))
	raw, err := sent.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) >= MaxSummary {
		t.Errorf("the failure has %d bytes", len(raw))
	}
	got, err := DecodeFailure(raw)
	if err != nil {
		t.Fatal(err)
	}
	if got.Reason != sent.Reason || !strings.HasPrefix(sent.Message, got.Message) {
		t.Errorf("got %v", got)
	}
	for end := range raw {
		if _, err := DecodeFailure(raw[:end]); err == nil {
			t.Fatalf("the first %d bytes are accepted", end)
		}
	}
}
