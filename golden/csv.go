package golden

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
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
	if at := t.index[what]; at >= 0 && at < len(t.cells) {
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
	value, ok := t.readWritten(grade)
	if !ok {
		return t.errorf("column %s: %s", t.columnName(columnGrade), t.noGrade(grade))
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
		Judge: t.words.once([]byte(t.cell(columnJudge))),
		At:    t.words.once([]byte(t.cell(columnAt))),
	}
	return nil
}

// columnName names a column by its place and its header.
func (t *tableReader) columnName(what column) string {
	at := t.index[what]
	return fmt.Sprintf("%d (%s)", at+1, strings.TrimSpace(t.names[at]))
}

// writtenColumn is a column that is written.
type writtenColumn struct {
	name   string
	needed func(*Query, Judgment) bool // for some judgment of the set
	cell   func(*Query, Judgment) string
}

// writtenColumns are all columns. Those that no judgment needs are left out.
var writtenColumns = []writtenColumn{
	{"query_id", func(q *Query, _ Judgment) bool { return q.ID != queryID(q.Text) }, func(q *Query, _ Judgment) string { return q.ID }},
	{"query", func(q *Query, _ Judgment) bool { return q.Text != "" }, func(q *Query, _ Judgment) string { return q.Text }},
	{"params", func(q *Query, _ Judgment) bool { return q.Params != nil }, func(q *Query, _ Judgment) string { return paramsCell(q.Params) }},
	{"segments", func(q *Query, _ Judgment) bool { return q.Segments != nil }, func(q *Query, _ Judgment) string { return strings.Join(q.Segments, segmentSeparator) }},
	{"weight", func(q *Query, _ Judgment) bool { return q.Weight != 1 }, func(q *Query, _ Judgment) string { return formatNumber(q.Weight) }},
	{"expect_no_results", func(q *Query, _ Judgment) bool { return q.ExpectNoResults }, func(q *Query, _ Judgment) string { return strconv.FormatBool(q.ExpectNoResults) }},
	{"doc_id", func(*Query, Judgment) bool { return true }, func(_ *Query, j Judgment) string { return j.DocID }},
	{"grade", func(*Query, Judgment) bool { return true }, gradeCell},
	{"why", func(_ *Query, j Judgment) bool { return j.Said().Why != "" }, func(_ *Query, j Judgment) string { return j.Said().Why }},
	{"judge", func(_ *Query, j Judgment) bool { return j.Said().Judge != "" }, func(_ *Query, j Judgment) string { return j.Said().Judge }},
	{"at", func(_ *Query, j Judgment) bool { return j.Said().At != "" }, func(_ *Query, j Judgment) string { return j.Said().At }},
}

// gradeCell is empty in the row of a query without judgments.
func gradeCell(_ *Query, j Judgment) string {
	if j.DocID == "" {
		return ""
	}
	return formatNumber(j.Grade)
}

func paramsCell(params map[string]any) string {
	if params == nil {
		return ""
	}
	cell, err := json.Marshal(params)
	if err != nil {
		panic("golden: parameters that were read as JSON are none: " + err.Error())
	}
	return string(cell)
}

// formatNumber writes a number as short as it can be.
func formatNumber(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// eachRow calls row for every judgment, and once for a query without any.
func eachRow(s *Set, row func(*Query, Judgment)) {
	for i := range s.Queries {
		q := &s.Queries[i]
		if len(q.Judgments) == 0 {
			row(q, Judgment{})
		}
		for _, j := range q.Judgments {
			row(q, j)
		}
	}
}

// writeTable writes the rows of a table, its header first.
func writeTable(s *Set, write func(cells []string)) {
	var columns []writtenColumn
	for _, column := range writtenColumns {
		needed := false
		eachRow(s, func(q *Query, j Judgment) { needed = needed || column.needed(q, j) })
		if needed {
			columns = append(columns, column)
		}
	}
	cells := make([]string, len(columns))
	for i, column := range columns {
		cells[i] = column.name
	}
	write(cells)
	eachRow(s, func(q *Query, j Judgment) {
		for i, column := range columns {
			cells[i] = column.cell(q, j)
		}
		write(cells)
	})
}

// writeCSV writes a table by commas.
func writeCSV(p *printer, s *Set, _ WriteOptions) {
	table := csv.NewWriter(p.out)
	writeTable(s, func(cells []string) { _ = table.Write(cells) }) // what goes wrong is kept by p.out
	table.Flush()
}

// writeTSV writes a table by tabs.
func writeTSV(p *printer, s *Set, _ WriteOptions) {
	writeTable(s, func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				p.print("\t")
			}
			if unquoteCell(cell) != cell { // it would be taken for one in quotation marks
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			p.print(cell)
		}
		p.print("\n")
	})
}
