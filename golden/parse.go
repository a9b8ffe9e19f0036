package golden

import (
	"fmt"
	"strings"
)

// Parse reads a golden set, packed by gzip or not. source names the object in errors: "ConfigMap shop/golden-es, key
// es.json" or a file's path.
//
// It is strict: what it does not understand, it refuses. Every error is one sentence that begins with source.
func Parse(source string, raw []byte, opts Options) (*Set, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	data, err := unpack(raw, opts.maxBytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	data = withoutBOM(data)
	if line, column, err := checkText(data); err != nil {
		if line > 0 {
			return nil, fmt.Errorf("%s: line %d, column %d: %w", source, line, column, err)
		}
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	reader, err := newReader(source, data)
	if err != nil {
		return nil, err
	}
	p := newParser(reader, opts)
	format := opts.Format
	if format == "" || format == FormatAuto {
		format = detect(*reader)
	}
	if format == FormatArticle {
		err = p.article()
	} else {
		err = p.gate()
	}
	if err != nil {
		return nil, err
	}
	if len(p.set.Queries) == 0 {
		return nil, fmt.Errorf("%s: the golden set holds no queries; write at least one with its judgments", source)
	}
	// A copy, so that the set does not keep the parser and the raw text alive.
	set := p.set
	return &set, nil
}

// parser holds what the readers of the formats share: the set so far, and what makes duplicates visible.
type parser struct {
	*reader
	maxGrade    float64
	declared    bool   // maxGrade was declared
	rightGrades string // what a grade should be, for messages
	requireWhy  bool

	set       Set
	queryLine map[string]int // query id -> the line on which the query begins

	// Of the query at hand:
	id, text  string
	begin     int            // the line on which it begins
	judged    map[string]int // document id -> the line of its judgment
	judgments []Judgment     // reused for every query

	repeated map[string]string // strings of which a set holds few different ones, each kept once
}

func newParser(r *reader, opts Options) *parser {
	p := &parser{
		reader: r, maxGrade: highestGrade, requireWhy: opts.RequireWhy,
		queryLine: map[string]int{}, judged: map[string]int{}, repeated: map[string]string{},
	}
	if opts.MaxGrade > 0 {
		p.maxGrade, p.declared = float64(opts.MaxGrade), true
	}
	p.rightGrades = fmt.Sprintf("a number from 0 to %v", p.maxGrade)
	return p
}

// maxReused bounds what is kept from one query to the next, so that one huge query slows none of the others down.
const maxReused = 4096

// beginQuery forgets the query before. It is called once the query's opening brace is read.
func (p *parser) beginQuery() {
	p.id, p.text, p.begin = "", "", p.here()
	p.judgments = p.judgments[:0]
	if len(p.judged) > maxReused {
		p.judged = map[string]int{}
	}
	clear(p.judged)
}

// endQuery checks the query as a whole and adds it to the set.
func (p *parser) endQuery(q Query) error {
	if strings.TrimSpace(p.text) == "" {
		return p.errorf(p.begin, "%s has no query text; write one", p.queryName())
	}
	q.ID, q.Text = p.id, p.text
	if q.ID == "" {
		q.ID = queryID(p.text)
	}
	if first, twice := p.queryLine[q.ID]; twice {
		return p.errorf(p.begin, "query %s stands twice (first on line %d); keep one of the two, or give each an id of its own", quote(q.ID), first)
	}
	p.queryLine[q.ID] = p.begin
	if len(p.judgments) > 0 {
		q.Judgments = append(make([]Judgment, 0, len(p.judgments)), p.judgments...)
	}
	if q.ExpectNoResults {
		for _, j := range q.Judgments {
			if j.Grade > 0 {
				return p.errorf(p.judged[j.DocID], "query %s expects no results, yet document %s is relevant to it; remove one of the two", quote(q.ID), quote(j.DocID))
			}
		}
	}
	p.set.Queries = append(p.set.Queries, q)
	return nil
}

// addJudgment checks a judgment as a whole. names are what the format calls its id and its grade; line is the one on
// which the judgment begins.
func (p *parser) addJudgment(j Judgment, hasGrade bool, names judgmentNames, line int) error {
	if j.DocID == "" {
		return p.errorf(line, "a judgment of %s has no %s; write the document's id", p.queryName(), names.id)
	}
	if !hasGrade {
		return p.errorf(line, "%s judges document %s without a %s; write %s", p.queryName(), quote(j.DocID), names.grade, p.rightGrades)
	}
	if first, twice := p.judged[j.DocID]; twice {
		return p.errorf(line, "%s judges document %s twice (first on line %d); keep one of the two", p.queryName(), quote(j.DocID), first)
	}
	if p.requireWhy && strings.TrimSpace(j.Why) == "" {
		return p.errorf(line, "%s judges document %s without a why, and requireWhy asks for one; write the reason", p.queryName(), quote(j.DocID))
	}
	p.judged[j.DocID] = line
	p.judgments = append(p.judgments, j)
	return nil
}

// judgmentNames are what a format calls the fields of a judgment.
type judgmentNames struct{ id, grade string }

// grade reads a grade.
func (p *parser) grade(field string) (float64, error) {
	value, err := p.number(field, p.rightGrades)
	switch {
	case err != nil:
		return 0, err
	case value < 0:
		return 0, p.errorf(p.here(), "the %s %.40s of %s is negative; write 0 for a document that is not relevant, or remove the judgment", field, p.literal, p.queryName())
	case value > p.maxGrade && p.declared:
		return 0, p.errorf(p.here(), "the %s %.40s of %s is above maxGrade %v; correct it, or declare a higher maxGrade", field, p.literal, p.queryName(), p.maxGrade)
	case value > p.maxGrade:
		return 0, p.errorf(p.here(), "the %s %.40s of %s is above %v, the highest there is; correct it", field, p.literal, p.queryName(), p.maxGrade)
	}
	return value + 0, nil // -0 becomes 0
}

// queryName names the query at hand as well as it is known so far, never by its text.
func (p *parser) queryName() string {
	switch {
	case p.id != "":
		return "query " + quote(p.id)
	case strings.TrimSpace(p.text) != "":
		return "query " + quote(queryID(p.text))
	}
	return fmt.Sprintf("the query that begins on line %d", p.begin)
}

// once returns s, and the same memory for the same s.
func (p *parser) once(s string) string {
	if kept, ok := p.repeated[s]; ok {
		return kept
	}
	if len(p.repeated) < maxReused {
		p.repeated[s] = s
	}
	return s
}
