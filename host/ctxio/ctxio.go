package ctxio

import (
	"bytes"
	"context"
	"fmt"
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

// maxQueued is how much a [QueuedWriter] keeps for a reader that is behind, in bytes. One message
// may be longer.
const maxQueued = 256 << 10

// QueuedWriter writes in the background: whoever logs may hold a lock, and must not wait for
// a reader that has stopped reading, as some do that start a server. What such a reader is too
// late for is dropped, and counted. It never fails, and is safe for concurrent use.
type QueuedWriter struct {
	W io.Writer

	mu      sync.Mutex
	queue   []byte
	dropped int
	// idle is closed when everything is written; nil while there is nothing to write.
	idle chan struct{}
}

func (q *QueuedWriter) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) > 0 && len(q.queue)+len(p) > maxQueued {
		q.dropped++
		return len(p), nil
	}
	q.queue = append(q.queue, p...)
	if q.idle == nil {
		q.idle = make(chan struct{})
		go q.drain()
	}
	return len(p), nil
}

// drain writes until nothing is left.
func (q *QueuedWriter) drain() {
	for {
		next := q.next()
		if next == nil {
			return
		}
		_, _ = q.W.Write(next) // a reader that is gone needs nothing
	}
}

// next returns what is to be written next; nil, and then drain is over, if that is nothing.
func (q *QueuedWriter) next() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	next := q.queue
	q.queue = nil
	if q.dropped > 0 {
		next = fmt.Appendf(next, "[%d messages are missing here: nobody was reading]\n", q.dropped)
		q.dropped = 0
	}
	if next == nil {
		close(q.idle)
		q.idle = nil
	}
	return next
}

// Flush waits until everything is written, or ctx ends.
func (q *QueuedWriter) Flush(ctx context.Context) {
	q.mu.Lock()
	idle := q.idle
	q.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
