package golden

import (
	"reflect"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// row is a judgment together with its query, as tables have them.
type row struct {
	query, queryID string // at least one of the two
	params         map[string]any
	segments       []string
	weight         float64 // 0 when it is not given
	noResults      *bool   // nil when it is not given
	docID          string  // empty: the row only describes the query
	grade          float64
	said           Basis
}

// addRow adds a row of the line to the set: its query, if that is new, and its judgment.
func (b *builder) addRow(r row, line int) error {
	at := b.onLine(line)
	query, err := b.queryOfRow(r, at)
	if err != nil || r.docID == "" {
		return err
	}
	if b.requireWhy && strings.TrimSpace(r.said.Why) == "" {
		return b.lineError(line, "query %s judges document %s without a why, and requireWhy asks for one; write the reason",
			quote(b.set.Queries[query].ID), quote(r.docID))
	}
	if r.grade >= 0 {
		b.judge(query, Judgment{DocID: r.docID, Grade: r.grade, Basis: b.basis(r.said)}, at)
	}
	return nil
}

// queryOfRow is the place in the set of the row's query. What the row says about the query must be what other rows say.
func (b *builder) queryOfRow(r row, at position) (int, error) {
	id := r.queryID
	if id == "" {
		id = b.idOf(r.query)
	}
	query, found := b.byID[id]
	if !found {
		query = b.queryOf([]byte(id), at)
	}
	q := &b.set.Queries[query]
	switch {
	case r.query == "" || r.query == q.Text:
	case q.Text == "":
		q.Text = strings.Clone(r.query)
		b.noteAccents(q.Text, at)
	case !equalNFC(r.query, q.Text):
		return 0, b.otherRow(query, at, "another text", "correct one of the two, or give each query an id of its own")
	}
	if !found {
		r.describe(q)
	} else if !r.describes(q) {
		return 0, b.otherRow(query, at, "other params, segments, another weight or expectNoResults", "write the same, or leave it out here")
	}
	return query, nil
}

// otherRow says that two rows contradict each other about a query.
func (b *builder) otherRow(query int, at position, what, remedy string) error {
	return b.lineError(b.places.of(at).Line, "query %s has %s here than before (%s); %s",
		quote(b.set.Queries[query].ID), what, b.first(b.places.queries[query], at), remedy)
}

// describe gives a query what the row says about it.
func (r *row) describe(q *Query) {
	q.Params, q.Segments = r.params, r.segments
	if r.weight > 0 {
		q.Weight = r.weight
	}
	q.ExpectNoResults = r.noResults != nil && *r.noResults
}

// describes tells whether the row says nothing else about a query than it is.
func (r *row) describes(q *Query) bool {
	return (r.params == nil || reflect.DeepEqual(r.params, q.Params)) &&
		(r.segments == nil || slices.Equal(r.segments, q.Segments)) &&
		(r.weight == 0 || r.weight == q.Weight) &&
		(r.noResults == nil || *r.noResults == q.ExpectNoResults)
}

// idOf is queryID, which rows that follow each other often ask for the same text.
func (b *builder) idOf(text string) string {
	if b.lastText != text || b.lastID == "" {
		b.lastText, b.lastID = strings.Clone(text), queryID(text)
	}
	return b.lastID
}

// equalNFC tells whether two texts differ at most in how their accents are written.
func equalNFC(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }
