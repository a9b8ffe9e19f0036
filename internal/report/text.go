package report

import (
	"bufio"
	"fmt"
	"io"
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
func Text(w io.Writer, r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits) error {
	out := bufio.NewWriter(w)
	writeIndices(out, r)
	writeScores(out, r, outcome, limits)
	writeWorst(out, r)
	writeErrors(out, r)
	writeEvidence(out, r)
	if outcome != nil {
		fmt.Fprintf(out, "\n%s: %s\n", outcome.Verdict, outcome.Message)
	}
	return out.Flush()
}

func writeIndices(out io.Writer, r *evaluate.Report) {
	name := func(index *evaluate.IndexResult) string {
		if index == nil {
			return "none"
		}
		return fmt.Sprintf("%s (%d documents)", index.Name, index.Docs)
	}
	m := r.Measurement
	fmt.Fprintf(out, "candidate: %s, live: %s, on %s\n", name(r.Candidate), name(r.Live), r.EngineName())
	fmt.Fprintf(out, "golden set: %d queries, %d judgments\n\n", m.Queries, m.Judgments)
}

func writeScores(out io.Writer, r *evaluate.Report, outcome *verdict.Outcome, limits verdict.Limits) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METRIC\tCANDIDATE\tLIVE\tDELTA\tLIMIT\tVERDICT")
	for i, score := range r.Measurement.Scores {
		var limit verdict.Limit
		judged := ""
		if outcome != nil {
			limit, judged = limits.Metrics[i], string(outcome.Scores[i].Verdict)
		}
		show := decimalsFor(score, limit)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", score.Metric,
			show(score.Candidate), show(score.Live), signed(show, deltaOf(score)), limitText(limit), judged)
	}
	table.Flush() //nolint:errcheck // out is a bufio.Writer, whose Flush tells.
}

func limitText(limit verdict.Limit) string {
	var parts []string
	if limit.Min != nil {
		parts = append(parts, "min "+short(*limit.Min))
	}
	if limit.MaxDrop != nil {
		parts = append(parts, "maxDrop "+short(*limit.MaxDrop))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func writeWorst(out io.Writer, r *evaluate.Report) {
	if len(r.Worst) == 0 {
		return
	}
	at := 0
	for i, metric := range r.Metrics {
		if metric.Name == r.WorstMetric {
			at = i
		}
	}
	fmt.Fprintf(out, "\nworst queries by %s:\n", r.WorstMetric)
	for _, position := range r.Worst {
		query := r.Queries[position]
		fmt.Fprintf(out, "  %s  %q\n", query.ID, query.Query)
		writeRanking(out, "candidate", query.Candidate, at)
		writeRanking(out, "live", query.Live, at)
	}
}

// writeRanking writes what came back, each document with its grade, or ? where
// it is not judged.
func writeRanking(out io.Writer, side string, ranking *evaluate.Ranking, metric int) {
	if ranking == nil {
		return
	}
	hits := []string{}
	for _, hit := range ranking.Hits[:min(maxTextHits, len(ranking.Hits))] {
		grade := "?"
		if hit.Grade != relevance.Unjudged {
			grade = strconv.FormatFloat(hit.Grade, 'g', -1, 64)
		}
		hits = append(hits, fmt.Sprintf("%s (%s)", printable(hit.ID), grade))
	}
	found := strings.Join(hits, ", ")
	switch {
	case ranking.Returned == 0:
		found = "nothing"
	case ranking.Returned > len(hits):
		found += ", …"
	}
	fmt.Fprintf(out, "    %-9s  %s  %s\n", side, four(millionths(ranking.Value(metric))), found)
}

func writeErrors(out io.Writer, r *evaluate.Report) {
	if r.Measurement.Errors == 0 {
		return
	}
	fmt.Fprintf(out, "\nqueries in error: %d of %d\n", r.Measurement.Errors, len(r.Queries))
	named := 0
	for _, query := range r.Queries {
		if query.Error == "" {
			continue
		}
		if named++; named > maxTextErrors {
			fmt.Fprintln(out, "  …")
			break
		}
		fmt.Fprintf(out, "  %s: %s\n", query.ID, query.Error)
	}
}

// writeEvidence writes what tells how far the scores can be trusted.
func writeEvidence(out io.Writer, r *evaluate.Report) {
	m := r.Measurement
	pair := func(candidate, live string) string {
		switch {
		case r.Live == nil:
			return candidate
		case r.Candidate == nil:
			return "live " + live
		}
		return candidate + ", live " + live
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, "judged rate: %s\n", pair(four(m.JudgedCandidate), four(m.JudgedLive)))
	fmt.Fprintf(out, "empty results: %s\n", pair(strconv.Itoa(m.EmptyCandidate), strconv.Itoa(m.EmptyLive)))
	if r.Live != nil && r.Candidate != nil {
		fmt.Fprintf(out, "regressions by %s: %d\n", r.WorstMetric, m.RegressionCount)
	}
	if r.UncutDepth > 0 {
		fmt.Fprintf(out, "metrics without a cut-off looked at the first %d hits\n", r.UncutDepth)
	}
	if r.MissingDocs != nil && *r.MissingDocs > 0 {
		fmt.Fprintf(out, "judged documents that the candidate does not hold: %d\n", *r.MissingDocs)
	}
	if r.DuplicateHits > 0 {
		fmt.Fprintf(out, "hits that repeated a document and were dropped: %d\n", r.DuplicateHits)
	}
	if r.TiesAtCutoff > 0 {
		fmt.Fprintf(out, "queries whose ranking is tied at a cut: %d\n", r.TiesAtCutoff)
	}
	if m.LiveNoise > 0 {
		fmt.Fprintf(out, "spread of the live index over the repeats: %s\n", six(&m.LiveNoise))
	}
	if len(r.DroppedFields) > 0 {
		fmt.Fprintf(out, "dropped from the search body: %s\n", strings.Join(r.DroppedFields, ", "))
	}
}

// printable quotes what could disturb a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
