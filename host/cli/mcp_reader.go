package cli

import (
	"context"
	"io"
	"sync"
)

// endingReader is a reader that is at its end when ctx ends. A pipe may be silent
// for ever, and not every one can be given a deadline: the reading is then left to
// itself.
type endingReader struct {
	ctx context.Context
	r   io.Reader

	mu    sync.Mutex
	moved *sync.Cond // something was read, asked for, or ended
	ahead []byte     // read, and not yet asked for
	err   error      // of the end
}

// maxAhead is how much is read that nobody has asked for: the end has to be found
// also while an answer is in the way that the client does not take.
const maxAhead = 1 << 20

// newEndingReader begins to read. atEnd is called when there is no more, which may be
// long before the last of it has been asked for.
func newEndingReader(ctx context.Context, r io.Reader, atEnd func()) *endingReader {
	e := &endingReader{ctx: ctx, r: r}
	e.moved = sync.NewCond(&e.mu)
	context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.moved.Broadcast()
	})
	go e.fetch(atEnd)
	return e
}

func (e *endingReader) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.ahead) == 0 && e.err == nil && e.ctx.Err() == nil {
		e.moved.Wait()
	}
	if len(e.ahead) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		return 0, io.EOF
	}
	n := copy(p, e.ahead)
	e.ahead = e.ahead[n:]
	e.moved.Broadcast()
	return n, nil
}

// fetch reads on, until the end.
func (e *endingReader) fetch(atEnd func()) {
	buf := make([]byte, 64<<10)
	for {
		n, err := e.r.Read(buf)
		if err != nil {
			atEnd()
		}
		if !e.put(buf[:n], err) {
			return
		}
	}
}

// put adds what was read, as soon as there is room. It returns whether there may be
// more.
func (e *endingReader) put(data []byte, err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.ahead) >= maxAhead && e.ctx.Err() == nil {
		e.moved.Wait()
	}
	e.ahead, e.err = append(e.ahead, data...), err
	e.moved.Broadcast()
	return err == nil && e.ctx.Err() == nil
}
