package golden

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// separators are what may stand between the cells of a table.
var separators = []rune{',', '\t', ';'}

// rows reads the rows of a table. At its end next returns io.EOF.
type rows interface {
	next() (cells []string, line int, err error)
}

// detectTable tells whether a text is a table, and whether Quepid wrote it.
func detectTable(data []byte) (isTable, quepid bool) {
	for _, separator := range separators {
		if header, _, err := newRows(data, separator).next(); err == nil && isHeader(header) {
			return true, isQuepid(header)
		}
	}
	return false, false
}

// separatorOf finds what stands between the cells of a table: what makes columns with names that are known.
func separatorOf(data []byte) (rune, error) {
	var fault error
	for _, separator := range separators {
		header, _, err := newRows(data, separator).next()
		if err == nil && isHeader(header) {
			return separator, nil
		}
		if err == nil && len(header) > 1 && fault == nil {
			_, fault = readHeader(header)
		}
	}
	if fault == nil {
		fault = errors.New("its first line names no columns; write a header, such as query,docid,rating")
	}
	return 0, fault
}

func newRows(data []byte, separator rune) rows {
	if separator == '\t' {
		return &tabRows{rest: data}
	}
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comma = separator
	reader.FieldsPerRecord = -1 // checked with a message of ours
	reader.ReuseRecord = true
	return csvRows{reader}
}

// csvRows are rows by commas or semicolons, with quotation marks as RFC 4180 has them.
type csvRows struct{ reader *csv.Reader }

func (r csvRows) next() ([]string, int, error) {
	cells, err := r.reader.Read()
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return nil, wrong.Line, fmt.Errorf("column %d: a quotation mark stands where none may be; write a cell that holds one as \"…\"\"…\"", wrong.Column)
	}
	if err != nil {
		return nil, 0, err
	}
	line, _ := r.reader.FieldPos(0)
	return cells, line, nil
}

// tabRows are rows by tabs. Such tables mostly know no quotation marks: a mark is a character like others, unless a cell
// begins and ends with one.
type tabRows struct {
	rest []byte
	line int
	row  []string
}

func (r *tabRows) next() ([]string, int, error) {
	for len(r.rest) > 0 {
		var line []byte
		line, r.rest, _ = bytes.Cut(r.rest, []byte{'\n'})
		r.line++
		if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) == 0 {
			continue
		}
		r.row = r.row[:0]
		for cell := range strings.SplitSeq(string(line), "\t") {
			r.row = append(r.row, unquoteCell(cell))
		}
		return r.row, r.line, nil
	}
	return nil, 0, io.EOF
}

// unquoteCell takes the quotation marks off a cell that is in them as a whole.
func unquoteCell(cell string) string {
	if len(cell) < 2 || cell[0] != '"' || cell[len(cell)-1] != '"' {
		return cell
	}
	inner := cell[1 : len(cell)-1]
	if strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) {
		return cell
	}
	return strings.ReplaceAll(inner, `""`, `"`)
}
