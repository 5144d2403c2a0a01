package report

import (
	"crypto/sha256"
	"encoding/hex"
)

// ShortSignature is the short form of a signature, for tables and text: the first 12 hex
// digits of its SHA-256. `crscore version --signature FILE` lists both forms of the
// signatures in a file of scores.
func ShortSignature(signature string) string {
	sum := sha256.Sum256([]byte(signature))
	return hex.EncodeToString(sum[:6])
}
