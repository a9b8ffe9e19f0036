package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/relevance-gate/relevance-gate/internal/engine"
)

const (
	// minChunk and maxChunk bound how many searches go into one _msearch: enough
	// that its overhead does not count, few enough that its answer is small.
	minChunk, maxChunk = 16, 64
	// chunksEach is how many chunks each sender gets at least, so that none
	// has much left to do when the others have ended.
	chunksEach = 4
	// senders keep the engine busy while an answer is read: one sends while
	// another scores.
	senders = 3
)

// search measures all queries on all arms, as often as the plan repeats them.
// One repeat ends before the next begins, so that what an engine only says at
// times has time to show.
func (r *run) search(ctx context.Context) error {
	for repeat := range r.arms[0].values {
		workers := min(senders, max(1, r.plan.MaxConcurrentSearches))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(workers)
		chunk := chunkSize(len(r.set.Queries), workers)
		for from := 0; from < len(r.set.Queries); from += chunk {
			to := min(from+chunk, len(r.set.Queries))
			group.Go(func() error { return r.searchChunk(ctx, repeat, from, to, workers) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return r.refuseHopeless()
}

// chunkSize is how many of the queries go into one _msearch.
func chunkSize(queries, workers int) int {
	shares := workers * chunksEach
	return max(minChunk, min(maxChunk, (queries+shares-1)/shares))
}

// searchChunk measures the queries from..to-1 on every arm, one arm directly
// after the other.
func (r *run) searchChunk(ctx context.Context, repeat, from, to, workers int) error {
	for _, a := range r.arms {
		if err := ctx.Err(); err != nil {
			return err
		}
		results, err := r.multiSearch(ctx, a, from, to, workers)
		if err != nil {
			return err
		}
		r.progress.add(to-from, a.index.Name)
		if err := r.rank(a, repeat, from, results); err != nil {
			return err
		}
	}
	if repeat == 0 {
		r.worst.add(r, from, to)
	}
	return nil
}

// multiSearch sends one chunk. The results line up with the queries from..to-1;
// one that could not be rendered was not sent and has its error.
func (r *run) multiSearch(ctx context.Context, a *arm, from, to, workers int) ([]engine.SearchResult, error) {
	results := make([]engine.SearchResult, to-from)
	var bodies []json.RawMessage
	var sent []int
	for i := range results {
		body, err := a.template.render(r.set.Queries[from+i])
		if err != nil {
			results[i].Err = err
			continue
		}
		bodies = append(bodies, body)
		sent = append(sent, i)
	}
	if len(bodies) == 0 {
		return results, nil
	}
	answers, err := r.client.MultiSearch(ctx, engine.MultiSearch{
		Index:         a.index.Name,
		Preference:    r.plan.Preference,
		IDField:       r.plan.Search.idField(),
		Size:          r.size,
		MaxConcurrent: max(1, r.plan.MaxConcurrentSearches/workers),
	}, bodies)
	if err != nil {
		return nil, err
	}
	if len(answers) != len(bodies) {
		return nil, fmt.Errorf("the engine gave %d answers to %d searches", len(answers), len(bodies))
	}
	for i, answer := range answers {
		results[sent[i]] = answer
	}
	return results, nil
}

// refuseHopeless turns searches that all failed, the first one for a cause that
// is not its own, into a failure with that cause.
func (r *run) refuseHopeless() error {
	if slices.Contains(r.errors, nil) {
		return nil
	}
	first := r.errors[0]
	reason := reasonOf(first)
	var refused *engine.Error
	switch {
	case reason == ReasonUnauthorized || reason == ReasonEngineUnavailable:
	case errors.As(first, &refused) && refused.Status == http.StatusBadRequest:
		reason = ReasonSearchRejected
	default:
		return nil
	}
	failure := NewFailure(reason, first)
	failure.Message = fmt.Sprintf("no search was answered; query %s: %s", r.set.Queries[0].ID, failure.Message)
	return failure
}

// counter serialises the progress of several senders.
type counter struct {
	mu          sync.Mutex
	tell        Progress
	done, total int
}

func newCounter(tell Progress, total int) *counter {
	if tell == nil {
		tell = func(int, int, string) {}
	}
	return &counter{tell: tell, total: total}
}

func (c *counter) add(searches int, index string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += searches
	c.tell(c.done, c.total, "measuring "+index)
}
