package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/compare"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

// indicesInput measures two indices one after the other, each as a live index is: it
// is neither refreshed nor looked into, for either may be live.
func indicesInput(ctx context.Context, o compareOptions, names []string, getenv func(string) string, in io.Reader, errOut io.Writer) (compare.Input, error) {
	file, err := readGateFile(o.gate, in)
	if err != nil {
		return compare.Input{}, gateError(err)
	}
	gate, err := file.readSpec()
	if err != nil {
		return compare.Input{}, gateError(err)
	}
	set, err := readGoldenFiles(o.goldenSet, in, gate.plan)
	if err != nil {
		return compare.Input{}, failureError(err)
	}
	writeNotes(errOut, set)
	client, err := newClient(o.evaluateOptions, getenv, gate.plan)
	if err != nil {
		return compare.Input{}, usageError(err)
	}
	defer client.Close()
	var reports [2]*evaluate.Report
	for i, name := range names {
		plan := *gate.plan
		plan.Live, plan.Search.LiveBody, plan.Repeats = &evaluate.Index{Name: name}, nil, 1
		if reports[i], err = evaluate.Run(ctx, client, set, &plan, progressOn(errOut)); err != nil {
			exit := failureError(err)
			exit.message = strings.Replace(exit.message, "the live index ", "the index ", 1)
			return compare.Input{}, exit
		}
	}
	return measuredInput(names, reports[0], reports[1]), nil
}

// measuredInput lines up two reports of the same golden set.
func measuredInput(names []string, before, after *evaluate.Report) compare.Input {
	input := compare.Input{Before: names[0], After: names[1], Metrics: before.Metrics}
	for i, metric := range before.Metrics {
		if metric.Name == before.WorstMetric {
			input.By = i
		}
		input.KnownBefore = append(input.KnownBefore, before.Measurement.Scores[i].Live)
		input.KnownAfter = append(input.KnownAfter, after.Measurement.Scores[i].Live)
	}
	for i := range before.Queries {
		b, a := &before.Queries[i], &after.Queries[i]
		query := compare.Query{ID: b.ID, Text: b.Query, Segments: b.Segments, Weight: b.Weight}
		for side, result := range []*evaluate.QueryResult{b, a} {
			if result.Error != "" && query.Error == "" {
				query.Error = fmt.Sprintf("%s: %s", names[side], result.Error)
			}
		}
		for metric := range before.Metrics {
			query.Before, query.After = append(query.Before, b.Live.Value(metric)), append(query.After, a.Live.Value(metric))
		}
		input.Queries = append(input.Queries, query)
	}
	input.Hits = func(query int) (compare.Ranking, compare.Ranking, error) {
		return indexRanking(before.Queries[query].Live), indexRanking(after.Queries[query].Live), nil
	}
	return input
}

func indexRanking(ranking *evaluate.Ranking) compare.Ranking {
	if ranking == nil || ranking.Hits == nil && ranking.Returned > 0 {
		return compare.Ranking{}
	}
	out := compare.Ranking{Known: true, Whole: ranking.Returned == len(ranking.Hits)}
	for _, hit := range ranking.Hits {
		out.Hits = append(out.Hits, compare.Hit{ID: hit.ID, Grade: optional(hit.Grade)})
	}
	return out
}
