package golden

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// unjudged is what a negative grade means in qrels: the document was in the pool, and nobody judged it.
const unjudged = "judgments with a negative grade, read as not judged"

// trec reads files of TREC: qrels, a judgment a line, whose parts are parted by any blanks,
//
//	301 0 FR940202-2-00150 1
//
// or topics, which tell the texts of the queries: as they were published ever since 1992,
//
//	<top>
//	<num> Number: 301
//	<title> International Organized Crime
//	</top>
//
// as XML (<topic number="301"><query>…</query></topic>), or as lines of an id, a tab and the text. Topics of the first
// kind may be followed by qrels in the same file. Lines that begin with # are comments.
func (b *builder) trec(data []byte) error {
	if bytes.TrimSpace(data)[0] == '<' && !hasTag(bytes.TrimSpace(data), "<top>") {
		return b.xmlTopics(data)
	}
	lines := &trecLines{builder: b, rest: data}
	switch asTopics, asQrels := shapes(data); {
	case asTopics && asQrels:
		return fmt.Errorf("%s: each of its lines may be a judgment (query, iteration, document, grade) or a topic (id, tab, text); part judgments by blanks alone, or write topics as <top>", b.file())
	case asTopics:
		return lines.read((*trecLines).tabTopic)
	}
	return lines.read((*trecLines).topicOrQrel)
}

// looksLikeTREC tells qrels and topics by tabs from other text.
func looksLikeTREC(data []byte) bool {
	asTopics, asQrels := shapes(data)
	return asTopics || asQrels
}

// maxShapes is how many lines decide what all are.
const maxShapes = 100

// shapes tells whether most of the first lines may be topics of the kind "id, tab, text", and whether most may be qrels:
// a few wrong ones are for the reader to refuse, by their line.
func shapes(data []byte) (asTopics, asQrels bool) {
	lines := trecLines{rest: data}
	seen, topics, qrels := 0, 0, 0
	for seen < maxShapes && lines.next() {
		if len(lines.text) == 0 || lines.text[0] == '#' {
			continue
		}
		seen++
		if len(tabbed(lines.text)) == 2 {
			topics++
		}
		fields := bytes.Fields(lines.text)
		if _, err := parseNumber(string(fields[len(fields)-1])); err == nil && len(fields) == 4 {
			qrels++
		}
	}
	return 2*topics > seen, 2*qrels > seen
}

// tabbed parts a line at its tabs.
func tabbed(line []byte) [][]byte { return bytes.Split(line, []byte{'\t'}) }

// trecLines are lines on their way.
type trecLines struct {
	*builder
	rest []byte
	line int
	raw  []byte // the line at hand
	text []byte // the same without blanks around it
}

// read calls each for every line that says something.
func (l *trecLines) read(each func(*trecLines) error) error {
	for l.next() {
		if len(l.text) == 0 {
			continue
		}
		if l.text[0] == '#' {
			l.count("lines that begin with #, passed over as comments", l.line)
			continue
		}
		if err := each(l); err != nil {
			return err
		}
	}
	return nil
}

// next reads a line.
func (l *trecLines) next() bool {
	if len(l.rest) == 0 {
		return false
	}
	l.raw, l.rest, _ = bytes.Cut(l.rest, []byte{'\n'})
	l.text = bytes.TrimSpace(l.raw)
	l.line++
	return true
}

func (l *trecLines) errorf(format string, args ...any) error {
	return l.lineError(l.line, format, args...)
}

// qrel reads a judgment.
func (l *trecLines) qrel() error {
	var fields [4][]byte
	n := 0
	for field := range bytes.FieldsSeq(l.text) {
		if n < len(fields) {
			fields[n] = field
		}
		n++
	}
	if n != len(fields) {
		return l.errorf("a line of qrels has 4 parts (query, iteration, document, grade), this one has %d; correct it", n)
	}
	if string(fields[1]) == "Q0" {
		l.count("judgments with Q0 for the iteration, as in a run, whose last part is read as the grade", l.line)
	}
	id, docID, written := fields[0], fields[2], string(fields[3])
	grade, ok := l.readWritten(written)
	if !ok {
		return l.errorf("column %d: %s", l.lastColumn(fields[3]), l.noGrade(written))
	}
	at := l.onLine(l.line)
	query := l.queryOf(id, at)
	if grade < 0 {
		l.count(unjudged, l.line)
		return nil
	}
	if !l.inScale(grade) {
		name := string(id)
		if err := l.gradeProblem(writtenGrade{grade, "grade", written, name, "query " + quote(name)}, at); err != nil {
			return err
		}
	}
	if l.requireWhy {
		return l.errorf("query %s judges document %s without a why, and requireWhy asks for one; qrels cannot hold reasons", quote(string(id)), quote(string(docID)))
	}
	l.judge(query, Judgment{DocID: l.ids.once(docID), Grade: grade}, at)
	return nil
}

// lastColumn is where the last part of the line at hand begins, in characters from 1.
func (l *trecLines) lastColumn(part []byte) int {
	return utf8.RuneCount(l.raw[:bytes.LastIndex(l.raw, part)]) + 1
}

// tabTopic reads a query of the kind "id, tab, text".
func (l *trecLines) tabTopic() error {
	fields := tabbed(l.text)
	if len(fields) != 2 {
		return l.errorf("a line of topics has an id, a tab and a text, this one has %d parts; correct it", len(fields))
	}
	return l.addTopic(string(bytes.TrimSpace(fields[0])), string(bytes.TrimSpace(fields[1])), l.line)
}

// tag is how the parts of a topic begin and, in some years, end.
var tag = regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9_-]*>`)

// topicOrQrel reads a topic, or a judgment behind the topics.
func (l *trecLines) topicOrQrel() error {
	if !hasTag(l.text, "<top>") {
		return l.qrel()
	}
	begin := l.line
	var topic strings.Builder
	for {
		line := string(l.text)
		if end := strings.Index(strings.ToLower(line), "</top>"); end >= 0 {
			if end += len("</top>"); strings.TrimSpace(line[end:]) != "" {
				return l.errorf("something follows </top>; write it on a line of its own")
			}
			topic.WriteString(line)
			return l.topic(topic.String(), begin)
		}
		topic.WriteString(line + "\n")
		if !l.next() {
			return l.lineError(begin, "the topic is not closed; write </top> at its end")
		}
	}
}

// hasTag tells whether a line begins with a tag.
func hasTag(line []byte, tag string) bool {
	return len(line) >= len(tag) && strings.EqualFold(string(line[:len(tag)]), tag)
}

// topic adds a topic of the kind that begins with <top>.
func (l *trecLines) topic(text string, begin int) error {
	parts := map[string]string{}
	tags := tag.FindAllStringIndex(text, -1)
	for i, at := range tags[:len(tags)-1] { // the last one is </top>
		name := strings.ToLower(text[at[0]+1 : at[1]-1])
		if name == "top" || name[0] == '/' {
			continue
		}
		if _, twice := parts[name]; twice {
			return l.lineError(begin, "the topic has <%s> twice; close it with </top>, or remove one of the two", name)
		}
		if strings.HasSuffix(name, "-title") { // CLEF puts the language before it
			name = "title"
		}
		parts[name] = strings.Join(strings.Fields(text[at[1]:tags[i+1][0]]), " ")
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if name != "num" && name != "title" {
			l.leftOut(name)
		}
	}
	return l.addTopic(withoutLabel(parts["num"], "number:"), withoutLabel(parts["title"], "topic:"), begin)
}

// withoutLabel takes away the label with which the parts of early topics begin.
func withoutLabel(text, label string) string {
	if len(text) >= len(label) && strings.EqualFold(text[:len(label)], label) {
		text = text[len(label):]
	}
	return strings.TrimSpace(text)
}

// addTopic adds a query without judgments.
func (b *builder) addTopic(id, text string, line int) error {
	switch {
	case id == "":
		return b.lineError(line, "the topic has no number; write one")
	case text == "":
		return b.lineError(line, "topic %s has no title, so there is nothing to search for; write one", quote(id))
	}
	return b.addQuery(Query{ID: id, Text: text, Weight: 1}, b.onLine(line), nil)
}

// xmlTopic is a topic of the tracks that publish XML.
type xmlTopic struct {
	Number     string `xml:"number,attr"`
	ID         string `xml:"id,attr"`
	Num        string `xml:"num"`
	Identifier string `xml:"identifier"`
	Query      string `xml:"query"`
	Title      string `xml:"title"`
	Others     []struct {
		XMLName xml.Name
	} `xml:",any"`
}

// xmlTopics reads topics as XML.
func (b *builder) xmlTopics(data []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // It is known to be UTF-8.
	for {
		line, _ := decoder.InputPos()
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.xmlError(err)
		}
		element, isStart := token.(xml.StartElement)
		if !isStart || !slices.Contains([]string{"topic", "top"}, strings.ToLower(element.Name.Local)) {
			continue
		}
		var topic xmlTopic
		if err := decoder.DecodeElement(&topic, &element); err != nil {
			return b.xmlError(err)
		}
		for _, other := range topic.Others {
			b.leftOut(other.XMLName.Local)
		}
		id := firstOf(topic.Number, topic.ID, topic.Num, topic.Identifier)
		if err := b.addTopic(id, firstOf(topic.Query, topic.Title), line); err != nil {
			return err
		}
	}
}

func (b *builder) xmlError(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return b.lineError(syntax.Line, "it is not XML: %s; correct the text there", syntax.Msg)
	}
	return fmt.Errorf("%s: it is not XML: %w; correct it", b.file(), err)
}

// firstOf is the first text that says something, without blanks around it and line ends in it.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			return text
		}
	}
	return ""
}

// writeTREC writes topics and qrels in one file.
func writeTREC(p *printer, s *Set, opts WriteOptions) {
	writeTopics(p, s, opts)
	writeQrels(p, s, opts)
}

// writeTopics writes the queries as TREC publishes topics.
func writeTopics(p *printer, s *Set, _ WriteOptions) {
	for _, q := range s.Queries {
		p.print("<top>\n<num> Number: ", q.ID, "\n<title> ", strings.Join(strings.Fields(q.Text), " "), "\n</top>\n\n")
	}
}

// writeQrels writes the judgments.
func writeQrels(p *printer, s *Set, _ WriteOptions) {
	for _, q := range s.Queries {
		for _, j := range q.Judgments {
			p.print(q.ID, " 0 ", j.DocID, " ", formatNumber(j.Grade), "\n")
		}
	}
}
