package golden

import "strings"

// arena keeps many short strings in few pieces of memory: a string of its own takes at least 16 bytes and a place in the
// garbage collector's books.
type arena struct{ chunk strings.Builder }

// arenaChunk is how much memory is taken at once.
const arenaChunk = 64 << 10

// keep returns a copy of s.
func (a *arena) keep(s []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(s) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(arenaChunk, len(s)))
	}
	start := a.chunk.Len()
	a.chunk.Write(s) // never grows, so what was handed out before stays where it is
	return a.chunk.String()[start:]
}

// maxInterned bounds the strings that are recognised when they come again, so that a set in which none does takes no
// memory for them. Catalogues whose documents are judged often are mostly smaller.
const maxInterned = 1 << 16

// interner keeps each of the first maxInterned different strings once, and the others each time.
type interner struct {
	arena
	kept map[string]string
}

// once returns a string equal to s, the same memory for the same s.
func (i *interner) once(s []byte) string {
	if kept, ok := i.kept[string(s)]; ok {
		return kept
	}
	kept := i.keep(s)
	if len(i.kept) < maxInterned {
		if i.kept == nil {
			i.kept = map[string]string{}
		}
		i.kept[kept] = kept
	}
	return kept
}
