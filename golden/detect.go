package golden

import "strings"

// detect tells the format by the first field that only one of them has. What it cannot tell is FormatGate, whose reader
// then says what is wrong. It takes a reader at the start of the text.
func detect(r reader) Format {
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
			if format := telling(len(open), name); format != "" {
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

// telling says which format a field's name gives away at a depth, or nothing.
func telling(depth int, name string) Format {
	const set, query, judgment = 1, 3, 5 // { "queries": [ { "judgments": [ {
	switch depth {
	case set:
		if name == "schema" {
			return FormatGate
		}
	case query:
		if name != "query" && name != "judgments" {
			return FormatGate
		}
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
