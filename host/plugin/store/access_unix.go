//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const (
	groupWritable = 0o020
	worldWritable = 0o002
)

// checkUnchangeable returns an error if others may change what belongs to the store. It was
// created so that nobody else may.
func checkUnchangeable(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&(groupWritable|worldWritable) != 0 {
		return fmt.Errorf("other users may change it; if you trust what is there now: chmod go-w %s", path)
	}
	return foreign(info)
}

// checkNotOpen returns an error if others may change what is in the store's own directory.
// It may have existed before: a private group with directories open to it is the
// default on several Linux distributions.
func checkNotOpen(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	ownGroup := ok && (stat.Gid == 0 || int(stat.Gid) == os.Getegid())
	mode := info.Mode().Perm()
	if mode&worldWritable != 0 || mode&groupWritable != 0 && !ownGroup {
		return fmt.Errorf("other users may put plugins into it; chmod go-w %s", path)
	}
	return foreign(info)
}

// foreign returns an error if something belongs to another user, who could change it.
func foreign(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user, who could change it; install the plugin yourself")
	}
	return nil
}

// hardLinked reports whether a file has a second name, through which it could be
// changed.
func hardLinked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// syncDir makes sure that names in a directory survive a power failure. Some file
// systems do so anyway, and reject the request.
func (s *Store) syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := s.sync(d); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// busy is always false: running programs can be renamed and removed here.
func busy(error) bool { return false }
