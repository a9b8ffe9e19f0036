package controllers

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const stateTooFew = "Inconclusive/TooFewQueries: Evaluated=True/TooFewQueries Passed=Unknown/TooFewQueries Ready=False/TooFewQueries Stalled=True/TooFewQueries -> Failed"

// segmented gives two queries of the golden set the segment head.
var segmented = strings.NewReplacer(`"id": "shoes",`, `"id": "shoes", "segments": ["head"],`, `"id": "hats",`, `"id": "hats", "segments": ["head", "brands"],`).Replace(goldenText)

// withStatistics asks for confidence in ndcg@10 and limits two segments.
func withStatistics(gate *v1alpha1.RelevanceGate) {
	gate.Spec.Metrics[0].Confidence = "0.95"
	gate.Spec.Segments = &v1alpha1.Segments{MinQueries: 2, Limits: []v1alpha1.SegmentLimit{
		{Segment: "head", Metric: "ndcg@10", Min: "0.70"}, {Segment: "head", Metric: "recall@50", Min: "0.70"},
	}}
}

// endWith ends the Job's pod with what it measured: 0.9 everywhere and, where the
// plan asks for it, this interval.
func (w *world) endWith(interval verdict.Interval) {
	w.t.Helper()
	job := w.job()
	plan, _, _, err := evaluate.LoadPlan(w.mount(job))
	must(w.t, err)
	report := evaluate.Report{Depth: 50, Candidate: &evaluate.IndexResult{UUID: plan.Candidate.UUID}, Live: &evaluate.IndexResult{UUID: plan.Live.UUID}}
	m := &report.Measurement
	m.Queries, m.Judgments, m.Deterministic = 3, 4, true
	m.HitsCandidate, m.JudgedHitsCandidate, m.HitsLive, m.JudgedHitsLive = 3, 3, 3, 3
	nine := ptr.To[int64](900_000)
	for _, metric := range plan.Metrics {
		score := verdict.Score{Metric: metric.Name, Candidate: nine, Live: nine}
		if _, asked := plan.Confidence[metric.Name]; asked {
			score.Queries, score.Interval, score.DeltaInterval = 3, &interval, &verdict.Interval{}
		}
		m.Scores = append(m.Scores, score)
	}
	for _, segment := range plan.Segments {
		score := verdict.SegmentScore{Segment: segment.Segment, Metric: segment.Metric, Queries: 2, Candidate: nine, Live: nine}
		if _, asked := plan.Confidence[segment.Metric]; asked {
			score.Lows = []int64{interval.Low}
		}
		m.Segments = append(m.Segments, score)
	}
	raw, err := report.Summary(plan).Encode()
	must(w.t, err)
	w.endPod(job, 0, string(raw))
	w.pass()
}

func TestConfidenceAndSegmentsReachTheStatusAndGiveTheVerdict(t *testing.T) {
	w := onFake(t, goodDocs)
	w.golden("golden", segmented)
	w.gate(withStatistics)
	w.pass()
	w.expect(stateMeasures)
	w.endWith(verdict.Interval{Low: 750_000, High: 950_000})
	w.expect(stateTooFew)
	w.expectMessage("ndcg@10 0.900000 holds min 0.800000, but its interval at confidence 0.950000 begins at 0.750000: 3 queries are too few, about 4 more like them would do")

	status := w.read().Status
	if status.Alias.Index != w.live {
		t.Errorf("the alias points at %s", status.Alias.Index)
	}
	if depth := status.Evaluation.Depth; depth != 50 {
		t.Errorf("the depth is %d", depth)
	}
	sum := sha256.Sum256([]byte(status.Evaluation.GoldenSet.Digest))
	drawn := v1alpha1.BootstrapStatus{Method: v1alpha1.BootstrapPercentile, Resamples: 10_000, Seed: fmt.Sprint(binary.BigEndian.Uint64(sum[:]))}
	if got := status.Evaluation.Bootstrap; got == nil || *got != drawn {
		t.Errorf("the intervals are from %+v, want %+v", got, drawn)
	}
	score := status.Scores[0]
	if score.CandidateLow != "0.750000" || score.CandidateHigh != "0.950000" || score.DeltaLow != "0.000000" || score.DeltaHigh != "0.000000" ||
		score.Queries != 3 || score.Verdict != v1alpha1.ScoreInconclusive {
		t.Errorf("the score is %+v", score)
	}
	if other := status.Scores[1]; other.CandidateLow != "" || other.DeltaHigh != "" || other.Queries != 0 {
		t.Errorf("nobody asked for confidence in %+v", other)
	}
	want := []v1alpha1.SegmentScore{
		{Segment: "head", Metric: "ndcg@10", Queries: 2, Candidate: "0.900000", Live: "0.900000", Lows: []v1alpha1.Decimal{"0.750000"}, Min: "0.700000", Verdict: v1alpha1.ScorePassed},
		{Segment: "head", Metric: "recall@50", Queries: 2, Candidate: "0.900000", Live: "0.900000", Min: "0.700000", Verdict: v1alpha1.ScorePassed},
	}
	if !reflect.DeepEqual(status.Segments, want) {
		t.Errorf("the segments are\n%+v, want\n%+v", status.Segments, want)
	}

	// Other limits give another verdict from the numbers that are there.
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Segments.Limits[1].Min = "0.95" })
	w.pass()
	w.expect(stateFailed)
	w.expectMessage(`recall@50 of segment "head" 0.900000 is below its min 0.950000`)
	w.edit(func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Segments.Limits[1].Min, gate.Spec.Segments.MinQueries = "0.70", 3
	})
	w.pass()
	w.expect(stateTooFew)
	w.expectMessage("counts 2 queries, and at least 3 are asked for (segments.minQueries): it takes 1 more")
	w.edit(func(gate *v1alpha1.RelevanceGate) {
		gate.Spec.Segments.MinQueries, gate.Spec.Metrics[0].Min = 2, "0.75"
	})
	w.pass()
	w.expect(statePromoted)
	w.expectJobs(1)
	if index := w.read().Status.Alias.Index; index != w.candidate {
		t.Errorf("the alias points at %s", index)
	}
}

func TestWhatStatisticsAreAskedForStartsAJob(t *testing.T) {
	for title, change := range map[string]func(*v1alpha1.RelevanceGate){
		"another confidence": func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[0].Confidence = "0.9" },
		"no confidence":      func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[0].Confidence = "" },
		"another segment":    func(gate *v1alpha1.RelevanceGate) { gate.Spec.Segments.Limits[0].Segment = "brands" },
		"another metric":     func(gate *v1alpha1.RelevanceGate) { gate.Spec.Segments.Limits[1].Metric = "precision@5" },
		"no segments":        func(gate *v1alpha1.RelevanceGate) { gate.Spec.Segments = nil },
	} {
		t.Run(title, func(t *testing.T) {
			w := onFake(t, goodDocs)
			w.golden("golden", segmented)
			w.gate(withStatistics)
			w.pass()
			w.endWith(verdict.Interval{Low: 750_000, High: 950_000})
			w.expect(stateTooFew)
			w.edit(change)
			w.pass()
			w.expect(stateMeasures)
			w.expectJobs(2)
			if status := w.read().Status; status.Scores != nil || status.Segments != nil {
				t.Errorf("the old numbers are still there: %+v, %+v", status.Scores, status.Segments)
			}
			w.endWith(verdict.Interval{Low: 850_000, High: 950_000})
			if w.read().Status.Evaluation.CompletedAt == nil {
				t.Errorf("the second evaluation has no result: %s", w.state("gate"))
			}
		})
	}
}

func TestASegmentWithoutQueriesIsTheUsersToPutRight(t *testing.T) {
	w := onFake(t, goodDocs)
	w.golden("golden", segmented)
	w.gate(withStatistics, func(gate *v1alpha1.RelevanceGate) { gate.Spec.Segments.Limits[0].Segment = "haed" })
	w.pass()
	w.expect(stalls("InvalidGoldenSet"))
	w.expectMessage(`no query has the segment "haed", which a limit is set for; did you mean "head"?`)
	w.expectJobs(0)
	w.edit(withStatistics)
	w.pass()
	w.expect(stateMeasures)
	// The golden set loses it again.
	w.golden("golden", goldenText)
	w.pass()
	w.expect(stalls("InvalidGoldenSet"))
	w.expectMessage("no query has any")
}

func TestASummaryOfOtherSegmentsIsNoResult(t *testing.T) {
	w := onFake(t, goodDocs)
	w.golden("golden", segmented)
	w.gate(withStatistics)
	w.pass()
	job := w.job()
	plan, _, _, err := evaluate.LoadPlan(w.mount(job))
	must(t, err)
	report := evaluate.Report{Candidate: &evaluate.IndexResult{UUID: plan.Candidate.UUID}, Live: &evaluate.IndexResult{UUID: plan.Live.UUID}}
	for _, metric := range plan.Metrics {
		report.Measurement.Scores = append(report.Measurement.Scores, verdict.Score{Metric: metric.Name, Candidate: ptr.To[int64](1)})
	}
	raw, err := report.Summary(plan).Encode()
	must(t, err)
	w.endPod(job, 0, string(raw))
	w.pass()
	w.expect(waits("EvaluationError"))
	w.expectMessage("the summary has 3 scores and 0 of segments, but the plan has 3 metrics and 2 segments")
}
