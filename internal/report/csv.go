package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// csvRows writes one row a query, in the golden set's order. A cell is empty where
// there is no value.
func csvRows(w io.Writer, r Result, _ Style) error {
	out := csv.NewWriter(w) // Its Error tells of all errors before it.
	head := []string{"id", "query", "segments", "weight", "error"}
	for _, metric := range r.Report.Metrics {
		head = append(head, metric.Name+" candidate", metric.Name+" live", metric.Name+" delta")
	}
	_ = out.Write(head)
	for _, query := range r.Report.Queries {
		weight := strconv.FormatFloat(query.Weight, 'g', -1, 64)
		row := []string{query.ID, query.Query, strings.Join(query.Segments, ";"), weight, query.Error}
		for i := range r.Report.Metrics {
			candidate, live := millionths(query.Candidate.Value(i)), millionths(query.Live.Value(i))
			row = append(row, cell(candidate), cell(live), cell(difference(candidate, live)))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func cell(value *int64) string {
	if text := decimal(value); text != nil {
		return *text
	}
	return ""
}
