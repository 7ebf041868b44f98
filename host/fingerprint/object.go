package fingerprint

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// modeAndHash parses a mode and an object name as git writes them.
func modeAndHash(mode, object string) (uint32, Hash, error) {
	var h Hash
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || len(object) < 2*len(h) {
		return 0, h, fmt.Errorf("git wrote %q %q for a mode and an object", mode, object)
	}
	if _, err := hex.Decode(h[:], []byte(object[:2*len(h)])); err != nil {
		return 0, h, fmt.Errorf("git wrote %q for an object", object)
	}
	return uint32(m), h, nil
}

// fileMode converts a mode of git.
func fileMode(mode uint32) Mode {
	switch {
	case mode&gitTypes == gitLinkMode:
		return Symlink
	case mode&gitTypes == gitSubmodule:
		return Submodule
	case mode&0o100 != 0:
		return Executable
	default:
		return Regular
	}
}
