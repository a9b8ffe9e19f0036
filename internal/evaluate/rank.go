package evaluate

import (
	"errors"
	"fmt"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// rankingCounts are what one ranking adds to the numbers of its index.
type rankingCounts struct {
	// top and judgedTop count the hits down to the depth of the judged rate.
	top, judgedTop int
	// judged counts all judged hits.
	judged     int
	duplicates int
}

// ranker scores rankings one after the other and reuses its memory.
type ranker struct {
	metrics []relevance.Metric
	at      int
	grades  map[string]float64 // of the query's judged documents
	seen    map[string]bool
	ranking []RankedHit
	ranked  []float64 // the grades of the ranking
	judged  []float64 // the grades of all judgments
	scores  []float64 // NaN: the engine sorted by something else
}

// rank scores the results of one chunk. Each query writes only to its own
// places, so chunks need no lock.
func (r *run) rank(a *arm, repeat, from int, results []engine.SearchResult) error {
	scorer := ranker{
		metrics: r.metrics,
		at:      r.plan.judgedAt(),
		grades:  map[string]float64{},
		seen:    map[string]bool{},
	}
	for i, result := range results {
		position := from + i
		query := r.set.Queries[position]
		if result.Err != nil {
			if r.errors[position] == nil {
				r.errors[position] = result.Err
			}
			continue
		}
		counts := scorer.read(query, result.Hits)
		values := r.valuesOf(a, repeat, position)
		if err := scorer.score(query, values); err != nil {
			return fmt.Errorf("query %s: %w", query.ID, err)
		}
		if repeat > 0 {
			continue
		}
		ranking := Ranking{
			Values:   values,
			Returned: len(scorer.ranking),
			Hits:     append([]RankedHit(nil), scorer.ranking[:min(len(scorer.ranking), KeptHits)]...),
		}
		if !a.template.sorted {
			ties, err := scorer.ties(values, len(result.Hits) == r.size)
			if err != nil {
				return fmt.Errorf("query %s: %w", query.ID, err)
			}
			ranking.Ties = ties
		}
		a.counts[position], a.rankings[position] = counts, ranking
		if a.isCandidate {
			r.see(scorer.ranking)
		}
	}
	return nil
}

// read makes the ranking: the engine's order, of each document the first hit.
func (s *ranker) read(query golden.Query, hits []engine.Hit) rankingCounts {
	clear(s.grades)
	clear(s.seen)
	s.ranking, s.ranked, s.judged, s.scores = s.ranking[:0], s.ranked[:0], s.judged[:0], s.scores[:0]
	for _, judgment := range query.Judgments {
		s.grades[judgment.DocID] = judgment.Grade
		s.judged = append(s.judged, judgment.Grade)
	}
	var counts rankingCounts
	for _, hit := range hits {
		if s.seen[hit.ID] {
			counts.duplicates++
			continue
		}
		s.seen[hit.ID] = true
		grade, judged := s.grades[hit.ID]
		if !judged {
			grade = relevance.Unjudged
		} else {
			counts.judged++
			if len(s.ranking) < s.at {
				counts.judgedTop++
			}
		}
		s.ranking = append(s.ranking, RankedHit{hit.ID, grade})
		s.ranked = append(s.ranked, grade)
		s.scores = append(s.scores, hit.Score)
	}
	counts.top = min(len(s.ranking), s.at)
	return counts
}

// score writes the value of every metric; all come from the one ranking.
func (s *ranker) score(query golden.Query, values []float64) error {
	for i, metric := range s.metrics {
		values[i] = NoValue
		if query.ExpectNoResults != (metric.Kind == relevance.NoResults) {
			continue
		}
		value, err := s.valueOf(metric, s.ranked)
		if errors.Is(err, relevance.ErrNoHits) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", metric.Name, err)
		}
		values[i] = value
	}
	return nil
}

// valueOf is the value that the metric has for a ranking with these grades.
func (s *ranker) valueOf(metric relevance.Metric, ranks []float64) (float64, error) {
	if looksUncut(metric) {
		ranks = ranks[:min(UncutDepth, len(ranks))]
	}
	return metric.Score(ranks, s.judged)
}
