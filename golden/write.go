package golden

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/sentence"
)

// The formats that are written only: parts and spellings of those that are read.
const (
	FormatTopics    Format = "Topics"    // the queries of TREC
	FormatQrels     Format = "Qrels"     // the judgments of TREC
	FormatTSV       Format = "TSV"       // CSV by tabs
	FormatQuepidCSV Format = "QuepidCSV" // the ratings that Quepid imports
)

// WriteOptions say what a format needs that a golden set does not hold.
type WriteOptions struct {
	Index string // the index that is searched: RankEval and RRE name it
}

// writer writes a format.
type writer struct {
	format Format
	holds  holds
	write  func(*printer, *Set, WriteOptions)
}

// holds is what a format can say about a golden set.
type holds struct {
	name, ids, texts, params, segments, weights, negatives bool
	judgments, why, judge, at                              bool

	textless   bool // queries without a text
	unjudged   bool // queries without judgments
	fractions  bool // grades that are no whole numbers
	index      bool // it needs WriteOptions.Index
	blanks     bool // blanks in ids, and around them
	lines      bool // line ends and tabs in texts and reasons
	separators bool // segments that hold the separator of segments
}

// everything is what our own form holds.
var everything = holds{
	name: true, ids: true, texts: true, params: true, segments: true, weights: true, negatives: true,
	judgments: true, why: true, judge: true, at: true, unjudged: true, fractions: true, blanks: true, lines: true, separators: true,
}

// writers are the formats to write, in the order in which messages name them.
var writers = []writer{
	{FormatGate, everything, writeGate},
	{FormatArticle, holds{name: true, texts: true, judgments: true, why: true, unjudged: true, fractions: true, blanks: true, lines: true}, writeArticle},
	{FormatShort, holds{name: true, ids: true, texts: true, negatives: true, judgments: true, unjudged: true, fractions: true, blanks: true, lines: true}, writeShort},
	{FormatQuepid, holds{name: true, texts: true, params: true, judgments: true, judge: true, unjudged: true, fractions: true, blanks: true, lines: true}, writeQuepid},
	{FormatQuepidCSV, holds{texts: true, judgments: true, unjudged: true, fractions: true, lines: true}, writeQuepidCSV},
	{FormatTREC, holds{ids: true, texts: true, judgments: true, unjudged: true}, writeTREC},
	{FormatTopics, holds{ids: true, texts: true, unjudged: true}, writeTopics},
	{FormatQrels, holds{ids: true, judgments: true}, writeQrels},
	{FormatRankEval, holds{ids: true, texts: true, params: true, judgments: true, unjudged: true, index: true, blanks: true, lines: true}, writeRankEval},
	{FormatRRE, holds{texts: true, params: true, judgments: true, unjudged: true, fractions: true, index: true, blanks: true, lines: true}, writeRRE},
	{FormatCSV, withoutName(holds{textless: true, lines: true}), writeCSV},
	{FormatTSV, withoutName(holds{textless: true}), writeTSV},
	{FormatJSONL, withoutName(holds{blanks: true, lines: true, separators: true}), writeJSONL},
}

// withoutName is everything but the set's name, with the subtleties of h.
func withoutName(h holds) holds {
	all := everything
	all.name, all.textless, all.blanks, all.lines, all.separators = false, h.textless, h.blanks, h.lines, h.separators
	return all
}

// WriteFormat finds a format to write by its name, in any case and with or without dashes.
func WriteFormat(name string) (Format, error) {
	var names []Format
	for _, w := range writers {
		if strings.EqualFold(plainName(name), string(w.format)) {
			return w.format, nil
		}
		names = append(names, w.format)
	}
	return "", fmt.Errorf("the format %s cannot be written; use %s", quote(name), sentence.Or(names))
}

// Write writes the set in a format that WriteFormat knows. lost are sentences about what the format could not carry and
// scores do not need, or other files carry: reasons, names, the texts of queries for qrels.
//
// What would make other scores of it is an error, and nothing is written: queries that the format cannot tell apart, ids
// and grades that it would cut.
func (s *Set) Write(out io.Writer, format Format, opts WriteOptions) (lost []string, err error) {
	for _, w := range writers {
		if w.format != format {
			continue
		}
		if err := w.check(s, opts); err != nil {
			return nil, err
		}
		p := &printer{out: bufio.NewWriter(out)}
		w.write(p, s, opts)
		if err := p.out.Flush(); err != nil {
			return nil, err
		}
		return w.lost(s), nil
	}
	_, err = WriteFormat(string(format))
	return nil, err
}

// printer writes text and JSON. What goes wrong is kept by out until it is flushed.
type printer struct {
	out  *bufio.Writer
	json bytes.Buffer
}

func (p *printer) print(parts ...string) {
	for _, part := range parts {
		_, _ = p.out.WriteString(part)
	}
}

// value writes a value as JSON on one line. Readers need no HTML to be escaped.
func (p *printer) value(value any) { _, _ = p.out.Write(p.encode(value)) }

// openObject writes an object without its end, so that more fields can follow.
func (p *printer) openObject(object any) {
	_, _ = p.out.Write(bytes.TrimSuffix(p.encode(object), []byte{'}'}))
}

// encode returns a value as JSON, for as long as no other value is written.
func (p *printer) encode(value any) []byte {
	p.json.Reset()
	encoder := json.NewEncoder(&p.json)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("golden: a set that no reader makes: " + err.Error())
	}
	return bytes.TrimSuffix(p.json.Bytes(), []byte{'\n'})
}

// list writes a JSON array, an item a line. indent is that of the items.
func (p *printer) list(n int, indent string, item func(i int)) {
	p.print("[")
	for i := range n {
		if i > 0 {
			p.print(",")
		}
		p.print("\n", indent)
		item(i)
	}
	p.print("]")
}
