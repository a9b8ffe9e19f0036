package golden

import "strings"

var (
	articleSetFields      = []string{"culture", "source", "queries"}
	articleQueryFields    = []string{"query", "judgments"}
	articleJudgmentFields = []string{"externalId", "relevance", "why"}
	articleNames          = judgmentNames{id: "externalId", grade: "relevance"}
)

// article reads the form of the article "Your build is green and your shop's search is broken":
//
//	{"culture": "es", "source": "seed", "queries": [
//	  {"query": "…", "judgments": [{"externalId": "…", "relevance": 3, "why": "…"}]}]}
//
// The set's name is "source-culture". Queries have no ids of their own.
func (p *parser) article() error {
	var source, culture string
	err := p.object("golden set", articleSetFields, nil, func(name string) (err error) {
		switch name {
		case "culture":
			culture, err = p.string(name)
		case "source":
			source, err = p.string(name)
		case "queries":
			err = p.array(name, p.articleQuery)
		}
		return err
	})
	p.nameSet(strings.Trim(source+"-"+culture, "-"))
	return err
}

func (p *parser) articleQuery() error {
	err := p.object("query", articleQueryFields, p.beginQuery, func(name string) (err error) {
		switch name {
		case "query":
			p.text, err = p.string(name)
		case "judgments":
			err = p.array(name, p.articleJudgment)
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.endQuery(Query{Weight: 1})
}

func (p *parser) articleJudgment() error {
	var docID string
	var said Basis
	begin := 0
	p.beginJudgment()
	err := p.object("judgment", articleJudgmentFields, func() { begin = p.here() }, func(name string) (err error) {
		switch name {
		case "externalId":
			docID, err = p.docID(name)
		case "relevance":
			err = p.readGrade(name)
		case "why":
			said.Why, err = p.string(name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.endJudgment(docID, said, articleNames, begin)
}

// writeArticle writes the form of the article, whose source is the set's name.
func writeArticle(p *printer, s *Set, _ WriteOptions) {
	type judgment struct {
		ExternalID string  `json:"externalId"`
		Relevance  float64 `json:"relevance"`
		Why        string  `json:"why,omitempty"`
	}
	p.print("{\n  \"source\": ")
	p.value(s.Name)
	p.print(",\n  \"queries\": ")
	p.list(len(s.Queries), "    ", func(i int) {
		q := &s.Queries[i]
		p.print("{\"query\":")
		p.value(q.Text)
		p.print(",\"judgments\":")
		p.list(len(q.Judgments), "      ", func(i int) {
			j := q.Judgments[i]
			p.value(judgment{j.DocID, j.Grade, j.Said().Why})
		})
		p.print("}")
	})
	p.print("\n}\n")
}
