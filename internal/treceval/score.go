package treceval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// Result holds the scores of a run.
type Result struct {
	Qrels, Run string // what messages call the files
	Options    Options
	// RunName is the last column of the run's last line.
	RunName  string
	Measures []Measure
	// Queries are those that count in the means, ascending by their ids' bytes.
	Queries []Query
	Notes   Notes
}

// Query holds the scores of one query.
type Query struct {
	ID string
	// Missing says that the run has no hit for the query.
	Missing bool
	// Scores has one value a measure, NaN for none: the measure says something of whole runs alone, or nothing of this
	// query, which then is left out of the mean.
	Scores []float64
}

// Score scores every query that is both in the qrels and in the run; with Complete, every one in the qrels.
//
// Errors: an Error for a line that is wrong, of several the first one of the qrels, else of the run, whether its query
// counts or not; no query that is in both; ctx's.
func Score(ctx context.Context, qrels, run *Source, measures []Measure, o Options) (*Result, error) {
	r := &Result{Qrels: qrels.Name, Run: run.Name, Options: o, Measures: measures}
	r.Notes.MissingQueries, r.Notes.UnjudgedQueries = missingFrom(run, qrels), missingFrom(qrels, run)
	ids := append(queriesOf(qrels), r.Notes.UnjudgedQueries...)
	slices.Sort(ids)
	r.Queries = make([]Query, len(ids))

	workers := make([]*worker, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var group sync.WaitGroup
	for i := range workers {
		w := newWorker(qrels, run, measures, o)
		workers[i] = w
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(ids) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				w.score(ids[i], &r.Queries[i])
			}
		})
	}
	group.Wait()

	err := ctx.Err()
	for _, w := range workers {
		err = told(qrels, err, w.err)
		r.Notes.add(w.notes)
	}
	if err != nil {
		return nil, err
	}
	if len(ids) == len(r.Notes.MissingQueries)+len(r.Notes.UnjudgedQueries) {
		return nil, fmt.Errorf("no query is in both files: the first of %s is %.80q, of %s %.80q",
			qrels.Name, r.Notes.MissingQueries[0], run.Name, r.Notes.UnjudgedQueries[0])
	}
	r.RunName = run.lastColumn()
	r.Queries = slices.DeleteFunc(r.Queries, func(q Query) bool { return q.Scores == nil })
	return r, nil
}

// queriesOf lists the queries of a source.
func queriesOf(s *Source) []string {
	ids := make([]string, 0, len(s.queries))
	for id := range s.queries {
		ids = append(ids, id)
	}
	return ids
}

// missingFrom lists the queries of another source that s does not have, in ascending order.
func missingFrom(s, other *Source) []string {
	ids := slices.DeleteFunc(queriesOf(other), func(id string) bool { return s.has(id) })
	slices.Sort(ids)
	return ids
}

// worker scores queries on a goroutine of its own.
type worker struct {
	reader
	measures []Measure
	err      error
}

func newWorker(qrels, run *Source, measures []Measure, o Options) *worker {
	return &worker{
		reader:   reader{Options: o, qrels: qrels, run: run, highest: highestGrade(measures, o.MaxGrade), documents: map[string]document{}},
		measures: measures,
	}
}

// score reads a query, whether it counts or not, since a wrong line is an error in every query; and if it counts, fills
// in q.
func (w *worker) score(id string, q *Query) {
	if err := w.read(id); err != nil {
		w.err = told(w.qrels, w.err, err)
		return
	}
	missing := !w.run.has(id)
	if !w.qrels.has(id) || missing && !w.Complete {
		return
	}
	w.notes.count(&w.reader)
	*q = Query{ID: id, Missing: missing, Scores: make([]float64, len(w.measures))}
	for i, m := range w.measures {
		var err error
		if q.Scores[i], err = m.score(&w.reader); err != nil {
			w.err = told(w.qrels, w.err, fmt.Errorf("query %.80q: %w", id, err))
		}
	}
}

// told returns which of two errors is told: one that is no line's, else that of the earlier line, the qrels first.
func told(qrels *Source, a, b error) error {
	var one, other *Error
	switch {
	case a == nil || !errors.As(b, &other) && b != nil:
		return b
	case b == nil || !errors.As(a, &one):
		return a
	case one.File != other.File:
		if other.File == qrels.Name {
			return b
		}
		return a
	case other.at < one.at:
		return b
	}
	return a
}

// Total is a measure's value for the whole run: for counts the sum over the queries, else the mean over the queries
// that have a value, NaN if none has one.
func (r *Result) Total(i int) float64 {
	m := r.Measures[i]
	switch {
	case m.Name == queryCount:
		return float64(len(r.Queries))
	case m.Name == "num_rel" && r.Options.AsTrecEval && r.Options.Complete:
		return float64(r.Notes.aboveZero) // With -c, trec_eval forgets its -l here.
	}
	var scores []float64
	sum := 0.0
	for _, q := range r.Queries {
		if score := q.Scores[i]; !math.IsNaN(score) {
			scores = append(scores, score)
			sum += score
		}
	}
	switch {
	case m.IsCount():
		return sum
	case m.Name == geometricMAP:
		return geometricMean(scores)
	}
	return relevance.Mean(scores, nil)
}
