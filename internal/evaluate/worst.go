package evaluate

import (
	"cmp"
	"slices"
	"sync"

	"github.com/relevance-gate/relevance-gate/internal/relevance"
)

// maxWorst is how many of the worst queries a report shows.
const maxWorst = 10

// worstQueries keeps the positions of the worst queries while the measurement
// runs, so that only these hold on to their hits.
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
