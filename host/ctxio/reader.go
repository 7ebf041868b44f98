package ctxio

import (
	"context"
	"io"
)

// Reader is a reader that need not answer: when ctx ends, Read returns, and
// leaves the reading to itself. A terminal or a pipe may be silent for ever, and
// not every one of them can be given a deadline.
type Reader struct {
	Ctx context.Context
	R   io.Reader
	buf []byte
}

func (a *Reader) Read(p []byte) (int, error) {
	if err := a.Ctx.Err(); err != nil {
		return 0, err
	}
	// A buffer of its own: an abandoned reading must not write into the caller's.
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
