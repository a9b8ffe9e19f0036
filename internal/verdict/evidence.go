package verdict

import (
	"fmt"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// finding is a reason with its message; the zero value means that nothing was found.
type finding struct{ reason, message string }

// evidence returns the first reason why a measurement allows no verdict, whatever its numbers say.
func evidence(m Measurement, l Limits) finding {
	if found := inError(m, l); found.reason != "" {
		return found
	}
	switch {
	case m.CandidateChanged && !l.LiveOnly:
		return finding{ReasonCandidateChanged, "the candidate's content changed while it was measured"}
	case !m.Deterministic && !l.LiveOnly:
		return notDeterministic(m)
	case m.HitsCandidate+m.HitsLive > 0 && m.JudgedHitsCandidate+m.JudgedHitsLive == 0:
		return finding{ReasonNothingJudged, fmt.Sprintf("none of the %s has a judgment: is idField the field that the golden set names documents by?",
			counted(m.HitsCandidate+m.HitsLive, "hit", "hits"))}
	}
	if rate, hits := judged(m, l); l.MinJudged != nil && hits > 0 {
		if rate == nil {
			return finding{ReasonTooFewJudged, fmt.Sprintf("the share of judged hits is unknown; at least %s is asked for (minJudged)",
				relevance.Format(*l.MinJudged))}
		}
		if *rate < *l.MinJudged {
			return finding{ReasonTooFewJudged, fmt.Sprintf("the share of judged hits %s is below minJudged %s",
				relevance.Format(*rate), relevance.Format(*l.MinJudged))}
		}
	}
	if l.relative() && comparesWithLive(m, l) && withoutLive(m) {
		return finding{ReasonNoLiveIndex, "a limit compares with the live index, and the alias points to none"}
	}
	return finding{}
}

// inError finds too many queries in error. maxErrors is no leave to lose a protected one: nobody knows whether it got
// worse.
func inError(m Measurement, l Limits) finding {
	message := ""
	switch {
	case m.Errors > l.MaxErrors:
		message = fmt.Sprintf("%d of %s ended in an error; %s may (maxErrors)",
			m.Errors, counted(m.Queries, "query", "queries"), atMost(l.MaxErrors))
	case m.ProtectedErrors > 0 && comparesWithLive(m, l):
		message = counted(m.ProtectedErrors, "protected query", "protected queries") +
			" ended in an error, and none may, as it could have got worse (protectWeightFrom)"
	default:
		return finding{}
	}
	if m.FirstError != "" {
		message += "; the first: " + m.FirstError
	}
	return finding{ReasonTooManyErrors, message}
}

func notDeterministic(m Measurement) finding {
	message := "the candidate's repeats gave different scores, by up to " + relevance.Format(m.Noise)
	if m.FirstDifference != "" {
		message += "; the first: " + m.FirstDifference
	}
	return finding{ReasonNotDeterministic, message}
}

// unproven returns why a measurement that holds its limits still does not pass: no query counts for any score, or the side
// under test returned no hit that has a judgment, though it should have. It is looked at last, so that an index that
// returns nothing fails by its scores where a limit sees them. A limit that only compares does not: when both indices
// return nothing, as with a misspelt field in the search, nothing has dropped.
func unproven(m Measurement, l Limits) finding {
	rate, hits := judged(m, l)
	judgedHits, empty := m.JudgedHitsCandidate, m.EmptyCandidate
	if l.LiveOnly {
		judgedHits, empty = m.JudgedHitsLive, m.EmptyLive
	}
	switch {
	case !scored(m):
		return finding{ReasonMissingScore, "no query counts for any score"}
	case hits == 0 && empty > 0:
		return finding{ReasonNothingJudged, fmt.Sprintf("the %s returned nothing for any query: does the search name fields that it has?", subject(l))}
	case hits > 0 && judgedHits == 0:
		return finding{ReasonNothingJudged, fmt.Sprintf("none of the %s of the %s has a judgment",
			counted(hits, "hit", "hits"), subject(l))}
	case l.MinJudged != nil && rate == nil:
		return finding{ReasonTooFewJudged, fmt.Sprintf("the %s returned nothing, so no share of judged hits reaches minJudged %s",
			subject(l), relevance.Format(*l.MinJudged))}
	}
	return finding{}
}

// judged is the share of judged hits and the number of hits of the side under test.
func judged(m Measurement, l Limits) (rate *int64, hits int) {
	if l.LiveOnly {
		return m.JudgedLive, m.HitsLive
	}
	return m.JudgedCandidate, m.HitsCandidate
}

// scored tells whether anything was scored at all.
func scored(m Measurement) bool {
	for _, s := range m.Scores {
		if s.Candidate != nil || s.Live != nil {
			return true
		}
	}
	return false
}

// withoutLive tells a measurement without a live index, which scored the candidate alone, from one that lost scores.
func withoutLive(m Measurement) bool {
	candidate := false
	for _, s := range m.Scores {
		if s.Live != nil {
			return false
		}
		candidate = candidate || s.Candidate != nil
	}
	return candidate && m.HitsLive == 0
}

// comparesWithLive tells whether limits that compare with the live index apply. They do not when it was measured alone, and
// when the promotion may make the alias and a min guards it; everywhere else a live index that is not there is missed.
func comparesWithLive(m Measurement, l Limits) bool {
	rightlyWithout := withoutLive(m) && l.CreateAlias && l.absolute()
	return !l.LiveOnly && !rightlyWithout
}

// subject names the side under test.
func subject(l Limits) string {
	if l.LiveOnly {
		return "live index"
	}
	return "candidate"
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// atMost is how many may.
func atMost(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprintf("at most %d", n)
}
