package verdict

import (
	"fmt"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// judgeSegments judges every limit of a segment, in their order.
func judgeSegments(m Measurement, l Limits) []judgment {
	out := make([]judgment, len(l.Segments))
	families := map[string][]claim{}
	for i, limit := range l.Segments {
		s := segmentScore(m, limit)
		out[i] = judgeSegment(s, limit, l)
		if limit.Confidence != nil && (out[i].Verdict == Passed || out[i].Verdict == Failed) {
			families[limit.Metric] = append(families[limit.Metric], claim{s, limit, &out[i]})
		}
	}
	for _, family := range families {
		holm(family, l)
	}
	return out
}

// segmentScore finds the score that a limit is about; one that was not measured is empty.
func segmentScore(m Measurement, limit SegmentLimit) SegmentScore {
	for _, s := range m.Segments {
		if s.Segment == limit.Segment && s.Metric == limit.Metric {
			return s
		}
	}
	return SegmentScore{}
}

// judgeSegment holds a score against its limit, without a look at its interval. What a segment of too few queries says is
// not looked at at all.
func judgeSegment(s SegmentScore, limit SegmentLimit, l Limits) judgment {
	out := judgment{ScoreVerdict: ScoreVerdict{Metric: limit.Metric}}
	value, name := s.of(l), fmt.Sprintf("%s of segment %q", limit.Metric, limit.Segment)
	switch {
	case s.Queries < l.MinQueries:
		out.lacks(finding{ReasonTooFewQueries, fmt.Sprintf("%s counts %s, and at least %d are asked for (segments.minQueries): it takes %d more",
			name, counted(s.Queries, "query", "queries"), l.MinQueries, l.MinQueries-s.Queries)})
	case value == nil:
		out.lacks(finding{ReasonMissingScore, fmt.Sprintf("%s has no score for the %s", name, subject(l))})
	case *value < limit.Min:
		out.Verdict, out.missedBy = Failed, limit.Min-*value
		out.Message = fmt.Sprintf("%s %s is below its min %s%s", name, text(value), relevance.Format(limit.Min), beside(s.Live, l))
	default:
		out.Verdict = Passed
		out.Message = name + " " + text(value) + " holds" + bounds(Limit{Min: &limit.Min, Confidence: limit.Confidence}) + beside(s.Live, l)
	}
	return out
}

// of is the score of the side under test.
func (s SegmentScore) of(l Limits) *int64 {
	if l.LiveOnly {
		return s.Live
	}
	return s.Candidate
}

// claim is that the score of a segment is not below its limit, or by chance alone.
type claim struct {
	SegmentScore
	limit SegmentLimit
	out   *judgment
}

// low is the low end of the claim's interval when what may go wrong is shared among so many claims; false where there is
// none.
func (c claim) low(shared int) (int64, bool) {
	if shared > len(c.Lows) {
		return 0, false
	}
	return c.Lows[shared-1], true
}

// alike tells whether all queries of the segment score alike: then its intervals have no width.
func (c claim) alike(l Limits) bool {
	low, ok := c.low(1)
	return ok && low == *c.of(l)
}

// holm takes back the Passed of the claims that their intervals do not bear out. The claims about one metric share what
// may go wrong, for of many segments one always looks good by chance: those that hold when it is shared among all are
// settled, then it is shared among the rest, until none is settled any more (Holm 1979).
func holm(open []claim, l Limits) {
	for {
		rest := slices.DeleteFunc(slices.Clone(open), func(c claim) bool {
			low, ok := c.low(len(open))
			return ok && low >= c.limit.Min && !c.alike(l)
		})
		if len(rest) == len(open) {
			break
		}
		open = rest
	}
	for _, c := range open {
		if c.out.Verdict == Passed {
			c.out.lacks(c.unsure(len(open), l))
		}
	}
}

// unsure says why the claim is not borne out when what may go wrong is shared among so many.
func (c claim) unsure(shared int, l Limits) finding {
	value := *c.of(l)
	held := fmt.Sprintf("%s of segment %q %s holds min %s", c.Metric, c.Segment, relevance.Format(value), relevance.Format(c.limit.Min))
	low, ok := c.low(shared)
	if !ok {
		return noInterval(held, c.Queries)
	}
	reached := "begins at " + relevance.Format(low)
	if shared > 1 {
		reached = fmt.Sprintf("shared among %d segments %s", shared, reached)
	}
	n := near{queries: c.Queries, margin: value - c.limit.Min, end: low - c.limit.Min, alike: c.alike(l)}
	return n.check(held, reached, *c.limit.Confidence)
}
