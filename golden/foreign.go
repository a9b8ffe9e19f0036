package golden

import (
	"encoding/json"
	"slices"
)

// marks are fields by which a format of others is known. One of them among the fields of another format means that the
// file is a mixture, of which a part would be lost.
var marks = []string{"queries", "requests", "topics", "query_groups", "query_doc_pairs", "snapshots"}

// foreign reads an object of a format that is not ours: fields that a golden set has no place for are left out, and that
// is noted.
func (p *parser) foreign(what string, known []string, begin func(), field func(name string) error) error {
	return p.openObject(what, known, begin, field, func(name string) error {
		if slices.Contains(marks, name) {
			return p.errorf(p.here(), "a %s with the field %q is a mixture of two formats; split the file, and name the format of each", what, name)
		}
		p.skipField(name)
		return nil
	})
}

// skipField passes over the value of a field that a golden set has no place for. Values that say nothing are not noted.
func (p *parser) skipField(name string) {
	if kind := p.peek(); kind != aNull && kind != aFalse {
		p.leftOut(name)
	}
	p.skipValue()
}

// paramsID is the id of a query that was given none, in formats where the same text may be searched with different
// parameters.
func paramsID(text string, params map[string]any) string {
	if len(params) == 0 {
		return queryID(text)
	}
	canonical, err := json.Marshal(params)
	if err != nil {
		panic("golden: parameters that were read as JSON are none: " + err.Error())
	}
	return queryID(text + "\n" + string(canonical))
}
