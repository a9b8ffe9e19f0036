package golden

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest names the files of a golden set by their bytes: "sha256:" and the hexadecimal SHA-256 of the unpacked bytes, of
// one file after the other, so that `cat FILE... | sha256sum` gives the same. The error says why a file cannot be
// unpacked. What the set says, whatever its files look like, is named by Set.Digest.
func Digest(files ...[]byte) (string, error) {
	hash := sha256.New()
	for _, raw := range files {
		if err := copyUnpacked(hash, raw, MaxUnpacked); err != nil {
			return "", err
		}
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
