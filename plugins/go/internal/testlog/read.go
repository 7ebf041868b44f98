package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
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
			dir = readEntry(bytes.TrimSuffix(line, []byte("\n")), dir, take)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readEntry parses a line and returns the directory in which the test then is.
func readEntry(line []byte, dir string, take func(op operation, path string)) string {
	op, name, found := bytes.Cut(line, []byte(" "))
	if !found || len(name) == 0 || bytes.IndexByte(name, 0) >= 0 {
		return dir
	}
	path := filepath.FromSlash(string(name))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	switch operation(op) {
	case opened, inspected:
		take(operation(op), path)
	case "chdir":
		return path
	}
	return dir
}
