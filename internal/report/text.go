package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const (
	// maxTextErrors is how many queries in error the text names.
	maxTextErrors = 5
	// maxTextHits is how many hits of a query the text shows.
	maxTextHits = 5
)

// Text writes the report for people. outcome is nil where the limits are not
// known; then there is no verdict.
func Text(w io.Writer, r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits, style Style) error {
	out := bufio.NewWriter(w)
	writeIndices(out, r, style)
	writeScores(out, r, outcome, limits, style)
	writeStatistics(out, r, outcome, limits)
	writeWorst(out, r, style)
	writeErrors(out, r, style)
	fmt.Fprintln(out)
	for _, line := range evidenceLines(r) {
		fmt.Fprintln(out, style.wrap(line))
	}
	if outcome != nil {
		lines := style.wrap(string(outcome.Verdict) + ": " + outcome.Message)
		fmt.Fprintf(out, "\n%s%s\n", style.verdict(outcome.Verdict), strings.TrimPrefix(lines, string(outcome.Verdict)))
	}
	return out.Flush()
}

func writeIndices(out io.Writer, r *evaluate.Report, style Style) {
	name := func(index *evaluate.IndexResult) string {
		if index == nil {
			return "none"
		}
		return fmt.Sprintf("%s (%d documents)", index.Name, index.Docs)
	}
	fmt.Fprintln(out, style.wrap(fmt.Sprintf("candidate: %s, live: %s, on %s", name(r.Candidate), name(r.Live), r.EngineName())))
	fmt.Fprintf(out, "golden set: %s\n", goldenLine(r))
	fmt.Fprintln(out, style.cut("  bytes    "+r.GoldenDigest))
	fmt.Fprintln(out, style.cut("  content  "+r.GoldenContent))
	fmt.Fprintln(out)
}

func goldenLine(r *evaluate.Report) string {
	return fmt.Sprintf("%d queries, %d judgments", r.Measurement.Queries, r.Measurement.Judgments)
}

// writeScores writes the table of the metrics. Where it is wider than the
// terminal, a metric's limits stand one below the other.
func writeScores(out io.Writer, r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits, style Style) {
	table := scoreTable(r, outcome, limits, style, ", ")
	if style.Width > 0 && widest(table) > style.Width {
		table = scoreTable(r, outcome, limits, style, "\n")
	}
	fmt.Fprint(out, table)
}

// scoreTable is the table with this between two limits of a metric.
func scoreTable(r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits, style Style, between string) string {
	var lines strings.Builder
	table := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METRIC\tCANDIDATE\tLIVE\tDELTA\tLIMIT\tVERDICT")
	for i, score := range r.Measurement.Scores {
		var limit verdict.Limit
		judged := ""
		if outcome != nil {
			limit, judged = limits.Metrics[i], style.verdict(outcome.Scores[i].Verdict)
		}
		show := decimalsFor(score, limit)
		first, more, _ := strings.Cut(strings.Join(limitTexts(limit), between), "\n")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", score.Metric,
			show(score.Candidate), show(score.Live), signed(show, deltaOf(score)), first, judged)
		if more != "" {
			fmt.Fprintf(table, "\t\t\t\t%s\t\n", more)
		}
	}
	table.Flush() //nolint:errcheck // A builder takes everything.
	return trailing.ReplaceAllString(lines.String(), "")
}

// trailing are the blanks of cells that nothing follows.
var trailing = regexp.MustCompile(`(?m) +$`)

// widest is the width of a text's widest line, colours aside.
func widest(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		for _, colour := range colours {
			line = strings.ReplaceAll(line, colour, "")
		}
		line = strings.ReplaceAll(strings.TrimRight(line, " \n"), "\x1b[0m", "")
		most = max(most, columns(line))
	}
	return most
}

func limitText(limit verdict.Limit) string { return strings.Join(limitTexts(limit), ", ") }

// limitTexts are a metric's limits as the gate writes them.
func limitTexts(limit verdict.Limit) []string {
	var texts []string
	if limit.Min != nil {
		texts = append(texts, "min "+short(*limit.Min))
	}
	if limit.MaxDrop != nil {
		texts = append(texts, "maxDrop "+short(*limit.MaxDrop))
	}
	if len(texts) == 0 {
		return []string{"-"}
	}
	return texts
}

func writeWorst(out io.Writer, r *evaluate.Report, style Style) {
	if len(r.Worst) == 0 {
		return
	}
	metric := metricPosition(r, r.WorstMetric)
	fmt.Fprintf(out, "\nworst queries by %s:\n", r.WorstMetric)
	for _, position := range r.Worst {
		query := r.Queries[position]
		fmt.Fprintln(out, style.cut(fmt.Sprintf("  %s  %q", printable(query.ID), query.Query)))
		writeRanking(out, "candidate", query.Candidate, metric, style)
		writeRanking(out, "live", query.Live, metric, style)
	}
}

// metricPosition is where the metric stands among the report's.
func metricPosition(r *evaluate.Report, name string) int {
	for i, metric := range r.Metrics {
		if metric.Name == name {
			return i
		}
	}
	return 0
}

func writeRanking(out io.Writer, side string, ranking *evaluate.Ranking, metric int, style Style) {
	if ranking == nil {
		return
	}
	score := four(millionths(ranking.Value(metric)))
	fmt.Fprintln(out, style.cut(fmt.Sprintf("    %-9s  %s  %s", side, score, foundText(ranking, printable))))
}

// foundText lists what came back, each document with its grade, or ? where it is
// not judged.
func foundText(ranking *evaluate.Ranking, show func(id string) string) string {
	hits := []string{}
	for _, hit := range ranking.Hits[:min(maxTextHits, len(ranking.Hits))] {
		hits = append(hits, fmt.Sprintf("%s (%s)", show(hit.ID), gradeText(hit.Grade)))
	}
	found := strings.Join(hits, ", ")
	switch {
	case ranking.Returned == 0:
		return "nothing"
	case ranking.Returned > len(hits):
		return found + ", …"
	}
	return found
}

func gradeText(grade float64) string {
	if grade == relevance.Unjudged {
		return "?"
	}
	return strconv.FormatFloat(grade, 'g', -1, 64)
}

func writeErrors(out io.Writer, r *evaluate.Report, style Style) {
	if r.Measurement.Errors == 0 {
		return
	}
	fmt.Fprintf(out, "\nqueries in error: %d of %d\n", r.Measurement.Errors, len(r.Queries))
	for line := range errorLines(r) {
		fmt.Fprintln(out, style.wrap("  "+line))
	}
}

// errorLines names the first queries in error and what is wrong with them.
func errorLines(r *evaluate.Report) iter.Seq[string] {
	return func(yield func(string) bool) {
		named := 0
		for _, query := range r.Queries {
			if query.Error == "" {
				continue
			}
			if named++; named > maxTextErrors {
				yield("…")
				return
			}
			if !yield(printable(query.ID) + ": " + printable(query.Error)) {
				return
			}
		}
	}
}

// evidenceLines say how far the scores can be trusted.
func evidenceLines(r *evaluate.Report) []string {
	m := r.Measurement
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	pair := func(candidate, live string) string {
		switch {
		case r.Live == nil:
			return candidate
		case r.Candidate == nil:
			return "live " + live
		}
		return "candidate " + candidate + ", live " + live
	}
	if r.Candidate == nil {
		add("the live index was measured alone: maxDrop and regressions have nothing to be held against")
	}
	add("judged rate: %s", pair(four(m.JudgedCandidate), four(m.JudgedLive)))
	add("empty results: %s", pair(strconv.Itoa(m.EmptyCandidate), strconv.Itoa(m.EmptyLive)))
	if r.Live != nil && r.Candidate != nil {
		add("regressions by %s: %d", r.WorstMetric, m.RegressionCount)
	}
	if r.UncutDepth > 0 {
		add("metrics without a cut-off looked at the first %d hits", r.UncutDepth)
	}
	if r.MissingDocs != nil && *r.MissingDocs > 0 {
		add("judged documents that the candidate does not hold: %d", *r.MissingDocs)
	}
	if r.DuplicateHits > 0 {
		add("hits that repeated a document and were dropped: %d", r.DuplicateHits)
	}
	if r.TiesAtCutoff > 0 {
		add("queries whose ranking is tied at a cut: %d", r.TiesAtCutoff)
	}
	addTies(add, r)
	if m.LiveNoise > 0 {
		add("spread of the live index over the repeats: %s", six(&m.LiveNoise))
	}
	if r.LiveDifference != "" {
		add("the live index was not the same in each repeat: %s", printable(r.LiveDifference))
	}
	if len(r.DroppedFields) > 0 {
		add("dropped from the search body: %s", strings.Join(r.DroppedFields, ", "))
	}
	return lines
}

// printable quotes what could disturb a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
