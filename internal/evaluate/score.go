package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
	"github.com/relevance-gate/relevance-gate/internal/sentence"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// score turns what was searched into the numbers of the measurement. Only now
// is it known which queries are in error: one that failed on either index or in
// any repeat counts in no mean of either.
func (r *run) score(context.Context) error {
	m := &r.report.Measurement
	m.Queries = len(r.set.Queries)
	m.Judgments = r.set.JudgmentCount()
	m.Deterministic = true
	for query, err := range r.errors {
		if err == nil {
			continue
		}
		if r.isProtected(r.set.Queries[query].Weight) {
			m.ProtectedErrors++
		}
		if m.Errors++; m.Errors == 1 {
			// The engine's own words can quote the query.
			m.FirstError = sentence.Cut("query "+r.set.Queries[query].ID+": "+engine.Summary(err), maxFirstError)
		}
	}
	counted := r.countedQueries()
	if err := r.meanScores(counted); err != nil {
		return err
	}
	if err := r.addStatistics(counted); err != nil {
		return err
	}
	for _, a := range r.arms {
		if err := r.countHits(a, counted); err != nil {
			return err
		}
		ties, err := r.tieSpreads(a, counted)
		if err != nil {
			return err
		}
		if a.isCandidate {
			r.report.CandidateTies = ties
		} else {
			r.report.LiveTies = ties
		}
	}
	if err := r.findRegressions(counted); err != nil {
		return err
	}
	r.reportQueries()
	return nil
}

// countedQueries are the positions of the queries that are not in error, in
// ascending order of their ids: sums are taken in that order, so that the order
// of the file changes no digit.
func (r *run) countedQueries() []int {
	var counted []int
	for query, err := range r.errors {
		if err == nil {
			counted = append(counted, query)
		}
	}
	slices.SortFunc(counted, func(a, b int) int {
		return cmp.Compare(r.set.Queries[a].ID, r.set.Queries[b].ID)
	})
	return counted
}

// meanScores fills the scores: the first repeat is the score, the others tell
// whether it can be trusted.
func (r *run) meanScores(counted []int) error {
	m := &r.report.Measurement
	for i, metric := range r.metrics {
		score := verdict.Score{Metric: metric.Name}
		for _, a := range r.arms {
			first, highest, spread, err := r.meansOf(a, i, counted)
			switch {
			case err != nil:
				return err
			case first == nil:
			case a.isCandidate:
				score.Candidate = first
				m.Noise = max(m.Noise, spread)
			default:
				score.Live = first
				m.LiveNoise = max(m.LiveNoise, spread)
				if highest != *first {
					score.LiveHigh = &highest
				}
			}
		}
		m.Scores = append(m.Scores, score)
	}
	for _, a := range r.arms {
		difference := r.firstDifference(a)
		if a.isCandidate {
			m.FirstDifference = sentence.Cut(difference, maxFirstDifference)
			m.Deterministic = difference == ""
		} else {
			r.report.LiveDifference = difference
		}
	}
	return nil
}

// meansOf is a metric's mean on one index in the first repeat, the highest mean
// of any repeat, and how far any is from the first. first is nil when the
// metric applies to no query.
func (r *run) meansOf(a *arm, metric int, counted []int) (first *int64, highest, spread int64, err error) {
	for repeat := range a.values {
		var scores, weights []float64
		for _, query := range counted {
			if value := r.valuesOf(a, repeat, query)[metric]; value != NoValue {
				scores = append(scores, value)
				weights = append(weights, r.set.Queries[query].Weight)
			}
		}
		if len(scores) == 0 {
			return nil, 0, 0, nil
		}
		mean, err := relevance.Round(relevance.Mean(scores, weights))
		if err != nil {
			return nil, 0, 0, err
		}
		if first == nil {
			first, highest = &mean, mean
		}
		highest = max(highest, mean)
		spread = max(spread, mean-*first, *first-mean)
	}
	return first, highest, spread, nil
}

// firstDifference names the first query, in the golden set's order, that scored
// differently in another repeat, with its values; it is empty where there is none.
func (r *run) firstDifference(a *arm) string {
	for query := range r.set.Queries {
		if r.errors[query] != nil {
			continue
		}
		first := r.valuesOf(a, 0, query)
		for repeat := range a.values {
			for i, value := range r.valuesOf(a, repeat, query) {
				if value != first[i] {
					return fmt.Sprintf("query %s: %s %v, then %v in repeat %d", r.set.Queries[query].ID, r.metrics[i].Name, first[i], value, repeat+1)
				}
			}
		}
	}
	return ""
}

// countHits fills the numbers that tell whether the scores rest on judgments.
// Negatives are left out of them: their hits are errors, not evidence.
func (r *run) countHits(a *arm, counted []int) error {
	var hits, judged, empty, negativesFailed int
	var rates, weights []float64
	for _, query := range counted {
		counts, returned := a.counts[query], a.rankings[query].Returned
		r.report.DuplicateHits += counts.duplicates
		if a.isCandidate && len(a.rankings[query].Ties) > 0 {
			r.report.TiesAtCutoff++
		}
		if r.set.Queries[query].ExpectNoResults {
			if returned > 0 {
				negativesFailed++
			}
			continue
		}
		hits += returned
		judged += counts.judged
		if returned == 0 {
			empty++
			continue
		}
		rates = append(rates, float64(counts.judgedTop)/float64(counts.top))
		weights = append(weights, r.set.Queries[query].Weight)
	}
	var rate *int64
	if len(rates) > 0 {
		mean, err := relevance.Round(relevance.Mean(rates, weights))
		if err != nil {
			return err
		}
		rate = &mean
	}
	m := &r.report.Measurement
	if a.isCandidate {
		m.HitsCandidate, m.JudgedHitsCandidate, m.EmptyCandidate, m.JudgedCandidate = hits, judged, empty, rate
		m.NegativesFailed = negativesFailed
	} else {
		m.HitsLive, m.JudgedHitsLive, m.EmptyLive, m.JudgedLive = hits, judged, empty, rate
		if len(r.arms) == 1 {
			m.NegativesFailed = negativesFailed
		}
	}
	return nil
}

// findRegressions compares every query with itself on the live index.
func (r *run) findRegressions(counted []int) error {
	if len(r.arms) < 2 {
		return nil
	}
	m := &r.report.Measurement
	for _, query := range counted {
		if _, _, applies := r.lossOf(query); !applies {
			continue
		}
		candidate, live, err := r.millionthsOf(query)
		if err != nil {
			return err
		}
		if loss := live - candidate; loss <= 0 || loss < r.drop {
			continue
		}
		q := r.set.Queries[query]
		m.RegressionCount++
		if r.isProtected(q.Weight) {
			m.ProtectedRegressions++
		}
		m.Worst = append(m.Worst, verdict.Regression{Query: q.ID, Live: live, Candidate: candidate, Weight: q.Weight})
	}
	slices.SortStableFunc(m.Worst, func(a, b verdict.Regression) int {
		return cmp.Or(cmp.Compare(b.Live-b.Candidate, a.Live-a.Candidate), cmp.Compare(a.Query, b.Query))
	})
	m.Worst = m.Worst[:min(maxWorst, len(m.Worst))]
	return nil
}

func (r *run) isProtected(weight float64) bool {
	regressions := r.plan.Regressions
	return regressions != nil && regressions.ProtectWeightFrom != nil && weight >= *regressions.ProtectWeightFrom
}

// reportQueries lists every query in the golden set's order.
func (r *run) reportQueries() {
	r.report.Queries = make([]QueryResult, len(r.set.Queries))
	for i, query := range r.set.Queries {
		result := QueryResult{
			ID: query.ID, Query: query.Text, Segments: query.Segments, Weight: query.Weight, Negative: query.ExpectNoResults,
		}
		if r.errors[i] != nil {
			result.Error = r.errors[i].Error()
			r.report.Queries[i] = result
			continue
		}
		for _, a := range r.arms {
			if a.isCandidate {
				result.Candidate = &a.rankings[i]
			} else {
				result.Live = &a.rankings[i]
			}
		}
		r.report.Queries[i] = result
	}
	for _, query := range r.worst.positions {
		if r.errors[query] == nil {
			r.report.Worst = append(r.report.Worst, query)
		}
	}
}
