package ctxio

import (
	"context"
	"io"
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
