package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/proctorhq/proctor/host/coverage"
)

// loader reads suites, and each of their sheets once.
type loader struct {
	store  *Store
	unpack unpacker
	sheets map[string]*coverage.Sheet
	known  map[string]string
}

func newLoader(s *Store) *loader {
	return &loader{store: s, sheets: map[string]*coverage.Sheet{}, known: map[string]string{}}
}

// loadHead reads the start of a suite and returns a reader for the rest. A file of another
// suite or directory counts as damaged.
func (l *loader) loadHead(path string) (head, *reader, error) {
	file, err := readFile(path)
	if err != nil {
		return head{}, nil, err
	}
	content, err := l.unpack.open(suiteKind, file)
	if err != nil {
		return head{}, nil, err
	}
	r := &reader{data: content, known: l.known}
	h := decodeHead(r)
	if r.err != nil || h.dir != l.store.dir || l.store.suitePath(h.language, h.suite, h.setting) != path {
		return head{}, nil, errDamaged
	}
	return h, r, nil
}

// loadSuite reads a suite with its sheets; nil if it is not wanted. A suite that lacks a
// sheet is damaged.
func (l *loader) loadSuite(path string, wanted func(head) bool) (*coverage.Suite, error) {
	h, r, err := l.loadHead(path)
	if err != nil || !wanted(h) {
		return nil, err
	}
	suite, names, err := decodeSuite(r, h)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		sheet, err := l.loadSheet(name)
		if err != nil {
			return nil, err
		}
		suite.Sheets = append(suite.Sheets, sheet)
	}
	if suite.Check() != nil {
		return nil, errDamaged
	}
	return suite, nil
}

// loadSheet reads a sheet.
func (l *loader) loadSheet(name string) (*coverage.Sheet, error) {
	if sheet := l.sheets[name]; sheet != nil {
		return sheet, nil
	}
	if !isName(name) {
		return nil, errDamaged
	}
	file, err := readFile(filepath.Join(l.store.dir, sheetsName, name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFile) {
		return nil, errDamaged
	}
	if err != nil {
		return nil, err
	}
	content, err := l.unpack.open(sheetKind, file)
	if err != nil {
		return nil, err
	}
	if nameOf(string(content)) != name {
		return nil, errDamaged
	}
	sheet, err := decodeSheet(&reader{data: content, known: l.known})
	if err == nil {
		l.sheets[name] = sheet
	}
	return sheet, err
}
