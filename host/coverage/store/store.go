package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
)

// Config configures a store.
type Config struct {
	// Dir is the directory; it need not exist.
	Dir string
}

// Store keeps suites. It is safe for use by several goroutines and processes.
type Store struct{ dir string }

// New returns a store. It touches nothing.
func New(cfg Config) *Store { return &Store{dir: filepath.Clean(cfg.Dir)} }

const (
	suitesName = "suites"
	sheetsName = "sheets"
)

// Put stores a suite, replacing what was stored of it in this setting. Of other settings,
// those measured last stay, [maxSettings] in all.
func (s *Store) Put(ctx context.Context, suite *coverage.Suite) error {
	if err := errors.Join(makeDir(s.dir, sheetsName), makeDir(s.dir, suitesName, nameOf(suite.Language))); err != nil {
		return err
	}
	sheets, unpack := make([]string, len(suite.Sheets)), &unpacker{}
	for i, sheet := range suite.Sheets {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if sheets[i], err = s.putSheet(sheet, unpack); err != nil {
			return err
		}
	}
	file, err := pack(suiteKind, encodeSuite(suite, s.dir, sheets))
	if err != nil {
		return fmt.Errorf("%s: %w", suite.Suite, err)
	}
	path := s.suitePath(suite.Language, suite.Suite, suite.Setting)
	if err := writeFile(path, file); err != nil {
		return err
	}
	if err := s.dropOldSettings(path); err != nil {
		return err
	}
	return s.sweepIfMany(ctx)
}

// putSheet stores a sheet and returns its name. An existing one is marked as used, so
// that no sweep removes it before its suite is written.
func (s *Store) putSheet(sheet *coverage.Sheet, unpack *unpacker) (string, error) {
	content := encodeSheet(sheet)
	name := nameOf(string(content))
	path := s.sheetPath(name)
	if file, err := readFile(path); err == nil {
		there, err := unpack.open(sheetKind, file)
		now := time.Now()
		if err == nil && bytes.Equal(there, content) && os.Chtimes(path, now, now) == nil {
			return name, nil
		}
	}
	file, err := pack(sheetKind, content)
	if err != nil {
		return "", fmt.Errorf("%s: %w", sheet.Path, err)
	}
	return name, writeFile(path, file)
}

// Suites returns all suites of a language in a setting, unsorted; they share sheets,
// which must not be modified. It removes and omits whatever is damaged or was written
// by another version.
func (s *Store) Suites(ctx context.Context, language, setting string) ([]*coverage.Suite, error) {
	l := newLoader(s)
	var suites []*coverage.Suite
	err := s.forEachSuite(ctx, language, func(path string) error {
		if _, of, ok := strings.Cut(filepath.Base(path), "-"); ok && of != nameOf(setting) {
			return nil
		}
		suite, err := l.loadSuite(path, func(h head) bool { return h.language == language && h.setting == setting })
		if err == nil && suite != nil {
			suites = append(suites, suite)
		}
		return err
	})
	return suites, err
}

// Elsewhere returns a function that reports whether a suite has measurements in another
// setting. It goes by file names alone, which prove nothing.
func (s *Store) Elsewhere(language, setting string) (func(suite string) bool, error) {
	names, err := s.listNames(suitesName, nameOf(language))
	found := map[string]bool{}
	for _, name := range names {
		if suite, of, ok := strings.Cut(name, "-"); ok && of != nameOf(setting) {
			found[suite] = true
		}
	}
	return func(suite string) bool { return found[nameOf(suite)] }, err
}

// Drop removes the suites of a language that keep rejects.
func (s *Store) Drop(ctx context.Context, language string, keep func(suite string) bool) error {
	l := newLoader(s)
	err := s.forEachSuite(ctx, language, func(path string) error {
		h, _, err := l.loadHead(path)
		if err == nil && !keep(h.suite) {
			err = os.Remove(path)
		}
		return err
	})
	return errors.Join(err, s.sweep(ctx))
}

// forEachSuite calls do with the file of each suite of a language, and removes files that do
// finds damaged.
func (s *Store) forEachSuite(ctx context.Context, language string, do func(path string) error) error {
	names, err := s.listNames(suitesName, nameOf(language))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(s.dir, suitesName, nameOf(language), name)
		before, err := os.Lstat(path)
		if err == nil {
			err = do(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, errDamaged), errors.Is(err, errNoFile):
			if now, err := os.Lstat(path); err != nil || !os.SameFile(before, now) {
				continue // it was replaced meanwhile
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		case err != nil:
			return err
		}
	}
	return nil
}

// Size returns the size on disk in bytes.
func (s *Store) Size(ctx context.Context) (int64, error) {
	if !isDir(s.dir) {
		return 0, nil
	}
	var size int64
	err := filepath.WalkDir(s.dir, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				size += info.Size()
			} else if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
		return errors.Join(err, ctx.Err())
	})
	return size, err
}
