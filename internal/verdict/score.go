package verdict

import (
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// judgment is the verdict of one metric, and by how many millionths it misses its limit.
type judgment struct {
	ScoreVerdict
	missedBy int64 // above 0 when Failed
}

// judge holds a score against its limit; equality passes. A missed min is told before a missed maxDrop.
//
// withLive: there is, or should be, a live index to hold maxDrop against.
func judge(s Score, limit Limit, l Limits, withLive bool) judgment {
	out := judgment{ScoreVerdict: ScoreVerdict{Metric: limit.Metric}}
	value := s.of(l)
	if s.Candidate != nil && s.Live != nil {
		delta := *s.Candidate - *s.Live
		out.Delta = &delta
	}

	switch {
	case limit.Min == nil && limit.MaxDrop == nil:
		out.Verdict, out.Message = Reported, limit.Metric+" "+text(value)+beside(s, l)
	case value == nil:
		out.Verdict, out.Message = Inconclusive, fmt.Sprintf("%s has no score for the %s", limit.Metric, subject(l))
	case limit.Min == nil && !withLive:
		out.Verdict, out.Message = NotApplicable, fmt.Sprintf("%s %s has nothing to be compared with (maxDrop %s)",
			limit.Metric, text(value), relevance.Format(*limit.MaxDrop))
	case limit.Min != nil && *value < *limit.Min:
		out.Verdict, out.missedBy = Failed, *limit.Min-*value
		out.Message = fmt.Sprintf("%s %s is below its min %s%s",
			limit.Metric, text(value), relevance.Format(*limit.Min), beside(s, l))
	case limit.MaxDrop != nil && withLive:
		out.againstLive(s, limit, l)
	default:
		out.pass(s, limit, l, withLive)
	}
	return out
}

// againstLive holds the candidate's score against the live one.
func (j *judgment) againstLive(s Score, limit Limit, l Limits) {
	if s.Live == nil {
		j.Verdict, j.Message = Inconclusive, fmt.Sprintf("%s has no score for the live index to be compared with", limit.Metric)
		return
	}
	drop := highest(s) - *s.Candidate
	if drop <= *limit.MaxDrop {
		j.pass(s, limit, l, true)
		return
	}
	j.Verdict, j.missedBy = Failed, drop-*limit.MaxDrop
	j.Message = fmt.Sprintf("%s %s is %s below %s, more than its maxDrop %s",
		limit.Metric, text(s.Candidate), relevance.Format(drop), reference(s), relevance.Format(*limit.MaxDrop))
}

// pass says that the score holds.
func (j *judgment) pass(s Score, limit Limit, l Limits, withLive bool) {
	j.Verdict = Passed
	j.Message = limit.Metric + " " + text(s.of(l)) + " holds" + bounds(limit, withLive) + beside(s, l)
}

// of is the score of the side under test.
func (s Score) of(l Limits) *int64 {
	if l.LiveOnly {
		return s.Live
	}
	return s.Candidate
}

// highest is the live score that a drop is counted from: the live index's best repeat, for it may have been written
// meanwhile.
func highest(s Score) int64 {
	if s.LiveHigh != nil {
		return max(*s.Live, *s.LiveHigh)
	}
	return *s.Live
}

// reference names the live score that a drop is counted from.
func reference(s Score) string {
	if high := highest(s); high != *s.Live {
		return fmt.Sprintf("the live index's highest %s", relevance.Format(high))
	}
	return "live " + text(s.Live)
}

// bounds lists the limits that a score was held against.
func bounds(limit Limit, withLive bool) string {
	out := ""
	if limit.Min != nil {
		out += " min " + relevance.Format(*limit.Min)
	}
	if limit.MaxDrop != nil && withLive {
		if out != "" {
			out += " and"
		}
		out += " maxDrop " + relevance.Format(*limit.MaxDrop)
	}
	return out
}

// beside is the live score to print beside the candidate's.
func beside(s Score, l Limits) string {
	if l.LiveOnly || s.Live == nil {
		return ""
	}
	return " (live " + text(s.Live) + ")"
}

// text prints a score that may be missing.
func text(score *int64) string {
	if score == nil {
		return "(no score)"
	}
	return relevance.Format(*score)
}
