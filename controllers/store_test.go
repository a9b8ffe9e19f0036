package controllers

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

func TestWhatIsStoredIsReadBack(t *testing.T) {
	full := verdict.Measurement{
		Queries: 54, Judgments: 265, Errors: 1, CandidateChanged: true, Deterministic: true, Noise: 3, LiveNoise: 12_345,
		FirstError: "query q1: searching products-v2: it has no id", FirstDifference: "query q7: ndcg@10 0.5, then 0.25 in repeat 2",
		Scores: []verdict.Score{
			{Metric: "ndcg@10", Candidate: ptr.To[int64](873_400), Live: ptr.To[int64](1_000_000), LiveHigh: ptr.To[int64](999_999)},
			{Metric: "recall@50", Candidate: ptr.To[int64](0)},
			{Metric: "nonempty"},
			{Metric: "mrr@10", Candidate: ptr.To[int64](1), Queries: 50, Interval: &verdict.Interval{Low: 0, High: 2}, DeltaInterval: &verdict.Interval{Low: -3, High: 0}},
			{Metric: "map@10", Candidate: ptr.To[int64](1), Queries: 1},
		},
		Segments: []verdict.SegmentScore{
			{Segment: "head", Metric: "ndcg@10", Queries: 12, Candidate: ptr.To[int64](9), Live: ptr.To[int64](8), Lows: []int64{7, -6}},
			{Segment: "tail", Metric: "ndcg@10"},
		},
		JudgedCandidate: ptr.To[int64](500_000), JudgedLive: ptr.To[int64](1),
		HitsCandidate: 9, HitsLive: 8, JudgedHitsCandidate: 7, JudgedHitsLive: 6, EmptyCandidate: 5, EmptyLive: 4,
		NegativesFailed: 3, MissingDocs: 2, RegressionCount: 11, ProtectedRegressions: 1, ProtectedErrors: 2,
	}
	liveOnly := verdict.Measurement{
		Queries: 1, Judgments: 1, Deterministic: true, Scores: []verdict.Score{{Metric: "ndcg@10", Live: ptr.To[int64](1)}},
		JudgedLive: ptr.To[int64](1_000_000), HitsLive: 1, JudgedHitsLive: 1,
	}
	alone := verdict.Measurement{Queries: 2, Scores: []verdict.Score{{Metric: "ndcg@10", Candidate: ptr.To[int64](1)}}, HitsCandidate: 1}
	index := &evaluate.IndexResult{Docs: 4}
	for title, summary := range map[string]*evaluate.Summary{
		"both indices":            {Candidate: index, Live: index, Measurement: full},
		"the live index alone":    {Live: index, Measurement: liveOnly},
		"a candidate without any": {Candidate: index, Measurement: alone},
	} {
		gate := makeGate("products")
		gate.Status.Evaluation = &v1alpha1.EvaluationStatus{
			GoldenSet: &v1alpha1.GoldenSetStatus{Queries: int64(summary.Measurement.Queries), Judgments: int64(summary.Measurement.Judgments)},
		}
		s := &scope{gate: gate, now: time.Unix(1, 0)}
		s.store(summary)
		raw, err := json.Marshal(gate)
		must(t, err)
		s.gate = &v1alpha1.RelevanceGate{}
		must(t, json.Unmarshal(raw, s.gate))
		got, err := s.measurement()
		must(t, err)
		if !reflect.DeepEqual(got, summary.Measurement) {
			t.Errorf("%s:\n got %+v\nwant %+v", title, got, summary.Measurement)
		}
		if without := gate.Status.Hits.Live == nil && gate.Status.EmptyResults.Live == nil; without != (summary.Live == nil) {
			t.Errorf("%s: counts of the live index: %+v %+v", title, gate.Status.Hits, gate.Status.EmptyResults)
		}
	}
}

func TestAStatusThatWasTamperedWithIsNoMeasurement(t *testing.T) {
	gate := makeGate("products")
	gate.Status.Evaluation = &v1alpha1.EvaluationStatus{GoldenSet: &v1alpha1.GoldenSetStatus{}}
	gate.Status.Scores = []v1alpha1.Score{{Metric: "ndcg@10", Candidate: "NaN"}}
	if _, err := (&scope{gate: gate}).measurement(); err == nil {
		t.Error("NaN is taken for a number")
	}
	gate.Status.Scores = []v1alpha1.Score{{Metric: "ndcg@10", CandidateLow: "0.5"}}
	if _, err := (&scope{gate: gate}).measurement(); err == nil {
		t.Error("0.5 is taken for a number with 6 decimals")
	}
	gate.Status.Scores = []v1alpha1.Score{{Metric: "ndcg@10", CandidateLow: "0.500000", DeltaHigh: "0.500000"}}
	if m, err := (&scope{gate: gate}).measurement(); err != nil || m.Scores[0].Interval != nil || m.Scores[0].DeltaInterval != nil {
		t.Errorf("half an interval is taken for one: %+v, %v", m.Scores, err)
	}
	gate.Status.Scores, gate.Status.Segments = nil, []v1alpha1.SegmentScore{{Segment: "head", Lows: []v1alpha1.Decimal{"NaN"}}}
	if _, err := (&scope{gate: gate}).measurement(); err == nil {
		t.Error("NaN is taken for a low end")
	}
	gate.Status.Segments = nil
	m, err := (&scope{gate: gate}).measurement()
	must(t, err)
	if got := verdict.Decide(m, verdict.Limits{}); got.Verdict == verdict.Passed {
		t.Errorf("an empty status passes: %+v", got)
	}
}
