package verdict

import (
	"fmt"
	"math"
)

// LimitKind says what a limit is held against.
type LimitKind string

// The kinds of limits, named as in the gate.
const (
	Evidence   LimitKind = "evidence"          // that the measurement is worth judging at all
	Min        LimitKind = "min"               // a score
	MaxDrop    LimitKind = "maxDrop"           // a score against the live index's
	SegmentMin LimitKind = "segments"          // a score of a segment
	MaxQueries LimitKind = "maxQueries"        // the number of queries that got worse
	Protected  LimitKind = "protectWeightFrom" // the queries that may not get worse at all
)

// LimitVerdict is the verdict on one limit alone.
type LimitVerdict struct {
	Kind     LimitKind
	Position int // in Limits.Metrics for Min and MaxDrop, in Limits.Segments for SegmentMin, else 0
	Name     string
	Verdict  Verdict
	Reason   string // what the gate's would be with this limit alone, where it is Failed or Inconclusive; else empty
	Message  string // one sentence with the numbers; it may name queries by their ids, never by their texts
}

// Each gives the verdict on every limit: the evidence first, then the metrics' in their order, the segments' and the
// regressions'. Where the evidence is Inconclusive, the gate is, whatever the others are.
func Each(m Measurement, l Limits) []LimitVerdict {
	var limits []LimitVerdict
	scores := map[string]Score{}
	for _, s := range m.Scores {
		scores[s.Metric] = s
	}
	compared := comparesWithLive(m, l)
	for i, limit := range l.Metrics {
		add := func(kind LimitKind, alone Limit) {
			j := judge(scores[limit.Metric], alone, l, compared)
			limits = append(limits, LimitVerdict{kind, i, limit.Metric + " " + string(kind), j.Verdict, j.why(), j.Message})
		}
		if limit.Min != nil {
			alone := limit
			alone.MaxDrop = nil
			add(Min, alone)
		}
		if limit.MaxDrop != nil {
			alone := limit
			alone.Min = nil
			add(MaxDrop, alone)
		}
	}
	for i, j := range judgeSegments(m, l) {
		name := l.Segments[i].Metric + " of segment " + l.Segments[i].Segment
		limits = append(limits, LimitVerdict{SegmentMin, i, name, j.Verdict, j.why(), j.Message})
	}
	limits = append(limits, eachRegression(m, l, compared)...)
	return append([]LimitVerdict{onEvidence(m, l, limits)}, limits...)
}

// onEvidence is Inconclusive where the gate is and no limit is to blame.
func onEvidence(m Measurement, l Limits, limits []LimitVerdict) LimitVerdict {
	out := LimitVerdict{Kind: Evidence, Name: string(Evidence), Verdict: Passed, Message: "the measurement is worth judging"}
	outcome := Decide(m, l)
	if outcome.Verdict != Inconclusive {
		return out
	}
	if evidence(m, l).reason == "" {
		for _, limit := range limits {
			if limit.Verdict == Inconclusive {
				return out
			}
		}
	}
	out.Verdict, out.Reason, out.Message = Inconclusive, outcome.Reason, outcome.Message
	return out
}

// eachRegression is the verdict on the limits of regressions.
func eachRegression(m Measurement, l Limits, compared bool) []LimitVerdict {
	if l.MaxRegressions == nil {
		return nil
	}
	var out []LimitVerdict
	add := func(kind LimitKind, failed bool, message string) {
		v := LimitVerdict{Kind: kind, Name: "regressions " + string(kind), Verdict: Passed, Message: message}
		switch {
		case failed && !l.LiveOnly:
			v.Verdict, v.Reason = Failed, ReasonTooManyRegressions
		case !compared:
			v.Verdict, v.Message = NotApplicable, "there is no live index that a query could get worse against"
		}
		out = append(out, v)
	}
	protectedAlone := *l.MaxRegressions == math.MaxInt
	if !protectedAlone {
		add(MaxQueries, m.RegressionCount > *l.MaxRegressions, fmt.Sprintf("%s got worse, and %s may",
			counted(m.RegressionCount, "query", "queries"), atMost(*l.MaxRegressions)))
	}
	if protectedAlone || m.ProtectedRegressions > 0 {
		add(Protected, m.ProtectedRegressions > 0, fmt.Sprintf("%s got worse, and none may",
			counted(m.ProtectedRegressions, "protected query", "protected queries")))
	}
	return out
}
