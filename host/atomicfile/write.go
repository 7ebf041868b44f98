package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file with this mode through a temporary file beside it, which is
// synced and then renamed. After an error, including one of write, path is unchanged
// and nothing is left behind. size is the size of the file.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".proctor-*.tmp")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	if err = write(f); err == nil {
		size, err = f.Seek(0, io.SeekEnd)
	}
	if err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		return 0, err
	}
	return size, nil
}

// WriteBytes is [Write] for content in memory.
func WriteBytes(path string, mode fs.FileMode, data []byte) error {
	_, err := Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}
