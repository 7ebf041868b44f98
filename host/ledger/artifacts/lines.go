package artifacts

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// lines writes one JSON object a line. The first error sticks and is told at
// the end.
type lines struct {
	path string
	f    *os.File
	w    *bufio.Writer
	enc  *json.Encoder
	err  error
}

func newLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	l := &lines{path: path, f: f}
	l.use(f)
	return l, nil
}

func (l *lines) use(w io.Writer) {
	l.w = bufio.NewWriterSize(w, 64<<10)
	l.enc = json.NewEncoder(l.w)
	l.enc.SetEscapeHTML(false)
}

func (l *lines) add(v any) {
	if l.err == nil {
		l.err = l.enc.Encode(v)
	}
}

func (l *lines) flush() {
	if l.err == nil {
		l.err = l.w.Flush()
	}
}

func (l *lines) close() error {
	l.flush()
	if err := l.f.Close(); l.err == nil {
		l.err = err
	}
	if l.err != nil {
		return &StoreError{Path: l.path, Err: l.err}
	}
	return nil
}

// rewrite replaces a file of lines by those that keep selects, and goes on
// writing at its end. Neither file is open while it is replaced, which not every
// platform could do.
func rewrite[T any](l *lines, keep func(T) bool) error {
	if l.err != nil {
		return &StoreError{Path: l.path, Err: l.err}
	}
	if err := l.close(); err != nil {
		return err
	}
	err := selectLines(l.path, keep)
	f, openErr := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|noFollow, 0)
	if openErr != nil {
		l.err = openErr // told again at the end: nothing more is recorded
		return errors.Join(err, &StoreError{Path: l.path, Err: openErr})
	}
	l.f = f
	l.use(f)
	return err
}

// selectLines replaces a file of lines by those that keep selects. After an
// error the file is as it was.
func selectLines[T any](path string, keep func(T) bool) error {
	_, err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		next := &lines{}
		next.use(w)
		err := readLines(path, func(item T) bool {
			if keep(item) {
				next.add(item)
			}
			return next.err == nil
		})
		next.flush()
		return errors.Join(err, next.err)
	})
	var known *StoreError
	if err != nil && !errors.As(err, &known) {
		err = &StoreError{Path: path, Err: err}
	}
	return err
}

// readLines decodes a file of one JSON object a line. A last line that was cut
// by a crash is passed over.
func readLines[T any](path string, yield func(T) bool) error {
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(f, 64<<10))
	for {
		var item T
		err := dec.Decode(&item)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return &StoreError{Path: path, Err: err}
		}
		if !yield(item) {
			return nil
		}
	}
}
