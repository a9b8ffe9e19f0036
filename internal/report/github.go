package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// github writes workflow commands of GitHub Actions, which shows them beside the
// lines of the gate: an error for each limit that is missed, or one for evidence
// that is not valid, or a notice that all is well. Too many queries that got worse
// are a warning each, beside their lines of the golden set. It shows ten of a kind a
// step.
func github(w io.Writer, r Result, _ Style) error {
	out := bufio.NewWriter(w) // Its Flush tells of all errors before it.
	if r.Outcome.Verdict == verdict.Passed {
		annotate(out, "notice", r.place(verdict.LimitVerdict{Kind: verdict.Evidence}), r.title(), r.Outcome.Message)
		return out.Flush()
	}
	regressed := false
	for _, limit := range verdict.Each(r.Report.Measurement, r.Limits) {
		if limit.Verdict != verdict.Failed && limit.Verdict != verdict.Inconclusive {
			continue
		}
		annotate(out, "error", r.place(limit), r.limitTitle(limit), limit.Message)
		if limit.Kind == verdict.Evidence {
			break // Its message tells the limits that are missed besides.
		}
		if ofRegressions(limit.Kind) {
			regressed = true
		}
	}
	if regressed {
		annotateRegressions(out, r)
	}
	return out.Flush()
}

// annotateRegressions names the queries that got worse, as far as they are among the
// worst.
func annotateRegressions(out io.Writer, r Result) {
	if r.QueryPlace == nil {
		return
	}
	metric := metricPosition(r.Report, r.Report.WorstMetric)
	for _, position := range r.Report.Worst[:min(r.Report.Measurement.RegressionCount, len(r.Report.Worst))] {
		query := r.Report.Queries[position]
		annotate(out, "warning", r.QueryPlace(position), gateTitle(r.Gate)+": query "+printable(query.ID)+" got worse",
			fmt.Sprintf("%s is %s for the candidate and %s for the live index; the candidate found %s",
				r.Report.WorstMetric, six(millionths(query.Candidate.Value(metric))), six(millionths(query.Live.Value(metric))),
				foundText(query.Candidate, printable)))
	}
}

func githubProblem(w io.Writer, p Problem) error {
	out := bufio.NewWriter(w)
	annotate(out, "error", Place{}, p.title(), p.Message)
	return out.Flush()
}

// limitTitle names the gate and the limit, and says what the limit alone comes to.
func (r Result) limitTitle(limit verdict.LimitVerdict) string {
	return fmt.Sprintf("%s: %s, %s", gateTitle(r.Gate), limit.Verdict, limit.Name)
}

// place is where the limit is written.
func (r Result) place(limit verdict.LimitVerdict) Place {
	if r.Place == nil {
		return Place{}
	}
	return r.Place(limit)
}

func annotate(out io.Writer, kind string, place Place, title, message string) {
	where := ""
	if place.File != "" {
		where = fmt.Sprintf("file=%s,line=%d,", property.Replace(filepath.ToSlash(place.File)), place.Line)
	}
	fmt.Fprintf(out, "::%s %stitle=%s::%s\n", kind, where, property.Replace(title), data.Replace(message))
}

// What the commands escape in a message, and in a property.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
