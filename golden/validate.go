package golden

import (
	"fmt"
	"strings"
)

// maxListed is how many ids a message lists.
const maxListed = 5

// Validate makes sure that every query can be scored: it has a judgment whose grade is above 0 and reaches relevantFrom,
// the highest threshold in use, or it expects no results. Otherwise a metric would be undefined for it and "no relevant
// document" would pass unseen. The error lists the ids of such queries, at most 5.
func (s *Set) Validate(source string, relevantFrom float64) error {
	var bad []string
	for i := range s.Queries {
		if q := &s.Queries[i]; !q.ExpectNoResults && !q.hasRelevant(relevantFrom) {
			bad = append(bad, q.ID)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	listed := make([]string, 0, maxListed)
	for _, id := range bad[:min(len(bad), maxListed)] {
		listed = append(listed, quote(id))
	}
	names := strings.Join(listed, ", ")
	if more := len(bad) - len(listed); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	subject := "query " + names + " has"
	if len(bad) > 1 {
		subject = "queries " + names + " have"
	}
	needed := fmt.Sprintf("of %v or more", relevantFrom)
	if relevantFrom == 0 {
		needed = "above 0"
	}
	return fmt.Errorf("%s: %s no judgment with a grade %s; add one to each, or set expectNoResults where nothing should be found",
		source, subject, needed)
}

// hasRelevant tells whether the query has a judgment that is relevant and has a gain.
func (q *Query) hasRelevant(relevantFrom float64) bool {
	for _, j := range q.Judgments {
		if j.Grade > 0 && j.Grade >= relevantFrom {
			return true
		}
	}
	return false
}
