package artifact

import (
	"encoding/hex"
	"strings"
	"testing"
)

func TestHashIsKeccak256(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"setUp()":                "0a9254e4",
		"test()":                 "f8a8fd6d",
		strings.Repeat("a", 136): "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e",
	} {
		sum := keccak256([]byte(text))
		if got := hex.EncodeToString(sum[:]); !strings.HasPrefix(got, want) {
			t.Errorf("the hash of %.20q is %s, not %s", text, got, want)
		}
	}
}
