package golden

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var (
	rreNodeFields   = []string{"topics", "query_groups", "queries", "name", "description", "relevant_documents", "query_placeholder"}
	rreQueryFields  = []string{"placeholders", "relevant_documents"}
	rreRatingFields = []string{"document_id", "gain"}
	rreGainFields   = []string{"gain"}
	rreNames        = judgmentNames{id: "document_id", grade: "gain"}
)

// rrePlaceholder is that of the query's text, unless query_placeholder says another.
const rrePlaceholder = "$query"

// rreReader reads the ratings of the Rated Ranking Evaluator:
//
//	{"index": "…", "id_field": "…", "topics": [{"description": "…", "query_groups": [{"name": "…",
//	  "queries": [{"template": "…", "placeholders": {"$query": "…"}}],
//	  "relevant_documents": {"p-1": {"gain": 3}}}]}]}
//
// Every level may be missing. Documents may also be {"3": ["p-1"]} or [{"document_id": "p-1", "gain": 3}], of a group or
// of one query. Topics and groups become segments, and the other placeholders params.
type rreReader struct {
	*parser
	placeholder string
}

// rreQuery is a query whose group is not read to its end yet.
type rreQuery struct {
	Query
	begin  int
	judged bool // it has documents of its own
	lines  []position
}

// rre reads a whole file.
func (p *parser) rre() error {
	r := &rreReader{parser: p, placeholder: p.textPlaceholder()}
	queries, err := r.node()
	if err != nil {
		return err
	}
	for _, q := range queries {
		if err := p.addQuery(q.Query, p.onLine(q.begin), q.lines); err != nil {
			return err
		}
	}
	return nil
}

// textPlaceholder looks ahead for what the query's text is called.
func (p *parser) textPlaceholder() string {
	ahead := parser{reader: new(*p.reader), builder: p.builder}
	found := rrePlaceholder
	_ = ahead.members("ratings", func(name []byte) error { // what is wrong will be found again
		if string(name) == "query_placeholder" && ahead.peek() == aString {
			found, _ = ahead.string("query_placeholder")
			return nil
		}
		ahead.skipValue()
		return nil
	})
	return found
}

// node reads the whole, a topic or a group: they differ in what they happen to hold.
func (r *rreReader) node() ([]rreQuery, error) {
	var queries []rreQuery
	var name, description string
	var judgments []Judgment
	var lines []position
	inner := func() error {
		more, err := r.node()
		queries = append(queries, more...)
		return err
	}
	err := r.foreign("ratings file", rreNodeFields, nil, func(field string) (err error) {
		switch field {
		case "topics", "query_groups":
			err = r.array(field, inner)
		case "queries":
			err = r.array(field, func() error {
				q, err := r.query()
				queries = append(queries, q)
				return err
			})
		case "name":
			name, err = r.orNull(field)
		case "description":
			description, err = r.orNull(field)
		case "relevant_documents":
			r.beginQuery()
			r.unnamed = fmt.Sprintf("the group of queries with the documents on line %d", r.here())
			judgments, lines, err = r.documents()
		default: // query_placeholder, which is known already
			r.skipValue()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	segment := cmp.Or(name, description)
	for i := range queries {
		q := &queries[i]
		if !q.judged && judgments != nil {
			q.Judgments, q.lines, q.judged = slices.Clone(judgments), slices.Clone(lines), true
		}
		if segment != "" && segment != q.Text && !slices.Contains(q.Segments, segment) {
			q.Segments = append(q.Segments, segment)
		}
	}
	return queries, nil
}

// query reads one query. Its placeholders may stand in an object of their own, or beside the template.
func (r *rreReader) query() (rreQuery, error) {
	q := rreQuery{Query: Query{Weight: 1}}
	err := r.openObject("query", rreQueryFields, r.beginQuery, func(name string) (err error) {
		switch name {
		case "placeholders":
			err = r.members(name, func(name []byte) error { return r.fill(&q, string(name)) })
		case "relevant_documents":
			q.judged = true
			q.Judgments, q.lines, err = r.documents()
		}
		return err
	}, func(name string) error {
		if name == r.placeholder || strings.HasPrefix(name, "$") {
			return r.fill(&q, name)
		}
		r.skipField(name)
		return nil
	})
	if err != nil {
		return q, err
	}
	if strings.TrimSpace(r.text) == "" {
		return q, r.errorf(r.begin, "%s has no placeholder %s, so its text is not known; write one, or name it in query_placeholder", r.queryName(), quote(r.placeholder))
	}
	q.ID, q.Text, q.begin = paramsID(r.text, q.Params), r.text, r.begin
	return q, nil
}

// fill reads the value of a placeholder.
func (r *rreReader) fill(q *rreQuery, name string) (err error) {
	if name == r.placeholder {
		r.text, err = r.string(name)
		return err
	}
	value, err := r.value(name, maxDepth)
	if err != nil {
		return err
	}
	param := strings.TrimPrefix(name, "$")
	if _, twice := q.Params[param]; twice || param == "query" {
		return r.errorf(r.here(), "the placeholder %s of %s stands twice, or for the query's text; give it another name", quote(name), r.queryName())
	}
	if q.Params == nil {
		q.Params = map[string]any{}
	}
	q.Params[param] = value
	return nil
}

// documents reads the judged documents of a group or a query.
func (r *rreReader) documents() ([]Judgment, []position, error) {
	r.judgments, r.lines = nil, nil
	var err error
	switch r.peek() {
	case aNull:
		r.skipValue()
	case anArray:
		err = r.array("relevant_documents", r.listed)
	default:
		err = r.members("relevant_documents", r.named)
	}
	return r.judgments, r.lines, err
}

// listed reads {"document_id": "p-1", "gain": 3}.
func (r *rreReader) listed() error {
	var docID string
	begin := 0
	r.beginJudgment()
	err := r.foreign("document", rreRatingFields, func() { begin = r.here() }, func(name string) (err error) {
		if name == "gain" {
			return r.readGrade(name)
		}
		docID, err = r.docID(name)
		return err
	})
	if err != nil {
		return err
	}
	return r.endJudgment(docID, Basis{}, rreNames, begin)
}

// named reads what follows "p-1", which is {"gain": 3}, or what follows "3", which is ["p-1"].
func (r *rreReader) named(name []byte) error {
	line := r.here()
	r.beginJudgment()
	if r.peek() == anArray {
		return r.sameGrade(string(name), line)
	}
	docID := r.ids.once(name)
	err := r.foreign("document", rreGainFields, nil, r.readGrade)
	if err != nil {
		return err
	}
	return r.endJudgment(docID, Basis{}, rreNames, line)
}

// sameGrade reads the documents that have one grade.
func (r *rreReader) sameGrade(written string, line int) error {
	value, err := parseNumber(written)
	if err != nil {
		return r.errorf(line, "the grade %s of a list of documents is no number; write %s", quote(written), r.rightGrades)
	}
	r.grade = judgedGrade{value: value, found: true}
	if !r.inScale(value) {
		if err := r.gradeProblem(writtenGrade{value, "gain", written, r.id, r.queryName()}, r.onLine(line)); err != nil {
			return err
		}
	}
	return r.array("a list of documents", func() error {
		docID, err := r.docID("a document's id")
		if err != nil {
			return err
		}
		return r.endJudgment(docID, Basis{}, rreNames, r.here())
	})
}

// parseNumber reads a decimal number, and nothing else that strconv takes for one.
func parseNumber(written string) (float64, error) {
	if strings.ContainsFunc(written, func(c rune) bool { return !strings.ContainsRune("0123456789+-.eE", c) }) {
		return 0, strconv.ErrSyntax
	}
	value, err := strconv.ParseFloat(written, 64)
	return value + 0, err
}

// writeRRE writes ratings with all queries in one group, which need the search template template.json.
func writeRRE(p *printer, s *Set, opts WriteOptions) {
	type gain struct {
		Gain float64 `json:"gain"`
	}
	type query struct {
		Template     string          `json:"template"`
		Placeholders map[string]any  `json:"placeholders"`
		Documents    map[string]gain `json:"relevant_documents"`
	}
	p.print("{\n  \"index\": ")
	p.value(opts.Index)
	p.print(",\n  \"id_field\": \"_id\",\n  \"queries\": ")
	p.list(len(s.Queries), "    ", func(i int) {
		q := &s.Queries[i]
		rre := query{Template: "template.json", Placeholders: map[string]any{rrePlaceholder: q.Text}, Documents: map[string]gain{}}
		for name, value := range q.Params {
			rre.Placeholders["$"+name] = value
		}
		for _, j := range q.Judgments {
			rre.Documents[j.DocID] = gain{j.Grade}
		}
		p.value(rre)
	})
	p.print("\n}\n")
}
