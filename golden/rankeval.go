package golden

import (
	"encoding/json"
	"maps"
	"slices"
)

var (
	rankEvalFields        = []string{"requests"}
	rankEvalRequestFields = []string{"id", "request", "params", "ratings"}
	rankEvalRatingFields  = []string{"_index", "_id", "rating"}
	rankEvalNames         = judgmentNames{id: "_id", grade: "rating"}
)

// rankEval reads a request of Elasticsearch's ranking evaluation:
//
//	{"requests": [
//	  {"id": "…", "template_id": "…", "params": {"query_string": "…"}, "ratings": [{"_index": "…", "_id": "…", "rating": 3}]},
//	  {"id": "…", "request": {"query": {"match": {"title": "…"}}}, "ratings": []}], "metric": {}}
//
// The text of a query is the one of its params that is called so, or the one text that its search looks for. The search
// itself, the metric and the ratings' indices are left out: a gate has its own.
func (p *parser) rankEval() error {
	return p.foreign("_rank_eval request", rankEvalFields, nil, func(name string) error {
		return p.array(name, p.rankEvalRequest)
	})
}

func (p *parser) rankEvalRequest() error {
	q := Query{Weight: 1}
	var search any
	var params map[string]any
	err := p.foreign("request", rankEvalRequestFields, p.beginQuery, func(name string) (err error) {
		switch name {
		case "id":
			p.id, err = p.queryID()
		case "request":
			search, err = p.value(name, maxDepth)
			p.leftOut(name)
		case "params":
			params, err = p.searchParams()
		case "ratings":
			rated := map[string]indexRating{}
			err = p.array(name, func() error { return p.rankEvalRating(rated) })
		}
		return err
	})
	if err != nil {
		return err
	}
	if p.id == "" {
		return p.errorf(p.begin, "%s has no id; write one", p.queryName())
	}
	if search != nil {
		p.text, err = p.searchedText(search)
	} else {
		p.text, q.Params, err = p.paramText(params)
	}
	if err != nil {
		return err
	}
	return p.endQuery(q)
}

// indexRating is what a document was rated, in the index where it was first.
type indexRating struct {
	index string
	grade float64
}

// rankEvalRating reads a rating. rated are those of the query by the documents' ids, which may be in several indices.
func (p *parser) rankEvalRating(rated map[string]indexRating) error {
	var docID, index string
	begin := 0
	p.beginJudgment()
	err := p.foreign("rating", rankEvalRatingFields, func() { begin = p.here() }, func(name string) (err error) {
		switch name {
		case "_index":
			p.leftOut(name)
			index, err = p.word(name)
		case "_id":
			docID, err = p.docID(name)
		case "rating":
			err = p.readGrade(name)
		}
		return err
	})
	if err != nil {
		return err
	}
	first, again := rated[docID]
	switch {
	case !again:
		rated[docID] = indexRating{index, p.grade.value}
	case !p.grade.found || first.index == index: // told by endJudgment, or once the set is read
	case first.grade == p.grade.value:
		p.count("documents with the same rating in several indices, judged once", begin)
		return nil
	default:
		return p.problem(RuleConflictingJudgments, p.onLine(begin), p.id, docID,
			"%s rates document %s as %v in the index %s and as %v in %s, but a golden set holds for any index; keep one of the two",
			p.queryName(), quote(docID), p.grade.value, quote(index), first.grade, quote(first.index))
	}
	return p.endJudgment(docID, Basis{}, rankEvalNames, begin)
}

// searchParams reads the params of a search template.
func (p *parser) searchParams() (map[string]any, error) {
	value, err := p.value("params", maxDepth)
	if err != nil {
		return nil, err
	}
	params, ok := value.(map[string]any)
	if !ok {
		return nil, p.errorf(p.here(), "the params of %s are no object; write {\"name\": value}", p.queryName())
	}
	return params, nil
}

// textParams are what the query's text is called among the params of a template, the likeliest first; written without
// case, dashes and underscores.
var textParams = []string{"query", "querystring", "querytext", "q", "searchquery", "searchterm", "searchtext", "userquery", "keywords", "text"}

// paramText parts the query's text from the other params: the one with a name for it, else the only string.
func (p *parser) paramText(params map[string]any) (text string, others map[string]any, err error) {
	var strs, named []string
	rank := len(textParams)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if _, isString := params[name].(string); !isString {
			continue
		}
		strs = append(strs, name)
		switch at := slices.Index(textParams, plainName(name)); {
		case at < 0 || at > rank:
		case at < rank:
			rank, named = at, []string{name}
		default:
			named = append(named, name)
		}
	}
	if named == nil {
		named = strs
	}
	if len(named) != 1 {
		return "", nil, p.errorf(p.begin, "the params of %s do not tell which of them is the query's text; call that one query_string", p.queryName())
	}
	text, _ = params[named[0]].(string)
	others = maps.Clone(params)
	delete(others, named[0])
	if _, hidden := others["query"]; hidden {
		return "", nil, p.errorf(p.begin, "the params of %s name one \"query\", which stands for the query's text; give it another name", p.queryName())
	}
	if len(others) == 0 {
		others = nil
	}
	return text, others, nil
}

// Searches by words: in the first the text stands under a field's name, in the second under "query".
var (
	searchesByField = []string{"match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "text_expansion"}
	searchesByQuery = []string{"multi_match", "combined_fields", "query_string", "simple_query_string", "semantic", "sparse_vector"}
	// textFields are where such a search has the text, if it is an object.
	textFields = []string{"query", "model_text"}
	// notAsked are parts of a search whose words the user did not type.
	notAsked = []string{"filter", "must_not", "post_filter", "indices_boost"}
)

// searchedText is the one text that a search looks for.
func (p *parser) searchedText(search any) (string, error) {
	texts := map[string]bool{}
	addTexts(texts, search)
	switch len(texts) {
	case 0:
		return "", p.errorf(p.begin, "the request of %s searches for no text (by match, multi_match, query_string and the like), so it cannot be told what its query is; write it with template_id and params", p.queryName())
	case 1:
		for text := range texts {
			return text, nil
		}
	}
	return "", p.errorf(p.begin, "the request of %s searches for %d different texts, so it cannot be told which is its query; write it with template_id and params", p.queryName(), len(texts))
}

// addTexts collects what the searches inside a part of a search body look for.
func addTexts(texts map[string]bool, part any) {
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			addTexts(texts, item)
		}
	case map[string]any:
		for name, value := range part {
			if slices.Contains(notAsked, name) {
				continue
			}
			if slices.Contains(searchesByField, name) {
				addTextsByField(texts, value)
			}
			if slices.Contains(searchesByQuery, name) {
				addText(texts, value)
			}
			if name == "text_embedding" { // of a knn search
				addText(texts, value)
			}
			addTexts(texts, value)
		}
	}
}

// addTextsByField adds the text of a search such as {"title": "…"} or {"title": {"query": "…"}}.
func addTextsByField(texts map[string]bool, search any) {
	fields, _ := search.(map[string]any)
	for _, value := range fields {
		switch value := value.(type) {
		case string:
			texts[value] = true
		case json.Number:
			texts[value.String()] = true
		default:
			addText(texts, value)
		}
	}
}

// addText adds the text of a search such as {"query": "…", "fields": […]}.
func addText(texts map[string]bool, search any) {
	fields, _ := search.(map[string]any)
	for _, name := range textFields {
		switch value := fields[name].(type) {
		case string:
			texts[value] = true
		case json.Number:
			texts[value.String()] = true
		}
	}
}

// writeRankEval writes a request that can be sent, with a simple search in place of the one that a golden set does not
// hold.
func writeRankEval(p *printer, s *Set, opts WriteOptions) {
	type rating struct {
		Index  string  `json:"_index"`
		ID     string  `json:"_id"`
		Rating float64 `json:"rating"`
	}
	p.print("{\n  \"templates\": [", `{"id":"search","template":{"source":{"query":{"simple_query_string":{"query":"{{query}}"}}}}}`, "],\n  \"requests\": ")
	p.list(len(s.Queries), "    ", func(i int) {
		q := &s.Queries[i]
		params := map[string]any{"query": q.Text}
		maps.Copy(params, q.Params)
		p.print("{\"id\":")
		p.value(q.ID)
		p.print(",\"template_id\":\"search\",\"params\":")
		p.value(params)
		p.print(",\"ratings\":")
		p.list(len(q.Judgments), "      ", func(i int) {
			p.value(rating{opts.Index, q.Judgments[i].DocID, q.Judgments[i].Grade})
		})
		p.print("}")
	})
	p.print(",\n  \"metric\": {\"dcg\":{\"k\":10,\"normalize\":true}}\n}\n")
}
