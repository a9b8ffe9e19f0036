package verdict

import (
	"strings"
	"testing"
)

// fault is one thing that can be wrong with a measurement.
type fault struct {
	name    string
	apply   func(*Measurement)
	verdict Verdict
	reason  string
	told    string // of a missed limit: told also where invalid evidence comes first
}

// faults are of every kind, in the order in which they are told.
func faults() []fault {
	return []fault{
		{"errors", func(m *Measurement) { m.Errors = 1 }, Inconclusive, ReasonTooManyErrors, ""},
		{"changed", func(m *Measurement) { m.CandidateChanged = true }, Inconclusive, ReasonCandidateChanged, ""},
		{"differing repeats", func(m *Measurement) { m.Deterministic = false }, Inconclusive, ReasonNotDeterministic, ""},
		{"nothing judged", func(m *Measurement) { m.JudgedHitsCandidate, m.JudgedHitsLive = 0, 0 }, Inconclusive, ReasonNothingJudged, ""},
		{"too little judged", func(m *Measurement) { m.JudgedCandidate = n[int64](599_999) }, Inconclusive, ReasonTooFewJudged, ""},
		{"no live index", loseLive, Inconclusive, ReasonNoLiveIndex, ""},

		{"min missed", func(m *Measurement) { m.Scores[0].Candidate = n[int64](700_000) }, Failed, ReasonBelowThreshold, "a@10 0.700000 is below its min 0.800000"},
		{"maxDrop missed", func(m *Measurement) { m.Scores[1].Live = n[int64](999_000) }, Failed, ReasonBelowThreshold, "b@10 0.900000 is 0.099000 below live 0.999000"},
		{"segment's min missed", func(m *Measurement) { m.Segments[0].Candidate = n[int64](600_000) }, Failed, ReasonBelowThreshold, `a@10 of segment "head" 0.600000 is below its min 0.800000`},
		{"a regression", func(m *Measurement) { m.RegressionCount = 1 }, Failed, ReasonTooManyRegressions, "1 query got worse"},
		{"a protected query", func(m *Measurement) { m.ProtectedRegressions = 1 }, Failed, ReasonTooManyRegressions, "1 protected query got worse"},

		{"a missing score", func(m *Measurement) { m.Scores[2].Candidate = nil }, Inconclusive, ReasonMissingScore, ""},
		{"a missing score of the live index", func(m *Measurement) { m.Scores[1].Live = nil }, Inconclusive, ReasonMissingScore, ""},
		{"a lost interval of a difference", func(m *Measurement) { m.Scores[4].DeltaInterval = nil }, Inconclusive, ReasonMissingScore, ""},
		{"a missing score of a segment", func(m *Measurement) { m.Segments[1].Candidate = nil }, Inconclusive, ReasonMissingScore, ""},
		{"one query", func(m *Measurement) { m.Scores[3].Queries, m.Scores[3].Interval = 1, nil }, Inconclusive, ReasonTooFewQueries, ""},
		{"queries that score alike", func(m *Measurement) { m.Scores[3].Interval = &Interval{900_000, 900_000} }, Inconclusive, ReasonTooFewQueries, ""},
		{"a wide interval of a score", func(m *Measurement) { m.Scores[3].Interval = &Interval{700_000, 990_000} }, Inconclusive, ReasonTooFewQueries, ""},
		{"a wide interval of a difference", func(m *Measurement) { m.Scores[4].DeltaInterval = &Interval{-90_000, 90_000} }, Inconclusive, ReasonTooFewQueries, ""},
		{"a wide interval of a segment", func(m *Measurement) { m.Segments[2].Lows[0] = 700_000 }, Inconclusive, ReasonTooFewQueries, ""},
		{"a segment of too few queries", func(m *Measurement) { m.Segments[3].Queries = 4 }, Inconclusive, ReasonTooFewQueries, ""},
		{"nothing judged of the candidate", func(m *Measurement) { m.JudgedHitsCandidate = 0 }, Inconclusive, ReasonNothingJudged, ""},
	}
}

// loseLive takes the live index away.
func loseLive(m *Measurement) {
	for i := range m.Scores {
		m.Scores[i].Live, m.Scores[i].DeltaInterval = nil, nil
	}
	m.HitsLive, m.JudgedHitsLive, m.JudgedLive = 0, 0, nil
}

// faultless is a measurement that passes limits of every kind.
func faultless() (Measurement, Limits) {
	narrow, level := Interval{850_000, 950_000}, Interval{-1_000, 1_000}
	m := measured(s("a@10", 900_000, 900_000), s("b@10", 900_000, 900_000), s("c@10", 900_000, 900_000),
		sure("d@10", 900_000, 900_000, narrow, level), sure("e@10", 900_000, 900_000, narrow, level))
	segmentOf := func(name string) SegmentScore {
		return SegmentScore{Segment: name, Metric: "a@10", Queries: 50, Candidate: n[int64](900_000), Live: n[int64](900_000)}
	}
	m.Segments = []SegmentScore{segmentOf("head"), segmentOf("tail"), segmentOf("brands"), segmentOf("sizes")}
	m.Segments[2].Metric, m.Segments[2].Lows = "d@10", []int64{850_000}
	l := limits(minimum("a@10", 800_000), drop("b@10", 20_000), minimum("c@10", 800_000), at(minimum("d@10", 800_000), 950_000), at(drop("e@10", 20_000), 950_000))
	for _, score := range m.Segments {
		l.Segments = append(l.Segments, SegmentLimit{Segment: score.Segment, Metric: score.Metric, Min: 800_000})
	}
	l.Segments[2].Confidence = n[int64](950_000)
	l.MinQueries, l.MinJudged, l.MaxRegressions = 5, n[int64](600_000), n(0)
	return m, l
}

// TestEveryPairOfFaults applies each fault alone and with each later one: the earlier gives verdict and reason.
func TestEveryPairOfFaults(t *testing.T) {
	if got := Decide(faultless()); got.Verdict != Passed {
		t.Fatalf("without a fault: %+v", got)
	}
	all := faults()
	for i, first := range all {
		for _, second := range all[i:] {
			m, l := faultless()
			second.apply(&m)
			first.apply(&m)
			if m.JudgedHitsCandidate+m.JudgedHitsLive == 0 && first.reason == ReasonNoLiveIndex {
				continue // Without a live index, nothing judged of the candidate is nothing judged at all.
			}
			got := Decide(m, l)
			if got.Verdict != first.verdict || got.Reason != first.reason {
				t.Errorf("%s and %s: %s/%s: %s; want %s/%s", first.name, second.name, got.Verdict, got.Reason, got.Message, first.verdict, first.reason)
			}
			if first.name != "no live index" && !strings.Contains(got.Message, second.told) {
				t.Errorf("%s and %s: the message does not tell %q: %s", first.name, second.name, second.told, got.Message)
			}
		}
	}
}

// TestWhatComparesIsMootWithoutALiveIndex makes the alias: the limits that compare leave the verdict to the others.
func TestWhatComparesIsMootWithoutALiveIndex(t *testing.T) {
	moot := map[string]bool{"no live index": true, "a missing score of the live index": true, "a lost interval of a difference": true}
	compares := map[string]bool{"maxDrop missed": true, "a regression": true, "a protected query": true, "a wide interval of a difference": true}
	for _, fault := range faults() {
		if compares[fault.name] {
			continue // It cannot come about.
		}
		m, l := faultless()
		l.CreateAlias = true
		loseLive(&m)
		fault.apply(&m)
		want := fault.verdict
		if moot[fault.name] {
			want = Passed
		}
		if got := Decide(m, l); got.Verdict != want || want != Passed && got.Reason != fault.reason {
			t.Errorf("%s: %s/%s: %s; want %s", fault.name, got.Verdict, got.Reason, got.Message, want)
		}
	}
}
