package evaluate

import (
	"cmp"
	"slices"
	"sync"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// maxWorst is how many of the worst queries a report shows.
const maxWorst = 10

// maxQueriesWithHits is the most queries that may all hold on to their hits: the
// hits of more would take more memory than all the rest.
const maxQueriesWithHits = 10_000

// worstQueries keeps the positions of the worst queries while the measurement
// runs, so that of very many queries only these hold on to their hits.
type worstQueries struct {
	mu        sync.Mutex
	positions []int
}

// add offers the queries from..to-1, which all arms have ranked once.
func (w *worstQueries) add(r *run, from, to int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for query := from; query < to; query++ {
		if r.isBad(query) {
			w.positions = append(w.positions, query)
		} else {
			r.forgetHits(query)
		}
	}
	slices.SortFunc(w.positions, r.compareWorst)
	for _, query := range w.positions[min(maxWorst, len(w.positions)):] {
		r.forgetHits(query)
	}
	w.positions = w.positions[:min(maxWorst, len(w.positions))]
}

// isBad says that a query lost against live, or has less than the best score.
func (r *run) isBad(query int) bool {
	loss, score, applies := r.lossOf(query)
	return applies && (loss > 0 || score < 1)
}

// compareWorst puts the greatest loss first, then the lowest score.
func (r *run) compareWorst(a, b int) int {
	lossA, scoreA, _ := r.lossOf(a)
	lossB, scoreB, _ := r.lossOf(b)
	return cmp.Or(
		cmp.Compare(lossB, lossA),
		cmp.Compare(scoreA, scoreB),
		cmp.Compare(r.set.Queries[a].ID, r.set.Queries[b].ID),
	)
}

// lossOf is what the query lost against live, and its score on the first arm,
// both by the metric that chooses the worst queries.
func (r *run) lossOf(query int) (loss, score float64, applies bool) {
	if r.errors[query] != nil {
		return 0, 0, false
	}
	score = r.valuesOf(r.arms[0], 0, query)[r.worstMetric]
	if score == NoValue {
		return 0, 0, false
	}
	if len(r.arms) > 1 {
		live := r.valuesOf(r.arms[1], 0, query)[r.worstMetric]
		if live == NoValue {
			return 0, 0, false
		}
		loss = live - score
	}
	return loss, score, true
}

func (r *run) forgetHits(query int) {
	if len(r.set.Queries) <= maxQueriesWithHits {
		return
	}
	for _, a := range r.arms {
		a.rankings[query].Hits = nil
	}
}

// millionthsOf is a query's candidate and live score in millionths.
func (r *run) millionthsOf(query int) (candidate, live int64, err error) {
	values := [2]int64{}
	for i, a := range r.arms {
		if values[i], err = relevance.Round(r.valuesOf(a, 0, query)[r.worstMetric]); err != nil {
			return 0, 0, err
		}
	}
	return values[0], values[1], nil
}

// WorstFirst are the positions of all queries, the worst first: those in error,
// then those that lost most against live, then those with the lowest score. The
// metric is the one that Worst was chosen by, and for a query that it does not
// apply to, such as a negative, the first one that does.
func (r *Report) WorstFirst() []int {
	type place struct {
		position    int
		failed      bool
		loss, score float64
	}
	places := make([]place, len(r.Queries))
	for i := range r.Queries {
		query := &r.Queries[i]
		places[i] = place{position: i, failed: query.Error != ""}
		places[i].loss, places[i].score = r.lossOf(query)
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.failed != b.failed {
			return map[bool]int{true: -1, false: 1}[a.failed]
		}
		return cmp.Or(cmp.Compare(b.loss, a.loss), cmp.Compare(a.score, b.score))
	})
	positions := make([]int, len(places))
	for i := range places {
		positions[i] = places[i].position
	}
	return positions
}

// lossOf is what a query lost against live, and its score on the index under test.
func (r *Report) lossOf(query *QueryResult) (loss, score float64) {
	tested := query.Candidate
	if tested == nil {
		tested = query.Live
	}
	metric := r.metricOf(tested)
	value := tested.Value(metric)
	if value == nil {
		return 0, 0
	}
	if live := query.Live.Value(metric); live != nil {
		loss = *live - *value
	}
	return loss, *value
}

// metricOf is the position of the metric that a ranking is looked at by.
func (r *Report) metricOf(ranking *Ranking) int {
	first := 0
	for i, metric := range r.Metrics {
		if ranking.Value(i) == nil {
			continue
		}
		if metric.Name == r.WorstMetric {
			return i
		}
		if ranking.Value(first) == nil {
			first = i
		}
	}
	return first
}
