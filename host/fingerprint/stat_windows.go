package fingerprint

import "os"

const (
	nonBlock = 0
	noFollow = 0
	// hasInodes says that a stat has an inode, an owner, a change time and an
	// executable bit.
	hasInodes = false
)

// lstat stats a file without following a link. There is no inode, change time or
// executable bit.
func lstat(path string) (stat, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return stat{}, err
	}
	return stat{mtime: st.ModTime().UnixNano(), size: st.Size(), kind: kindOf(st.Mode())}, nil
}
