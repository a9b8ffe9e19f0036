package evaluate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// A report travels through a container's log, which other writers may pollute
// and a runtime may cut. So it is gzipped and written as short lines
//
//	relevance-gate-report/1 RUN NUMBER/TOTAL CRC32 BASE64
//
// and a last one with TOTAL/TOTAL, the SHA-256 of the report instead of the
// CRC, and no payload. RUN is taken from the evaluation key.
const (
	framePrefix = "relevance-gate-report/1"
	// framePayload is how many bytes a line carries: 4 KiB of text, as a
	// runtime may split lines of 16 KiB.
	framePayload = 3000
	// maxFrameLine is the longest line that is read at all.
	maxFrameLine = 64 << 10
	// maxReport bounds what is unpacked, in bytes.
	maxReport = 256 << 20
)

// FrameWriter packs a report as it is written; Close writes the frames, as only
// then their number is known.
type FrameWriter struct {
	out    io.Writer
	key    string
	packed bytes.Buffer
	zip    *gzip.Writer
	sum    hash.Hash
}

// NewFrameWriter writes the report of the evaluation key to w.
func NewFrameWriter(w io.Writer, key string) *FrameWriter {
	f := &FrameWriter{out: w, key: key, sum: sha256.New()}
	f.zip = gzip.NewWriter(&f.packed)
	return f
}

// Write takes a part of the report.
func (f *FrameWriter) Write(part []byte) (int, error) {
	f.sum.Write(part) // A hash never fails.
	return f.zip.Write(part)
}

// Close writes all frames.
func (f *FrameWriter) Close() error {
	if err := f.zip.Close(); err != nil {
		return err
	}
	total := (f.packed.Len()+framePayload-1)/framePayload + 1
	out := bufio.NewWriter(f.out) // Its Flush tells of all errors before it.
	for number := 1; number < total; number++ {
		text := base64.StdEncoding.EncodeToString(f.packed.Next(framePayload))
		fmt.Fprintf(out, "%s %s %d/%d %s %s\n", framePrefix, runOf(f.key), number, total, lineSum(text), text)
	}
	fmt.Fprintf(out, "%s %s %d/%d %x\n", framePrefix, runOf(f.key), total, total, f.sum.Sum(nil))
	return out.Flush()
}

// WriteFrames writes a whole report in checksummed lines.
func WriteFrames(w io.Writer, report []byte, key string) error {
	frames := NewFrameWriter(w, key)
	if _, err := frames.Write(report); err != nil {
		return err
	}
	return frames.Close()
}

// NewFrameReader finds the report of the evaluation key among the lines of a
// log and gives it unpacked, without holding it in memory. Foreign lines are
// skipped. A missing, changed, repeated or reordered line is an error, and so is
// a report that is not whole: what was read is right only once the end has come
// without one.
func NewFrameReader(log io.Reader, key string) io.Reader {
	return &frameReader{
		frames: frames{lines: newLineReader(log), prefix: framePrefix + " " + runOf(key) + " ", next: 1},
		sum:    sha256.New(),
	}
}

type frameReader struct {
	frames frames
	zip    *gzip.Reader
	sum    hash.Hash
	read   int
}

// Read gives the next part of the report.
func (r *frameReader) Read(into []byte) (int, error) {
	if r.zip == nil {
		zip, err := gzip.NewReader(&r.frames)
		if err != nil {
			return 0, fmt.Errorf("unpacking the report: %w", err)
		}
		r.zip = zip
	}
	n, err := r.zip.Read(into)
	r.sum.Write(into[:n]) // A hash never fails.
	r.read += n
	switch {
	case r.read > maxReport:
		return n, fmt.Errorf("the report has more than %d bytes", maxReport)
	case errors.Is(err, io.EOF) && fmt.Sprintf("%x", r.sum.Sum(nil)) != r.frames.sum:
		return n, errors.New("the report does not have the checksum of its last frame")
	case err != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("unpacking the report: %w", err)
	}
	return n, err
}

// frames gives the payloads of the frames, one after the other.
type frames struct {
	lines   *lineReader
	prefix  string
	next    int    // the number of the frame that must come
	payload []byte // what is left of the one before
	sum     string // of the whole report; "" until the last frame has come
}

// Read ends with the last frame.
func (f *frames) Read(into []byte) (int, error) {
	for len(f.payload) == 0 {
		if f.sum != "" {
			return 0, io.EOF
		}
		if err := f.readFrame(); err != nil {
			return 0, err
		}
	}
	n := copy(into, f.payload)
	f.payload = f.payload[n:]
	return n, nil
}

func (f *frames) readFrame() error {
	line, err := f.lines.next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the log holds no whole report: frame %d is missing", f.next)
	}
	if err != nil {
		return err
	}
	rest, ours := strings.CutPrefix(line, f.prefix)
	if !ours {
		return nil
	}
	fields := strings.Split(rest, " ")
	number, total, err := frameNumber(fields[0])
	if err != nil || number != f.next {
		return fmt.Errorf("frame %d of the report is missing or not in its place", f.next)
	}
	f.next++
	switch {
	case number == total && len(fields) == 2:
		f.sum = fields[1]
	case number < total && len(fields) == 3 && fields[1] == lineSum(fields[2]):
		if f.payload, err = base64.StdEncoding.DecodeString(fields[2]); err != nil {
			return fmt.Errorf("frame %d of the report: %w", number, err)
		}
	default:
		return fmt.Errorf("frame %d of the report was changed", number)
	}
	return nil
}

func frameNumber(text string) (number, total int, err error) {
	left, right, found := strings.Cut(text, "/")
	if !found {
		return 0, 0, errors.New("no slash")
	}
	if number, err = strconv.Atoi(left); err != nil {
		return 0, 0, err
	}
	total, err = strconv.Atoi(right)
	return number, total, err
}

// runOf is short and has no spaces, whatever the key is.
func runOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}

func lineSum(text string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}

// lineReader gives lines and drops what is too long to be a frame.
type lineReader struct{ in *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, maxFrameLine)}
}

func (l *lineReader) next() (string, error) {
	line, err := l.in.ReadSlice('\n')
	tooLong := false
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		line, err = l.in.ReadSlice('\n')
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return "", err
	}
	if tooLong {
		return "", nil
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}
