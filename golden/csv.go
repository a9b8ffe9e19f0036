package golden

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// tableReader reads a table with a header and a judgment a row:
//
//	query,doc_id,grade,why
//	red shoe,p-1,3,exactly that
//
// Cells are parted by commas, tabs or semicolons. Columns are known by their names: see columns.go. A row that names no
// document describes a query.
type tableReader struct {
	*builder
	columns
	cells    []string
	line     int
	isQuepid bool
}

// table reads a table. In what Quepid writes, a document without a rating is one that nobody judged.
func (b *builder) table(data []byte, format Format) error {
	separator, err := separatorOf(data)
	if err != nil {
		return b.lineError(1, "%w", err)
	}
	rows := newRows(data, separator)
	header, line, err := rows.next()
	if err != nil {
		return b.lineError(line, "%w", err)
	}
	t := tableReader{builder: b, isQuepid: format == FormatQuepid}
	if t.columns, err = readHeader(slices.Clone(header)); err != nil {
		return b.lineError(line, "%w", err)
	}
	for _, other := range t.others {
		b.leftOut(other)
	}
	for {
		t.cells, t.line, err = rows.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.lineError(t.line, "%w", err)
		}
		if err := t.row(); err != nil {
			return err
		}
	}
}

// errorf is an error about the row at hand.
func (t *tableReader) errorf(format string, args ...any) error {
	return t.lineError(t.line, format, args...)
}

// row reads the row at hand.
func (t *tableReader) row() error {
	if len(t.cells) != len(t.names) && (!t.isQuepid || len(t.cells) > len(t.names)) { // Quepid ends rows early
		return t.errorf("the row has %d cells, the header has %d; write as many, in quotation marks where a cell holds the separator", len(t.cells), len(t.names))
	}
	r := row{query: t.cell(columnQuery), queryID: t.trimmed(columnQueryID)}
	if t.isQuepid {
		r.query = withoutGuard(r.query)
	}
	if strings.TrimSpace(r.query) == "" {
		if r.query = ""; r.queryID == "" {
			return t.errorf("the row names no query; write its text")
		}
	}
	if err := t.describe(&r); err != nil {
		return err
	}
	if err := t.judgment(&r); err != nil {
		return err
	}
	return t.addRow(r, t.line)
}

// cell is a cell of the row, empty where the row or the table has none.
func (t *tableReader) cell(what column) string {
	if at := t.at[what]; at >= 0 && at < len(t.cells) {
		return t.cells[at]
	}
	return ""
}

// trimmed is a cell without the blanks around it.
func (t *tableReader) trimmed(what column) string {
	cell := t.cell(what)
	trimmed := strings.TrimSpace(cell)
	if len(trimmed) < len(cell) {
		t.count("cells with blanks around their value, which are passed over", t.line)
	}
	return trimmed
}

// describe reads what the row says about its query.
func (t *tableReader) describe(r *row) error {
	for segment := range strings.SplitSeq(t.cell(columnSegments), segmentSeparator) {
		if segment = strings.TrimSpace(segment); segment == "" {
			continue
		}
		if slices.Contains(r.segments, segment) {
			return t.errorf("the segment %s stands twice; keep one of the two", quote(segment))
		}
		r.segments = append(r.segments, t.words.once([]byte(segment)))
	}
	if weight := t.trimmed(columnWeight); weight != "" {
		var err error
		if r.weight, err = parseNumber(weight); err != nil || r.weight <= 0 || math.IsInf(r.weight, 0) {
			return t.errorf("column %s: the weight %s is no number above 0; write one, or leave it out", t.columnName(columnWeight), quote(weight))
		}
	}
	switch negative := t.trimmed(columnNoResults); strings.ToLower(negative) {
	case "":
	case "true", "false":
		yes := strings.EqualFold(negative, "true")
		r.noResults = &yes
	default:
		return t.errorf("column %s: %s is neither true nor false; write one of them, or leave it out", t.columnName(columnNoResults), quote(negative))
	}
	if params := t.trimmed(columnParams); params != "" {
		var err error
		if r.params, err = t.readParams(params); err != nil {
			return err
		}
	}
	return nil
}

// readParams reads the params in a cell, which are a JSON object.
func (t *tableReader) readParams(cell string) (map[string]any, error) {
	reader, err := newReader("", []byte(cell))
	if err != nil {
		return nil, t.errorf("column %s: it is no JSON object; write {\"name\": value}", t.columnName(columnParams))
	}
	reader.source, reader.line = t.file(), t.line
	p := parser{reader: reader, builder: t.builder, begin: t.line}
	return p.params()
}

// judgment reads what the row says about a document.
func (t *tableReader) judgment(r *row) error {
	docID, grade := t.trimmed(columnDocID), t.trimmed(columnGrade)
	switch {
	case docID == "" && grade == "":
		return nil
	case docID == "":
		return t.errorf("the row has a grade, but column %s is empty; write the document's id", t.columnName(columnDocID))
	case grade == "" && t.isQuepid:
		t.count(unrated, t.line)
		return nil
	case grade == "":
		return t.errorf("column %s: document %s has no grade; write %s", t.columnName(columnGrade), quote(docID), t.rightGrades)
	}
	value, err := parseNumber(grade)
	if err != nil || math.IsInf(value, 0) {
		return t.errorf("column %s: the grade %s is no number; write %s", t.columnName(columnGrade), quote(grade), t.rightGrades)
	}
	if !t.inScale(value) {
		name := cmp.Or(r.queryID, queryID(r.query))
		if err := t.gradeProblem(writtenGrade{value, "grade", grade, name, "query " + quote(name)}, t.onLine(t.line)); err != nil {
			return err
		}
	}
	r.docID, r.grade = t.ids.once([]byte(docID)), value
	r.said = Basis{
		Why:   strings.Clone(t.cell(columnWhy)),
		Judge: t.words.once([]byte(t.trimmed(columnJudge))),
		At:    t.words.once([]byte(t.trimmed(columnAt))),
	}
	return nil
}

// columnName names a column by its place and its header.
func (t *tableReader) columnName(what column) string {
	at := t.at[what]
	return fmt.Sprintf("%d (%s)", at+1, strings.TrimSpace(t.names[at]))
}
