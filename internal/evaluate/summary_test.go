package evaluate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const (
	testKey    = "sha256:" + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	testGolden = "sha256:" + "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
)

func pointer[T any](value T) *T { return &value }

// largestSummary has the longest of everything that a summary may have.
func largestSummary() Summary {
	index := func() *IndexResult {
		return &IndexResult{Name: strings.Repeat("n", 255), UUID: strings.Repeat("u", 22), Docs: 1 << 40, Fingerprint: testKey}
	}
	report := Report{
		Engine:    engine.Info{Distribution: engine.Elasticsearch, Version: "10.100.100-SNAPSHOT"},
		Candidate: index(),
		Live:      index(),
		Measurement: verdict.Measurement{
			Queries: 1 << 30, Judgments: 1 << 30, Errors: 1 << 30,
			Noise: 1_000_000, LiveNoise: 1_000_000,
			JudgedCandidate: pointer(int64(1_000_000)), JudgedLive: pointer(int64(1_000_000)),
			HitsCandidate: 1 << 30, HitsLive: 1 << 30, JudgedHitsCandidate: 1 << 30, JudgedHitsLive: 1 << 30,
			EmptyCandidate: 1 << 30, EmptyLive: 1 << 30, NegativesFailed: 1 << 30, MissingDocs: 1 << 30,
			RegressionCount: 1 << 30, ProtectedRegressions: 1 << 30,
		},
	}
	m := &report.Measurement
	for i := range 20 {
		m.Scores = append(m.Scores, verdict.Score{
			Metric:    fmt.Sprintf("precision@%d", 9981+i),
			Candidate: pointer(int64(1_000_000)), Live: pointer(int64(1_000_000)), LiveHigh: pointer(int64(1_000_000)),
		})
	}
	m.Scores = append(m.Scores, verdict.Score{Metric: "noresults", Candidate: pointer(int64(1_000_000)), Live: pointer(int64(1_000_000)), LiveHigh: pointer(int64(1_000_000))})
	for i := range 10 {
		m.Worst = append(m.Worst, verdict.Regression{
			Query: strings.Repeat("\x01é", 200) + fmt.Sprint(i), Live: 1_000_000, Candidate: 999_999, Weight: 1.2345678901234567e+300,
		})
	}
	return report.Summary(&Plan{EvaluationKey: testKey, GoldenDigest: testGolden})
}

func TestTheLargestSummaryFits(t *testing.T) {
	raw, err := largestSummary().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) >= 3072 {
		t.Fatalf("the summary has %d bytes", len(raw))
	}
	summary, err := DecodeSummary(raw, testKey, testGolden)
	if err != nil {
		t.Fatal(err)
	}
	if !summary.WorstCut {
		t.Error("the summary does not say that queries were cut")
	}
	if len(summary.Measurement.Scores) != 21 {
		t.Errorf("%d scores arrived, want 21", len(summary.Measurement.Scores))
	}
}

func TestAnUsualSummaryArrivesAsItWas(t *testing.T) {
	sent := largestSummary()
	sent.Measurement.Scores = sent.Measurement.Scores[:2]
	sent.Measurement.Worst = []verdict.Regression{{Query: "q-1", Live: 2, Candidate: 1, Weight: 1}}
	sent.Candidate.Name, sent.Live.Name = "products-v2", "products-v1"
	raw, err := sent.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 1500 {
		t.Errorf("an usual summary has %d bytes, want about 1 KiB", len(raw))
	}
	got, err := DecodeSummary(raw, testKey, testGolden)
	if err != nil {
		t.Fatal(err)
	}
	again, err := got.Encode()
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("it changed on its way: %v\n%s\n%s", err, raw, again)
	}
}

func TestEveryPrefixOfASummaryIsRefused(t *testing.T) {
	raw, err := largestSummary().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for end := range raw {
		if _, err := DecodeSummary(raw[:end], testKey, testGolden); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", end, len(raw))
		}
	}
}

func TestDecodeSummaryIsStrict(t *testing.T) {
	raw, err := largestSummary().Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, test := range map[string]struct{ raw, key, golden string }{
		"another key":         {text, testGolden, testGolden},
		"another golden set":  {text, testKey, testKey},
		"a trailing byte":     {text + "x", testKey, testGolden},
		"a second document":   {text + "{}", testKey, testGolden},
		"an unknown field":    {strings.Replace(text, `"engine"`, `"motor"`, 1), testKey, testGolden},
		"another schema":      {strings.Replace(text, SummarySchema, "relevancegate.dev/summary/v2", 1), testKey, testGolden},
		"no index":            {`{"schema":"` + SummarySchema + `","key":"k","golden":"g","measurement":{"scores":[{"m":"x"}]}}`, "k", "g"},
		"no scores":           {`{"schema":"` + SummarySchema + `","key":"k","golden":"g","live":{}}`, "k", "g"},
		"a failure":           {`{"schema":"` + FailureSchema + `","reason":"X","message":"y"}`, testKey, testGolden},
		"more than the limit": {text + strings.Repeat(" ", MaxSummary), testKey, testGolden},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeSummary([]byte(test.raw), test.key, test.golden); err == nil {
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
