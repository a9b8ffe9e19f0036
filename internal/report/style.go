package report

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// Style says how a text looks. The zero value is for a file: as wide as it
// takes, without colour.
type Style struct {
	Width  int  // columns of the terminal; 0 = any number
	Colour bool // escape sequences of terminals
}

// colours of the verdicts that are worth one.
var colours = map[verdict.Verdict]string{
	verdict.Passed:       "\x1b[32m",
	verdict.Failed:       "\x1b[31m",
	verdict.Inconclusive: "\x1b[33m",
}

// verdict colours a verdict.
func (s Style) verdict(v verdict.Verdict) string {
	if colour, ok := colours[v]; ok && s.Colour {
		return colour + string(v) + "\x1b[0m"
	}
	return string(v)
}

// cut shortens a line to the width.
func (s Style) cut(line string) string {
	if s.Width == 0 || columns(line) <= s.Width {
		return line
	}
	used := 0
	for i, r := range line {
		if used += columnsOf(r); used > s.Width-1 {
			return line[:i] + "…"
		}
	}
	return line
}

// wrap breaks a line between words; further lines are indented by two more than
// the first. A word that is wider than a line keeps a line of its own.
func (s Style) wrap(line string) string {
	if s.Width == 0 || columns(line) <= s.Width {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var out strings.Builder
	out.WriteString(indent)
	used := len(indent)
	for i, word := range strings.Fields(line) {
		size := columns(word)
		switch {
		case i == 0:
		case used+1+size > s.Width:
			out.WriteString("\n" + indent + "  ")
			used = len(indent) + 2
		default:
			out.WriteString(" ")
			used++
		}
		out.WriteString(word)
		used += size
	}
	return out.String()
}

// columns is how wide a text is in a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// columnsOf is the width of a character: marks are written over the one before,
// and East Asian letters take two columns.
func columnsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}
