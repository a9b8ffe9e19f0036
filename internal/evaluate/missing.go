package evaluate

import (
	"context"
	"maps"
	"slices"
)

// maxLookups is the most judged documents that an evaluation looks up: above it
// the question costs more than its answer is worth.
const maxLookups = 10_000

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
	lookup := Lookup{
		Index:         r.plan.Candidate.Name,
		IDField:       r.plan.Search.idField(),
		Preference:    r.plan.Preference,
		MaxConcurrent: r.plan.MaxConcurrentSearches,
	}
	missing, err := lookup.Missing(ctx, r.client, ids)
	if err != nil {
		return ctx.Err()
	}
	count := len(missing)
	r.report.MissingDocs = &count
	r.report.Measurement.MissingDocs = count
	return nil
}
