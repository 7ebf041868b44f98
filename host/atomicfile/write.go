package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Write writes a file with this mode through a temporary file beside it, which is
// synced and then renamed. After an error, including one of write, path is unchanged
// and nothing is left behind. size is the size of the file.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) (size int64, err error) {
	return put(path, mode, (*os.File).Sync, Rename, write)
}

// Create is [Write] for a file that does not exist: the error for one that does is
// [fs.ErrExist], whoever creates it at the same time.
func Create(path string, mode fs.FileMode, write func(io.Writer) error) (size int64, err error) {
	return put(path, mode, (*os.File).Sync, renameNew, write)
}

// put is [Write] with a choice of what makes the file durable, and of how it gets its name.
func put(path string, mode fs.FileMode, sync func(*os.File) error, rename func(from, to string) error, write func(io.Writer) error) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".proctor-*.tmp")
	if err != nil {
		return 0, err
	}
	renamed := false
	defer func() {
		if !renamed {
			os.Remove(f.Name())
		}
	}()
	if err = write(f); err == nil {
		size, err = f.Seek(0, io.SeekEnd)
	}
	if err == nil {
		err = errors.Join(f.Chmod(mode), sync(f))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = rename(f.Name(), path)
	}
	if err != nil {
		return 0, err
	}
	renamed = true
	return size, nil
}

// WriteBytes is [Write] for content in memory.
func WriteBytes(path string, mode fs.FileMode, data []byte) error {
	_, err := Write(path, mode, bytesTo(data))
	return err
}

// WriteUnsynced is [WriteBytes] without the sync: other processes see the whole file, and
// it survives this process, but after a power failure the file may be the old one, or
// empty. It is for what need not outlive the machine, or is synced with something else.
func WriteUnsynced(path string, mode fs.FileMode, data []byte) error {
	_, err := put(path, mode, func(*os.File) error { return nil }, Rename, bytesTo(data))
	return err
}

func bytesTo(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// renameTries and renamePause allow readers of a small file, which can keep it from
// being replaced, a quarter of a second to finish.
const (
	renameTries = 25
	renamePause = 10 * time.Millisecond
)

// Rename renames a file or directory within a file system. It waits briefly for
// processes that have it, or what it replaces, open.
func Rename(from, to string) error {
	return insist(func() error { return os.Rename(from, to) }, inUse, func() { time.Sleep(renamePause) })
}

// renameNew renames a file to a name that is free. Where there are no hard links, a file that
// somebody creates at this very moment is replaced.
func renameNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if _, there := os.Lstat(to); there == nil {
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	return Rename(from, to)
}

// insist retries do while it fails only because something is busy.
func insist(do func() error, busy func(error) bool, pause func()) error {
	err := do()
	for n := 1; n < renameTries && err != nil && busy(err); n++ {
		pause()
		err = do()
	}
	return err
}
