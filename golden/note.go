package golden

import (
	"fmt"
	"slices"
	"strings"
)

// note counts one way in which a file was read otherwise than it was written.
type note struct {
	what   string
	fields []string // the fields that it is about, if it is about fields
	count  int
	first  int // line
}

// count notes that something happened on a line: "judgments with a negative grade, read as not judged".
func (b *builder) count(what string, line int) {
	n := b.noteOf(what)
	if n.count == 0 {
		n.first = line
	}
	n.count++
}

// maxNoted is how many fields that are left out a note names.
const maxNoted = 20

// leftOut notes that a field of a foreign format has no place in a golden set.
func (b *builder) leftOut(field string) {
	n := b.noteOf("")
	if field = quote(field); !slices.Contains(n.fields, field) && len(n.fields) <= maxNoted {
		n.fields = append(n.fields, field)
	}
}

// say notes a plain sentence about the file.
func (b *builder) say(what string) { b.noteOf(what) }

func (b *builder) noteOf(what string) *note {
	for _, n := range b.notes {
		if n.what == what {
			return n
		}
	}
	n := &note{what: what}
	b.notes = append(b.notes, n)
	return n
}

// endNotes turns what was noted about a file into sentences.
func (b *builder) endNotes(file string) {
	for _, n := range b.notes {
		sentence := n.what
		switch {
		case n.fields != nil:
			if len(n.fields) > maxNoted {
				n.fields[maxNoted] = "…"
			}
			sentence = "a golden set has no place for these fields, which are left out: " + strings.Join(n.fields, ", ")
		case n.count > 0:
			sentence = fmt.Sprintf("%s: %d (first on line %d)", n.what, n.count, n.first)
		}
		b.set.Notes = append(b.set.Notes, file+": "+sentence)
	}
	b.notes = nil
}
