package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write replaces a file by what is written to it, or leaves it as it is.
func Write(path string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "unfinished-")
	if err != nil {
		return err
	}
	if err = errors.Join(write(file), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the error before says more
	}
	return err
}

// WriteBytes replaces a file by data.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
