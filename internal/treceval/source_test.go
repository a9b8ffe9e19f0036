package treceval

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// source reads text as a file of that name.
func source(t *testing.T, name, text string) *Source {
	t.Helper()
	s, err := Read(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// packed packs text by gzip.
func packed(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text) // It cannot fail.
	_ = w.Close()
	return out.String()
}

// linesOf returns every line of a query as its columns, joined.
func linesOf(s *Source, query string) string {
	var lines []string
	_ = s.eachLine(query, 9, func(_ int, _ string, columns []string) error {
		lines = append(lines, strings.Join(columns, " "))
		return nil
	})
	return strings.Join(lines, "|")
}

func TestLinesAreFoundByQuery(t *testing.T) {
	for _, row := range []struct{ name, text, q1, q2 string }{
		{"in groups", "q1 a\nq1 b\nq2 c\n", "q1 a|q1 b", "q2 c"},
		{"without a line feed at the end", "q1 a\nq2 c", "q1 a", "q2 c"},
		{"in turns", "q1 a\nq2 c\nq1 b\nq2 d\n", "q1 a|q1 b", "q2 c|q2 d"},
		{"a query whose id begins another's", "q1 a\nq12 x\nq1 b\nq2 c\n", "q1 a|q1 b", "q2 c"},
		{"among blank lines", "\n \t\nq1 a\n\n\r\nq1 b\n\nq2 c\n\n", "q1 a|q1 b", "q2 c"},
		{"with CR LF", "q1 a\r\nq2 c\r\n", "q1 a", "q2 c"},
		{"with any blanks, before the first column too", " q1\t\v a\f\nq2  c \n", "q1 a", "q2 c"},
		{"after a byte order mark", "\ufeffq1 a\nq2 c\n", "q1 a", "q2 c"},
		{"packed", packed("q1 a\nq2 c\n"), "q1 a", "q2 c"},
		{"packed in two parts", packed("q1 a\n") + packed("q2 c\n"), "q1 a", "q2 c"},
		{"with bytes above ASCII, which are no blanks", "q1 a\u00a0b\u0085\nq2 \xff\n", "q1 a\u00a0b\u0085", "q2 \xff"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(row.text), iotest.OneByteReader(strings.NewReader(row.text))} {
				s, err := Read("f", in)
				if err != nil {
					t.Fatal(err)
				}
				if q1, q2 := linesOf(s, "q1"), linesOf(s, "q2"); q1 != row.q1 || q2 != row.q2 {
					t.Errorf("q1 %q, q2 %q; want %q, %q", q1, q2, row.q1, row.q2)
				}
				if s.has("q3") || linesOf(s, "q3") != "" {
					t.Error("there are lines of a query that is not there")
				}
			}
		})
	}
}

// TestBlocks reads files of several blocks whose borders fall on any byte of a line, and into the lines of a query.
func TestBlocks(t *testing.T) {
	const lines = 120_000 // of 19 bytes
	var want []string
	for i := range lines {
		want = append(want, fmt.Sprintf("q%d document%08d", i/50_000, i))
	}
	for shift := range 20 {
		text := strings.Repeat("x", shift) + "\n" + strings.Join(want, "\n")
		s := source(t, "f", text)
		if len(s.blocks) != 3 {
			t.Fatalf("%d blocks for %d bytes", len(s.blocks), len(text))
		}
		if linesOf(s, "q0")+"|"+linesOf(s, "q1")+"|"+linesOf(s, "q2") != strings.Join(want, "|") {
			t.Fatal("lines were lost or changed")
		}
		if line, column := s.position(len(text) - 3); line != lines+1 || column != 17 {
			t.Fatalf("the last line is found at %d:%d", line, column)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	cut := packed("q1 a\nq2 c\n")
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "f: the file is empty"},
		{"blank lines alone", "\n \r\n", "f: the file is empty"},
		{"a byte order mark alone", "\ufeff", "f: the file is empty"},
		{"UTF-16", "q\x001\x00", "f:1:2: found a NUL byte, expected text in an encoding that extends ASCII, such as UTF-8"},
		{"a NUL byte further on", "q1 a\nq2 \x00\n", "f:2:4: found a NUL byte, expected text in an encoding that extends ASCII, such as UTF-8"},
		{"one endless line", strings.Repeat("x", blockSize), "f: it has a line of 1048576 bytes or more, so it is no file of qrels or of a run"},
		{"packed and cut", cut[:len(cut)-9], "f: it begins like a gzip file but cannot be unpacked (unexpected EOF); pack it again"},
		{"packed and broken", cut[:12] + "xxxx" + cut[16:], "f: it begins like a gzip file but cannot be unpacked ("},
		{"the beginning of a packed file", "\x1f\x8b", "f: it begins like a gzip file but cannot be unpacked ("},
		{"packed twice", packed(cut), "f:1:4: found a NUL byte, "},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Read("f", strings.NewReader(row.text))
			if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
	broken := errors.New("the disk is broken")
	if _, err := Read("f", io.MultiReader(strings.NewReader("q1 a\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestLastColumn(t *testing.T) {
	for text, want := range map[string]string{
		"q Q0 d 1 2 first\nq Q0 e 1 2 last\n\n \n":                                 "last",
		"q Q0 d 1 2 last and more":                                                 "last",
		strings.Repeat("q Q0 d 1 2 x\n", 90_000) + strings.Repeat("\n", blockSize): "x",
	} {
		if got := source(t, "f", text).lastColumn(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
