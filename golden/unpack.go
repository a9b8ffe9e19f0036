package golden

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxUnpacked is how many bytes a golden set may have once it is unpacked.
const MaxUnpacked = 256 << 20

// maxRatio is a little more than the most that deflate can shrink (1032:1); what promises more, lies.
const maxRatio = 1040

var errPackedTwice = errors.New("it is packed by gzip twice; pack it once")

// ErrTooLarge says that a golden set has more bytes than it may, for errors.Is.
var ErrTooLarge = errors.New("the golden set is too large")

// tooLargeError is ErrTooLarge with the limit.
type tooLargeError int

func (e tooLargeError) Error() string {
	return fmt.Sprintf("it is larger than %d MiB when unpacked; split the golden set", int(e)>>20)
}

// Is makes errors.Is find ErrTooLarge.
func (tooLargeError) Is(target error) bool { return target == ErrTooLarge }

// isGzip tells by the magic bytes.
func isGzip(raw []byte) bool { return len(raw) >= 2 && raw[0] == 0x1f && raw[1] == 0x8b }

// unpack returns the at most limit bytes that raw stands for: raw itself (not a copy) unless it is packed by gzip.
func unpack(raw []byte, limit int) ([]byte, error) {
	if !isGzip(raw) {
		if len(raw) > limit {
			return nil, tooLargeError(limit)
		}
		return raw, nil
	}
	var out bytes.Buffer
	out.Grow(unpackedHint(raw, limit))
	if err := copyUnpacked(&out, raw, limit); err != nil {
		return nil, err
	}
	if isGzip(out.Bytes()) {
		return nil, errPackedTwice
	}
	return out.Bytes(), nil
}

// copyUnpacked writes the unpacked bytes of raw to w, and stops unpacking once they are more than limit.
func copyUnpacked(w io.Writer, raw []byte, limit int) error {
	if !isGzip(raw) {
		if len(raw) > limit {
			return tooLargeError(limit)
		}
		_, err := w.Write(raw)
		return err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return badGzip(err)
	}
	n, err := io.Copy(w, io.LimitReader(unpacked, int64(limit)+1))
	if n > int64(limit) {
		return tooLargeError(limit)
	}
	if err != nil {
		return badGzip(err)
	}
	return nil
}

func badGzip(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it begins like a gzip file but ends too early; pack it again")
	}
	return fmt.Errorf("it begins like a gzip file but cannot be unpacked (%w); pack it again", err)
}

// unpackedHint is how much room to make for unpacking: the size that the file's last four bytes tell, unless it cannot
// be true.
func unpackedHint(raw []byte, limit int) int {
	if len(raw) < 18 { // shorter than an empty gzip file
		return 0
	}
	told := int(binary.LittleEndian.Uint32(raw[len(raw)-4:]))
	return min(told, len(raw)*maxRatio, limit) + bytes.MinRead
}
