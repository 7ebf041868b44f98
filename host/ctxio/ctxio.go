package ctxio

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// Reader stops waiting when ctx ends: Read returns and leaves the pending read behind.
// A terminal or a pipe may stay silent forever, and not all of them support deadlines.
type Reader struct {
	Ctx context.Context
	R   io.Reader
	buf []byte
}

func (a *Reader) Read(p []byte) (int, error) {
	if err := a.Ctx.Err(); err != nil {
		return 0, err
	}
	// A separate buffer keeps an abandoned read from writing into the caller's.
	if len(a.buf) < len(p) {
		a.buf = make([]byte, len(p))
	}
	type answer struct {
		n   int
		err error
	}
	answers, buf := make(chan answer, 1), a.buf[:len(p)]
	go func() {
		n, err := a.R.Read(buf)
		answers <- answer{n, err}
	}()
	select {
	case got := <-answers:
		return copy(p, buf[:got.n]), got.err
	case <-a.Ctx.Done():
		return 0, a.Ctx.Err()
	}
}

// FileReader checks ctx before each read. Unlike [Reader] it never leaves one behind, so
// it is for readers that do not block, such as files.
type FileReader struct {
	Ctx context.Context
	R   io.Reader
}

func (f FileReader) Read(p []byte) (int, error) {
	if err := f.Ctx.Err(); err != nil {
		return 0, err
	}
	return f.R.Read(p)
}

// Writer stops waiting when ctx ends: Write returns and leaves the pending write behind.
// Not every pipe supports deadlines. It is safe for concurrent use.
type Writer struct {
	Ctx context.Context
	W   io.Writer
	mu  sync.Mutex
}

func (a *Writer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.Ctx.Err(); err != nil {
		return 0, err
	}
	type answer struct {
		n   int
		err error
	}
	answers := make(chan answer, 1)
	p = bytes.Clone(p) // it may be written longer than this call lasts
	go func() {
		n, err := a.W.Write(p)
		answers <- answer{n, err}
	}()
	select {
	case got := <-answers:
		return got.n, got.err
	case <-a.Ctx.Done():
		return 0, a.Ctx.Err()
	}
}

// BoundedWriter writes up to a limit and then says once that it stopped. It never
// fails: what it keeps is not worth an error.
type BoundedWriter struct {
	W io.Writer
	// Left is how many bytes are yet to be written.
	Left int

	mu   sync.Mutex
	full bool
}

func (b *BoundedWriter) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.full:
	case len(p) > b.Left:
		b.full = true
		_, _ = io.WriteString(b.W, "[the log of this invocation is full; the rest is omitted]\n")
	default:
		b.Left -= len(p)
		_, _ = b.W.Write(p)
	}
	return len(p), nil
}

// CheckedWriter remembers the first error, so that an answer that was not delivered does
// not look like success. A reader that has closed its end is not an error: it has seen
// enough.
type CheckedWriter struct {
	W   io.Writer
	Err error
}

func (c *CheckedWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	if isReaderGone(err) {
		return len(p), nil
	}
	if c.Err == nil {
		c.Err = err
	}
	return n, err
}
