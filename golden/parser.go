package golden

import (
	"fmt"
	"strings"
)

// parser holds what the readers of the JSON formats share: the query at hand.
type parser struct {
	*reader
	*builder

	id, text  string
	begin     int         // the line on which the query begins
	unnamed   string      // what messages call it while neither id nor text are known, if not by its line
	judgments []Judgment  // reused for every query
	lines     []position  // where they stand
	grade     judgedGrade // of the judgment at hand
}

// beginQuery forgets the query before. It is called once the query's opening brace is read.
func (p *parser) beginQuery() {
	p.id, p.text, p.unnamed, p.begin = "", "", "", p.here()
	p.judgments, p.lines = p.judgments[:0], p.lines[:0]
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
	q.Judgments = append(make([]Judgment, 0, len(p.judgments)), p.judgments...)
	return p.addQuery(q, p.onLine(p.begin), append(make([]position, 0, len(p.lines)), p.lines...))
}

// judgedGrade is the grade of the judgment at hand.
type judgedGrade struct {
	value float64
	found bool // it was written
}

// judgmentNames are what a format calls the fields of a judgment.
type judgmentNames struct{ id, grade string }

// beginJudgment forgets the judgment before.
func (p *parser) beginJudgment() { p.grade = judgedGrade{} }

// endJudgment checks a judgment as a whole and adds it to the query. names are what the format calls its id and its
// grade; line is the one on which the judgment begins.
func (p *parser) endJudgment(docID string, said Basis, names judgmentNames, line int) error {
	if docID == "" {
		return p.errorf(line, "a judgment of %s has no %s; write the document's id", p.queryName(), names.id)
	}
	if !p.grade.found {
		return p.errorf(line, "%s judges document %s without a %s; write %s", p.queryName(), quote(docID), names.grade, p.rightGrades)
	}
	if p.requireWhy && strings.TrimSpace(said.Why) == "" {
		return p.errorf(line, "%s judges document %s without a why, and requireWhy asks for one; write the reason", p.queryName(), quote(docID))
	}
	if p.grade.value >= 0 {
		p.judgments = append(p.judgments, Judgment{DocID: docID, Grade: p.grade.value, Basis: p.basis(said)})
		p.lines = append(p.lines, p.onLine(line))
	}
	return nil
}

// docID reads the id of a judged document.
func (p *parser) docID(field string) (string, error) {
	id, err := p.stringBytes(field)
	return p.ids.once(id), err
}

// word reads a string of which a set holds few different ones.
func (p *parser) word(field string) (string, error) {
	word, err := p.stringBytes(field)
	return p.words.once(word), err
}

// readGrade reads the grade of the judgment at hand.
func (p *parser) readGrade(field string) error {
	if p.grades != nil && p.peek() == aString {
		return p.readGradeWord(field)
	}
	value, err := p.number(field, p.rightGrades)
	if err != nil {
		return err
	}
	p.grade = judgedGrade{value: value + 0, found: true} // -0 becomes 0
	if p.inScale(value) {
		return nil
	}
	return p.gradeProblem(writtenGrade{value, field, string(p.literal), p.id, p.queryName()}, p.onLine(p.here()))
}

// readGradeWord reads a grade in quotation marks: a word with a declared grade, or a number.
func (p *parser) readGradeWord(field string) error {
	word, err := p.string(field)
	if err != nil {
		return err
	}
	grade, ok := p.readWritten(word)
	if !ok {
		return p.errorf(p.here(), "%s", p.noGrade(word))
	}
	p.grade = judgedGrade{value: grade, found: true}
	if p.inScale(grade) {
		return nil
	}
	return p.gradeProblem(writtenGrade{grade, field, word, p.id, p.queryName()}, p.onLine(p.here()))
}

// queryName names the query at hand as well as it is known so far, never by its text.
func (p *parser) queryName() string {
	switch {
	case p.id != "":
		return "query " + quote(p.id)
	case strings.TrimSpace(p.text) != "":
		return "query " + quote(queryID(p.text))
	case p.unnamed != "":
		return p.unnamed
	}
	return fmt.Sprintf("the query that begins on line %d", p.begin)
}
