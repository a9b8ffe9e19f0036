package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errNoForm says that a text is of none of the forms.
var errNoForm = errors.New("it is neither JSON, nor a table whose first line names its columns (such as query, docid and rating), nor qrels or topics of TREC; write one of these, or name its format")

// detect tells the format of a text that is not blank by its first characters.
func detect(source string, data []byte) (Format, error) {
	start := bytes.TrimLeft(data, " \t\r\n")
	switch start[0] {
	case '{', '[':
		if isJSONL(start) {
			return FormatJSONL, nil
		}
		r, err := newReader(source, data)
		if err != nil {
			return "", err
		}
		return detectJSON(*r), nil
	case '<':
		return FormatTREC, nil
	}
	format, err := detectLines(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", source, err)
	}
	return format, err
}

// isJSONL tells lines that each are JSON from one JSON text: the first line is an object of its own, and more follows.
// One line alone is told by its fields.
func isJSONL(data []byte) bool {
	line, rest, _ := bytes.Cut(data, []byte{'\n'})
	return data[0] == '{' && len(bytes.TrimSpace(rest)) > 0 && json.Valid(line)
}

// detectLines tells a table from the lines of TREC.
func detectLines(data []byte) (Format, error) {
	isTable, isQuepid := detectTable(data)
	switch {
	case isQuepid:
		return FormatQuepid, nil
	case isTable:
		return FormatCSV, nil
	case looksLikeTREC(data):
		return FormatTREC, nil
	}
	return "", errNoForm
}

// detectJSON tells the format of a JSON text by the first field that only one of them has. What it cannot tell is
// FormatGate, whose reader then says what is wrong. It takes a reader at the start of the text.
func detectJSON(r reader) Format {
	var open []kind // the objects and arrays around the token
	isName := false // the token stands where an object has a field's name
	for {
		switch k := r.next(); {
		case k == anObject || k == anArray:
			open = append(open, k)
		case k == aString && isName:
			name, err := r.unquote()
			if err != nil {
				return FormatGate
			}
			depth := len(open)
			if open[0] == anArray {
				depth++ // a list of queries alone: as if a set were around it
			}
			if format := telling(depth, name); format != "" {
				return format
			}
			isName = false
			continue
		case k == anEnd:
			open = open[:len(open)-1]
		}
		if len(open) == 0 { // the end of the text
			return FormatGate
		}
		isName = open[len(open)-1] == anObject
	}
}

// Fields that only one format has, by the object they stand in.
var (
	tellingSet = map[string]Format{
		"schema": FormatGate, "culture": FormatArticle, "source": FormatArticle,
		"q": FormatJSONL, "query": FormatJSONL, "text": FormatJSONL, // a query, not a set
		"requests": FormatRankEval, "templates": FormatRankEval, "metric": FormatRankEval, "max_concurrent_searches": FormatRankEval,
		"topics": FormatRRE, "query_groups": FormatRRE, "index": FormatRRE, "id_field": FormatRRE, "corpora_file": FormatRRE, "query_placeholder": FormatRRE,
		"case_name": FormatQuepid, "scorer": FormatQuepid, "try": FormatQuepid, "snapshots": FormatQuepid, "has_snapshot_file": FormatQuepid, "query_doc_pairs": FormatQuepid,
	}
	tellingQuery = map[string]Format{
		"q":          FormatShort,
		"query_text": FormatQuepid, "ratings": FormatQuepid,
		"placeholders": FormatRRE, "relevant_documents": FormatRRE, "template": FormatRRE,
	}
)

// telling says which format a field's name gives away at a depth, or nothing.
func telling(depth int, name string) Format {
	const set, query, judgmentsByID, judgment = 1, 3, 4, 5 // {"queries": [{"judgments": [{ or {"queries": [{"judgments": {
	switch depth {
	case set:
		return tellingSet[name]
	case query:
		if format := tellingQuery[name]; format != "" {
			return format
		}
		if name != "query" && name != "judgments" && name != "id" && name != "expectNoResults" {
			return FormatGate
		}
	case judgmentsByID:
		return FormatShort
	case judgment:
		if strings.EqualFold(name, "externalId") || strings.EqualFold(name, "relevance") {
			return FormatArticle
		}
		if name == "id" || name == "grade" {
			return FormatGate
		}
	}
	return ""
}
