package golden

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	utf8BOM    = []byte("\xef\xbb\xbf")
	utf16BOMle = []byte("\xff\xfe")
	utf16BOMbe = []byte("\xfe\xff")
)

// withoutBOM drops the mark that some editors put at the start of a UTF-8 file.
func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, utf8BOM) }

// checkText refuses what is no text in UTF-8. A line of 0 means that the error has no place.
func checkText(data []byte) (line, column int, err error) {
	if bytes.HasPrefix(data, utf16BOMle) || bytes.HasPrefix(data, utf16BOMbe) {
		return 0, 0, errors.New("it is UTF-16; save it as UTF-8")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return 0, 0, errors.New("it is empty; write at least one query with its judgments")
	}
	if utf8.Valid(data) {
		return 0, 0, nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	line, column = lineAndColumn(data, at)
	return line, column, errors.New("the bytes there are not UTF-8; save the file as UTF-8")
}

// lineAndColumn tells the line and the column, both from 1, of the byte at offset; columns count characters.
func lineAndColumn(data []byte, offset int) (line, column int) {
	before := data[:min(max(offset, 0), len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}

// maxQuoted is how much of a name a message repeats.
const maxQuoted = 80

// quote puts a name into quotation marks for a message and cuts it if it is very long.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	cut := maxQuoted
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut] + "…")
}

var withoutMarks = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "")

// plainName is a name without case, blanks, dashes, dots and underscores.
func plainName(name string) string {
	return withoutMarks.Replace(strings.ToLower(strings.TrimSpace(name)))
}
