package coverage

import (
	"math/bits"

	"github.com/proctorhq/proctor/sdk"
)

// tooLong reports whether a set has a block beyond the first n.
func tooLong(s sdk.BlockSet, n int) bool {
	for i := len(s) - 1; i >= n/8 && i >= 0; i-- {
		first := max(n-8*i, 0) // of the bits that must not be set
		if s[i]>>first != 0 {
			return true
		}
	}
	return false
}

// subtractBlocks returns the blocks of s that are not in other. It does not change s.
func subtractBlocks(s, other sdk.BlockSet) sdk.BlockSet {
	left := make(sdk.BlockSet, len(s))
	for i, b := range s {
		if i < len(other) {
			b &^= other[i]
		}
		left[i] = b
	}
	return left
}

// count returns the number of blocks in a set.
func count(s sdk.BlockSet) int {
	n := 0
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}

// uniteBlocks adds the blocks of other to s and may modify s.
func uniteBlocks(s, other sdk.BlockSet) sdk.BlockSet {
	if len(other) > len(s) {
		s = append(s, make(sdk.BlockSet, len(other)-len(s))...)
	}
	for i, b := range other {
		s[i] |= b
	}
	return s
}
