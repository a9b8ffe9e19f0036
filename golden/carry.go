package golden

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// check refuses a set that the format would make another one of.
func (w *writer) check(s *Set, opts WriteOptions) error {
	if w.holds.index && opts.Index == "" {
		return fmt.Errorf("%s names the index that is searched; tell which", w.format)
	}
	known := map[string]string{}
	for i := range s.Queries {
		q := &s.Queries[i]
		if err := w.checkQuery(q); err != nil {
			return err
		}
		if w.holds.ids {
			continue
		}
		id := w.derivedID(q)
		if other, twice := known[id]; twice {
			return fmt.Errorf("queries %s and %s have the same text, by which %s knows a query; it cannot hold both", quote(other), quote(q.ID), w.format)
		}
		known[id] = q.ID
	}
	return nil
}

// derivedID is the id that reading the query gives it, in a format that holds none.
func (w *writer) derivedID(q *Query) string {
	if w.holds.params {
		return paramsID(q.Text, q.Params)
	}
	return queryID(q.Text)
}

// checkQuery refuses a query that the format would make another one of.
func (w *writer) checkQuery(q *Query) error {
	if w.holds.texts && !w.holds.textless && q.Text == "" {
		return fmt.Errorf("query %s has no text, which %s needs; add the file with the queries", quote(q.ID), w.format)
	}
	fault := w.textFault(q.Text)
	switch {
	case w.holds.ids && !w.holds.blanks && !w.plain(q.ID):
		fault = "has an id with blanks or a mark that it begins with"
	case w.holds.segments && !w.holds.separators && slices.ContainsFunc(q.Segments, notOneCell):
		fault = "has a segment with a semicolon, or with blanks around it"
	}
	for i := 0; fault == "" && w.holds.judgments && i < len(q.Judgments); i++ {
		fault = w.judgmentFault(q.Judgments[i])
	}
	if fault != "" {
		return fmt.Errorf("query %s %s, which %s cannot hold", quote(q.ID), fault, w.format)
	}
	return nil
}

// textFault says what of a text the format cannot hold, or nothing.
func (w *writer) textFault(text string) string {
	switch {
	case !w.holds.texts:
	case !w.holds.lines && (strings.ContainsAny(text, "\t\r\n") || w.isTREC() && misread(text)):
		return "has a text with line ends, tabs or tags"
	case w.isTable() && strings.Contains(text, "\r"):
		return "has a text with a carriage return"
	case w.format == FormatQuepidCSV && withoutGuard(text) != text:
		return "begins with a blank and a mark of formulas"
	}
	return ""
}

// judgmentFault says what of a judgment the format cannot hold, or nothing.
func (w *writer) judgmentFault(j Judgment) string {
	said := j.Said()
	switch {
	case !w.holds.blanks && !w.plain(j.DocID):
		return "judges document " + quote(j.DocID) + ", an id with blanks"
	case !w.holds.fractions && j.Grade != math.Trunc(j.Grade):
		return fmt.Sprintf("judges document %s as %v, a fraction", quote(j.DocID), j.Grade)
	case w.holds.why && !w.holds.lines && strings.ContainsAny(said.Why+said.Judge+said.At, "\t\r\n"):
		return "judges document " + quote(j.DocID) + " with a reason of several lines, or with tabs in it"
	}
	return ""
}

// notOneCell tells whether a segment does not come back from a cell with several.
func notOneCell(segment string) bool {
	return segment != strings.TrimSpace(segment) || strings.ContainsAny(segment, segmentSeparator+"\t\r\n")
}

func (w *writer) isTREC() bool {
	return w.format == FormatTREC || w.format == FormatTopics || w.format == FormatQrels
}

func (w *writer) isTable() bool {
	return w.format == FormatCSV || w.format == FormatTSV || w.format == FormatQuepidCSV
}

// plain tells whether an id comes back from a format in which blanks part ids, or are taken away around them.
func (w *writer) plain(id string) bool {
	if w.isTREC() {
		return len(strings.Fields(id)) == 1 && strings.Fields(id)[0] == id && id[0] != '#' && id[0] != '<' && !misread(id)
	}
	return id == strings.TrimSpace(id) && !strings.ContainsAny(id, "\t\r\n")
}

// misread tells whether a topic with this in it would be read as something else.
func misread(text string) bool {
	return tag.MatchString(text) || withoutLabel(text, "number:") != strings.TrimSpace(text) || withoutLabel(text, "topic:") != strings.TrimSpace(text)
}

// loss is one way in which a format can carry less than the set holds.
type loss struct {
	what, fate string
	ofQuery    func(*writer, *Query) bool
	ofJudgment func(*writer, Basis) bool // of the judgments of formats that hold some
}

// losses are all ways, but for the set's name.
var losses = []loss{
	{what: "ids of queries", fate: "left out; they will be made from the texts", ofQuery: func(w *writer, q *Query) bool { return !w.holds.ids && q.ID != w.derivedID(q) }},
	{what: "texts of queries", fate: "left out; write them as topics", ofQuery: func(w *writer, q *Query) bool { return !w.holds.texts && q.Text != "" }},
	{what: "repeated blanks in texts", fate: "changed to single blanks", ofQuery: func(w *writer, q *Query) bool {
		return w.holds.texts && w.isTREC() && q.Text != strings.Join(strings.Fields(q.Text), " ")
	}},
	{what: "params", fate: "left out", ofQuery: func(w *writer, q *Query) bool { return !w.holds.params && q.Params != nil }},
	{what: "segments", fate: "queries lose theirs", ofQuery: func(w *writer, q *Query) bool { return !w.holds.segments && q.Segments != nil }},
	{what: "weights", fate: "left out; every query will weigh 1", ofQuery: func(w *writer, q *Query) bool { return !w.holds.weights && q.Weight != 1 }},
	{what: "negatives", fate: "queries no longer expect no results", ofQuery: func(w *writer, q *Query) bool { return !w.holds.negatives && q.ExpectNoResults }},
	{what: "queries without judgments", fate: "left out", ofQuery: func(w *writer, q *Query) bool { return !w.holds.unjudged && len(q.Judgments) == 0 }},
	{what: "reasons", fate: "left out", ofJudgment: func(w *writer, said Basis) bool { return !w.holds.why && said.Why != "" }},
	{what: "judges", fate: "left out", ofJudgment: func(w *writer, said Basis) bool { return !w.holds.judge && said.Judge != "" }},
	{what: "dates", fate: "left out", ofJudgment: func(w *writer, said Basis) bool { return !w.holds.at && said.At != "" }},
	{what: "carriage returns", fate: "reasons lose theirs", ofJudgment: func(w *writer, said Basis) bool {
		return w.holds.why && w.isTable() && strings.Contains(said.Why, "\r")
	}},
}

// count is how often the format loses this.
func (l *loss) count(w *writer, s *Set) int {
	n := 0
	for i := range s.Queries {
		q := &s.Queries[i]
		if l.ofQuery != nil {
			if l.ofQuery(w, q) {
				n++
			}
			continue
		}
		for _, j := range q.Judgments {
			if l.ofJudgment(w, j.Said()) {
				n++
			}
		}
	}
	return n
}

// lost says what the format could not carry.
func (w *writer) lost(s *Set) []string {
	var lost []string
	say := func(what string, count any, fate string) {
		lost = append(lost, fmt.Sprintf("%s holds no %s: %v %s", w.format, what, count, fate))
	}
	if !w.holds.name && s.Name != "" {
		say("name of the set", quote(s.Name), "left out")
	}
	for i := range losses {
		l := &losses[i]
		if l.ofJudgment != nil && !w.holds.judgments {
			continue
		}
		if n := l.count(w, s); n > 0 {
			say(l.what, n, l.fate)
		}
	}
	if n := s.JudgmentCount(); !w.holds.judgments && n > 0 {
		say("judgments", n, "left out; write them as qrels")
	}
	return lost
}
