package fingerprint

import (
	"context"
	"sync"
)

// queue runs jobs, which may add jobs, in a few goroutines.
type queue struct {
	mu      sync.Mutex
	more    *sync.Cond
	jobs    []func(context.Context) error
	pending int
	err     error
}

func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	return q
}

func (q *queue) add(job func(context.Context) error) {
	q.mu.Lock()
	q.jobs = append(q.jobs, job)
	q.pending++
	q.mu.Unlock()
	q.more.Signal()
}

// run returns when no job is left, or with the first error.
func (q *queue) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			for {
				job, ok := q.next()
				if !ok {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = job(ctx)
				}
				if q.done(err) {
					cancel()
				}
			}
		})
	}
	wg.Wait()
	return q.err
}

func (q *queue) next() (func(context.Context) error, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 && q.pending > 0 && q.err == nil {
		q.more.Wait()
	}
	if q.err != nil || len(q.jobs) == 0 {
		return nil, false
	}
	job := q.jobs[len(q.jobs)-1]
	q.jobs = q.jobs[:len(q.jobs)-1]
	return job, true
}

// done marks a job as done and reports whether it was the first to fail.
func (q *queue) done(err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending--
	first := err != nil && q.err == nil
	if first {
		q.err = err
	}
	if q.pending == 0 || first {
		q.more.Broadcast()
	}
	return first
}
