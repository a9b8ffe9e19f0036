package treceval

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes a table with a column a measure and a row a query, the last row for the whole run; a run alone
// has a row a measure. Values have 4 decimals; where there is none stands a dash.
func (r *Result) WriteMarkdown(w io.Writer, p Print) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if !p.Queries {
		fmt.Fprint(out, "| measure | value |\n|---|---:|\n")
		for i, m := range r.totals(p) {
			writeRow(out, m.Name, orDash(r.formatTotal(i, 4)))
		}
		return out.Flush()
	}
	names := []string{"query"}
	for _, m := range r.Measures {
		names = append(names, m.Name)
	}
	writeRow(out, names...)
	fmt.Fprintln(out, "|---|"+strings.Repeat("---:|", len(r.Measures)))
	for _, q := range r.Queries {
		row := []string{q.ID}
		for i, m := range r.Measures {
			value, ok := m.format(q.Scores[i], 4)
			row = append(row, orDash(value, ok && m.OfQuery()))
		}
		writeRow(out, row...)
	}
	if !p.NoTotals {
		row := []string{"all"}
		for i := range r.Measures {
			row = append(row, orDash(r.formatTotal(i, 4)))
		}
		writeRow(out, row...)
	}
	return out.Flush()
}

// writeRow writes a row of a table, with what Markdown would take for its bars escaped.
func writeRow(out io.Writer, cells ...string) {
	for _, cell := range cells {
		fmt.Fprint(out, "| ", strings.ReplaceAll(cell, "|", `\|`), " ")
	}
	fmt.Fprintln(out, "|")
}

func orDash(value string, ok bool) string {
	if !ok {
		return "-"
	}
	return value
}
