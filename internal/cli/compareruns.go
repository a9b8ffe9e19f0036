package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/relevance-gate/relevance-gate/internal/compare"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/treceval"
)

// runsInput lines up two runs. A query that one of them lacks counts there as one
// that found nothing; one that both lack is left out.
func runsInput(ctx context.Context, o compareOptions, names []string, in io.Reader) (compare.Input, error) {
	measures, err := comparedMeasures(o)
	if err != nil {
		return compare.Input{}, usageError(err)
	}
	qrels, runs, err := readRuns(o.qrels, names, in)
	if err != nil {
		return compare.Input{}, scoreError(err)
	}
	options := treceval.Options{RelevantFrom: o.relevantFrom, MaxGrade: o.maxGrade, Complete: true}
	before, err := treceval.Score(ctx, qrels, runs[0], measures, options)
	if err != nil {
		return compare.Input{}, scoreError(err)
	}
	after, err := treceval.Score(ctx, qrels, runs[1], measures, options)
	if err != nil {
		return compare.Input{}, scoreError(err)
	}
	input := compare.Input{Before: names[0], After: names[1]}
	for _, measure := range measures {
		input.Metrics = append(input.Metrics, relevance.Metric{Name: measure.Name})
	}
	lacking := [2]int{}
	// With Complete both have every query of the qrels, in the same order.
	for i, b := range before.Queries {
		a := after.Queries[i]
		switch {
		case b.Missing && a.Missing:
			continue
		case b.Missing:
			lacking[0]++
		case a.Missing:
			lacking[1]++
		}
		input.Queries = append(input.Queries, compare.Query{ID: b.ID, Weight: 1, Before: pointers(b.Scores), After: pointers(a.Scores)})
	}
	for side, n := range lacking {
		if n > 0 {
			input.Notes = append(input.Notes, fmt.Sprintf("%s lacks %d of the queries; they count there as queries that found nothing.", names[side], n))
		}
	}
	input.Hits = func(query int) (before, after compare.Ranking, err error) {
		id := input.Queries[query].ID
		if before, err = runRanking(qrels, runs[0], id, options); err == nil {
			after, err = runRanking(qrels, runs[1], id, options)
		}
		return before, after, err
	}
	return input, nil
}

// comparedMeasures are the metrics among the measures that are asked for: a count is
// no score.
func comparedMeasures(o compareOptions) ([]treceval.Measure, error) {
	scoring := scoreOptions{Options: treceval.Options{RelevantFrom: o.relevantFrom, MaxGrade: o.maxGrade}, measures: o.measures}
	all, _, err := scoring.parse()
	if err != nil {
		return nil, err
	}
	var measures []treceval.Measure
	for _, measure := range all {
		if measure.OfQuery() && !measure.IsCount() {
			measures = append(measures, measure)
		}
	}
	if len(measures) == 0 {
		return nil, errors.New("none of the measures is a metric that can be compared")
	}
	return measures, nil
}

// readRuns reads the three files at a time.
func readRuns(qrelsName string, names []string, in io.Reader) (qrels *treceval.Source, runs [2]*treceval.Source, err error) {
	standard := 0
	for _, name := range append([]string{qrelsName}, names...) {
		if name == stdinName {
			standard++
		}
	}
	if standard > 1 {
		return nil, runs, errors.New("only one of the files can be the standard input")
	}
	var group errgroup.Group
	group.Go(func() (err error) { qrels, err = readSource(qrelsName, in); return err })
	for i, name := range names {
		group.Go(func() (err error) { runs[i], err = readSource(name, in); return err })
	}
	return qrels, runs, group.Wait()
}

// pointers are scores, nil where there is none.
func pointers(scores []float64) []*float64 {
	out := make([]*float64, len(scores))
	for i := range scores {
		if !math.IsNaN(scores[i]) {
			out[i] = &scores[i]
		}
	}
	return out
}

func runRanking(qrels, run *treceval.Source, query string, options treceval.Options) (compare.Ranking, error) {
	hits, err := treceval.Ranking(qrels, run, query, options)
	out := compare.Ranking{Known: true, Whole: true}
	for _, hit := range hits {
		out.Hits = append(out.Hits, compare.Hit{ID: hit.ID, Grade: optional(hit.Grade)})
	}
	return out, err
}
