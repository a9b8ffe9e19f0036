// Package report writes the result of an evaluation for people and for
// programs.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// Schema names the form of the document; docs/evaluation.schema.json describes
// it.
const Schema = "relevancegate.dev/evaluation/v1"

// ReasonMeasured is the reason of a document without a verdict that holds a
// measurement: whoever knows the limits decides.
const ReasonMeasured = "Measured"

// Document is the report for programs. Every score is a text with 6 decimals,
// or null where there is none.
type Document struct {
	Schema string `json:"schema"`
	// Verdict is null when nothing was judged: the input was wrong, or the
	// limits are not known where the report was written.
	Verdict *verdict.Verdict `json:"verdict"`
	Reason  string           `json:"reason"`
	Message string           `json:"message"`
	Scores  []Score          `json:"scores"`
	Queries []Query          `json:"queries"`
}

// Score is the mean of one metric.
type Score struct {
	Metric    string           `json:"metric"`
	Candidate *string          `json:"candidate"`
	Live      *string          `json:"live"`
	Delta     *string          `json:"delta"`
	Verdict   *verdict.Verdict `json:"verdict"`
}

// Query is one query of the golden set. Both indices list every metric.
type Query struct {
	ID        string             `json:"id"`
	Query     string             `json:"query"`
	Candidate map[string]*string `json:"candidate"`
	Live      map[string]*string `json:"live"`
	Error     *string            `json:"error"`
}

// WriteVerdict writes the document of an evaluation that was held against its
// limits.
func WriteVerdict(w io.Writer, r *evaluate.Report, outcome verdict.Outcome) error {
	doc := Document{Verdict: &outcome.Verdict, Reason: outcome.Reason, Message: outcome.Message}
	for i, score := range r.Measurement.Scores {
		doc.Scores = append(doc.Scores, scoreOf(score, &outcome.Scores[i].Verdict))
	}
	return write(w, doc, queriesOf(r))
}

// WriteMeasurement writes the document of an evaluation whose limits are not
// known here.
func WriteMeasurement(w io.Writer, r *evaluate.Report) error {
	doc := Document{Reason: ReasonMeasured, Message: "measured; the verdict is made where the limits are known"}
	for _, score := range r.Measurement.Scores {
		doc.Scores = append(doc.Scores, scoreOf(score, nil))
	}
	return write(w, doc, queriesOf(r))
}

// WriteFailure writes the document of an evaluation that did not come about.
// The verdict is nil where the input is at fault, else Inconclusive.
func WriteFailure(w io.Writer, v *verdict.Verdict, reason, message string) error {
	return write(w, Document{Verdict: v, Reason: reason, Message: message}, func(func(Query) bool) {})
}

// write writes the queries one by one, each on its own line, as there can be
// very many.
func write(w io.Writer, doc Document, queries iter.Seq[Query]) error {
	doc.Schema = Schema
	if doc.Scores == nil {
		doc.Scores = []Score{}
	}
	doc.Queries = []Query{}
	raw, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w) // Its Flush tells of all errors before it.
	// The document ends in "queries":[]}, and the queries go in there.
	fmt.Fprintf(out, "%s", raw[:len(raw)-len("]}")])
	separator := ""
	for query := range queries {
		raw, err := json.Marshal(query)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n%s", separator, raw)
		separator = ","
	}
	fmt.Fprintln(out, "]}")
	return out.Flush()
}

func scoreOf(score verdict.Score, v *verdict.Verdict) Score {
	return Score{
		Metric:    score.Metric,
		Candidate: decimal(score.Candidate),
		Live:      decimal(score.Live),
		Delta:     decimal(deltaOf(score)),
		Verdict:   v,
	}
}

// deltaOf is candidate - live, where both were measured.
func deltaOf(score verdict.Score) *int64 {
	if score.Candidate == nil || score.Live == nil {
		return nil
	}
	delta := *score.Candidate - *score.Live
	return &delta
}

func queriesOf(r *evaluate.Report) iter.Seq[Query] {
	return func(yield func(Query) bool) {
		for _, result := range r.Queries {
			query := Query{
				ID:        result.ID,
				Query:     result.Query,
				Candidate: valuesOf(r, result.Candidate),
				Live:      valuesOf(r, result.Live),
			}
			if result.Error != "" {
				query.Error = &result.Error
			}
			if !yield(query) {
				return
			}
		}
	}
}

func valuesOf(r *evaluate.Report, ranking *evaluate.Ranking) map[string]*string {
	values := make(map[string]*string, len(r.Metrics))
	for i, metric := range r.Metrics {
		values[metric.Name] = decimal(millionths(ranking.Value(i)))
	}
	return values
}

// millionths rounds a query's score. Scores are checked to lie in 0..1 where
// they are made, so rounding cannot fail.
func millionths(value *float64) *int64 {
	if value == nil {
		return nil
	}
	rounded, err := relevance.Round(*value)
	if err != nil {
		panic(fmt.Sprintf("rounding a score: %v", err))
	}
	return &rounded
}

func decimal(value *int64) *string {
	if value == nil {
		return nil
	}
	text := relevance.Format(*value)
	return &text
}
