package report

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxLine bounds a line of a document: one query with its hits, or all that
	// comes before the queries.
	maxLine = 4 << 20
	// packedSlack is more than gzip adds to what it cannot make smaller, and the
	// end of the document.
	packedSlack = 4 << 10
)

// Pack gzips a document that this package wrote into at most limit bytes. Of one
// that is too long it leaves out the last queries, and the document says how
// many. It holds the packed document in memory and one line of the other.
func Pack(document io.Reader, limit int) (packed []byte, leftOut int, err error) {
	lines := bufio.NewScanner(document)
	lines.Buffer(nil, maxLine)
	if !lines.Scan() {
		return nil, 0, cmp.Or(lines.Err(), errors.New("the report is empty"))
	}
	head, ended := strings.CutSuffix(lines.Text(), "]}")
	if !strings.HasPrefix(head, `{"schema":"`+Schema+`"`) || !strings.HasSuffix(head, `"queries":[`) {
		return nil, 0, fmt.Errorf("the report does not begin as one of schema %s does", Schema)
	}
	p := newPacker(limit)
	if !p.add(head) {
		return nil, 0, fmt.Errorf("the report does not fit into %d bytes even without its queries", limit)
	}
	separator := "\n"
	for !ended && lines.Scan() {
		query, last := strings.CutSuffix(lines.Text(), "]}")
		if leftOut > 0 || !p.add(separator+strings.TrimSuffix(query, ",")) {
			leftOut++
		}
		separator, ended = ",\n", last
	}
	more := lines.Scan() // A reader may say only at its end that something is wrong.
	switch {
	case lines.Err() != nil:
		return nil, 0, lines.Err()
	case !ended:
		return nil, 0, errors.New("the report has no end")
	case more:
		return nil, 0, errors.New("something follows the report")
	}
	end := "]}\n"
	if leftOut > 0 {
		end = fmt.Sprintf("],\"queriesLeftOut\":%d}\n", leftOut)
	}
	packed, err = p.close(end)
	return packed, leftOut, err
}

// packer gzips texts as long as they fit.
type packer struct {
	out     bytes.Buffer
	zip     *gzip.Writer
	limit   int
	pending int // bytes whose packed size is not known yet
}

func newPacker(limit int) *packer {
	p := &packer{limit: limit}
	p.zip = gzip.NewWriter(&p.out)
	return p
}

// add says whether the text fits. It counts what gzip still holds back as if it
// could not be made smaller, and only when that is too much asks what it is.
func (p *packer) add(text string) bool {
	fits := func() bool { return p.out.Len()+p.pending+len(text)+packedSlack <= p.limit }
	if !fits() && p.pending > 0 {
		_ = p.zip.Flush() // A buffer takes everything.
		p.pending = 0
	}
	if !fits() {
		return false
	}
	_, _ = p.zip.Write([]byte(text))
	p.pending += len(text)
	return true
}

func (p *packer) close(end string) ([]byte, error) {
	if _, err := p.zip.Write([]byte(end)); err != nil {
		return nil, err
	}
	if err := p.zip.Close(); err != nil {
		return nil, err
	}
	return p.out.Bytes(), nil
}
