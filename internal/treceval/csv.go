package treceval

import (
	"encoding/csv"
	"io"
)

// WriteCSV writes a line with measure, query and value, of 6 decimals, for every query, those that the run lacks
// included, then one for the whole run, whose query is "all". Where there is no value it is empty.
func (r *Result) WriteCSV(w io.Writer, p Print) error {
	out := csv.NewWriter(w)
	out.Write([]string{"measure", "query", "value"}) //nolint:errcheck // Error tells at the end.
	for _, q := range r.printed(p) {
		for i, m := range r.Measures {
			if m.OfQuery() {
				value, _ := m.format(q.Scores[i], 6)
				out.Write([]string{m.Name, q.ID, value}) //nolint:errcheck // Error tells at the end.
			}
		}
	}
	for i, m := range r.totals(p) {
		value, _ := r.formatTotal(i, 6)
		out.Write([]string{m.Name, "all", value}) //nolint:errcheck // Error tells at the end.
	}
	out.Flush()
	return out.Error()
}
