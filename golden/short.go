package golden

var (
	shortSetFields   = []string{"name", "queries"}
	shortQueryFields = []string{"id", "q", "judgments", "expectNoResults"}
	shortNames       = judgmentNames{id: "id", grade: "grade"}
)

// short reads the form that has a judgment on each line of an object:
//
//	{"queries": [{"q": "…", "judgments": {"p-1": 3, "p-2": 0}}, {"q": "…", "judgments": {}}]}
//
// or the list of queries alone. A query whose judgments are written as empty is a negative: nothing must be found.
func (p *parser) short() error {
	if p.peek() == anArray {
		return p.array("golden set", p.shortQuery)
	}
	return p.object("golden set", shortSetFields, nil, func(name string) (err error) {
		switch name {
		case "name":
			var setName string
			setName, err = p.string(name)
			p.nameSet(setName)
		case "queries":
			err = p.array(name, p.shortQuery)
		}
		return err
	})
}

func (p *parser) shortQuery() error {
	q := Query{Weight: 1}
	empty := false // the judgments are written, and there are none
	err := p.object("query", shortQueryFields, p.beginQuery, func(name string) (err error) {
		switch name {
		case "id":
			p.id, err = p.queryID()
		case "q":
			p.text, err = p.string(name)
		case "expectNoResults":
			q.ExpectNoResults, err = p.boolean(name)
		case "judgments":
			empty = true
			err = p.members(name, func(id []byte) error {
				empty = false
				return p.shortJudgment(id)
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	if empty && !q.ExpectNoResults {
		q.ExpectNoResults = true
		p.count("queries with empty judgments, read as queries that expect no results", p.begin)
	}
	return p.endQuery(q)
}

// shortJudgment reads a judgment whose name is the document's id.
func (p *parser) shortJudgment(id []byte) error {
	docID, line := p.ids.once(id), p.here()
	p.beginJudgment()
	if err := p.readGrade(shortNames.grade); err != nil {
		return err
	}
	return p.endJudgment(docID, Basis{}, shortNames, line)
}

// writeShort writes the short form.
func writeShort(p *printer, s *Set, _ WriteOptions) {
	type query struct {
		ID              string              `json:"id,omitempty"`
		Q               string              `json:"q"`
		ExpectNoResults bool                `json:"expectNoResults,omitempty"`
		Judgments       *map[string]float64 `json:"judgments,omitempty"` // nil: there are none, which makes no negative
	}
	p.print("{\n")
	if s.Name != "" {
		p.print("  \"name\": ")
		p.value(s.Name)
		p.print(",\n")
	}
	p.print("  \"queries\": ")
	p.list(len(s.Queries), "    ", func(i int) {
		q := &s.Queries[i]
		short := query{Q: q.Text, ExpectNoResults: q.ExpectNoResults}
		if q.ID != queryID(q.Text) {
			short.ID = q.ID
		}
		if len(q.Judgments) > 0 {
			judgments := make(map[string]float64, len(q.Judgments))
			for _, j := range q.Judgments {
				judgments[j.DocID] = j.Grade
			}
			short.Judgments = &judgments
		}
		p.value(short)
	})
	p.print("\n}\n")
}
