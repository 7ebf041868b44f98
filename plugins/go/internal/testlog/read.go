package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// header is the first line.
const header = "# test log"

// ErrFormat reports a text that is not a test log.
var ErrFormat = errors.New("not a test log")

// operation is what was requested.
type operation string

// The operations on files.
const (
	opened    operation = "open"
	inspected operation = "stat"
)

// maxLine bounds a line; no system accepts paths of that length.
const maxLine = 32 << 10

// readLog calls take with each file that was requested, by its absolute path. dir is the
// absolute directory in which the test started. It skips lines that it cannot parse;
// package testing skips names with line feeds, too.
func readLog(from io.Reader, dir string, take func(op operation, path string)) error {
	entries := entryReader{dir: dir, opened: map[string][]string{}, take: take}
	lines := bufio.NewReaderSize(from, maxLine)
	for first := true; ; first = false {
		line, err := lines.ReadSlice('\n')
		whole := err == nil
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if first && string(bytes.TrimRight(line, "\r\n")) != header {
			return ErrFormat
		}
		if whole {
			entries.read(bytes.TrimSuffix(line, []byte("\n")))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// entryReader reads the lines of a log.
type entryReader struct {
	// dir is the directory in which the test is. opened has, by the relative path as it is
	// logged, those in which it opened something: what it looks at through an open directory
	// or [os.Root] is logged below that path, wherever the test is by then.
	dir    string
	opened map[string][]string
	take   func(op operation, path string)
}

func (e *entryReader) read(line []byte) {
	op, text, found := bytes.Cut(line, []byte(" "))
	if !found || len(text) == 0 || bytes.IndexByte(text, 0) >= 0 {
		return
	}
	name := filepath.FromSlash(string(text))
	path := absolute(e.dir, name)
	switch operation(op) {
	case opened, inspected:
		e.take(operation(op), path)
	case "chdir":
		e.dir = path
		return
	default:
		return
	}
	if filepath.IsAbs(name) {
		return
	}
	for i := range len(name) {
		if !os.IsPathSeparator(name[i]) {
			continue
		}
		for _, dir := range e.opened[name[:i]] {
			if dir != e.dir {
				e.take(operation(op), absolute(dir, name))
			}
		}
	}
	name = strings.TrimRight(name, string(filepath.Separator))
	if dirs := e.opened[name]; operation(op) == opened && !slices.Contains(dirs, e.dir) {
		e.opened[name] = append(dirs, e.dir)
	}
}

func absolute(dir, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}
