package golden

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// builder makes a set of what the readers of the formats find in one file after the other. Queries and judgments may come
// from different files: those of topics and qrels meet by the query's id.
type builder struct {
	maxGrade     float64
	declared     bool               // maxGrade was declared
	rightGrades  string             // what a grade should be, for messages
	grades       map[string]float64 // of words
	requireWhy   bool
	textOptional bool
	problems     func(Problem) // may be nil

	set    Set
	byID   map[string]int // query id -> its place in the set
	places places

	ids   interner         // of documents
	words interner         // segments, judges, dates: of which a set holds few different ones
	bases map[Basis]*Basis // of which a set without reasons holds few different ones
	order []int32          // reused for every query

	notes []*note // of the file at hand

	lastText, lastID string // of idOf
}

func newBuilder(opts Options) *builder {
	b := &builder{
		maxGrade: highestGrade, grades: opts.Grades, requireWhy: opts.RequireWhy, textOptional: opts.TextOptional, problems: opts.Problems,
		byID: map[string]int{}, bases: map[Basis]*Basis{},
	}
	if opts.MaxGrade > 0 {
		b.maxGrade, b.declared = float64(opts.MaxGrade), true
	}
	b.rightGrades = fmt.Sprintf("a number from 0 to %v", b.maxGrade)
	return b
}

// beginFile says that what comes now stands in another file. lines is how many lines the file before had.
func (b *builder) beginFile(name string, lines int) {
	before := position(lines)
	if n := len(b.places.before); n > 0 {
		before += b.places.before[n-1]
	}
	b.places.files = append(b.places.files, name)
	b.places.before = append(b.places.before, before)
}

// onLine is the position of a line of the file at hand.
func (b *builder) onLine(line int) position {
	return b.places.before[len(b.places.before)-1] + position(line)
}

// file is the name of the file at hand.
func (b *builder) file() string { return b.places.files[len(b.places.files)-1] }

// lineError makes the one sentence about what is wrong on a line of the file at hand.
func (b *builder) lineError(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %w", b.file(), line, fmt.Errorf(format, args...))
}

// first says where the first of two things is, for a message about the second: on a line, and in which file if that is
// another one.
func (b *builder) first(first, second position) string {
	place := b.places.of(first)
	if place.File == b.places.of(second).File {
		return fmt.Sprintf("first on line %d", place.Line)
	}
	return fmt.Sprintf("first in %s, line %d", place.File, place.Line)
}

// addQuery adds a query with its judgments, which stand at the positions of lines. A query that was only judged so far
// gets what it lacked.
func (b *builder) addQuery(q Query, at position, lines []position) error {
	b.noteAccents(q.Text, at)
	known, found := b.byID[q.ID]
	if !found {
		b.byID[q.ID] = len(b.set.Queries)
		b.set.Queries = append(b.set.Queries, q)
		b.places.queries = append(b.places.queries, at)
		b.places.judgments = append(b.places.judgments, lines)
		return nil
	}
	old := &b.set.Queries[known]
	if old.Text != "" {
		return b.problem(RuleDuplicateQuery, at, q.ID, "",
			"query %s stands twice (%s); keep one of the two, or give each an id of its own", quote(q.ID), b.first(b.places.queries[known], at))
	}
	if !q.keep(*old) {
		return b.problem(RuleDuplicateQuery, at, q.ID, "",
			"query %s has other params, segments, another weight or expectNoResults here than before (%s); write the same, or leave it out in one of the two",
			quote(q.ID), b.first(b.places.queries[known], at))
	}
	q.Judgments = append(q.Judgments, old.Judgments...)
	b.places.judgments[known] = append(lines, b.places.judgments[known]...)
	*old = q
	b.places.queries[known] = at
	return nil
}

// keep takes over what another file said of the query, and tells whether it fits what this one says.
func (q *Query) keep(said Query) bool {
	fits := true
	if said.Params != nil {
		fits = q.Params == nil || reflect.DeepEqual(q.Params, said.Params)
		q.Params = said.Params
	}
	if said.Segments != nil {
		fits = fits && (q.Segments == nil || slices.Equal(q.Segments, said.Segments))
		q.Segments = said.Segments
	}
	if said.Weight != 1 {
		fits = fits && (q.Weight == 1 || q.Weight == said.Weight)
		q.Weight = said.Weight
	}
	q.ExpectNoResults = q.ExpectNoResults || said.ExpectNoResults
	return fits
}

// noteAccents notes a text whose accents are written as characters of their own: an engine may take it for another text
// than the one that looks the same.
func (b *builder) noteAccents(text string, at position) {
	if !norm.NFC.IsNormalString(text) {
		b.count("query texts that are not in Unicode's normal form C, searched as they are written", b.places.of(at).Line)
	}
}

// queryOf is the place in the set of the query with an id. Where there is none, a query without a text is added, for a
// later file to describe.
func (b *builder) queryOf(id []byte, at position) int {
	if known, found := b.byID[string(id)]; found {
		return known
	}
	query := len(b.set.Queries)
	kept := string(id)
	b.byID[kept] = query
	b.set.Queries = append(b.set.Queries, Query{ID: kept, Weight: 1})
	b.places.queries = append(b.places.queries, at)
	b.places.judgments = append(b.places.judgments, nil)
	return query
}

// judge adds a judgment to a query of the set.
func (b *builder) judge(query int, j Judgment, at position) {
	q := &b.set.Queries[query]
	q.Judgments = append(q.Judgments, j)
	b.places.judgments[query] = append(b.places.judgments[query], at)
}

// basis returns what a grade rests on, and the same memory for the same.
func (b *builder) basis(said Basis) *Basis {
	if said == (Basis{}) {
		return nil
	}
	if kept, ok := b.bases[said]; ok {
		return kept
	}
	kept := &said
	if said.Why == "" && len(b.bases) < maxInterned { // a reason is hardly given twice
		b.bases[said] = kept
	}
	return kept
}

// writtenGrade is a grade with how it was written and of which query it is, for messages.
type writtenGrade struct {
	value          float64
	field, written string
	query          string // its id, or empty
	queryName      string // the query named as well as it is known
}

// inScale is the quick check of a grade; what fails it goes to gradeProblem.
func (b *builder) inScale(value float64) bool { return value >= 0 && value <= b.maxGrade }

// gradeProblem says what is wrong with a grade outside the scale.
func (b *builder) gradeProblem(g writtenGrade, at position) error {
	fault := fmt.Sprintf("is above %v, the highest there is; correct it", b.maxGrade)
	switch {
	case g.value < 0:
		fault = "is negative; write 0 for a document that is not relevant, or remove the judgment"
	case b.declared:
		fault = fmt.Sprintf("is above maxGrade %v; correct it, or declare a higher maxGrade", b.maxGrade)
	}
	return b.problem(RuleGradeOutOfScale, at, g.query, "", "the %s %.40s of %s %s", g.field, g.written, g.queryName, fault)
}

// nameSet names the set as the first file that has a name does.
func (b *builder) nameSet(name string) { b.set.Name = cmp.Or(b.set.Name, name) }

// finish checks each query as a whole, once all files are read, and returns the set.
func (b *builder) finish(keepPlaces bool) (*Set, error) {
	for i := range b.set.Queries {
		if err := b.finishQuery(i); err != nil {
			return nil, err
		}
	}
	set := b.set // a copy, so that the set does not keep the builder alive
	set.Queries = slices.Clip(set.Queries)
	if keepPlaces {
		set.places = &b.places
	}
	return &set, nil
}

func (b *builder) finishQuery(query int) error {
	q := &b.set.Queries[query]
	lines := b.places.judgments[query]
	if q.Text == "" && !b.textOptional {
		if err := b.problem(RuleMissingText, b.places.queries[query], q.ID, "",
			"query %s is judged, but no file tells its text, so it cannot be searched; add the file with the queries", quote(q.ID)); err != nil {
			return err
		}
	}
	if err := b.dropTwice(q, &lines); err != nil {
		return err
	}
	if spare := cap(q.Judgments) - len(q.Judgments); spare > len(q.Judgments)/4 { // what growing left over
		q.Judgments = append(make([]Judgment, 0, len(q.Judgments)), q.Judgments...)
	}
	if len(q.Judgments) == 0 {
		q.Judgments = nil
	}
	b.places.judgments[query] = lines
	if !q.ExpectNoResults {
		return nil
	}
	for i, j := range q.Judgments {
		if j.Grade > 0 {
			return b.problem(RuleNegativeIsRelevant, lines[i], q.ID, j.DocID,
				"query %s expects no results, yet document %s is relevant to it; remove one of the two", quote(q.ID), quote(j.DocID))
		}
	}
	return nil
}

// dropTwice finds documents that a query judges more than once. Of each the first judgment stays, if any of this is
// allowed at all.
func (b *builder) dropTwice(q *Query, lines *[]position) error {
	order := b.order[:0]
	for i := range q.Judgments {
		order = append(order, int32(i))
	}
	b.order = order
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(strings.Compare(q.Judgments[x].DocID, q.Judgments[y].DocID), cmp.Compare(x, y))
	})
	var twice []int32 // pairs: the first judgment of a document, a later one
	for i, first := 1, 0; i < len(order); i++ {
		if q.Judgments[order[i]].DocID != q.Judgments[order[first]].DocID {
			first = i
			continue
		}
		twice = append(twice, order[first], order[i])
	}
	if twice == nil {
		return nil
	}
	for pair := range slices.Chunk(twice, 2) {
		first, again := q.Judgments[pair[0]], q.Judgments[pair[1]]
		firstAt, at := (*lines)[pair[0]], (*lines)[pair[1]]
		var err error
		if first.Grade == again.Grade {
			err = b.problem(RuleDuplicateJudgment, at, q.ID, again.DocID, "query %s judges document %s twice (%s); keep one of the two",
				quote(q.ID), quote(again.DocID), b.first(firstAt, at))
		} else {
			err = b.problem(RuleConflictingJudgments, at, q.ID, again.DocID, "query %s judges document %s as %v and as %v (%s); keep one of the two",
				quote(q.ID), quote(again.DocID), again.Grade, first.Grade, b.first(firstAt, at))
		}
		if err != nil {
			return err
		}
	}
	dropped := map[int32]bool{}
	for i := 1; i < len(twice); i += 2 {
		dropped[twice[i]] = true
	}
	kept := 0
	for i := range q.Judgments {
		if !dropped[int32(i)] {
			q.Judgments[kept], (*lines)[kept] = q.Judgments[i], (*lines)[i]
			kept++
		}
	}
	q.Judgments, *lines = q.Judgments[:kept], (*lines)[:kept]
	return nil
}
