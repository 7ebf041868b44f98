package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// companions are the files that SQLite keeps beside a database.
var companions = []string{"-wal", "-shm"}

// A lockSuffix file is locked while the database is created, upgraded or set aside; a
// newSuffix file is one in the making; a damageSuffix file says that the database was
// found damaged in use.
const (
	lockSuffix   = ".lock"
	newSuffix    = ".new"
	damageSuffix = ".damaged"
	asideSuffix  = ".corrupt-"
)

// lockRetry is how long to wait before trying a busy lock again, lockWait how long in
// total.
const (
	lockRetry = 5 * time.Millisecond
	lockWait  = time.Minute
)

// noLink refuses anything but a regular file.
func noLink(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// noLinks refuses a database with a part that is not a regular file: records in a
// cloned repository could lead anywhere.
func noLinks(path string) error {
	for _, suffix := range append([]string{"", lockSuffix, damageSuffix}, companions...) {
		if err := noLink(path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// fileExists reports whether there is anything at the path.
func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// withLock calls do while this process holds the lock beside the database.
func withLock(ctx context.Context, path string, do func() error) error {
	if err := noLink(path + lockSuffix); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(path + lockSuffix)
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("its lock: %w", err)
	}
	defer lock.Unlock()
	return do()
}

// setAside moves away a database with its companions, and returns where. The caller
// holds the lock. The database itself goes first: without its log it would pass for an
// older state of itself.
func setAside(path string, now time.Time) (string, error) {
	base := path + asideSuffix + now.UTC().Format("20060102T150405Z")
	aside := base
	for n := 2; fileExists(aside) || fileExists(aside+companions[0]); n++ {
		aside = base + "-" + strconv.Itoa(n)
	}
	for _, suffix := range append([]string{""}, companions...) {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("setting it aside: %w", err)
		}
	}
	os.Remove(path + damageSuffix)
	return aside, nil
}

// wasSetAside reports whether a database was ever set aside here, even by a process
// that did not get to create a new one.
func wasSetAside(path string) bool {
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return false
	}
	for _, name := range names {
		if strings.HasPrefix(name.Name(), filepath.Base(path)+asideSuffix) {
			return true
		}
	}
	return false
}

// removeAll removes a database in the making.
func removeAll(path string) {
	for _, suffix := range append([]string{""}, companions...) {
		os.Remove(path + suffix)
	}
}
