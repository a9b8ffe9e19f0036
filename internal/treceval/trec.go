package treceval

import (
	"bufio"
	"fmt"
	"io"
)

// Print says what of a result is written.
type Print struct {
	// Queries writes the scores of every query too: trec_eval's -q.
	Queries bool
	// NoTotals leaves out what is said of the whole run: trec_eval's -n.
	NoTotals bool
}

// WriteTrec writes the lines that trec_eval 9.0.8 prints, each with a measure, a query and a value: those of every query
// that has hits, then those of the whole run, whose query is "all". A mean of nothing is "nan".
func (r *Result) WriteTrec(w io.Writer, p Print) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for _, q := range r.printed(p) {
		for i, m := range r.Measures {
			if value, ok := m.format(q.Scores[i], 4); ok && m.OfQuery() && !q.Missing {
				fmt.Fprintf(out, "%-22s\t%s\t%s\n", m.Name, q.ID, value)
			}
		}
	}
	for i, m := range r.totals(p) {
		value, ok := r.formatTotal(i, 4)
		if !ok {
			value = "nan"
		}
		fmt.Fprintf(out, "%-22s\tall\t%s\n", m.Name, value)
	}
	return out.Flush()
}

// printed are the queries to write.
func (r *Result) printed(p Print) []Query {
	if p.Queries {
		return r.Queries
	}
	return nil
}

// totals are the measures to write for the whole run.
func (r *Result) totals(p Print) []Measure {
	if p.NoTotals {
		return nil
	}
	return r.Measures
}

// formatTotal writes the i-th measure of the whole run; false for a mean of nothing.
func (r *Result) formatTotal(i, decimals int) (string, bool) {
	if r.Measures[i].Name == runName {
		return r.RunName, true
	}
	return r.Measures[i].format(r.Total(i), decimals)
}
