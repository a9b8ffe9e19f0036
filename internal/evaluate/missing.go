package evaluate

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
)

const (
	// maxLookups is the most judged documents that are looked up: above it the
	// question costs more than its answer is worth.
	maxLookups = 10_000
	// lookupSize is how many documents one search looks up.
	lookupSize = 1_000
)

// judgedIDs are the distinct judged documents, or nil when they are too many.
func judgedIDs(set *golden.Set) map[string]struct{} {
	ids := map[string]struct{}{}
	for _, query := range set.Queries {
		for _, judgment := range query.Judgments {
			ids[judgment.DocID] = struct{}{}
		}
		if len(ids) > maxLookups {
			return nil
		}
	}
	return ids
}

// see takes the documents of a ranking from those that must be looked up.
func (r *run) see(ranking []RankedHit) {
	if r.unseen == nil {
		return
	}
	r.unseenMutex.Lock()
	defer r.unseenMutex.Unlock()
	for _, hit := range ranking {
		delete(r.unseen, hit.ID)
	}
}

// countMissing counts the judged documents that the candidate does not hold:
// they stay in recall and in the ideal ranking, so they explain low scores. It
// is a remark and no evidence: where it cannot be told, it stays open.
func (r *run) countMissing(ctx context.Context) error {
	if r.unseen == nil || !slices.Contains(r.errors, nil) {
		return nil // Where every search failed, a lookup says nothing either.
	}
	ids := slices.Sorted(maps.Keys(r.unseen))
	var bodies []json.RawMessage
	for chunk := range slices.Chunk(ids, lookupSize) {
		body, err := json.Marshal(map[string]any{"query": r.lookup(chunk)})
		if err != nil {
			return err
		}
		bodies = append(bodies, body)
	}
	missing := len(ids)
	if len(bodies) > 0 {
		results, err := r.client.MultiSearch(ctx, engine.MultiSearch{
			Index:         r.plan.Candidate.Name,
			Preference:    r.plan.Preference,
			IDField:       r.plan.Search.idField(),
			Size:          lookupSize + 1,
			MaxConcurrent: max(1, r.plan.MaxConcurrentSearches),
		}, bodies)
		if err != nil {
			return ctx.Err()
		}
		for _, result := range results {
			// A full page may hide documents behind copies of others.
			if result.Err != nil || len(result.Hits) > lookupSize {
				return nil
			}
			found := map[string]bool{}
			for _, hit := range result.Hits {
				found[hit.ID] = true
			}
			missing -= len(found)
		}
	}
	r.report.MissingDocs = &missing
	r.report.Measurement.MissingDocs = missing
	return nil
}

func (r *run) lookup(ids []string) map[string]any {
	if field := r.plan.Search.idField(); field != "_id" {
		return map[string]any{"terms": map[string]any{field: ids}}
	}
	return map[string]any{"ids": map[string]any{"values": ids}}
}
