package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

const (
	// parentName begins the name of the directory for a user's checkouts.
	parentName = "proctor-checkouts-"
	lockName   = "lock"
	// aliveName is the file that a checkout's process keeps locked: the operating
	// system releases it however the process ends.
	aliveName = "alive"
	// maxSlots is how many checkouts of a workspace there can be at once.
	maxSlots = 64
	// lockRetry is how long to wait before trying a busy lock again.
	lockRetry = 5 * time.Millisecond
)

// slot is a directory for one checkout, held by this process.
type slot struct {
	dir   string
	lock  string
	alive *flock.Flock
}

func (s *slot) tree() string  { return filepath.Join(s.dir, "tree") }
func (s *slot) home() string  { return filepath.Join(s.dir, "home") }
func (s *slot) cache() string { return filepath.Join(s.dir, "cache") }

// takeSlot takes the first free directory of a workspace, and removes what killed
// processes have left.
func takeSlot(ctx context.Context, temp, workspace string) (*slot, error) {
	parent, err := parentDir(temp)
	if err != nil {
		return nil, err
	}
	lock := filepath.Join(parent, lockName)
	held, err := takeLock(ctx, lock)
	if err != nil {
		return nil, err
	}
	defer held.Unlock()
	if err := sweep(ctx, parent); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(workspace))
	for n := range maxSlots {
		s := &slot{dir: filepath.Join(parent, hex.EncodeToString(sum[:6])+"-"+strconv.Itoa(n)), lock: lock}
		err := os.Mkdir(s.dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = s.setUp()
		}
		if err != nil {
			return nil, errors.Join(err, RemoveTree(s.dir))
		}
		return s, nil
	}
	return nil, fmt.Errorf("%d checkouts of %s are in use in %s", maxSlots, workspace, parent)
}

func (s *slot) setUp() error {
	s.alive = flock.New(filepath.Join(s.dir, aliveName))
	if taken, err := s.alive.TryLock(); err != nil || !taken {
		return fmt.Errorf("%s cannot be locked: %w", s.alive.Path(), err)
	}
	for _, sub := range []string{s.tree(), s.home(), s.cache()} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return errors.Join(err, s.alive.Unlock())
		}
	}
	return nil
}

// release removes the directory and frees the slot.
func (s *slot) release() error {
	held, err := takeLock(context.Background(), s.lock)
	if err != nil {
		return err
	}
	defer held.Unlock()
	if err := s.alive.Unlock(); err != nil { // not every system can remove an open file
		return err
	}
	return RemoveTree(s.dir)
}

// sweep removes the directories that no process holds. The caller holds the lock.
func sweep(ctx context.Context, parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !e.IsDir() || !strings.Contains(e.Name(), "-") {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		alive := flock.New(filepath.Join(dir, aliveName))
		free, err := alive.TryLock()
		if err != nil || !free {
			continue
		}
		_ = alive.Unlock()
		_ = RemoveTree(dir) // what cannot be removed stays, and its slot remains unused
	}
	return nil
}

func takeLock(ctx context.Context, path string) (*flock.Flock, error) {
	lock := flock.New(path)
	_, err := lock.TryLockContext(ctx, lockRetry)
	return lock, err
}

// parentDir finds or makes the directory for the user's checkouts. The directory for
// temporary files may be public: a directory of that name that is not private to the
// user is rejected.
func parentDir(temp string) (string, error) {
	if temp == "" {
		temp = os.TempDir()
	}
	temp, err := filepath.EvalSymlinks(temp)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(temp, parentName+strconv.Itoa(max(os.Geteuid(), 0)))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || !private(info) {
		return "", fmt.Errorf("%s is not a private directory of yours: move it away", dir)
	}
	return dir, nil
}
