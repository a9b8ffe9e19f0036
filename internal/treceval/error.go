package treceval

import "fmt"

// Error says what is wrong with a file, and where.
type Error struct {
	File            string
	Line, Column    int // from 1; columns are bytes
	Found, Expected string

	at int // place in the file, in bytes
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: found %s, expected %s", e.File, e.Line, e.Column, e.Found, e.Expected)
}

// wrong is an Error at a place in the file.
func (s *Source) wrong(at int, found, expected string) error {
	line, column := s.position(at)
	return &Error{File: s.Name, Line: line, Column: column, Found: found, Expected: expected, at: at}
}

// wrongColumns is the Error for a line, at a place in the file, with another number of columns than expected.
func (s *Source) wrongColumns(at int, line, expected string) error {
	n := countColumns(line)
	found := fmt.Sprintf("%d columns", n)
	if n == 1 {
		found = "1 column"
	}
	if expected == qrelsColumns && n == 6 {
		found += " as in a run, which goes after the qrels on the command line"
	}
	return s.wrong(at+columnAt(line, n), found, expected)
}

// twice is the Error for a line, at a place in the file, with a document that the query has already.
func (s *Source) twice(query, document string, at int, line string) error {
	first := 0
	_ = s.eachLine(query, 3, func(at int, _ string, columns []string) error {
		if first == 0 && columns[2] == document {
			first, _ = s.position(at)
		}
		return nil
	})
	return s.wrong(at+columnAt(line, 2), fmt.Sprintf("the document %.80q a second time", document),
		fmt.Sprintf("each document once a query, and query %.80q has it on line %d", query, first))
}
