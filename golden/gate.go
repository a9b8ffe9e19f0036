package golden

import "slices"

// Schema is what the schema field of Relevance Gate's own format says.
const Schema = "relevancegate.dev/golden/v1"

var (
	gateSetFields      = []string{"schema", "name", "queries"}
	gateQueryFields    = []string{"id", "query", "params", "segments", "weight", "expectNoResults", "judgments"}
	gateJudgmentFields = []string{"id", "grade", "why", "judge", "at"}
	gateNames          = judgmentNames{id: "id", grade: "grade"}
)

// gate reads Relevance Gate's own format:
//
//	{"schema": "relevancegate.dev/golden/v1", "name": "…", "queries": [
//	  {"id": "…", "query": "…", "params": {}, "segments": [], "weight": 1, "expectNoResults": false, "judgments": [
//	    {"id": "…", "grade": 3, "why": "…", "judge": "…", "at": "…"}]}]}
//
// A query needs its text, a judgment its id and grade; everything else may be left out.
func (p *parser) gate() error {
	return p.object("golden set", gateSetFields, nil, func(name string) (err error) {
		switch name {
		case "schema":
			var schema string
			if schema, err = p.string(name); err == nil && schema != Schema {
				err = p.errorf(p.here(), "the schema %s is not known; write %q", quote(schema), Schema)
			}
		case "name":
			var setName string
			setName, err = p.string(name)
			p.nameSet(setName)
		case "queries":
			err = p.array(name, p.gateQuery)
		}
		return err
	})
}

func (p *parser) gateQuery() error {
	q := Query{Weight: 1}
	err := p.object("query", gateQueryFields, p.beginQuery, func(name string) (err error) {
		switch name {
		case "id":
			p.id, err = p.queryID()
		case "query":
			p.text, err = p.string(name)
		case "params":
			q.Params, err = p.params()
		case "segments":
			q.Segments, err = p.segments()
		case "weight":
			q.Weight, err = p.weight()
		case "expectNoResults":
			q.ExpectNoResults, err = p.boolean(name)
		case "judgments":
			err = p.array(name, p.gateJudgment)
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.endQuery(q)
}

func (p *parser) gateJudgment() error {
	var docID string
	var said Basis
	begin := 0
	p.beginJudgment()
	err := p.object("judgment", gateJudgmentFields, func() { begin = p.here() }, func(name string) (err error) {
		switch name {
		case "id":
			docID, err = p.docID(name)
		case "grade":
			err = p.readGrade(name)
		case "why":
			said.Why, err = p.string(name)
		case "judge":
			said.Judge, err = p.word(name)
		case "at":
			said.At, err = p.word(name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.endJudgment(docID, said, gateNames, begin)
}

// queryID reads the id of a query.
func (p *parser) queryID() (string, error) {
	id, err := p.string("id")
	if err == nil && id == "" {
		err = p.errorf(p.here(), "the id of a query is empty; write one, or leave it out")
	}
	return id, err
}

// params reads the further parameters of a query.
func (p *parser) params() (map[string]any, error) {
	value, err := p.value("params", maxDepth)
	if err != nil {
		return nil, err
	}
	params, ok := value.(map[string]any)
	if !ok {
		return nil, p.errorf(p.here(), "the params of %s are no object; write {\"name\": value}", p.queryName())
	}
	if _, hidden := params["query"]; hidden {
		return nil, p.errorf(p.here(), "the params of %s name one \"query\", which stands for the query's text; give it another name", p.queryName())
	}
	if len(params) == 0 {
		return nil, nil
	}
	return params, nil
}

// segments reads the labels of a query.
func (p *parser) segments() ([]string, error) {
	var segments []string
	err := p.array("segments", func() error {
		segment, err := p.word("a segment")
		switch {
		case err != nil:
			return err
		case segment == "":
			return p.errorf(p.here(), "a segment of %s is empty; write a name, or remove it", p.queryName())
		case slices.Contains(segments, segment):
			return p.errorf(p.here(), "%s is in the segment %s twice; keep one of the two", p.queryName(), quote(segment))
		}
		segments = append(segments, segment)
		return nil
	})
	return segments, err
}

// weight reads how much a query counts.
func (p *parser) weight() (float64, error) {
	value, err := p.number("weight", "a number above 0")
	if err == nil && value <= 0 {
		err = p.errorf(p.here(), "the weight %.40s of %s is not above 0; write a number above 0, or remove the query", p.literal, p.queryName())
	}
	return value, err
}

// gateQuery and gateJudgment are how our own form is written.
type gateQuery struct {
	ID              string         `json:"id"`
	Query           string         `json:"query"`
	Params          map[string]any `json:"params,omitempty"`
	Segments        []string       `json:"segments,omitempty"`
	Weight          float64        `json:"weight,omitempty"` // 0 stands for 1
	ExpectNoResults bool           `json:"expectNoResults,omitempty"`
	Judgments       []gateJudgment `json:"judgments,omitempty"`
}

type gateJudgment struct {
	ID    string  `json:"id"`
	Grade float64 `json:"grade"`
	Why   string  `json:"why,omitempty"`
	Judge string  `json:"judge,omitempty"`
	At    string  `json:"at,omitempty"`
}

func gateQueryOf(q *Query) gateQuery {
	g := gateQuery{ID: q.ID, Query: q.Text, Params: q.Params, Segments: q.Segments, ExpectNoResults: q.ExpectNoResults}
	if q.Weight != 1 {
		g.Weight = q.Weight
	}
	return g
}

func gateJudgmentOf(j Judgment) gateJudgment {
	said := j.Said()
	return gateJudgment{ID: j.DocID, Grade: j.Grade, Why: said.Why, Judge: said.Judge, At: said.At}
}

// writeGate writes our own form, a judgment a line, as people edit it.
func writeGate(p *printer, s *Set, _ WriteOptions) {
	p.print("{\n  \"schema\": \"", Schema, "\",\n")
	if s.Name != "" {
		p.print("  \"name\": ")
		p.value(s.Name)
		p.print(",\n")
	}
	p.print("  \"queries\": ")
	p.list(len(s.Queries), "    ", func(i int) {
		q := &s.Queries[i]
		if len(q.Judgments) == 0 {
			p.value(gateQueryOf(q))
			return
		}
		p.openObject(gateQueryOf(q))
		p.print(",\"judgments\":")
		p.list(len(q.Judgments), "      ", func(j int) { p.value(gateJudgmentOf(q.Judgments[j])) })
		p.print("}")
	})
	p.print("\n}\n")
}
