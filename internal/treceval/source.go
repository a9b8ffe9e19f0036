package treceval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Source is a file of qrels or of a run: its text, and which of its lines belong to which query.
type Source struct {
	// Name is what messages call the file.
	Name string

	blocks  []*block
	queries map[string][]lines
}

// block is a part of a file that consists of whole lines.
type block struct {
	lines
	groups []group
	nul    int // where its first NUL byte is, or -1
}

// lines are some successive lines of a file.
type lines struct {
	text string
	at   int // where they begin in the file
}

// group is the successive lines of one query.
type group struct {
	query string
	lines
}

const (
	bom       = "\ufeff"
	gzipMagic = "\x1f\x8b"
	// blockSize is about how many bytes a block has, and how long a line may be.
	blockSize = 1 << 20
)

// Read reads a whole file, which may be packed by gzip. It takes as much memory as the unpacked text and a tenth more.
//
// Errors, all with the name in front: what in says, a broken gzip file, a file without a line, a line of a MiB and more,
// and a NUL byte, since then the file is no text, or text in UTF-16.
func Read(name string, in io.Reader) (*Source, error) {
	s := &Source{Name: name, queries: map[string][]lines{}}
	if err := s.readFile(in); err != nil {
		var named *fs.PathError // has the name in front already
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, b := range s.blocks {
		if b.nul >= 0 {
			return nil, s.wrong(b.at+b.nul, "a NUL byte", "text in an encoding that extends ASCII, such as UTF-8")
		}
		for _, g := range b.groups {
			s.queries[g.query] = append(s.queries[g.query], g.lines)
		}
		b.groups = nil
	}
	if len(s.queries) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	return s, nil
}

// readFile fills blocks with what in holds, unpacked.
func (s *Source) readFile(in io.Reader) error {
	buffered := bufio.NewReader(in)
	magic, _ := buffered.Peek(len(gzipMagic)) // An error comes again with the next read.
	if string(magic) != gzipMagic {
		return s.readBlocks(buffered)
	}
	unpacked, err := gzip.NewReader(buffered)
	if err == nil {
		err = s.readBlocks(unpacked)
	}
	if err != nil {
		return fmt.Errorf("it begins like a gzip file but cannot be unpacked (%w); pack it again", err)
	}
	return nil
}

// readBlocks fills blocks with the text that in holds. The lines of a block are grouped while the next one is read.
func (s *Source) readBlocks(in io.Reader) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	at := 0
	add := func(raw []byte) {
		text := string(raw)
		if at == 0 && strings.HasPrefix(text, bom) {
			at, text = len(bom), text[len(bom):]
		}
		b := &block{lines: lines{text, at}}
		at += len(text)
		s.blocks = append(s.blocks, b)
		workers.Go(func() { b.groups, b.nul = groupLines(b.lines), strings.IndexByte(text, 0) })
	}
	buffer := make([]byte, blockSize)
	for filled := 0; ; {
		n, err := in.Read(buffer[filled:])
		filled += n
		switch {
		case errors.Is(err, io.EOF):
			add(buffer[:filled])
			return nil
		case err != nil:
			return err
		case filled == blockSize:
			end := bytes.LastIndexByte(buffer, '\n') + 1
			if end == 0 {
				return fmt.Errorf("it has a line of %d bytes or more, so it is no file of qrels or of a run", blockSize)
			}
			add(buffer[:end])
			filled = copy(buffer, buffer[end:])
		}
	}
}

// groupLines finds the successive lines of the same query. Blank lines belong to the group before them.
func groupLines(l lines) []group {
	var groups []group
	var query [1]string
	for i := 0; i < len(l.text); {
		n, length := readLine(l.text[i:], query[:])
		last := len(groups) - 1
		if n > 0 && (last < 0 || groups[last].query != query[0]) {
			if last >= 0 {
				groups[last].text = l.text[groups[last].at-l.at : i]
			}
			groups = append(groups, group{query[0], lines{l.text[i:], l.at + i}})
		}
		i += length
	}
	return groups
}

// eachLine calls take for every line of a query that is not blank, with where it begins in the file and at most that
// many of its columns, until take returns an error.
func (s *Source) eachLine(query string, most int, take func(at int, line string, columns []string) error) error {
	columns := make([]string, most)
	for _, l := range s.queries[query] {
		for i := 0; i < len(l.text); {
			n, length := readLine(l.text[i:], columns)
			if n > 0 {
				if err := take(l.at+i, l.text[i:i+length], columns[:n]); err != nil {
					return err
				}
			}
			i += length
		}
	}
	return nil
}

func (s *Source) has(query string) bool { return len(s.queries[query]) > 0 }

// lastColumn is the sixth column of the last line that is not blank.
func (s *Source) lastColumn() string {
	for _, b := range slices.Backward(s.blocks) {
		if text := strings.TrimRight(b.text, blanks+"\n"); text != "" {
			columns := make([]string, 6)
			readLine(text[strings.LastIndexByte(text, '\n')+1:], columns)
			return columns[5]
		}
	}
	return ""
}

// position turns a place in the file into a line and a column, in bytes, both from 1.
func (s *Source) position(at int) (line, column int) {
	line = 1
	for _, b := range s.blocks {
		if at <= b.at+len(b.text) {
			before := b.text[:at-b.at]
			return line + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
		}
		line += strings.Count(b.text, "\n")
	}
	return line, 1
}
