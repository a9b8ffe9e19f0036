package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Decide holds a measurement against its limits.
//
// The evidence comes first, in this order: too many errors, a candidate that changed, repeats that differ, no judged
// hit, too few judged hits, no live index to compare with. Any of these is Inconclusive whatever the scores say, though
// the message also tells the limits that are missed. On valid evidence a missed limit is Failed, even if another limit
// lacks its score or its queries; one that lacks either is Inconclusive; a measurement without any limit is too.
func Decide(m Measurement, l Limits) Outcome {
	judgments := judgeAll(m, l)
	out := Outcome{}
	for _, j := range judgments {
		out.Scores = append(out.Scores, j.ScoreVerdict)
	}
	for i, j := range judgeSegments(m, l) {
		judgments = append(judgments, j)
		out.Segments = append(out.Segments, SegmentVerdict{l.Segments[i].Segment, j.Metric, j.Verdict, j.Message})
	}
	missed := misses(judgments)
	reason := ReasonBelowThreshold
	if len(missed) == 0 {
		reason = ReasonTooManyRegressions
	}
	if r := regressed(m, l); r != "" {
		missed = append(missed, r)
	}

	if found := evidence(m, l); found.reason != "" {
		if len(missed) > 0 {
			found.message += "; besides, " + list(missed)
		}
		return out.as(Inconclusive, found)
	}
	if len(missed) > 0 {
		return out.as(Failed, finding{reason, list(missed)})
	}
	if found := undecided(judgments); found.reason != "" {
		return out.as(Inconclusive, found)
	}
	if !applicable(m, l) {
		return out.as(Inconclusive, noLimits(l))
	}
	if found := unproven(m, l); found.reason != "" {
		return out.as(Inconclusive, found)
	}
	return out.as(Passed, finding{ReasonThresholdsMet, list(append(messages(judgments, Passed), tolerated(m, l)...))})
}

// as completes an outcome.
func (o Outcome) as(v Verdict, f finding) Outcome {
	o.Verdict, o.Reason, o.Message = v, f.reason, f.message
	return o
}

// judgeAll judges every metric that has a line in the limits, then reports the scores that have none. A line without a
// score is judged as a score that is missing.
func judgeAll(m Measurement, l Limits) []judgment {
	scores := map[string]Score{}
	for _, s := range m.Scores {
		scores[s.Metric] = s
	}
	compared := comparesWithLive(m, l)
	var out []judgment
	for _, limit := range l.Metrics {
		out = append(out, judge(scores[limit.Metric], limit, l, compared))
		delete(scores, limit.Metric)
	}
	for _, s := range m.Scores {
		if _, left := scores[s.Metric]; left {
			out = append(out, judge(s, Limit{Metric: s.Metric}, l, compared))
		}
	}
	return out
}

// misses lists what is wrong with the failed metrics, the widest miss first.
func misses(judgments []judgment) []string {
	failed := slices.DeleteFunc(slices.Clone(judgments), func(j judgment) bool { return j.Verdict != Failed })
	slices.SortStableFunc(failed, func(a, b judgment) int { return cmp.Compare(b.missedBy, a.missedBy) })
	return messages(failed, Failed)
}

// undecided tells the limits that lack their scores and then those that lack queries, or nothing. The worse lack gives the
// reason.
func undecided(judgments []judgment) finding {
	var found finding
	var said []string
	for _, reason := range []string{ReasonMissingScore, ReasonTooFewQueries} {
		for _, j := range judgments {
			if j.Verdict == Inconclusive && j.reason == reason {
				found.reason = cmp.Or(found.reason, reason)
				said = append(said, j.Message)
			}
		}
	}
	found.message = list(said)
	return found
}

// messages lists the messages of the metrics with a verdict.
func messages(judgments []judgment, v Verdict) []string {
	var out []string
	for _, j := range judgments {
		if j.Verdict == v {
			out = append(out, j.Message)
		}
	}
	return out
}

// applicable tells whether any limit could be held against the measurement.
func applicable(m Measurement, l Limits) bool {
	if l.absolute() {
		return true
	}
	return l.relative() && comparesWithLive(m, l)
}

func noLimits(l Limits) finding {
	if l.LiveOnly && l.relative() {
		return finding{ReasonNoLimits, "the live index was measured alone, and no metric has a min to hold it against"}
	}
	return finding{ReasonNoLimits, "no limit is set, so nothing says what is good enough; set min or maxDrop of a metric"}
}

// maxListed is how many messages are joined into one.
const maxListed = 3

// list joins messages and counts those that do not fit.
func list(all []string) string {
	out := strings.Join(all[:min(len(all), maxListed)], "; ")
	if more := len(all) - maxListed; more > 0 {
		out += fmt.Sprintf("; and %d more", more)
	}
	return out
}
