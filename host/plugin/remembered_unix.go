//go:build unix

package plugin

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// identify distinguishes a binary from any other that was or will be at its path.
func identify(path string) (binaryIdentity, bool) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return binaryIdentity{}, false
	}
	return binaryIdentity{
		Path: path, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: uint64(st.Ino), Device: uint64(st.Dev),
	}, true
}

// openOwn opens a regular file that belongs to this user and that nobody else may
// write. It does not follow links or wait for pipes.
func openOwn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() || st.Mode&(groupWritable|worldWritable) != 0 {
		f.Close()
		return nil, fs.ErrPermission
	}
	return f, nil
}
