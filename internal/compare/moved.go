package compare

import (
	"cmp"
	"slices"
)

// shown is how far down a ranking a document counts as seen.
const shown = 10

// Ranking is what a query found.
type Ranking struct {
	// Known says that it is known at all.
	Known bool
	// Hits are the first documents, best first, each once.
	Hits []Hit
	// Whole says that there were no more.
	Whole bool
}

// Hit is a document and its grade; nil when it is not judged.
type Hit struct {
	ID    string
	Grade *float64
}

// Moved is a document that has another rank than before. A rank is from 1; 0 is none.
type Moved struct {
	ID    string
	Grade *float64
	// Before and After are 0 where the document was not found. Beyond is then how many ranks are known of that side, all
	// of which others have: the document may be further down. It is 0 where it was not found at all.
	Before, After             int
	BeyondBefore, BeyondAfter int
}

// moved lists the documents that moved into, out of or within the first ranks of either side, those that were or are
// highest first.
func moved(before, after Ranking) []Moved {
	if !before.Known || !after.Known {
		return nil
	}
	ranksBefore, ranksAfter := ranksOf(before), ranksOf(after)
	var out []Moved
	add := func(hit Hit) {
		one := Moved{ID: hit.ID, Grade: hit.Grade, Before: ranksBefore[hit.ID], After: ranksAfter[hit.ID]}
		if one.Before == one.After {
			return
		}
		if one.Before == 0 && !before.Whole {
			one.BeyondBefore = len(before.Hits)
		}
		if one.After == 0 && !after.Whole {
			one.BeyondAfter = len(after.Hits)
		}
		out = append(out, one)
	}
	for _, hit := range before.Hits[:min(shown, len(before.Hits))] {
		add(hit)
	}
	for _, hit := range after.Hits[:min(shown, len(after.Hits))] {
		if rank := ranksBefore[hit.ID]; rank == 0 || rank > shown {
			add(hit)
		}
	}
	slices.SortStableFunc(out, func(a, b Moved) int { return cmp.Compare(a.highest(), b.highest()) })
	return out
}

func ranksOf(ranking Ranking) map[string]int {
	ranks := make(map[string]int, len(ranking.Hits))
	for i, hit := range ranking.Hits {
		ranks[hit.ID] = i + 1
	}
	return ranks
}

// highest is the better of the two ranks.
func (m Moved) highest() int {
	if m.Before == 0 || m.After != 0 && m.After < m.Before {
		return m.After
	}
	return m.Before
}

// changedMost are the queries that lost and that gained most, with the documents that moved.
func (in *Input) changedMost(order []int, listed int) (worst, best []QueryChange, err error) {
	type change struct {
		position             int
		before, after, delta int64
	}
	var changes []change
	for _, i := range order {
		before, after := in.Queries[i].Before[in.By], in.Queries[i].After[in.By]
		if before == nil || after == nil {
			continue
		}
		b, err := millionths(*before)
		if err != nil {
			return nil, nil, err
		}
		a, err := millionths(*after)
		if err != nil {
			return nil, nil, err
		}
		if *a != *b {
			changes = append(changes, change{i, *b, *a, *a - *b})
		}
	}
	// The order is that of the ids, and stays so among equals.
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.delta, b.delta) })
	for _, c := range changes {
		if c.delta > 0 || len(worst) == listed {
			break
		}
		one, err := in.queryChange(c.position, c.before, c.after)
		if err != nil {
			return nil, nil, err
		}
		worst = append(worst, one)
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(b.delta, a.delta), cmp.Compare(in.Queries[a.position].ID, in.Queries[b.position].ID))
	})
	for _, c := range changes {
		if c.delta < 0 || len(best) == listed {
			break
		}
		one, err := in.queryChange(c.position, c.before, c.after)
		if err != nil {
			return nil, nil, err
		}
		best = append(best, one)
	}
	return worst, best, nil
}

func (in *Input) queryChange(position int, before, after int64) (QueryChange, error) {
	out := QueryChange{Query: in.Queries[position], ValueBefore: before, ValueAfter: after, Delta: after - before}
	if in.Hits == nil {
		return out, nil
	}
	hitsBefore, hitsAfter, err := in.Hits(position)
	if err != nil {
		return out, err
	}
	out.Moved = moved(hitsBefore, hitsAfter)
	return out, nil
}
