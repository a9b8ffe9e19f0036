package golden

import "fmt"

// Rules about the content of a golden set that reading one checks.
const (
	RuleDuplicateQuery       = "duplicate-query"
	RuleDuplicateJudgment    = "duplicate-judgment"
	RuleConflictingJudgments = "conflicting-judgments"
	RuleGradeOutOfScale      = "grade-out-of-scale"
	RuleNegativeIsRelevant   = "negative-is-relevant"
	RuleMissingText          = "missing-text"
)

// Problem is something in a golden set that breaks a rule about the content.
type Problem struct {
	Rule     string
	Place    Place
	Query    string // its id; may be empty
	Document string // its id; empty when the query as a whole is meant
	Message  string // a sentence without the place
}

// problem is an error, or is told to who asked for problems; then nil is returned and reading goes on.
func (b *builder) problem(rule string, at position, query, document, format string, args ...any) error {
	place := b.places.of(at)
	message := fmt.Sprintf(format, args...)
	if b.problems == nil {
		return fmt.Errorf("%s: line %d: %s", place.File, place.Line, message)
	}
	b.problems(Problem{Rule: rule, Place: place, Query: query, Document: document, Message: message})
	return nil
}
