package artifact

import "golang.org/x/crypto/sha3"

// keccak256 is the hash in solc's metadata of each source: Keccak before it became
// SHA-3, which crypto/sha3 does not offer.
func keccak256(data []byte) [32]byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write(data)
	return [32]byte(hash.Sum(nil))
}
