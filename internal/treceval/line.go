package treceval

import "strings"

// blanks part columns. With the line feed they are C's isspace, as in trec_eval; so tabs do, and a line may end in CR LF.
const blanks = " \t\v\f\r"

// isBlank holds the blanks, isSpace the line feed too.
var isBlank, isSpace = func() (blank, space [256]bool) {
	for i := range len(blanks) {
		blank[blanks[i]], space[blanks[i]] = true, true
	}
	space['\n'] = true
	return blank, space
}()

// readLine reads the first line of text: its first columns, as many as there is room for, and its length with the line
// feed.
func readLine(text string, columns []string) (n, length int) {
	i := 0
	for n < len(columns) {
		for i < len(text) && isBlank[text[i]] {
			i++
		}
		from := i
		for i < len(text) && !isSpace[text[i]] {
			i++
		}
		if i == from {
			break
		}
		columns[n] = text[from:i]
		n++
	}
	if i < len(text) && text[i] == '\n' {
		return n, i + 1
	}
	if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
		return n, i + end + 1
	}
	return n, len(text)
}

// countColumns counts the columns of a line.
func countColumns(line string) int {
	return len(strings.FieldsFunc(line, func(r rune) bool { return r < 0x80 && isSpace[r] }))
}

// columnAt is where the i-th column of a line begins, i from 0; where the last one ends, if there are no more than i.
func columnAt(line string, i int) int {
	line = strings.TrimRight(line, blanks+"\n")
	at := 0
	for {
		for at < len(line) && isSpace[line[at]] {
			at++
		}
		if i == 0 || at == len(line) {
			return at
		}
		for at < len(line) && !isSpace[line[at]] {
			at++
		}
		i--
	}
}
