package report

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const (
	// maxMarkdownQuery is how much of a query's text the Markdown shows, in columns.
	maxMarkdownQuery = 80
	// maxMarkdownID and maxMarkdownError bound ids and errors likewise. A comment on
	// GitHub holds 65,536 characters.
	maxMarkdownID    = 40
	maxMarkdownError = 300
)

// icons stand before verdicts, so that a pull request shows at a glance what it is.
var icons = map[verdict.Verdict]string{
	verdict.Passed:        "✅ ",
	verdict.Failed:        "❌ ",
	verdict.Inconclusive:  "⚠️ ",
	verdict.NotApplicable: "➖ ",
}

// markdown writes a comment for a pull request: the verdict and the scores, and
// folded away the rest.
func markdown(w io.Writer, r Result, _ Style) error {
	out := bufio.NewWriter(w) // Its Flush tells of all errors before it.
	fmt.Fprintf(out, "### %s%s\n\n%s\n\n", icons[r.Outcome.Verdict], heading(r.Gate, string(r.Outcome.Verdict)), markdownText(r.Outcome.Message))
	markdownScores(out, r)
	markdownSegments(out, r)
	fmt.Fprintf(out, "\n%s on %s; %s\n", markdownIndices(r.Report), markdownText(r.Report.EngineName()), goldenLine(r.Report))
	markdownIntervals(out, r.Report)
	markdownUnweighted(out, r.Report)
	markdownWorst(out, r.Report)
	markdownErrors(out, r.Report)
	fmt.Fprint(out, "\n<details><summary>How good the evidence is</summary>\n\n")
	fmt.Fprintf(out, "- golden set: the digest of its bytes is `%s`, and of its content `%s`\n", r.Report.GoldenDigest, r.Report.GoldenContent)
	for _, line := range evidenceLines(r.Report) {
		said := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(said)] // Behind the dash it would make code of the line.
		fmt.Fprintf(out, "%s- %s\n", indent, markdownText(said))
	}
	fmt.Fprint(out, "\n</details>\n")
	return out.Flush()
}

func markdownProblem(w io.Writer, p Problem) error {
	icon, said := icons[verdict.Failed], "not evaluated"
	if p.Verdict != nil {
		icon, said = icons[*p.Verdict], string(*p.Verdict)
	}
	_, err := fmt.Fprintf(w, "### %s%s\n\n%s: %s\n", icon, heading(p.Gate, said), p.Reason, markdownText(p.Message))
	return err
}

func heading(gate, said string) string {
	if gate == "" {
		return "Relevance gate: " + said
	}
	return fmt.Sprintf("Relevance gate %s: %s", code(gate, maxMarkdownID), said)
}

func markdownScores(out io.Writer, r Result) {
	fmt.Fprint(out, "| metric | candidate | live | delta | limit | verdict |\n| --- | ---: | ---: | ---: | --- | --- |\n")
	for i, score := range r.Report.Measurement.Scores {
		limit, judged := r.Limits.Metrics[i], r.Outcome.Scores[i].Verdict
		show := decimalsFor(score, limit)
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s%s |\n", code(score.Metric, maxMarkdownID),
			show(score.Candidate), show(score.Live), signed(show, deltaOf(score)), limitText(limit), icons[judged], judged)
	}
}

// markdownSegments stands beside the scores and not folded away, as a segment's limit
// decides as much as a metric's.
func markdownSegments(out io.Writer, r Result) {
	if len(r.Report.Measurement.Segments) == 0 {
		return
	}
	fmt.Fprint(out, "\n| segment | metric | queries | candidate | live | limit | verdict |\n| --- | --- | ---: | ---: | ---: | --- | --- |\n")
	for i, s := range r.Report.Measurement.Segments {
		limit, judged := verdict.Limit{Min: &r.Limits.Segments[i].Min}, r.Outcome.Segments[i].Verdict
		show := decimalsFor(verdict.Score{Candidate: s.Candidate, Live: s.Live}, limit)
		fmt.Fprintf(out, "| %s | %s | %d | %s | %s | %s | %s%s |\n", code(s.Segment, maxMarkdownID), code(s.Metric, maxMarkdownID),
			s.Queries, show(s.Candidate), show(s.Live), limitText(limit), icons[judged], judged)
	}
}

func markdownIntervals(out io.Writer, r *evaluate.Report) {
	if r.Draws == nil {
		return
	}
	fmt.Fprint(out, "\n<details><summary>How sure the scores are</summary>\n\n")
	fmt.Fprint(out, "| metric | confidence | queries | candidate | delta |\n| --- | ---: | ---: | --- | --- |\n")
	for _, score := range r.Measurement.Scores {
		if confidence, asked := r.Confidence[score.Metric]; asked {
			fmt.Fprintf(out, "| %s | %s | %d | %s | %s |\n", code(score.Metric, maxMarkdownID), short(confidence), score.Queries,
				intervalText(score.Interval), intervalText(score.DeltaInterval))
		}
	}
	fmt.Fprintf(out, "\n%s\n\n</details>\n", drawsText(r.Draws))
}

func markdownUnweighted(out io.Writer, r *evaluate.Report) {
	if r.Unweighted == nil {
		return
	}
	fmt.Fprint(out, "\n<details><summary>Without the queries' weights</summary>\n\n| metric | candidate | live |\n| --- | ---: | ---: |\n")
	for i, means := range r.Unweighted {
		fmt.Fprintf(out, "| %s | %s | %s |\n", code(r.Metrics[i].Name, maxMarkdownID), four(means.Candidate), four(means.Live))
	}
	fmt.Fprint(out, "\n</details>\n")
}

func markdownIndices(r *evaluate.Report) string {
	name := func(index *evaluate.IndexResult) string {
		if index == nil {
			return "none"
		}
		return fmt.Sprintf("%s (%d documents)", code(index.Name, maxMarkdownID), index.Docs)
	}
	return fmt.Sprintf("candidate %s, live %s,", name(r.Candidate), name(r.Live))
}

func markdownWorst(out io.Writer, r *evaluate.Report) {
	if len(r.Worst) == 0 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>Worst queries by %s</summary>\n\n", html.EscapeString(r.WorstMetric))
	fmt.Fprint(out, "| query | candidate | live | candidate found | live found |\n| --- | ---: | ---: | --- | --- |\n")
	metric := metricPosition(r, r.WorstMetric)
	for _, position := range r.Worst {
		query := r.Queries[position]
		fmt.Fprintf(out, "| %s %s | %s | %s | %s | %s |\n", code(query.ID, maxMarkdownID), code(query.Query, maxMarkdownQuery),
			four(millionths(query.Candidate.Value(metric))), four(millionths(query.Live.Value(metric))),
			markdownHits(query.Candidate), markdownHits(query.Live))
	}
	fmt.Fprint(out, "\nEach document with its grade; `?` is not judged.\n\n</details>\n")
}

func markdownHits(ranking *evaluate.Ranking) string {
	if ranking == nil {
		return "-"
	}
	return foundText(ranking, func(id string) string { return code(id, maxMarkdownID) })
}

func markdownErrors(out io.Writer, r *evaluate.Report) {
	if r.Measurement.Errors == 0 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>Queries in error: %d of %d</summary>\n\n", r.Measurement.Errors, len(r.Queries))
	for line := range errorLines(r) {
		fmt.Fprintf(out, "- %s\n", code(line, maxMarkdownError))
	}
	fmt.Fprint(out, "\n</details>\n")
}

// code shows a text as it is, in a code span: there nothing is Markdown, HTML or
// somebody's name.
func code(text string, most int) string {
	text = Style{Width: most}.cut(printable(text))
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	// A table ends a cell at a bar, even in a code span.
	return fence + strings.ReplaceAll(text, "|", `\|`) + fence
}

// markdownText shows a sentence as it is.
func markdownText(text string) string {
	// A comment behind it keeps an @ or a # from being somebody's name or an issue.
	return reference.ReplaceAllString(escapeMarkdown.Replace(printable(text)), "$1$2<!-- -->")
}

var (
	escapeMarkdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "~", `\~`)
	reference = regexp.MustCompile(`(^|[^0-9A-Za-z&])([@#])`)
)
