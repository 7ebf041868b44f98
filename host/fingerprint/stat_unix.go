//go:build unix

package fingerprint

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

const (
	// nonBlock keeps an open from waiting for the other end of a pipe.
	nonBlock = unix.O_NONBLOCK
	// noFollow rejects a link that replaced a file.
	noFollow = unix.O_NOFOLLOW
	// hasInodes says that a stat has an inode, an owner, a change time and an
	// executable bit.
	hasInodes = true
)

// lstat stats a file without following a link. It is called for every file, so it
// avoids the allocations of os.Lstat.
func lstat(path string) (stat, error) {
	var st unix.Stat_t
	for {
		err := unix.Lstat(path, &st)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return stat{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
		}
	}
	s := stat{
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), size: st.Size,
		ino: uint64(st.Ino), uid: st.Uid, gid: st.Gid,
		executable: st.Mode&unix.S_IXUSR != 0,
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.kind = regular
	case unix.S_IFLNK:
		s.kind = symlink
	case unix.S_IFDIR:
		s.kind = directory
	}
	return s, nil
}
