package controllers

import (
	"fmt"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/sentence"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// clearNumbers removes what an evaluation measured.
func (s *scope) clearNumbers() {
	status := &s.gate.Status
	status.NDCG, status.Recall = "", ""
	status.Scores, status.Segments, status.Regressions = nil, nil, nil
	status.Judged, status.Hits, status.EmptyResults = nil, nil, nil
	status.NegativesFailed, status.Errors, status.FirstError = nil, nil, ""
	status.Determinism, status.FirstDifference, status.CandidateChanged = "", "", false
	status.Noise, status.LiveNoise = "", ""
}

// store writes what was measured into the status. From here on it outlives the
// Job; measurement reads it back.
func (s *scope) store(summary *evaluate.Summary) {
	status := &s.gate.Status
	m := summary.Measurement
	s.clearNumbers()
	evaluation := status.Evaluation
	completed := metav1.NewTime(s.now)
	evaluation.CompletedAt = &completed
	evaluation.MissingDocs = ptr.To(int64(m.MissingDocs))
	evaluation.Depth = int32(summary.Depth)
	if summary.Candidate != nil && evaluation.Candidate != nil {
		evaluation.Candidate.Docs = ptr.To(summary.Candidate.Docs)
	}
	if summary.Live != nil && evaluation.Live != nil {
		evaluation.Live.Docs = ptr.To(summary.Live.Docs)
	}
	status.Failure = nil
	for _, score := range m.Scores {
		stored := v1alpha1.Score{
			Metric:    score.Metric,
			Candidate: decimal(score.Candidate),
			Live:      decimal(score.Live),
			LiveHigh:  decimal(score.LiveHigh),
			Queries:   int64(score.Queries),
		}
		if interval := score.Interval; interval != nil {
			stored.CandidateLow, stored.CandidateHigh = v1alpha1.DecimalOf(interval.Low), v1alpha1.DecimalOf(interval.High)
		}
		if interval := score.DeltaInterval; interval != nil {
			stored.DeltaLow, stored.DeltaHigh = v1alpha1.DecimalOf(interval.Low), v1alpha1.DecimalOf(interval.High)
		}
		status.Scores = append(status.Scores, stored)
	}
	for _, segment := range m.Segments {
		stored := v1alpha1.SegmentScore{
			Segment:   segment.Segment,
			Metric:    segment.Metric,
			Queries:   int64(segment.Queries),
			Candidate: decimal(segment.Candidate),
			Live:      decimal(segment.Live),
		}
		for _, low := range segment.Lows {
			stored.Lows = append(stored.Lows, v1alpha1.DecimalOf(low))
		}
		status.Segments = append(status.Segments, stored)
	}
	status.Judged = &v1alpha1.SideDecimals{Candidate: decimal(m.JudgedCandidate), Live: decimal(m.JudgedLive)}
	status.Hits = &v1alpha1.HitsStatus{Candidate: int64(m.HitsCandidate), JudgedCandidate: int64(m.JudgedHitsCandidate)}
	status.EmptyResults = &v1alpha1.SideCounts{Candidate: int64(m.EmptyCandidate)}
	if summary.Live != nil {
		status.Hits.Live, status.Hits.JudgedLive = ptr.To(int64(m.HitsLive)), ptr.To(int64(m.JudgedHitsLive))
		status.EmptyResults.Live = ptr.To(int64(m.EmptyLive))
	}
	status.NegativesFailed = ptr.To(int64(m.NegativesFailed))
	status.Errors, status.FirstError = ptr.To(int64(m.Errors)), m.FirstError
	status.Determinism, status.FirstDifference = v1alpha1.NotDeterministic, m.FirstDifference
	if m.Deterministic {
		status.Determinism = v1alpha1.Deterministic
	}
	status.CandidateChanged = m.CandidateChanged
	status.Noise, status.LiveNoise = v1alpha1.DecimalOf(m.Noise), v1alpha1.DecimalOf(m.LiveNoise)
	status.Regressions = &v1alpha1.RegressionsStatus{
		Count: int64(m.RegressionCount), Protected: int64(m.ProtectedRegressions), ProtectedErrors: int64(m.ProtectedErrors),
	}
	for _, worst := range m.Worst {
		status.Regressions.Worst = append(status.Regressions.Worst, v1alpha1.Regression{
			Query:     worst.Query,
			Live:      v1alpha1.DecimalOf(worst.Live),
			Candidate: v1alpha1.DecimalOf(worst.Candidate),
			Delta:     v1alpha1.DecimalOf(worst.Candidate - worst.Live),
			Weight:    weight(worst.Weight),
		})
	}
}

// measurement reads the numbers back. What store wrote is what comes back, but
// for the weights, which decide nothing here.
func (s *scope) measurement() (verdict.Measurement, error) {
	status := &s.gate.Status
	m := verdict.Measurement{
		Queries:          int(status.Evaluation.GoldenSet.Queries),
		Judgments:        int(status.Evaluation.GoldenSet.Judgments),
		Errors:           int(ptr.Deref(status.Errors, math.MaxInt32)),
		FirstError:       status.FirstError,
		CandidateChanged: status.CandidateChanged,
		Deterministic:    status.Determinism == v1alpha1.Deterministic,
		FirstDifference:  status.FirstDifference,
		NegativesFailed:  int(ptr.Deref(status.NegativesFailed, 0)),
		MissingDocs:      int(ptr.Deref(status.Evaluation.MissingDocs, 0)),
	}
	var read decimals
	m.Noise, m.LiveNoise = ptr.Deref(read.number(status.Noise), 0), ptr.Deref(read.number(status.LiveNoise), 0)
	for _, score := range status.Scores {
		m.Scores = append(m.Scores, read.score(score))
	}
	for _, segment := range status.Segments {
		m.Segments = append(m.Segments, read.segment(segment))
	}
	if judged := status.Judged; judged != nil {
		m.JudgedCandidate, m.JudgedLive = read.number(judged.Candidate), read.number(judged.Live)
	}
	if hits := status.Hits; hits != nil {
		m.HitsCandidate, m.JudgedHitsCandidate = int(hits.Candidate), int(hits.JudgedCandidate)
		m.HitsLive, m.JudgedHitsLive = int(ptr.Deref(hits.Live, 0)), int(ptr.Deref(hits.JudgedLive, 0))
	}
	if empty := status.EmptyResults; empty != nil {
		m.EmptyCandidate, m.EmptyLive = int(empty.Candidate), int(ptr.Deref(empty.Live, 0))
	}
	if regressions := status.Regressions; regressions != nil {
		m.RegressionCount, m.ProtectedRegressions = int(regressions.Count), int(regressions.Protected)
		m.ProtectedErrors = int(regressions.ProtectedErrors)
	}
	if read.problem != nil {
		return m, fmt.Errorf("reading the numbers in the status: %w", read.problem)
	}
	return m, nil
}

// decimals reads numbers from the status and keeps the first problem with one.
type decimals struct{ problem error }

// number is nil where there is none.
func (d *decimals) number(text v1alpha1.Decimal) *int64 {
	if text == "" {
		return nil
	}
	value, err := text.Millionths()
	if d.problem == nil {
		d.problem = err
	}
	return &value
}

// interval is nil where an end is missing: a limit that needs it is Inconclusive
// then.
func (d *decimals) interval(low, high v1alpha1.Decimal) *verdict.Interval {
	lowEnd, highEnd := d.number(low), d.number(high)
	if lowEnd == nil || highEnd == nil {
		return nil
	}
	return &verdict.Interval{Low: *lowEnd, High: *highEnd}
}

func (d *decimals) score(score v1alpha1.Score) verdict.Score {
	return verdict.Score{
		Metric:        score.Metric,
		Candidate:     d.number(score.Candidate),
		Live:          d.number(score.Live),
		LiveHigh:      d.number(score.LiveHigh),
		Queries:       int(score.Queries),
		Interval:      d.interval(score.CandidateLow, score.CandidateHigh),
		DeltaInterval: d.interval(score.DeltaLow, score.DeltaHigh),
	}
}

func (d *decimals) segment(segment v1alpha1.SegmentScore) verdict.SegmentScore {
	out := verdict.SegmentScore{
		Segment:   segment.Segment,
		Metric:    segment.Metric,
		Queries:   int(segment.Queries),
		Candidate: d.number(segment.Candidate),
		Live:      d.number(segment.Live),
	}
	for _, text := range segment.Lows {
		if low := d.number(text); low != nil {
			out.Lows = append(out.Lows, *low)
		}
	}
	return out
}

// storeVerdict writes the limits and verdicts of scores and segments, and the two
// columns.
func (s *scope) storeVerdict(outcome verdict.Outcome, limits verdict.Limits) {
	status := &s.gate.Status
	status.NDCG, status.Recall = "", ""
	for i := range status.Scores {
		score := &status.Scores[i]
		score.Min, score.MaxDrop = decimal(limits.Metrics[i].Min), decimal(limits.Metrics[i].MaxDrop)
		score.Delta, score.Verdict = "", ""
		if i < len(outcome.Scores) {
			score.Delta = decimal(outcome.Scores[i].Delta)
			if v := outcome.Scores[i].Verdict; v != verdict.Reported {
				score.Verdict = v1alpha1.ScoreVerdict(v)
			}
		}
		s.fillColumn(*score, i)
	}
	for i := range status.Segments {
		segment := &status.Segments[i]
		segment.Min = v1alpha1.DecimalOf(limits.Segments[i].Min)
		segment.Verdict = v1alpha1.ScoreVerdict(outcome.Segments[i].Verdict)
	}
}

// fillColumn shows the first ndcg and the first recall of the gate. At rest
// only the live index is measured, and its score is shown.
func (s *scope) fillColumn(score v1alpha1.Score, position int) {
	value := score.Candidate
	if value == "" {
		value = score.Live
	}
	if position >= len(s.inputs.metrics) {
		return
	}
	status := &s.gate.Status
	switch kind := s.inputs.metrics[position].Kind; {
	case kind == "ndcg" && status.NDCG == "":
		status.NDCG = value
	case kind == "recall" && status.Recall == "":
		status.Recall = value
	}
}

func decimal(millionths *int64) v1alpha1.Decimal {
	if millionths == nil {
		return ""
	}
	return v1alpha1.DecimalOf(*millionths)
}

// maxWeight is the largest weight that the status can show.
const maxWeight = 999_999_999_999

func weight(value float64) v1alpha1.Decimal {
	return v1alpha1.DecimalOf(int64(math.RoundToEven(min(value, maxWeight) * 1e6)))
}

// maxMessage is the longest message of a condition or a status, in bytes.
const maxMessage = 1024

func cutMessage(message string) string { return cut(message, maxMessage) }

// cut returns at most limit bytes of text, with three dots for what is missing.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return sentence.Cut(text, limit-len("...")) + "..."
}
