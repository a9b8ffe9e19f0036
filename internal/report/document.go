// Package report writes the result of an evaluation for people and for
// programs.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

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
	// Measured says what was measured; null when nothing was.
	Measured *Measured `json:"measured"`
	// Evidence is there where something was measured.
	Evidence *Evidence `json:"evidence,omitempty"`
	Scores   []Score   `json:"scores"`
	// Segments and Draws are there where the gate asks for them.
	Segments []Segment `json:"segments,omitempty"`
	Draws    *Draws    `json:"draws,omitempty"`
	Queries  []Query   `json:"queries"`
	// QueriesLeftOut counts the queries for which there was no room.
	QueriesLeftOut int `json:"queriesLeftOut,omitempty"`
}

// Measured is what scores must have in common to be compared, and what they are
// scores of.
type Measured struct {
	// EvaluationKey is empty outside of a cluster.
	EvaluationKey string `json:"evaluationKey,omitempty"`
	Engine        string `json:"engine"`
	GoldenSet     Golden `json:"goldenSet"`
	Candidate     *Index `json:"candidate"`
	Live          *Index `json:"live"`
	// Metrics are in the order of the scores, with everything that decides their
	// values.
	Metrics []relevance.Metric `json:"metrics"`
	// WorstMetric is the metric that tells which queries are worst.
	WorstMetric string `json:"worstMetric"`
	// KeptHits is how many documents of a ranking are kept at most.
	KeptHits int `json:"keptHits"`
}

// Golden is a golden set as it was measured with.
type Golden struct {
	// Digest is of the bytes, and ContentDigest of what they say: it is the same
	// for another order, spacing or format. Older reports have no ContentDigest.
	Digest        string `json:"digest"`
	ContentDigest string `json:"contentDigest,omitempty"`

	Queries   int `json:"queries"`
	Judgments int `json:"judgments"`
}

// Index is an index as it was measured.
type Index struct {
	Name string `json:"name"`
	UUID string `json:"uuid"`
	Docs int64  `json:"docs"`
}

// Score is the mean of one metric.
type Score struct {
	Metric    string           `json:"metric"`
	Candidate *string          `json:"candidate"`
	Live      *string          `json:"live"`
	Delta     *string          `json:"delta"`
	Verdict   *verdict.Verdict `json:"verdict"`
	// Min and MaxDrop are the limits that it was held against.
	Min     *string    `json:"min,omitempty"`
	MaxDrop *string    `json:"maxDrop,omitempty"`
	Ties    *ScoreTies `json:"ties,omitempty"`
	Statistics
}

// Query is one query of the golden set. Both indices list every metric.
type Query struct {
	ID        string             `json:"id"`
	Query     string             `json:"query"`
	Segments  []string           `json:"segments,omitempty"`
	Weight    float64            `json:"weight"`
	Candidate map[string]*string `json:"candidate"`
	Live      map[string]*string `json:"live"`
	// CandidateHits and LiveHits are the first documents of the rankings. They are
	// nil where they were not kept, and empty where nothing was found.
	CandidateHits []Hit      `json:"candidateHits,omitzero"`
	LiveHits      []Hit      `json:"liveHits,omitzero"`
	Error         *string    `json:"error"`
	Ties          *QueryTies `json:"ties,omitempty"`
}

// Hit is a document that came back, and its grade; null when it is not judged.
type Hit struct {
	ID    string   `json:"id"`
	Grade *float64 `json:"grade"`
}

// WriteVerdict writes the document of an evaluation that was held against its
// limits.
func WriteVerdict(w io.Writer, r *evaluate.Report, outcome verdict.Outcome, limits verdict.Limits) error {
	doc := Document{Verdict: &outcome.Verdict, Reason: outcome.Reason, Message: outcome.Message, Measured: measuredOf(r), Evidence: evidenceOf(r)}
	for i, score := range r.Measurement.Scores {
		judged := scoreOf(r, i, score, &outcome.Scores[i].Verdict)
		judged.Min, judged.MaxDrop = decimal(limits.Metrics[i].Min), decimal(limits.Metrics[i].MaxDrop)
		doc.Scores = append(doc.Scores, judged)
	}
	doc.addStatistics(r, &outcome)
	for i := range doc.Segments {
		doc.Segments[i].Min = decimal(&limits.Segments[i].Min)
	}
	return write(w, doc, queriesOf(r, slices.Values(r.Queries)))
}

// WriteMeasurement writes the document of an evaluation whose limits are not
// known here. Its queries come the worst first, so that Pack leaves out the
// others.
func WriteMeasurement(w io.Writer, r *evaluate.Report) error {
	doc := Document{
		Reason: ReasonMeasured, Message: "measured; the verdict is made where the limits are known",
		Measured: measuredOf(r), Evidence: evidenceOf(r),
	}
	for i, score := range r.Measurement.Scores {
		doc.Scores = append(doc.Scores, scoreOf(r, i, score, nil))
	}
	doc.addStatistics(r, nil)
	worstFirst := func(yield func(evaluate.QueryResult) bool) {
		for _, position := range r.WorstFirst() {
			if !yield(r.Queries[position]) {
				return
			}
		}
	}
	return write(w, doc, queriesOf(r, worstFirst))
}

// writeProblem writes the document of an evaluation that did not come about.
func writeProblem(w io.Writer, p Problem) error {
	return write(w, Document{Verdict: p.Verdict, Reason: p.Reason, Message: p.Message}, func(func(Query) bool) {})
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

func scoreOf(r *evaluate.Report, metric int, score verdict.Score, v *verdict.Verdict) Score {
	return Score{
		Metric:    score.Metric,
		Candidate: decimal(score.Candidate),
		Live:      decimal(score.Live),
		Delta:     decimal(deltaOf(score)),
		Verdict:   v,
		Ties:      scoreTiesOf(r, metric),
	}
}

// deltaOf is candidate - live, where both were measured.
func deltaOf(score verdict.Score) *int64 { return difference(score.Candidate, score.Live) }

func difference(candidate, live *int64) *int64 {
	if candidate == nil || live == nil {
		return nil
	}
	delta := *candidate - *live
	return &delta
}

func measuredOf(r *evaluate.Report) *Measured {
	index := func(result *evaluate.IndexResult) *Index {
		if result == nil {
			return nil
		}
		return &Index{Name: result.Name, UUID: result.UUID, Docs: result.Docs}
	}
	return &Measured{
		EvaluationKey: r.EvaluationKey,
		Engine:        r.EngineName(),
		GoldenSet:     Golden{Digest: r.GoldenDigest, ContentDigest: r.GoldenContent, Queries: r.Measurement.Queries, Judgments: r.Measurement.Judgments},
		Candidate:     index(r.Candidate),
		Live:          index(r.Live),
		Metrics:       r.Metrics,
		WorstMetric:   r.WorstMetric,
		KeptHits:      evaluate.KeptHits,
	}
}

func queriesOf(r *evaluate.Report, results iter.Seq[evaluate.QueryResult]) iter.Seq[Query] {
	return func(yield func(Query) bool) {
		for result := range results {
			query := Query{
				ID:            result.ID,
				Query:         result.Query,
				Segments:      result.Segments,
				Weight:        result.Weight,
				Candidate:     valuesOf(r, result.Candidate),
				Live:          valuesOf(r, result.Live),
				CandidateHits: hitsOf(result.Candidate),
				LiveHits:      hitsOf(result.Live),
				Ties:          queryTiesOf(r, result),
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

func hitsOf(ranking *evaluate.Ranking) []Hit {
	if ranking == nil || ranking.Hits == nil && ranking.Returned > 0 {
		return nil
	}
	hits := make([]Hit, 0, len(ranking.Hits))
	for _, hit := range ranking.Hits {
		grade := &hit.Grade
		if hit.Grade == relevance.Unjudged {
			grade = nil
		}
		hits = append(hits, Hit{ID: hit.ID, Grade: grade})
	}
	return hits
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
