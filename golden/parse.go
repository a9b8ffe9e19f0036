package golden

import (
	"bytes"
	"errors"
	"fmt"
)

// Source is a file of a golden set, packed by gzip or not.
type Source struct {
	Name string // for messages: "ConfigMap shop/golden-es, key es.json" or a path
	Raw  []byte
}

// Parse reads a golden set from one file. source names it in errors.
//
// It is strict: what it does not understand, it refuses. Every error is one sentence that begins with source.
func Parse(source string, raw []byte, opts Options) (*Set, error) {
	return ParseFiles([]Source{{source, raw}}, opts)
}

// ParseFiles reads a golden set from several files, of which each may have another format: its queries are those of all
// files. A query is described once; qrels and rows of tables may judge it from any file.
//
// It is strict: what it does not understand, it refuses. Every error is one sentence that begins with the file's name.
func ParseFiles(files []Source, opts Options) (*Set, error) {
	b := newBuilder(opts)
	lines, left := 0, opts.maxBytes()
	for _, file := range files {
		if err := opts.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		data, err := unpack(file.Raw, left)
		if err != nil {
			if errors.Is(err, ErrTooLarge) {
				err = tooLargeError(opts.maxBytes()) // not what the files before have left of it
			}
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		left -= len(data)
		b.beginFile(file.Name, lines)
		if err := b.read(file.Name, data, opts.Format); err != nil {
			return nil, err
		}
		b.endNotes(file.Name)
		lines = bytes.Count(data, []byte{'\n'}) + 1
	}
	if len(b.set.Queries) == 0 {
		return nil, fmt.Errorf("%s: the golden set holds no queries; write at least one with its judgments", b.places.files[0])
	}
	return b.finish(opts.Places)
}

// read reads one unpacked file.
func (b *builder) read(name string, data []byte, format Format) error {
	if bytes.HasPrefix(data, utf8BOM) {
		data = withoutBOM(data)
		b.say("it begins with a byte order mark, which is passed over")
	}
	if line, column, err := checkText(data); err != nil {
		if line > 0 {
			return fmt.Errorf("%s: line %d, column %d: %w", name, line, column, err)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if format == "" || format == FormatAuto {
		var err error
		if format, err = detect(name, data); err != nil {
			return err
		}
	}
	isJSON := bytes.TrimLeft(data, " \t\r\n")[0] == '{'
	switch {
	case format == FormatTREC:
		return b.trec(data)
	case format == FormatCSV || format == FormatQuepid && !isJSON:
		return b.table(data, format)
	case format == FormatJSONL:
		return b.jsonl(data)
	}
	reader, err := newReader(name, data)
	if err != nil {
		return err
	}
	return jsonForms[format](&parser{reader: reader, builder: b})
}

// jsonForms read what is one JSON text.
var jsonForms = map[Format]func(*parser) error{
	FormatGate:     (*parser).gate,
	FormatArticle:  (*parser).article,
	FormatShort:    (*parser).short,
	FormatQuepid:   (*parser).quepid,
	FormatRankEval: (*parser).rankEval,
	FormatRRE:      (*parser).rre,
}
