package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// Digest names a golden set by its bytes: "sha256:" and the hexadecimal SHA-256 of the unpacked bytes, so that
// `sha256sum FILE` gives the same for a file, packed or not. The error says why raw cannot be unpacked. What the set says,
// whatever its bytes are, is named by Set.Digest.
func Digest(raw []byte) (string, error) {
	hash := sha256.New()
	if err := copyUnpacked(hash, raw, MaxUnpacked); err != nil {
		return "", err
	}
	return fileDigest(hash), nil
}

// DigestFiles is Digest for a set of several files: the digest of their unpacked bytes, one file after the other. The
// error names the file.
func DigestFiles(files []Source) (string, error) {
	hash := sha256.New()
	for _, file := range files {
		if err := copyUnpacked(hash, file.Raw, MaxUnpacked); err != nil {
			return "", fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	return fileDigest(hash), nil
}

func fileDigest(hash hash.Hash) string { return "sha256:" + hex.EncodeToString(hash.Sum(nil)) }
