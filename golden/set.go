// Package golden reads, writes and compares golden sets: queries with judgments of which documents should be found, and
// how good they are.
//
// It knows nothing of Kubernetes or of search engines. Bad input gets one sentence that names the object, the line, what
// was found there and what to do about it. Sentences name a query by its id, never by its text, because they end up in
// places that query texts must not reach.
package golden

import "sort"

// Set is a golden set.
type Set struct {
	Name    string  // may be empty
	Queries []Query // in the order of the file; at least one

	// Notes say what was read otherwise than it was written, a sentence each: rows without a grade that were left out,
	// negative grades that mean "not judged", fields that a golden set has no place for. Each begins with the file's name.
	Notes []string

	places *places // nil unless Options.Places asked for them
}

// Query is a query with its judgments.
type Query struct {
	ID              string         // unique in its set
	Text            string         // not blank, unless Options.TextOptional allowed it
	Params          map[string]any // further parameters of the search template; numbers are json.Number; nil when none
	Segments        []string       // labels, each once; nil when none
	Weight          float64        // finite, above 0; 1 when not given
	ExpectNoResults bool           // a negative: the search must find nothing
	Judgments       []Judgment     // in the order of the file, each document once
}

// Judgment says how good a document is for a query. It is small (32 bytes and the id), because sets hold millions of
// them: ids share their memory, and what few judgments have is behind a pointer.
type Judgment struct {
	DocID string  // not empty
	Grade float64 // 0 (not relevant) to the highest grade; may be fractional
	Basis *Basis  // what the grade rests on; nil when nothing was said
}

// Basis is what a grade rests on. Judgments may share one.
type Basis struct {
	Why   string // the reason, in words
	Judge string // who judged
	At    string // when, as it was written
}

// Said is the basis of the grade, empty when nothing was said.
func (j Judgment) Said() Basis {
	if j.Basis == nil {
		return Basis{}
	}
	return *j.Basis
}

// JudgmentCount is the number of judgments over all queries.
func (s *Set) JudgmentCount() int {
	n := 0
	for i := range s.Queries {
		n += len(s.Queries[i].Judgments)
	}
	return n
}

// JudgedIDs are the ids of the judged documents, or nil when they are more than most. 0 means any number.
func (s *Set) JudgedIDs(most int) map[string]struct{} {
	ids := map[string]struct{}{}
	for i := range s.Queries {
		for _, j := range s.Queries[i].Judgments {
			if ids[j.DocID] = struct{}{}; most > 0 && len(ids) > most {
				return nil
			}
		}
	}
	return ids
}

// Place is where something stands.
type Place struct {
	File string
	Line int // from 1; 0 when it is not known
}

// QueryPlace is where a query of the set begins; empty unless Options.Places asked for places.
func (s *Set) QueryPlace(query int) Place {
	if s.places == nil {
		return Place{}
	}
	return s.places.of(s.places.queries[query])
}

// JudgmentPlace is where a judgment of a query begins; empty unless Options.Places asked for places.
func (s *Set) JudgmentPlace(query, judgment int) Place {
	if s.places == nil {
		return Place{}
	}
	return s.places.of(s.places.judgments[query][judgment])
}

// position is a line, counted through all files of a set: line 1 of the second file follows the last of the first.
type position int32

// places are where queries and judgments stand.
type places struct {
	files     []string
	before    []position // by file: how many lines all files before it have
	queries   []position
	judgments [][]position
}

// of finds the file of a position.
func (p *places) of(at position) Place {
	file := sort.Search(len(p.files), func(i int) bool { return p.before[i] >= at }) - 1
	return Place{File: p.files[file], Line: int(at - p.before[file])}
}
