package cli

import (
	"io"
	"sync"
)

// boundedWriter writes so many bytes and then, once, that it wrote no more. It
// never fails: what it keeps is not worth an error.
type boundedWriter struct {
	w io.Writer

	mu   sync.Mutex
	left int
	full bool
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.full:
	case len(p) > b.left:
		b.full = true
		_, _ = io.WriteString(b.w, "[the log of this invocation is full; the rest is not kept]\n")
	default:
		b.left -= len(p)
		_, _ = b.w.Write(p)
	}
	return len(p), nil
}
