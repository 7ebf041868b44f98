package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Lookup returns an installed plugin for this platform, by its manifest and receipt; it
// does not read the binary. The error is a [*NotInstalledError] or a [*DamagedError].
func (s *Store) Lookup(name, version string) (Installed, error) {
	missing := &NotInstalledError{Name: name, Version: version, Dir: s.dir}
	if !isValid(name, version) {
		return Installed{}, missing
	}
	found, err := s.load(name, version)
	if err != nil {
		// It may have been removed while it was read.
		if _, gone := os.Lstat(s.target(name, version)); errors.Is(gone, fs.ErrNotExist) {
			return Installed{}, missing
		}
		return Installed{}, err
	}
	return found, nil
}

// load reads an installed plugin. The error is a [*DamagedError].
func (s *Store) load(name, version string) (Installed, error) {
	dir := s.target(name, version)
	damaged := func(path string, err error) (Installed, error) {
		return Installed{}, &DamagedError{Name: name, Version: version, Path: path, Reason: reason(err)}
	}
	// The store's own directory may be a link chosen by the user.
	if info, err := os.Stat(s.dir); err != nil {
		return damaged(s.dir, err)
	} else if err := checkNotOpen(s.dir, info); err != nil {
		return damaged(s.dir, err)
	}
	for _, d := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir} {
		if err := examine(d, fs.FileMode.IsDir, "a directory"); err != nil {
			return damaged(d, err)
		}
	}
	at := filepath.Join(dir, manifest.File)
	data, err := readSmall(at, manifest.MaxSize)
	if err != nil {
		return damaged(at, err)
	}
	m, err := manifest.Parse(data)
	if err == nil {
		err = s.fits(m, name, version)
	}
	if err != nil {
		return damaged(at, err)
	}
	binary := m.Platforms[s.platform]
	path := filepath.Join(dir, manifest.BinaryName(name, s.platform))
	if err := examineProgram(path); err != nil {
		return damaged(path, err)
	}
	at = filepath.Join(dir, ReceiptFile)
	data, err = readSmall(at, maxReceipt)
	if err != nil {
		return damaged(at, err)
	}
	r, err := parseReceipt(data)
	if err == nil && r.Bin != hashScheme+binary.SHA256 {
		err = fmt.Errorf("it is for a binary with the hash %.80q, and %s is of %s", r.Bin, manifest.File, hashScheme+binary.SHA256)
	}
	if err != nil {
		return damaged(at, err)
	}
	return Installed{Dir: dir, Path: path, Manifest: m, Receipt: r}, nil
}

// fits returns an error unless a manifest is that of the plugin, for this platform.
func (s *Store) fits(m manifest.Manifest, name, version string) error {
	if m.Name != name || m.Version != version {
		return fmt.Errorf("it is the manifest of %s %s", m.Name, m.Version)
	}
	b, ok := m.Platforms[s.platform]
	if !ok {
		return fmt.Errorf("it has no binary for %s", s.platform)
	}
	if want := manifest.BinaryName(name, s.platform); b.Bin != want {
		return fmt.Errorf("its binary is %q and must be %s", b.Bin, want)
	}
	return nil
}

// examine says what is wrong with a file or directory of the store: nothing there is a
// link, and nobody else may change it.
func examine(path string, kind func(fs.FileMode) bool, word string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !kind(info.Mode()) {
		return fmt.Errorf("it is not %s", word)
	}
	return checkUnchangeable(path, info)
}

func examineProgram(path string) error {
	if err := examine(path, fs.FileMode.IsRegular, "a regular file"); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o100 == 0 {
		err = errors.New("it is not executable")
	}
	return err
}

// readSmall reads a regular file that nobody else may change.
func readSmall(path string, most int64) ([]byte, error) {
	if err := examine(path, fs.FileMode.IsRegular, "a regular file"); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return data, err
}

// reason removes the path from an error, as the caller's message has it already.
func reason(err error) string {
	var file *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is missing"
	case errors.As(err, &file):
		return "it cannot be read: " + file.Err.Error()
	}
	return err.Error()
}
