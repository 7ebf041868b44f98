package source

import (
	"errors"
	"os"
	"path/filepath"
)

// privateDir is the mode of directories for untrusted content.
const privateDir = 0o700

// workDir creates a private directory for one call. The caller removes it.
func (c Config) workDir() (dir string, remove func(), err error) {
	if !filepath.IsAbs(c.Temp) {
		return "", nil, errors.New("no directory for downloads is known")
	}
	if err := os.MkdirAll(c.Temp, privateDir); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(c.Temp, "fetch-")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { removeAll(dir) }, nil
}

// removals is how often removal is tried. A killed process may still write once into a
// directory that is being removed.
const removals = 3

func removeAll(dir string) {
	for range removals {
		if os.RemoveAll(dir) == nil {
			return
		}
	}
}

// intoEmpty fills a directory that must be empty, and empties it again after an error.
func intoEmpty(dir string, fill func() error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return errors.New(dir + " is not empty")
	}
	err = fill()
	if err == nil {
		return nil
	}
	entries, _ = os.ReadDir(dir)
	for _, e := range entries {
		removeAll(filepath.Join(dir, e.Name()))
	}
	return err
}
