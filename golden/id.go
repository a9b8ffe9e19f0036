package golden

import (
	"crypto/sha256"
	"encoding/hex"

	"golang.org/x/text/unicode/norm"
)

// queryID is the id of a query that was given none: "q-" and the first 10 hexadecimal digits of the SHA-256 of its text
// in Unicode's normal form C, so that the two ways to write an accent give one id.
func queryID(text string) string {
	sum := sha256.Sum256(norm.NFC.AppendString(nil, text))
	return "q-" + hex.EncodeToString(sum[:5])
}
