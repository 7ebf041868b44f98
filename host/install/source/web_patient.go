package source

import (
	"context"
	"fmt"
	"io"
	"time"
)

// patient reads an answer for as long as enough of it arrives.
type patient struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	timer  *time.Timer
	limit  time.Duration
	// progress is what arrived since the timer was set.
	progress int
}

func newPatient(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser, limit time.Duration) *patient {
	timer := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("less than %d KiB arrived within %v", minProgress>>10, limit))
	})
	return &patient{ctx: ctx, cancel: cancel, body: body, timer: timer, limit: limit}
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if p.progress += n; p.progress >= minProgress {
		p.progress = 0
		p.timer.Reset(p.limit)
	}
	if err != nil {
		// At the end of the file, too: an aborted server may still end its answer
		// properly, and what arrived is only a part.
		if cause := context.Cause(p.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

// Close ends the request, even in the middle.
func (p *patient) Close() error {
	p.timer.Stop()
	p.cancel(nil)
	return p.body.Close()
}
