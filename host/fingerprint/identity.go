package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// idSize is how many bytes of the hash an id shows: 96 bits, like a [Hash].
const idSize = 12

// Identify returns the id of a state with these files, sorted by path: 24 hexadecimal
// digits. Each path is preceded by its length, so that no two lists are encoded alike.
func Identify(files []File) string {
	h := sha256.New()
	buf := make([]byte, 0, 1<<12)
	for _, f := range files {
		buf = binary.AppendUvarint(buf[:0], uint64(len(f.Path)))
		buf = append(buf, f.Path...)
		buf = append(buf, byte(f.Mode))
		buf = append(buf, f.Hash[:]...)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil)[:idSize])
}

// short returns the beginning of a sum.
func short(h hash.Hash) (s Hash) {
	var buf [sha256.Size]byte
	copy(s[:], h.Sum(buf[:0]))
	return s
}
