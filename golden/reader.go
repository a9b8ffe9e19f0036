package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/nearest"
)

// maxDepth is how deep values inside params may nest.
const maxDepth = 100

// reader walks over a JSON text token by token and knows the line it is on. encoding/json says beforehand whether the
// text is JSON; walking over text that is known to be JSON takes few lines, a fraction of the time of json.Decoder and no
// memory, which golden sets of millions of judgments need. It is strict where encoding/json is not: unknown and repeated
// fields, null, and halves of surrogate pairs are errors.
type reader struct {
	source string
	data   []byte // JSON in UTF-8

	kind    kind   // of the token read last
	literal []byte // its bytes, a part of data
	at      int    // the offset of what follows it

	line    int // of the byte at counted
	counted int
}

// kind is the type of a token: the first byte of its literal, or aNumber.
type kind byte

const (
	anObject kind = '{'
	anArray  kind = '['
	anEnd    kind = '}' // or ']'
	aString  kind = '"'
	aNumber  kind = '0'
	aTrue    kind = 't'
	aFalse   kind = 'f'
	aNull    kind = 'n'
)

// newReader makes a reader of data, or says where data is not JSON.
func newReader(source string, data []byte) (*reader, error) {
	if !json.Valid(data) {
		return nil, syntaxError(source, data, 1)
	}
	return &reader{source: source, data: data, line: 1}, nil
}

// syntaxError says where data, which begins on a line, is not JSON.
func syntaxError(source string, data []byte, first int) error {
	var syntax *json.SyntaxError
	err := json.Unmarshal(data, &struct{}{})
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s: it is not JSON: %w", source, err)
	}
	at := int(syntax.Offset) - 1 // Offset counts the bytes that were read, the bad one included
	if strings.Contains(syntax.Error(), "unexpected end") {
		at = len(bytes.TrimRight(data, " \t\r\n"))
	}
	line, column := lineAndColumn(data, at)
	line += first - 1
	if strings.Contains(syntax.Error(), "after top-level value") {
		return fmt.Errorf("%s: line %d, column %d: more text follows the end of the golden set; remove it", source, line, column)
	}
	return fmt.Errorf("%s: line %d, column %d: it is not JSON: %w; correct the text there", source, line, column, syntax)
}

// next reads a token. Commas and colons are none.
func (r *reader) next() kind {
	start := r.skip()
	end := start + 1
	switch r.data[start] {
	case '{', '}', '[', ']':
	case '"':
		for r.data[end] != '"' {
			if r.data[end] == '\\' {
				end++
			}
			end++
		}
		end++
	default:
		for end < len(r.data) && !strings.ContainsRune(" \t\r\n,:]}", rune(r.data[end])) {
			end++
		}
	}
	r.literal, r.at = r.data[start:end], end
	switch r.kind = kind(r.literal[0]); r.kind {
	case ']':
		r.kind = anEnd
	case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		r.kind = aNumber
	}
	return r.kind
}

// skip moves to where the next token begins and returns the offset.
func (r *reader) skip() int {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return r.at
		}
	}
	return r.at
}

// more tells whether the object or array at hand has another member.
func (r *reader) more() bool {
	next := r.data[r.skip()]
	return next != '}' && next != ']'
}

// here is the line of the token read last. A token cannot span lines.
func (r *reader) here() int {
	r.line += bytes.Count(r.data[r.counted:r.at], []byte{'\n'})
	r.counted = r.at
	return r.line
}

// errorf makes the one sentence about what is wrong on a line.
func (r *reader) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %w", r.source, line, fmt.Errorf(format, args...))
}

// object reads an object whose fields are known, and calls field for each once its name is read. what names the object
// in messages; begin, if any, is called once it is open.
func (r *reader) object(what string, known []string, begin func(), field func(name string) error) error {
	return r.openObject(what, known, begin, field, nil)
}

// openObject is object for an object that may have other fields too: other is called for these.
func (r *reader) openObject(what string, known []string, begin func(), field, other func(name string) error) error {
	if r.next() != anObject {
		return r.wrongType(what, "an object")
	}
	if begin != nil {
		begin()
	}
	seen := 0 // a bit for each known field
	for r.more() {
		r.next()
		index, name, err := r.field(known)
		if err != nil {
			return err
		}
		if index < 0 {
			if other == nil {
				return r.unknownField(what, name, known)
			}
			if err := other(name); err != nil {
				return err
			}
			continue
		}
		if seen&(1<<index) != 0 {
			return r.errorf(r.here(), "the field %q stands twice in one %s; keep one of the two", known[index], what)
		}
		seen |= 1 << index
		if err := field(known[index]); err != nil {
			return err
		}
	}
	r.next()
	return nil
}

// field finds the name read last among the known ones, or returns it with an index of -1.
func (r *reader) field(known []string) (index int, name string, err error) {
	for i, name := range known { // spares millions of names their memory
		if name == string(r.literal[1:len(r.literal)-1]) {
			return i, name, nil
		}
	}
	if name, err = r.unquote(); err != nil {
		return 0, "", err
	}
	return slices.Index(known, name), name, nil // it may be written with escapes
}

// members reads an object whose names are data, and calls member for each once its name is read.
func (r *reader) members(what string, member func(name []byte) error) error {
	if r.next() != anObject {
		return r.wrongType(what, "an object")
	}
	for r.more() {
		r.next()
		name, err := r.unquoteBytes()
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	r.next()
	return nil
}

// peek is the type of the token that follows.
func (r *reader) peek() kind {
	ahead := *r
	return ahead.next()
}

// skipValue reads a value of any type and forgets it.
func (r *reader) skipValue() {
	for open := 0; ; {
		switch r.next() {
		case anObject, anArray:
			open++
		case anEnd:
			open--
		}
		if open == 0 {
			return
		}
	}
}

func (r *reader) unknownField(what, name string, known []string) error {
	if meant, ok := nearest.Word(name, known); ok {
		return r.errorf(r.here(), "a %s has no field %s; did you mean %q?", what, quote(name), meant)
	}
	return r.errorf(r.here(), "a %s has no field %s; its fields are %s", what, quote(name), strings.Join(known, ", "))
}

// array reads an array and calls item before each of its values.
func (r *reader) array(what string, item func() error) error {
	if r.next() != anArray {
		return r.wrongType(what, "an array")
	}
	for r.more() {
		if err := item(); err != nil {
			return err
		}
	}
	r.next()
	return nil
}

// string reads a string.
func (r *reader) string(field string) (string, error) {
	text, err := r.stringBytes(field)
	return string(text), err
}

// stringBytes reads a string. It may be a part of the text that is read.
func (r *reader) stringBytes(field string) ([]byte, error) {
	if r.next() != aString {
		return nil, r.wrongType(field, "a string in quotation marks")
	}
	return r.unquoteBytes()
}

// boolean reads true or false.
func (r *reader) boolean(field string) (bool, error) {
	if k := r.next(); k != aTrue && k != aFalse {
		return false, r.wrongType(field, "true or false")
	}
	return r.kind == aTrue, nil
}

// number reads a finite number; want says which numbers are right.
func (r *reader) number(field, want string) (float64, error) {
	if r.next() != aNumber {
		return 0, r.wrongType(field, want)
	}
	value, err := strconv.ParseFloat(string(r.literal), 64)
	if err != nil || math.IsInf(value, 0) {
		return 0, r.errorf(r.here(), "%s %.40s is too large; write %s", field, r.literal, want)
	}
	return value, nil
}

// value reads any value: map[string]any, []any, string, json.Number, bool or nil.
func (r *reader) value(field string, depth int) (any, error) {
	switch r.next() {
	case aString:
		return r.unquote()
	case aNumber:
		return json.Number(r.literal), nil
	case aTrue, aFalse:
		return r.kind == aTrue, nil
	case aNull:
		return nil, nil
	}
	if depth == 0 {
		return nil, r.errorf(r.here(), "%s nests deeper than %d levels; make it flatter", field, maxDepth)
	}
	if r.kind == anArray {
		items := []any{}
		for r.more() {
			item, err := r.value(field, depth-1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		r.next()
		return items, nil
	}
	members := map[string]any{}
	for r.more() {
		r.next()
		name, err := r.unquote()
		if err != nil {
			return nil, err
		}
		if _, twice := members[name]; twice {
			return nil, r.errorf(r.here(), "the field %s stands twice in %s; keep one of the two", quote(name), field)
		}
		if members[name], err = r.value(field, depth-1); err != nil {
			return nil, err
		}
	}
	r.next()
	return members, nil
}

// unquote returns the text of the string read last.
func (r *reader) unquote() (string, error) {
	text, err := r.unquoteBytes()
	return string(text), err
}

// unquoteBytes returns the text of the string read last. It may be a part of the text that is read.
func (r *reader) unquoteBytes() ([]byte, error) {
	inner := r.literal[1 : len(r.literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	var text string
	if err := json.Unmarshal(r.literal, &text); err != nil {
		return nil, r.errorf(r.here(), "the string cannot be read: %w", err)
	}
	// Half of a surrogate pair becomes U+FFFD in silence.
	const replaced = "\uFFFD"
	if escapes := strings.ToLower(string(inner)); strings.Count(text, replaced) > strings.Count(escapes, replaced)+strings.Count(escapes, `\ufffd`) {
		return nil, r.errorf(r.here(), `the string holds half of a surrogate pair (\ud800 to \udfff alone); write the whole character`)
	}
	return []byte(text), nil
}

// wrongType says that the token read last has another type than field needs.
func (r *reader) wrongType(field, want string) error {
	found := "null"
	switch r.kind {
	case anObject:
		found = "an object"
	case anArray:
		found = "an array"
	case aString:
		found = "a string"
	case aNumber:
		found = "a number"
	case aTrue, aFalse:
		found = string(r.literal)
	case aNull:
		return r.errorf(r.here(), "%s is null; write %s, or leave it out where it is not needed", field, want)
	}
	return r.errorf(r.here(), "%s is %s; write %s", field, found, want)
}
