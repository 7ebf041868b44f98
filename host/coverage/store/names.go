package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func (s *Store) sheetPath(name string) string { return filepath.Join(s.dir, sheetsName, name) }

func (s *Store) suitePath(language, suite, setting string) string {
	return filepath.Join(s.dir, suitesName, nameOf(language), nameOf(suite)+"-"+nameOf(setting))
}

// nameBytes is how much of a hash makes up a name.
const nameBytes = 16

// nameOf returns a file name for any name or content.
func nameOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:nameBytes])
}

func isName(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*nameBytes
}

// isSuiteName reports whether a name is that of a suite's file in a setting.
func isSuiteName(name string) bool {
	suite, setting, ok := strings.Cut(name, "-")
	return ok && isName(suite) && isName(setting)
}

// listNames returns the names in a directory that files of ours may have; nothing if the
// directory does not exist or is a link.
func (s *Store) listNames(elements ...string) ([]string, error) {
	dir := s.dir
	for _, e := range append([]string{""}, elements...) {
		if dir = filepath.Join(dir, e); !isDir(dir) {
			return nil, nil
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if isName(e.Name()) || isSuiteName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// maxSettings is how many settings of a suite are kept: those of a few terminals.
const maxSettings = 4

// dropOldSettings removes the oldest files of a suite that has too many settings. The one at
// path was just written.
func (s *Store) dropOldSettings(path string) error {
	dir, name := filepath.Split(path)
	suite, _, _ := strings.Cut(name, "-")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	written := map[string]time.Time{}
	for _, e := range entries {
		if e.Name() == name || !e.Type().IsRegular() || !isSuiteName(e.Name()) || !strings.HasPrefix(e.Name(), suite) {
			continue
		}
		if info, err := e.Info(); err == nil {
			written[e.Name()] = info.ModTime()
		}
	}
	others := slices.SortedFunc(maps.Keys(written), func(a, b string) int {
		return cmp.Or(written[b].Compare(written[a]), strings.Compare(a, b))
	})
	for _, other := range others[min(maxSettings-1, len(others)):] {
		if err := os.Remove(filepath.Join(dir, other)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
