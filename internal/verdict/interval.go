package verdict

import (
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// unsure says why a score that holds its limits does not hold them at the near ends of its intervals. It finds nothing
// where no confidence is asked for. Either limit that lacks queries is told, as each may take another number of them.
func unsure(s Score, limit Limit, l Limits) finding {
	if limit.Confidence == nil {
		return finding{}
	}
	var found finding
	if limit.Min != nil {
		found = unsureOfMin(s, limit, l)
	}
	if limit.MaxDrop == nil {
		return found
	}
	other := unsureOfDrop(s, limit, l)
	switch {
	case found.reason == "":
		return other
	case other.reason == ReasonMissingScore:
		found.reason = other.reason
	}
	if other.reason != "" {
		found.message += "; " + other.message
	}
	return found
}

// unsureOfMin holds the low end of the score's interval against min.
func unsureOfMin(s Score, limit Limit, l Limits) finding {
	held := fmt.Sprintf("%s %s holds min %s", limit.Metric, text(s.of(l)), relevance.Format(*limit.Min))
	if s.Interval == nil {
		return noInterval(held, s.Queries)
	}
	n := near{queries: s.Queries, margin: *s.of(l) - *limit.Min, end: s.Interval.Low - *limit.Min}
	n.alike = s.Interval.Low == s.Interval.High
	return n.check(held, "begins at "+relevance.Format(s.Interval.Low), *limit.Confidence)
}

// unsureOfDrop holds the low end of the difference's interval against maxDrop.
func unsureOfDrop(s Score, limit Limit, l Limits) finding {
	held := fmt.Sprintf("%s %s holds maxDrop %s%s", limit.Metric, text(s.Candidate), relevance.Format(*limit.MaxDrop), beside(s.Live, l))
	if s.DeltaInterval == nil {
		return noInterval(held, s.Queries)
	}
	// The interval is about the live index's first repeat, but the drop is counted from its highest.
	furthest := highest(s) - *s.Live - s.DeltaInterval.Low
	n := near{queries: s.Queries, margin: *limit.MaxDrop - dropOf(s), end: *limit.MaxDrop - furthest}
	n.alike = s.DeltaInterval.Low == s.DeltaInterval.High && s.DeltaInterval.Low != 0
	return n.check(held, "reaches a drop of "+relevance.Format(furthest), *limit.Confidence)
}

// noInterval says why there is none to hold a limit against.
func noInterval(held string, queries int) finding {
	if queries < 2 {
		return finding{ReasonTooFewQueries, fmt.Sprintf("%s, but %s no interval (confidence); it takes 2 at least, and better 50",
			held, has(queries))}
	}
	return finding{ReasonMissingScore, held + ", but its interval is missing (confidence)"}
}

// has is a number of queries and their verb.
func has(queries int) string {
	if queries == 1 {
		return "1 query has"
	}
	return fmt.Sprintf("%d queries have", queries)
}

// near is how well a limit holds, in millionths.
type near struct {
	queries int
	margin  int64 // by how much the score holds it, 0 or more
	end     int64 // by how much the near end of the interval holds it; below 0 it does not
	alike   bool  // all queries score alike, which gives the interval no width and says nothing of how sure it is
}

// check says that the near end does not hold the limit, and how many more queries would show that it does, if they were
// like those at hand.
func (n near) check(held, reached string, confidence int64) finding {
	if n.alike {
		return finding{ReasonTooFewQueries, fmt.Sprintf("%s, but all of its %s score alike, which says nothing of how sure that is; add queries that differ, or ask for no confidence",
			held, counted(n.queries, "query", "queries"))}
	}
	if n.end >= 0 {
		return finding{}
	}
	return finding{ReasonTooFewQueries, fmt.Sprintf("%s, but its interval at confidence %s %s: %s",
		held, relevance.Format(confidence), reached, n.more())}
}

// more says how many more queries it takes.
func (n near) more() string {
	needed := relevance.QueriesNeeded(n.queries, float64(n.margin-n.end), float64(n.margin))
	switch {
	case needed == 0:
		return "it equals the limit, which no number of queries can prove"
	case needed > 1_000_000:
		return "it is so close to the limit that a million queries would not prove it"
	}
	return fmt.Sprintf("%s are too few, about %d more like them would do", counted(n.queries, "query", "queries"), needed-n.queries)
}
