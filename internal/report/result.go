package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// Result is an evaluation that was held against a gate's limits.
type Result struct {
	Gate    string // its name
	Report  *evaluate.Report
	Limits  verdict.Limits
	Outcome verdict.Outcome
	At      time.Time // when it was measured
	// Place says where the gate writes a limit; nil where that is not known.
	Place func(verdict.LimitVerdict) Place
	// QueryPlace says where the golden set has a query, by its position in the
	// report; nil where that is not known.
	QueryPlace func(query int) Place
}

// Place is a line of a file.
type Place struct {
	File string
	Line int // from 1
}

// Problem says why an evaluation did not come about.
type Problem struct {
	Gate string // its name; empty where it could not be read
	// Verdict is nil where the input is at fault, else Inconclusive.
	Verdict         *verdict.Verdict
	Reason, Message string
	At              time.Time
}

// Format is a form that a report can have.
type Format string

// The formats.
const (
	FormatText     Format = "text"     // for people, in a terminal
	FormatJSON     Format = "json"     // for programs: the Document
	FormatMarkdown Format = "markdown" // for a pull request
	FormatJUnit    Format = "junit"    // for CI: one test case a limit
	FormatCSV      Format = "csv"      // for a spreadsheet: one row a query
	FormatGitHub   Format = "github"   // annotations of GitHub Actions
)

// writer writes one format.
type writer struct {
	format  Format
	result  func(io.Writer, Result, Style) error
	problem func(io.Writer, Problem) error // nil: nothing is written of a problem
}

var writers = []writer{
	{FormatText, func(w io.Writer, r Result, style Style) error {
		return Text(w, r.Report, &r.Outcome, r.Limits, style)
	}, nil},
	{FormatJSON, func(w io.Writer, r Result, _ Style) error {
		return WriteVerdict(w, r.Report, r.Outcome, r.Limits)
	}, writeProblem},
	{FormatMarkdown, markdown, markdownProblem},
	{FormatJUnit, junit, junitProblem},
	{FormatCSV, csvRows, nil},
	{FormatGitHub, github, githubProblem},
}

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, w := range writers {
		names = append(names, string(w.format))
	}
	if !slices.Contains(names, name) {
		last := len(names) - 1
		return "", fmt.Errorf("%q is no form of report; it must be %s or %s", name, strings.Join(names[:last], ", "), names[last])
	}
	return Format(name), nil
}

// Write writes the report of a result. Style matters to the text alone.
func Write(w io.Writer, format Format, r Result, style Style) error {
	for _, writer := range writers {
		if writer.format == format {
			return writer.result(w, r, style)
		}
	}
	return fmt.Errorf("%q is no form of report", format)
}

// WriteProblem writes the report of an evaluation that did not come about. Text
// and CSV have nothing to say of one.
func WriteProblem(w io.Writer, format Format, p Problem) error {
	for _, writer := range writers {
		if writer.format == format && writer.problem != nil {
			return writer.problem(w, p)
		}
	}
	return nil
}

// title names the gate and what it said.
func (p Problem) title() string {
	said := "not evaluated"
	if p.Verdict != nil {
		said = string(*p.Verdict)
	}
	return gateTitle(p.Gate) + ": " + said
}

func (r Result) title() string { return gateTitle(r.Gate) + ": " + string(r.Outcome.Verdict) }

func gateTitle(name string) string {
	if name == "" {
		return "relevance gate"
	}
	return "relevance gate " + name
}
