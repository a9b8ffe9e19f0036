// Package nearest finds the known word that a misspelt one was probably meant to be.
package nearest

import "strings"

// Word returns the word of known that is closest to word, and true if it is close enough to be worth suggesting:
// at most a third of its letters (at least one) inserted, removed, replaced or swapped with their neighbour. Case is
// ignored. Of equally close words the first one wins.
func Word(word string, known []string) (string, bool) {
	best, bestDistance := "", -1
	for _, candidate := range known {
		d := distance(strings.ToLower(word), strings.ToLower(candidate))
		if d <= max(1, len(candidate)/3) && (bestDistance < 0 || d < bestDistance) {
			best, bestDistance = candidate, d
		}
	}
	return best, bestDistance >= 0
}

// maxLength bounds the words that are compared; a longer one is no misspelling of a field or metric.
const maxLength = 64

// distance is the optimal string alignment distance of a and b, in runes: Levenshtein's, with a swap of two
// neighbours counted as one.
func distance(a, b string) int {
	if len(a) > maxLength || len(b) > maxLength {
		return maxLength
	}
	s, t := []rune(a), []rune(b)
	// Rows i-2, i-1 and i of the table; row[j] is the distance of s[:i] and t[:j].
	older, previous, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			replace := previous[j-1]
			if s[i-1] != t[j-1] {
				replace++
			}
			row[j] = min(previous[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, previous, row = previous, row, older
	}
	return previous[len(t)]
}
