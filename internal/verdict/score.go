package verdict

import (
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// judgment is the verdict of one limit, and what gave it.
type judgment struct {
	ScoreVerdict
	missedBy int64  // above 0 when Failed: by how many millionths
	reason   string // when Inconclusive
}

// judge holds a score against its limit; equality passes.
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
		out.Verdict, out.Message = Reported, limit.Metric+" "+text(value)+beside(s.Live, l)
	case value == nil:
		out.lacks(finding{ReasonMissingScore, fmt.Sprintf("%s has no score for the %s", limit.Metric, subject(l))})
	case limit.Min == nil && !withLive:
		out.Verdict, out.Message = NotApplicable, fmt.Sprintf("%s %s has nothing to be compared with (maxDrop %s)",
			limit.Metric, text(value), relevance.Format(*limit.MaxDrop))
	default:
		if !withLive {
			limit.MaxDrop = nil
		}
		out.hold(s, limit, l)
	}
	return out
}

// hold judges a score that is there by the limits that apply. A missed min is told before a missed maxDrop, and either
// before an interval that is too wide.
func (j *judgment) hold(s Score, limit Limit, l Limits) {
	value := *s.of(l)
	switch {
	case limit.Min != nil && value < *limit.Min:
		j.Verdict, j.missedBy = Failed, *limit.Min-value
		j.Message = fmt.Sprintf("%s %s is below its min %s%s",
			limit.Metric, relevance.Format(value), relevance.Format(*limit.Min), beside(s.Live, l))
	case limit.MaxDrop != nil && s.Live == nil:
		j.lacks(finding{ReasonMissingScore, limit.Metric + " has no score for the live index to be compared with"})
	case limit.MaxDrop != nil && dropOf(s) > *limit.MaxDrop:
		j.Verdict, j.missedBy = Failed, dropOf(s)-*limit.MaxDrop
		j.Message = fmt.Sprintf("%s %s is %s below %s, more than its maxDrop %s",
			limit.Metric, text(s.Candidate), relevance.Format(dropOf(s)), reference(s), relevance.Format(*limit.MaxDrop))
	default:
		j.Verdict = Passed
		j.Message = limit.Metric + " " + relevance.Format(value) + " holds" + bounds(limit) + beside(s.Live, l)
		j.lacks(unsure(s, limit, l))
	}
}

// lacks makes a judgment Inconclusive if anything was found.
func (j *judgment) lacks(found finding) {
	if found.reason != "" {
		j.Verdict, j.reason, j.Message = Inconclusive, found.reason, found.message
	}
}

// why is the reason that the gate has for this judgment alone.
func (j judgment) why() string {
	if j.Verdict == Failed {
		return ReasonBelowThreshold
	}
	return j.reason
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

// dropOf is how far the candidate is below the live index.
func dropOf(s Score) int64 { return highest(s) - *s.Candidate }

// reference names the live score that a drop is counted from.
func reference(s Score) string {
	if high := highest(s); high != *s.Live {
		return fmt.Sprintf("the live index's highest %s", relevance.Format(high))
	}
	return "live " + text(s.Live)
}

// bounds lists the limits that a score was held against.
func bounds(limit Limit) string {
	out := ""
	if limit.Min != nil {
		out += " min " + relevance.Format(*limit.Min)
	}
	if limit.MaxDrop != nil {
		if out != "" {
			out += " and"
		}
		out += " maxDrop " + relevance.Format(*limit.MaxDrop)
	}
	if limit.Confidence != nil {
		out += " at confidence " + relevance.Format(*limit.Confidence)
	}
	return out
}

// beside is the live score to print beside the candidate's.
func beside(live *int64, l Limits) string {
	if l.LiveOnly || live == nil {
		return ""
	}
	return " (live " + text(live) + ")"
}

// text prints a score that may be missing.
func text(score *int64) string {
	if score == nil {
		return "(no score)"
	}
	return relevance.Format(*score)
}
