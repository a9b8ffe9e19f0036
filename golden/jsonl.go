package golden

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// jsonlReader reads lines that each are a JSON object: a query of our own form or of the short one, a query as BEIR has
// them ({"_id": "…", "text": "…"}), a topic ({"id": "…", "title": "…"}, {"number": 1, "query": "…"}), or a judgment with its query, whose fields are called like the columns of a table
// ({"query": "…", "doc_id": "…", "grade": 3}).
type jsonlReader struct {
	parser
	columns          // of the row at hand
	names   []string // the fields of the line at hand
}

// jsonl reads all lines.
func (b *builder) jsonl(data []byte) error {
	r := &jsonlReader{parser: parser{builder: b}}
	for line := 1; len(data) > 0; line++ {
		var text []byte
		text, data, _ = bytes.Cut(data, []byte{'\n'})
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if !json.Valid(text) {
			return syntaxError(b.file(), text, line)
		}
		r.reader = &reader{source: b.file(), data: text, line: line}
		if err := r.readLine(); err != nil {
			return err
		}
	}
	return nil
}

// Fields of a topic's id and text, the likelier first. Those of our own form, id and query, are none of a topic.
var (
	topicIDs   = []string{"topic_id", "query_id", "qid", "number", "num", "id"}
	topicTexts = []string{"text", "query", "title"}
)

// firstIn is the first of some names that is among others, or empty.
func firstIn(names, others []string) string {
	for _, name := range names {
		if slices.Contains(others, name) {
			return name
		}
	}
	return ""
}

// readLine reads the line at hand by what its fields show it to be.
func (r *jsonlReader) readLine() error {
	ahead := *r.reader
	names := r.names[:0]
	if err := ahead.members("line", func(name []byte) error {
		names = append(names, string(name))
		ahead.skipValue()
		return nil
	}); err != nil {
		return err
	}
	r.names = names
	isNamed := func(wanted column) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			c, ok := columnNames[plainName(name)]
			return ok && c == wanted
		})
	}
	switch {
	case slices.Contains(names, "q"):
		return r.shortQuery()
	case slices.Contains(names, "judgments"):
		return r.gateQuery()
	case slices.Contains(names, "_id"):
		return r.topic([]string{"_id", cmp.Or(firstIn(topicTexts, names), topicTexts[0])})
	case isNamed(columnDocID) || isNamed(columnGrade) || isNamed(columnLabel) || isNamed(columnQueryID) && isNamed(columnQuery):
		return r.row()
	}
	if id, text := firstIn(topicIDs, names), firstIn(topicTexts, names); id != "" && text != "" && (id != "id" || text != "query") {
		return r.topic([]string{id, text})
	}
	return r.gateQuery()
}

// topic reads a query whose judgments are in another file, such as those of a BEIR data set.
func (r *jsonlReader) topic(fields []string) error {
	err := r.foreign("query", fields, r.beginQuery, func(name string) (err error) {
		if name == fields[0] {
			var id []byte
			id, err = r.stringOrNumber(name)
			r.id = string(id)
		} else {
			r.text, err = r.string(name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.endQuery(Query{Weight: 1})
}

// row reads a judgment with its query.
func (r *jsonlReader) row() error {
	if !slices.Equal(r.columns.names, r.names) {
		var err error
		if r.columns, err = readHeader(slices.Clone(r.names)); err != nil {
			return r.errorf(r.here(), "%w", err)
		}
	}
	var j row
	r.beginQuery()
	r.beginJudgment()
	known := 0
	err := r.members("line", func([]byte) error {
		field := known
		known++
		what := slices.Index(r.index[:], field)
		if what < 0 {
			r.skipField(r.names[field])
			return nil
		}
		return r.cell(&j, column(what), r.names[field])
	})
	if err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(j.query) == "" && j.queryID == "":
		return r.errorf(r.here(), "the line names no query; write its text")
	case j.docID == "" && r.grade.found:
		return r.errorf(r.here(), "the line has a grade, but names no document; write its id")
	case j.docID != "" && !r.grade.found:
		return r.errorf(r.here(), "document %s has no grade; write %s", quote(j.docID), r.rightGrades)
	}
	j.grade = r.grade.value
	return r.addRow(j, r.here())
}

// cell reads the value of a field that is a column.
func (r *jsonlReader) cell(j *row, what column, name string) (err error) {
	switch what {
	case columnQuery:
		j.query, err = r.string(name)
		r.text = j.query
	case columnQueryID:
		var id []byte
		id, err = r.stringOrNumber(name)
		j.queryID = string(id)
		r.id = j.queryID
	case columnDocID:
		var id []byte
		id, err = r.stringOrNumber(name)
		j.docID = r.ids.once(id)
	case columnGrade:
		err = r.readGrade(name)
	case columnWhy:
		j.said.Why, err = r.orNull(name)
	case columnJudge:
		j.said.Judge, err = r.orNull(name)
	case columnAt:
		j.said.At, err = r.orNull(name)
	case columnSegments:
		j.segments, err = r.segments()
	case columnWeight:
		j.weight, err = r.weight()
	case columnNoResults:
		var negative bool
		negative, err = r.boolean(name)
		j.noResults = &negative
	case columnParams:
		j.params, err = r.params()
	}
	return err
}

// stringOrNumber reads an id, which some tools write as a number.
func (r *jsonlReader) stringOrNumber(field string) ([]byte, error) {
	if r.peek() == aNumber {
		r.next()
		return r.literal, nil
	}
	return r.stringBytes(field)
}

// writeJSONL writes a query of our own form a line.
func writeJSONL(p *printer, s *Set, _ WriteOptions) {
	for i := range s.Queries {
		q := gateQueryOf(&s.Queries[i])
		for _, j := range s.Queries[i].Judgments {
			q.Judgments = append(q.Judgments, gateJudgmentOf(j))
		}
		p.value(q)
		p.print("\n")
	}
}
