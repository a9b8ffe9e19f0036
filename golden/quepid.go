package golden

import (
	"encoding/csv"
	"strings"
)

var (
	quepidSetFields    = []string{"case_name", "name", "queries", "snapshots", "query_doc_pairs"}
	quepidQueryFields  = []string{"query_text", "query", "options", "ratings", "query_id", "arranged_at", "arranged_next", "modified_at"}
	quepidRatingFields = []string{"doc_id", "rating", "user_email"}
	quepidNames        = judgmentNames{id: "doc_id", grade: "rating"}
)

// unrated is what a document without a rating is: Quepid exports such documents, and no rating is no judgment.
const unrated = "documents without a rating, read as not judged"

// quepid reads what Quepid exports as JSON: a case, a snapshot, or the ratings of a case:
//
//	{"case_name": "…", "queries": [
//	  {"query_text": "…", "options": {}, "ratings": [{"doc_id": "…", "rating": 3, "user_email": "…"}]}]}
//
// Ratings may also be {"doc_id": rating}; the options of a query become its params. Its ratings as CSV are a table.
func (p *parser) quepid() error {
	return p.foreign("Quepid export", quepidSetFields, nil, func(name string) (err error) {
		switch name {
		case "case_name", "name":
			var setName string
			setName, err = p.string(name)
			p.nameSet(setName)
		case "queries":
			err = p.array(name, p.quepidQuery)
		case "snapshots":
			err = p.oneSnapshot()
		case "query_doc_pairs":
			err = p.errorf(p.here(), "it is a book of Quepid, which holds what each judge said; export the case that the book was turned into")
		}
		return err
	})
}

// oneSnapshot reads a list of snapshots, which all hold the ratings of the same case.
func (p *parser) oneSnapshot() error {
	n := 0
	return p.array("snapshots", func() error {
		if n++; n > 1 {
			return p.errorf(p.here(), "the export holds several snapshots, which repeat the same ratings; keep one of them")
		}
		return p.quepid()
	})
}

func (p *parser) quepidQuery() error {
	q := Query{Weight: 1}
	err := p.foreign("query", quepidQueryFields, p.beginQuery, func(name string) (err error) {
		switch name {
		case "query_text", "query":
			p.text, err = p.string(name)
		case "options":
			q.Params, err = p.quepidOptions()
		case "ratings":
			err = p.quepidRatings()
		default: // which query it was, and when: not what it is
			p.skipValue()
		}
		return err
	})
	if err != nil {
		return err
	}
	if strings.TrimSpace(p.text) != "" {
		p.id = paramsID(p.text, q.Params)
	}
	return p.endQuery(q)
}

// quepidOptions reads the options of a query, which its search template may use.
func (p *parser) quepidOptions() (map[string]any, error) {
	if p.peek() == anObject {
		return p.params()
	}
	p.skipField("options")
	return nil, nil
}

// quepidRatings reads ratings in either of their shapes.
func (p *parser) quepidRatings() error {
	switch p.peek() {
	case aNull:
		p.skipValue()
		return nil
	case anArray:
		return p.array("ratings", p.quepidRating)
	}
	return p.members("ratings", func(id []byte) error {
		docID, line := p.ids.once(id), p.here()
		p.beginJudgment()
		if rated, err := p.quepidGrade(); err != nil || !rated {
			return err
		}
		return p.endJudgment(docID, Basis{}, quepidNames, line)
	})
}

func (p *parser) quepidRating() error {
	var docID string
	var said Basis
	begin, rated := 0, true
	p.beginJudgment()
	err := p.foreign("rating", quepidRatingFields, func() { begin = p.here() }, func(name string) (err error) {
		switch name {
		case "doc_id":
			docID, err = p.docID(name)
		case "rating":
			rated, err = p.quepidGrade()
		case "user_email":
			said.Judge, err = p.orNull(name)
		}
		return err
	})
	if err != nil || !rated {
		return err
	}
	return p.endJudgment(docID, said, quepidNames, begin)
}

// quepidGrade reads a rating, unless it says that there is none.
func (p *parser) quepidGrade() (rated bool, err error) {
	if p.peek() == aNull {
		p.skipValue()
		p.count(unrated, p.here())
		return false, nil
	}
	if p.peek() == aString { // as other tools write them, such as OpenSearch's
		return true, p.readGradeWord(quepidNames.grade)
	}
	return true, p.readGrade(quepidNames.grade)
}

// orNull reads a word that may be null.
func (p *parser) orNull(field string) (string, error) {
	if p.peek() == aNull {
		p.skipValue()
		return "", nil
	}
	return p.word(field)
}

// withoutGuard takes away the blank that Quepid puts before what a spreadsheet would take for a formula.
func withoutGuard(text string) string {
	if len(text) > 1 && text[0] == ' ' && isFormula(text[1]) {
		return text[1:]
	}
	return text
}

func isFormula(first byte) bool { return first == '=' || first == '+' || first == '-' || first == '@' }

// writeQuepid writes a case as Quepid exports one, without the scorer and the search that a golden set does not hold.
func writeQuepid(p *printer, s *Set, _ WriteOptions) {
	type rating struct {
		DocID     string  `json:"doc_id"`
		Rating    float64 `json:"rating"`
		UserEmail string  `json:"user_email,omitempty"`
	}
	p.print("{\n  \"case_name\": ")
	p.value(s.Name)
	p.print(",\n  \"queries\": ")
	p.list(len(s.Queries), "    ", func(i int) {
		q := &s.Queries[i]
		options := q.Params
		if options == nil {
			options = map[string]any{}
		}
		p.print("{\"query_text\":")
		p.value(q.Text)
		p.print(",\"options\":")
		p.value(options)
		p.print(",\"ratings\":")
		p.list(len(q.Judgments), "      ", func(i int) {
			j := q.Judgments[i]
			p.value(rating{j.DocID, j.Grade, j.Said().Judge})
		})
		p.print("}")
	})
	p.print("\n}\n")
}

// writeQuepidCSV writes the ratings as Quepid exports and imports them.
func writeQuepidCSV(p *printer, s *Set, _ WriteOptions) {
	table := csv.NewWriter(p.out)
	row := func(cells ...string) { _ = table.Write(cells) } // what goes wrong is kept by p.out
	row(quepidRatings[0]...)
	for i := range s.Queries {
		q := &s.Queries[i]
		text := q.Text
		if isFormula(text[0]) {
			text = " " + text
		}
		if len(q.Judgments) == 0 {
			row(text, "", "")
		}
		for _, j := range q.Judgments {
			row(text, j.DocID, formatNumber(j.Grade))
		}
	}
	table.Flush()
}
