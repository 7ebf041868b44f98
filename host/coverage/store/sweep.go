package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// minSwept is the number of sheets below which sweeping is pointless. sweptName is a file
// with the number that the last sweep left; twice as many trigger the next.
const (
	minSwept  = 500
	sweptName = "swept"
)

// sweptAge is how old a sheet must be to be removed: the suite of a younger one may not
// have been written yet.
const sweptAge = time.Hour

// sweepIfMany removes unused sheets if there are many.
func (s *Store) sweepIfMany(ctx context.Context) error {
	names, err := s.listNames(sheetsName)
	if err != nil || len(names) < minSwept {
		return err
	}
	text, err := readFile(filepath.Join(s.dir, sweptName))
	if left, convErr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && convErr == nil && len(names) < 2*left {
		return nil
	}
	return s.sweep(ctx)
}

// sweep removes unused sheets.
func (s *Store) sweep(ctx context.Context) error {
	names, err := s.listNames(sheetsName)
	if err != nil || len(names) == 0 {
		return err
	}
	used, err := s.findUsed(ctx)
	if err != nil {
		return err
	}
	left := 0
	for _, name := range names {
		path := s.sheetPath(name)
		info, err := os.Lstat(path)
		if err != nil || used[name] || time.Since(info.ModTime()) < sweptAge {
			left++
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return writeFile(filepath.Join(s.dir, sweptName), []byte(strconv.Itoa(left)+"\n"))
}

// findUsed returns the sheets used by the suites of all languages and settings.
func (s *Store) findUsed(ctx context.Context) (map[string]bool, error) {
	used := map[string]bool{}
	languages, err := s.listNames(suitesName)
	if err != nil {
		return nil, err
	}
	l := newLoader(s)
	for _, language := range languages {
		files, err := s.listNames(suitesName, language)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			h, r, err := l.loadHead(filepath.Join(s.dir, suitesName, language, name))
			if err != nil {
				continue // not a suite, or damaged: the next reader removes it
			}
			_, sheets, err := decodeSuite(r, h)
			if err != nil {
				continue
			}
			for _, sheet := range sheets {
				used[sheet] = true
			}
		}
	}
	return used, nil
}
