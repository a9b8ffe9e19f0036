// Package golden reads golden sets: queries with judgments of which documents should be found, and how good they are.
//
// It knows nothing of Kubernetes or of search engines. Bad input gets one sentence that names the object, the line, what
// was found there and what to do about it. Sentences name a query by its id, never by its text, because they end up in
// places that query texts must not reach.
package golden

// Set is a golden set.
type Set struct {
	Name    string  // may be empty
	Queries []Query // in the order of the file; at least one
}

// Query is a query with its judgments.
type Query struct {
	ID              string         // unique in its set
	Text            string         // not blank
	Params          map[string]any // further parameters of the search template; numbers are json.Number; nil when none
	Segments        []string       // labels, each once; nil when none
	Weight          float64        // finite, above 0; 1 when not given
	ExpectNoResults bool           // a negative: the search must find nothing
	Judgments       []Judgment     // in the order of the file, each document once
}

// Judgment says how good a document is for a query.
type Judgment struct {
	DocID string  // not empty
	Grade float64 // 0 (not relevant) to the highest grade; may be fractional
	Why   string  // the reason, in words
	Judge string  // who judged
	At    string  // when, as it was written
}

// JudgmentCount is the number of judgments over all queries.
func (s *Set) JudgmentCount() int {
	n := 0
	for i := range s.Queries {
		n += len(s.Queries[i].Judgments)
	}
	return n
}
