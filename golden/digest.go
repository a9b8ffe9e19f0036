package golden

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest names a golden set by its content: "sha256:" and the hexadecimal SHA-256 of the unpacked bytes, so that
// `sha256sum FILE` gives the same for a file, packed or not. The error says why raw cannot be unpacked.
func Digest(raw []byte) (string, error) {
	hash := sha256.New()
	if err := copyUnpacked(hash, raw, MaxUnpacked); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
