package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/relevance-gate/relevance-gate/internal/compare"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// ComparisonSchema names the form of a comparison; docs/comparison.schema.json
// describes it.
const ComparisonSchema = "relevancegate.dev/comparison/v1"

// maxTextMoved is how many documents of a query the text and the Markdown show.
const maxTextMoved = 5

// WriteComparison writes a comparison as text, JSON, Markdown or CSV.
func WriteComparison(w io.Writer, format Format, c *compare.Comparison, style Style) error {
	switch format {
	case FormatText:
		return comparisonText(w, c, style)
	case FormatJSON:
		return comparisonJSON(w, c)
	case FormatMarkdown:
		return comparisonMarkdown(w, c)
	case FormatCSV:
		return comparisonCSV(w, c)
	}
	return fmt.Errorf("%q is no form of comparison; it must be text, json, markdown or csv", format)
}

func comparisonText(w io.Writer, c *compare.Comparison, style Style) error {
	out := bufio.NewWriter(w) // Its Flush tells of all errors before it.
	fmt.Fprintln(out, style.wrap(fmt.Sprintf("before: %s, after: %s", c.Before, c.After)))
	fmt.Fprintln(out, style.wrap(comparedLine(c)))
	for _, note := range c.Notes {
		fmt.Fprintln(out, style.wrap(note))
	}
	interval := strings.ToUpper(intervalName(c))
	table := newTable("METRIC", "BEFORE", "AFTER", "DELTA", interval, "P", "WIN/TIE/LOSS")
	for _, change := range c.Changes {
		table.row(append([]string{change.Metric}, changeCells(change)...)...)
	}
	fmt.Fprintf(out, "\n%s", table)
	if len(c.Segments) > 0 {
		table := newTable("SEGMENT", "BEFORE", "AFTER", "DELTA", interval, "P", "WIN/TIE/LOSS")
		for _, segment := range c.Segments {
			table.row(append([]string{printable(segment.Name)}, changeCells(changeBy(segment, c))...)...)
		}
		fmt.Fprintf(out, "\nsegments by %s:\n%s", c.By, table)
	}
	textChanges(out, "worst", c.By, c.Worst, style)
	textChanges(out, "best", c.By, c.Best, style)
	if line := detectableLine(c); line != "" {
		fmt.Fprintf(out, "\n%s\n", style.wrap(line))
	}
	return out.Flush()
}

// intervalName heads the intervals. Those of another method than the usual one bear its name.
func intervalName(c *compare.Comparison) string {
	if c.Method == compare.BCa {
		return "95 % BCa interval"
	}
	return "95 % interval"
}

func comparedLine(c *compare.Comparison) string {
	line := fmt.Sprintf("queries compared: %d", c.Compared)
	if c.LeftOut > 0 {
		line += fmt.Sprintf(", left out as they are in error: %d", c.LeftOut)
	}
	if c.Missing > 0 {
		line += fmt.Sprintf(", not listed in both reports: %d; so nothing is said of how sure the differences are", c.Missing)
	}
	return line
}

// detectableLine says what the queries could tell at all.
func detectableLine(c *compare.Comparison) string {
	for _, change := range c.Changes {
		switch {
		case change.Metric != c.By || change.Detectable == nil || *change.Detectable == 0:
		case *change.Detectable > 1_000_000 && !strings.HasPrefix(c.By, "dcg"): // which alone exceeds 1
			return fmt.Sprintf("%d queries are too few to tell any difference of %s from none.", change.Queries, c.By)
		default:
			return fmt.Sprintf("The smallest difference of %s that %d queries like these can tell from none is %s.",
				c.By, change.Queries, four(change.Detectable))
		}
	}
	return ""
}

// changeCells are before, after, delta, interval, p and win/tie/loss.
func changeCells(change compare.Change) []string {
	show := four
	if change.Delta != nil && *change.Delta != 0 && shown(*change.Delta) == 0 {
		show = six
	}
	interval := "-"
	if change.Low != nil {
		interval = signed(show, change.Low) + " to " + signed(show, change.High)
	}
	return []string{
		show(change.Before), show(change.After), signed(show, change.Delta), interval, chance(change.P),
		fmt.Sprintf("%d/%d/%d", change.Wins, change.Ties, change.Losses),
	}
}

// changeBy is the segment's change of the metric that queries are chosen by.
func changeBy(segment compare.Segment, c *compare.Comparison) compare.Change {
	for _, change := range segment.Changes {
		if change.Metric == c.By {
			return change
		}
	}
	return compare.Change{}
}

// chance shows a p-value, which is never 0.
func chance(p *int64) string {
	if p != nil && shown(*p) == 0 {
		return "<0.0001"
	}
	return four(p)
}

func textChanges(out io.Writer, kind, metric string, changes []compare.QueryChange, style Style) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s queries by %s:\n", kind, metric)
	for _, change := range changes {
		line := fmt.Sprintf("  %s → %s  %s", four(&change.ValueBefore), four(&change.ValueAfter), printable(change.ID))
		if change.Text != "" {
			line += fmt.Sprintf("  %q", change.Text)
		}
		fmt.Fprintln(out, style.cut(line))
		for _, moved := range change.Moved[:min(maxTextMoved, len(change.Moved))] {
			fmt.Fprintln(out, style.cut(fmt.Sprintf("    %s → %s  %s (%s)", rankText(moved.Before, moved.BeyondBefore),
				rankText(moved.After, moved.BeyondAfter), printable(moved.ID), movedGrade(moved))))
		}
		if more := len(change.Moved) - maxTextMoved; more > 0 {
			fmt.Fprintf(out, "    … and %d more\n", more)
		}
	}
}

// rankText is a rank, - for a document that was not found, or >10 for one that may be
// below what is known of the ranking.
func rankText(rank, beyond int) string {
	switch {
	case rank > 0:
		return strconv.Itoa(rank)
	case beyond > 0:
		return ">" + strconv.Itoa(beyond)
	}
	return "-"
}

func movedGrade(moved compare.Moved) string {
	if moved.Grade == nil {
		return "?"
	}
	return gradeText(*moved.Grade)
}

// table aligns cells.
type table struct {
	lines strings.Builder
	cells *tabwriter.Writer
}

func newTable(heads ...string) *table {
	t := &table{}
	t.cells = tabwriter.NewWriter(&t.lines, 0, 0, 2, ' ', 0)
	t.row(heads...)
	return t
}

func (t *table) row(cells ...string) { fmt.Fprintln(t.cells, strings.Join(cells, "\t")) }

func (t *table) String() string {
	_ = t.cells.Flush() // A builder takes everything.
	return trailing.ReplaceAllString(t.lines.String(), "")
}

func comparisonMarkdown(w io.Writer, c *compare.Comparison) error {
	out := bufio.NewWriter(w) // Its Flush tells of all errors before it.
	fmt.Fprintf(out, "### Relevance: %s against %s\n\n%s\n", code(c.After, maxMarkdownQuery), code(c.Before, maxMarkdownQuery), markdownText(comparedLine(c)))
	for _, note := range c.Notes {
		fmt.Fprintf(out, "\n%s\n", markdownText(note))
	}
	markdownTable(out, "metric", c)
	for _, change := range c.Changes {
		fmt.Fprintf(out, "| %s | %s |\n", code(change.Metric, maxMarkdownID), strings.Join(changeCells(change), " | "))
	}
	if line := detectableLine(c); line != "" {
		fmt.Fprintf(out, "\n%s\n", markdownText(line))
	}
	if len(c.Segments) > 0 {
		fmt.Fprintf(out, "\n<details><summary>Segments by %s</summary>\n", html.EscapeString(c.By))
		markdownTable(out, "segment", c)
		for _, segment := range c.Segments {
			fmt.Fprintf(out, "| %s | %s |\n", code(segment.Name, maxMarkdownID), strings.Join(changeCells(changeBy(segment, c)), " | "))
		}
		fmt.Fprint(out, "\n</details>\n")
	}
	markdownChanges(out, "Worst", c.By, c.Worst)
	markdownChanges(out, "Best", c.By, c.Best)
	return out.Flush()
}

func markdownTable(out io.Writer, first string, c *compare.Comparison) {
	fmt.Fprintf(out, "\n| %s | before | after | delta | %s | p | win/tie/loss |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", first, intervalName(c))
}

func markdownChanges(out io.Writer, kind, metric string, changes []compare.QueryChange) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>%s queries by %s</summary>\n\n", kind, html.EscapeString(metric))
	fmt.Fprint(out, "| query | before | after | documents that moved |\n| --- | ---: | ---: | --- |\n")
	for _, change := range changes {
		var moved []string
		for _, one := range change.Moved[:min(maxTextMoved, len(change.Moved))] {
			moved = append(moved, fmt.Sprintf("%s (%s) %s → %s", code(one.ID, maxMarkdownID), movedGrade(one),
				rankText(one.Before, one.BeyondBefore), rankText(one.After, one.BeyondAfter)))
		}
		if more := len(change.Moved) - maxTextMoved; more > 0 {
			moved = append(moved, fmt.Sprintf("and %d more", more))
		}
		query := code(change.ID, maxMarkdownID)
		if change.Text != "" {
			query += " " + code(change.Text, maxMarkdownQuery)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", query, four(&change.ValueBefore), four(&change.ValueAfter), strings.Join(moved, ", "))
	}
	fmt.Fprint(out, "\nEach document with its grade, `?` where it is not judged, and its ranks.\n\n</details>\n")
}

// comparisonCSV writes one row a query, in the order of the input.
func comparisonCSV(w io.Writer, c *compare.Comparison) error {
	out := csv.NewWriter(w) // Its Error tells of all errors before it.
	head := []string{"id", "query", "segments", "weight", "error"}
	for _, metric := range c.Metrics {
		head = append(head, metric+" before", metric+" after", metric+" delta")
	}
	_ = out.Write(head)
	for _, query := range c.Queries {
		weight := strconv.FormatFloat(query.Weight, 'g', -1, 64)
		row := []string{query.ID, query.Text, strings.Join(query.Segments, ";"), weight, query.Error}
		for m := range c.Metrics {
			before, after := millionths(query.Before[m]), millionths(query.After[m])
			row = append(row, cell(before), cell(after), cell(difference(after, before)))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// The document of a comparison. Numbers are texts with 6 decimals, null where there
// is none; ranks are from 1.
type (
	comparisonDocument struct {
		Schema     string            `json:"schema"`
		Before     string            `json:"before"`
		After      string            `json:"after"`
		Compared   int               `json:"compared"`
		LeftOut    int               `json:"leftOut"`
		Missing    int               `json:"missing"`
		Notes      []string          `json:"notes"`
		Confidence string            `json:"confidence"`
		Method     compare.Method    `json:"method"`
		Power      string            `json:"power"`
		Resamples  int               `json:"resamples"`
		Seed       uint64            `json:"seed"`
		Metrics    []changeDocument  `json:"metrics"`
		Segments   []segmentDocument `json:"segments"`
		By         string            `json:"by"`
		Worst      []queryDocument   `json:"worst"`
		Best       []queryDocument   `json:"best"`
	}
	changeDocument struct {
		Metric     string  `json:"metric"`
		Queries    int     `json:"queries"`
		Before     *string `json:"before"`
		After      *string `json:"after"`
		Delta      *string `json:"delta"`
		Low        *string `json:"low"`
		High       *string `json:"high"`
		P          *string `json:"p"`
		Wins       int     `json:"wins"`
		Ties       int     `json:"ties"`
		Losses     int     `json:"losses"`
		Effect     *string `json:"effect"`
		Detectable *string `json:"detectable"`
	}
	segmentDocument struct {
		Name    string           `json:"name"`
		Queries int              `json:"queries"`
		Metrics []changeDocument `json:"metrics"`
	}
	queryDocument struct {
		ID     string          `json:"id"`
		Query  string          `json:"query"`
		Weight float64         `json:"weight"`
		Before string          `json:"before"`
		After  string          `json:"after"`
		Delta  string          `json:"delta"`
		Moved  []movedDocument `json:"moved"`
	}
	movedDocument struct {
		ID     string   `json:"id"`
		Grade  *float64 `json:"grade"`
		Before *int     `json:"before"`
		After  *int     `json:"after"`
		// BeyondBefore and BeyondAfter are how many ranks are known, where the document
		// may be further down.
		BeyondBefore int `json:"beyondBefore,omitempty"`
		BeyondAfter  int `json:"beyondAfter,omitempty"`
	}
)

func comparisonJSON(w io.Writer, c *compare.Comparison) error {
	doc := comparisonDocument{
		Schema: ComparisonSchema, Before: c.Before, After: c.After,
		Compared: c.Compared, LeftOut: c.LeftOut, Missing: c.Missing, Notes: append([]string{}, c.Notes...),
		Confidence: relevance.Format(compare.Confidence), Method: c.Method, Power: relevance.Format(compare.Power),
		Resamples: relevance.DefaultResamples, Seed: compare.Seed,
		Metrics: changeDocuments(c.Changes), Segments: []segmentDocument{},
		By: c.By, Worst: queryDocuments(c.Worst), Best: queryDocuments(c.Best),
	}
	for _, segment := range c.Segments {
		doc.Segments = append(doc.Segments, segmentDocument{segment.Name, segment.Queries, changeDocuments(segment.Changes)})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(doc)
}

func changeDocuments(changes []compare.Change) []changeDocument {
	out := []changeDocument{}
	for _, change := range changes {
		out = append(out, changeDocument{
			Metric: change.Metric, Queries: change.Queries,
			Before: decimal(change.Before), After: decimal(change.After), Delta: decimal(change.Delta),
			Low: decimal(change.Low), High: decimal(change.High), P: decimal(change.P),
			Wins: change.Wins, Ties: change.Ties, Losses: change.Losses,
			Effect: decimal(change.Effect), Detectable: decimal(change.Detectable),
		})
	}
	return out
}

func queryDocuments(changes []compare.QueryChange) []queryDocument {
	rank := func(rank int) *int {
		if rank == 0 {
			return nil
		}
		return &rank
	}
	out := []queryDocument{}
	for _, change := range changes {
		query := queryDocument{
			ID: change.ID, Query: change.Text, Weight: change.Weight, Moved: []movedDocument{},
			Before: relevance.Format(change.ValueBefore), After: relevance.Format(change.ValueAfter), Delta: relevance.Format(change.Delta),
		}
		for _, moved := range change.Moved {
			query.Moved = append(query.Moved, movedDocument{
				moved.ID, moved.Grade, rank(moved.Before), rank(moved.After), moved.BeyondBefore, moved.BeyondAfter,
			})
		}
		out = append(out, query)
	}
	return out
}
