// Package lint finds what makes a golden set measure badly: judgments that contradict each other, queries that cannot be
// scored, weights that let one query decide.
//
// What is found is a finding, never a guess about what was meant. Findings name queries and documents by their ids,
// never by their texts.
package lint

import (
	"fmt"
	"strings"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/nearest"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	LevelError   Level = "error"   // a gate refuses the set, or its scores mean something else than one thinks
	LevelWarning Level = "warning" // the scores tell less than they seem to
	LevelNote    Level = "note"    // good to know
)

// Rules that are checked beside those of reading a set (golden.Rule…).
const (
	RuleNoRelevantDocument = "no-relevant-document"
	RuleNearDuplicateQuery = "near-duplicate-query"
	RuleMissingReason      = "missing-reason"
	RuleOneGrade           = "one-grade"
	RuleTiedJudgments      = "tied-judgments"
	RuleShallowJudgments   = "shallow-judgments"
	RuleDominantQuery      = "dominant-query"
	RuleMissingDocument    = "missing-document"
	RuleVanishedJudgment   = "vanished-judgment"
	RuleNotNormalized      = "not-normalized"
)

// Rule is something that findings are about.
type Rule struct {
	Name  string
	Level Level
	What  string // a sentence for who meets the rule the first time
}

// Rules are all rules.
var Rules = []Rule{
	{golden.RuleDuplicateQuery, LevelError, "A query stands twice, by its id or by its text and parameters, so it counts twice."},
	{RuleNearDuplicateQuery, LevelWarning, "Two queries differ only in case, accents, punctuation or the order of words."},
	{golden.RuleDuplicateJudgment, LevelError, "A query judges a document twice."},
	{golden.RuleConflictingJudgments, LevelError, "A query, or two that ask the same, judge a document differently."},
	{golden.RuleGradeOutOfScale, LevelError, "A grade is negative or above the highest grade."},
	{golden.RuleNegativeIsRelevant, LevelError, "A query expects no results, and has a relevant document."},
	{golden.RuleMissingText, LevelError, "A query is judged, but its text is nowhere told."},
	{RuleNoRelevantDocument, LevelError, "A query has no relevant document, so most metrics are not defined for it."},
	{RuleMissingReason, LevelWarning, "Judgments do not say why, so nobody can check them later."},
	{RuleOneGrade, LevelWarning, "All judgments have the same grade, so no order of the documents is better than another."},
	{RuleTiedJudgments, LevelNote, "Nearly all relevant documents have the same grade, so graded metrics tell little more than which are relevant."},
	{RuleShallowJudgments, LevelWarning, "A metric looks at more documents than were judged, so what it finds below them counts as not relevant."},
	{RuleDominantQuery, LevelWarning, "One query weighs more than all others together, so it alone decides."},
	{RuleMissingDocument, LevelWarning, "A judged document is not in the index, so it can never be found."},
	{RuleVanishedJudgment, LevelWarning, "A judgment, or a query, of an earlier version is gone."},
	{RuleNotNormalized, LevelNote, "A text or an id is not in Unicode's normal form C: what looks the same elsewhere may be another text."},
}

// ruleByName finds a rule.
func ruleByName(name string) (Rule, error) {
	var names []string
	for _, rule := range Rules {
		if rule.Name == name {
			return rule, nil
		}
		names = append(names, rule.Name)
	}
	if meant, ok := nearest.Word(name, names); ok {
		return Rule{}, fmt.Errorf("there is no rule %q; did you mean %s?", name, meant)
	}
	return Rule{}, fmt.Errorf("there is no rule %q; the rules are %s", name, strings.Join(names, ", "))
}

// Ignored are findings that nobody wants to see: those of a rule, or those of a rule about one query.
type Ignored struct {
	rule, query string // an empty query stands for all
}

// ParseIgnored reads RULE or RULE:QUERY, where QUERY is the id of a query.
func ParseIgnored(text string) (Ignored, error) {
	rule, query, _ := strings.Cut(text, ":")
	_, err := ruleByName(rule)
	return Ignored{rule: rule, query: query}, err
}

func (i Ignored) covers(f Finding) bool {
	return i.rule == f.Rule && (i.query == "" || i.query == f.Query)
}
