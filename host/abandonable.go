package host

import (
	"context"
	"io"
)

// abandonable is a reader that need not answer: when ctx ends, Read returns, and
// leaves the reading to itself. A terminal or a pipe may be silent for ever, and
// not every one of them can be given a deadline.
type abandonable struct {
	ctx context.Context
	r   io.Reader
	buf []byte
}

func (a *abandonable) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
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
		n, err := a.r.Read(buf)
		answers <- answer{n, err}
	}()
	select {
	case got := <-answers:
		return copy(p, buf[:got.n]), got.err
	case <-a.ctx.Done():
		return 0, a.ctx.Err()
	}
}
