package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

const (
	// socketPathMax is the longest socket path that every system accepts: macOS has
	// room for 104 bytes with the final NUL, Linux for 108.
	socketPathMax = 103
	// socketNameMax is the length of go-plugin's "/plugin" and up to ten random
	// digits.
	socketNameMax = 17
	// runDirNameMax is the length of "/", a pid, a hyphen and up to ten random
	// digits.
	runDirNameMax = 22
	// orphanAge protects a directory that another proctor is creating and has not locked
	// yet.
	orphanAge = time.Minute
	// runDirTries is how often to create a directory that another process sweeps before
	// it is locked.
	runDirTries = 50
	// lockName is locked while the host lives.
	lockName = "lock"
)

// runDirPattern is the name of a run directory: the host's pid, then digits
// from [os.MkdirTemp].
var runDirPattern = lazyregexp.New(`^([1-9][0-9]*)-[0-9]+$`)

// runDir is the private directory of one plugin process, removed with it; the next host
// sweeps those of killed hosts.
type runDir struct {
	path string
	// sockets holds the plugin's socket, work is the empty working directory, temp is
	// for temporary files.
	sockets, work, temp string
	lock                *flock.Flock
}

// newRunDir creates a run directory below base and sweeps those of dead hosts.
func newRunDir(ctx context.Context, base string) (*runDir, error) {
	if err := privateDir(base); err != nil {
		return nil, err
	}
	sweep(ctx, base)
	d, err := makeRunDir(base)
	for n := 1; n < runDirTries && errors.Is(err, fs.ErrNotExist); n++ {
		d, err = makeRunDir(base)
	}
	if err != nil {
		return nil, fmt.Errorf("make a directory for the plugin's socket: %w", err)
	}
	return d, nil
}

// makeRunDir is one attempt of [newRunDir]. [fs.ErrNotExist] means that somebody swept
// the directory before it was locked.
func makeRunDir(base string) (*runDir, error) {
	path, err := os.MkdirTemp(base, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	d := &runDir{
		path:    path,
		sockets: path,
		work:    filepath.Join(path, "work"),
		temp:    filepath.Join(path, "tmp"),
		lock:    flock.New(filepath.Join(path, lockName)),
	}
	if err := d.fill(); err != nil {
		_ = d.remove()
		return nil, err
	}
	return d, nil
}

func (d *runDir) fill() error {
	if free, err := d.lock.TryLock(); err != nil {
		return err
	} else if !free {
		return fs.ErrNotExist // the holder is about to remove it
	}
	for _, dir := range []string{d.work, d.temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the directory with everything the plugin left in it.
func (d *runDir) remove() error {
	// Windows does not delete an open file.
	_ = d.lock.Close()
	return os.RemoveAll(d.path)
}

// sweep removes the run directories of dead hosts. It kills nothing, since a pid may have
// been reused. Nor does the pid decide, since containers may share the directory but not
// the pids: the lock does.
func sweep(ctx context.Context, base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, entry := range entries {
		match := runDirPattern.FindStringSubmatch(entry.Name())
		if match == nil || !entry.IsDir() || ctx.Err() != nil {
			continue
		}
		pid, err := strconv.Atoi(match[1])
		// A directory with our own pid belongs to a dead host, or is locked by us.
		if err != nil || pid != os.Getpid() && processExists(pid) {
			continue
		}
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < orphanAge {
			continue
		}
		removeUnlocked(filepath.Join(base, entry.Name()))
	}
}

// removeUnlocked removes a directory while holding its lock. Should a host just be creating
// it, with a clock so far off that it looks old, that host notices the loss.
func removeUnlocked(dir string) {
	lock := flock.New(filepath.Join(dir, lockName))
	free, err := lock.TryLock()
	if err == nil && free {
		_ = os.RemoveAll(dir)
	}
	_ = lock.Close()
	if err == nil && free && runtime.GOOS == "windows" {
		_ = os.RemoveAll(dir) // open files are not removed there
	}
}

// runDirBase returns where run directories are created: a short path, because socket
// paths are limited, private to the user.
func runDirBase(config string) (string, error) {
	candidates := []string{config}
	if config == "" {
		candidates = defaultBases()
	}
	for _, base := range candidates {
		if len(base)+runDirNameMax+socketNameMax <= socketPathMax {
			return base, nil
		}
	}
	return "", &RunDirError{
		Dir:    candidates[0],
		Reason: fmt.Sprintf("the path is too long for a socket: it may have %d bytes", socketPathMax-runDirNameMax-socketNameMax),
	}
}
