package lint

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/relevance-gate/relevance-gate/golden"
)

// Finding is one thing that is wrong with a golden set.
type Finding struct {
	Rule     string       `json:"rule"`
	Level    Level        `json:"level"`
	Place    golden.Place `json:"-"`
	Query    string       `json:"query,omitempty"`    // its id; empty when the set as a whole is meant
	Document string       `json:"document,omitempty"` // its id; empty when no single document is meant
	Message  string       `json:"message"`            // a sentence
}

// Silence is the option that hides the finding, and as little else as can be.
func (f Finding) Silence() string {
	if f.Query == "" {
		return "--ignore " + f.Rule
	}
	what := f.Rule + ":" + f.Query
	if strings.ContainsFunc(what, needsQuotes) {
		what = "'" + strings.ReplaceAll(what, "'", `'\''`) + "'"
	}
	return "--ignore " + what
}

// needsQuotes tells the characters that a shell may take for something.
func needsQuotes(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("-_.:,/@%+=", r)
}

// Options say what a set is held against.
type Options struct {
	// RelevantFrom is the highest grade from which on a document is relevant to some metric; 0 is 1.
	RelevantFrom float64
	// K is how many documents the deepest metric looks at whose value rests on what is not relevant; 0 checks nothing.
	K int
	// Baseline is an earlier version of the set, or nil.
	Baseline *golden.Set
	// Index is what Missing was asked of; empty when nothing was asked.
	Index string
	// Missing are the judged documents that the index does not have.
	Missing map[string]bool
	// Ignored are the findings to leave out.
	Ignored []Ignored
}

// Run returns the findings about a set in the order of its files: those that reading it reported, and those of the rules
// of this package. The set must have been read with golden.Options.Places and golden.Options.Problems.
func Run(set *golden.Set, problems []golden.Problem, opts Options) []Finding {
	l := &linter{set: set, opts: opts}
	for _, p := range problems {
		l.add(p.Rule, p.Place, p.Query, p.Document, p.Message)
	}
	for _, check := range []func(){
		l.relevance, l.reasons, l.grades, l.ties, l.depth, l.weights, l.duplicates, l.documents, l.baseline, l.normalForms,
	} {
		check()
	}
	findings := slices.DeleteFunc(l.findings, func(f Finding) bool {
		return slices.ContainsFunc(opts.Ignored, func(i Ignored) bool { return i.covers(f) })
	})
	files := map[string]int{}
	for i := range set.Queries {
		if file := set.QueryPlace(i).File; files[file] == 0 {
			files[file] = len(files) + 1
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(files[a.Place.File], files[b.Place.File]), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	return findings
}

// linter gathers findings.
type linter struct {
	set      *golden.Set
	opts     Options
	findings []Finding
}

// add adds a finding.
func (l *linter) add(rule string, place golden.Place, query, document, message string) {
	level := LevelError
	for _, r := range Rules {
		if r.Name == rule {
			level = r.Level
		}
	}
	l.findings = append(l.findings, Finding{Rule: rule, Level: level, Place: place, Query: query, Document: document, Message: message})
}

// whole is the place of a finding about the set as a whole.
func (l *linter) whole() golden.Place {
	return golden.Place{File: l.set.QueryPlace(0).File, Line: 1}
}
