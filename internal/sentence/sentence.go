// Package sentence writes parts of the sentences that messages are.
package sentence

import (
	"strings"
	"unicode/utf8"
)

// Or lists names to choose from: "a, b or c".
func Or[T ~string](names []T) string {
	var list strings.Builder
	for i, name := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			list.WriteString(" or ")
		default:
			list.WriteString(", ")
		}
		list.WriteString(string(name))
	}
	return list.String()
}

// Cut returns at most limit bytes of text, 0 or more, and no half character.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
