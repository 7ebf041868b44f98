package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// A batch is written once it has batchSize results, or the first of them has waited long
// enough. The first batch waits only a moment, so that a short run leaves little to write at
// its end; each further one waits twice as long, up to batchWait. The queue bounds how far
// Add may run ahead.
const (
	batchSize = 500
	firstWait = 10 * time.Millisecond
	batchWait = 200 * time.Millisecond
	queueSize = 4 * batchSize
)

// errAbandoned is the error of an abandoned recorder.
var errAbandoned = errors.New("the recording of this run was abandoned")

// recorder records the results of one run. Its goroutine gathers and writes them.
type recorder struct {
	store *Database
	uid   string
	batch *batch
	queue chan history.Result
	asked chan request
	// ctx ends with Abandon, not with the context of Begin: what a cancelled run found is
	// written, too.
	ctx     context.Context
	abandon context.CancelFunc
	done    chan struct{}
	// err is what ended the writing. The goroutine owns err and pending.
	err     error
	pending []history.Result
}

// request is what the goroutine is to do after handling the results added before.
type request struct {
	do     func() error
	answer chan error
}

// Begin records a run as running.
func (s runStore) Begin(ctx context.Context, run history.Run) (history.Recorder, error) {
	run.State = api.StateRunning
	var id int64
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		id, err = s.addRun(ctx, tx, run)
		return err
	})
	if err != nil {
		return nil, err
	}
	r := &recorder{
		store: s.Database, uid: run.ID, batch: newBatch(s.Database, id, run),
		queue: make(chan history.Result, queueSize), asked: make(chan request), done: make(chan struct{}),
	}
	r.ctx, r.abandon = context.WithCancel(context.WithoutCancel(ctx))
	s.recorders.Go(r.work)
	return r, nil
}

// Add takes a result.
func (r *recorder) Add(result history.Result) {
	select {
	case r.queue <- result:
	case <-r.done:
	}
}

// Reset discards all results.
func (r *recorder) Reset(ctx context.Context) error {
	return r.request(ctx, func() error {
		r.drop()
		if r.err == nil {
			r.err = r.batch.reset(ctx)
		}
		return r.err
	})
}

// Finish writes the rest, along with the run's end.
func (r *recorder) Finish(ctx context.Context, run history.Run) error {
	run.ID = r.uid
	defer r.Abandon()
	return r.request(ctx, func() error { return r.end(ctx, run) })
}

func (r *recorder) end(ctx context.Context, run history.Run) error {
	if r.err == nil {
		r.err = r.batch.write(ctx, r.pending, func(ctx context.Context, tx *sql.Tx) error { return r.store.setRun(ctx, tx, run) })
	}
	r.drop() // or the timer would write it again
	return r.err
}

// Abandon stops writing.
func (r *recorder) Abandon() {
	r.abandon()
	<-r.done
}

// request has the goroutine do something and waits for its answer.
func (r *recorder) request(ctx context.Context, do func() error) error {
	q := request{do: do, answer: make(chan error, 1)}
	select {
	case r.asked <- q:
		return <-q.answer // do has the context
	case <-r.done:
		return errAbandoned
	case <-ctx.Done():
		return ctx.Err()
	}
}

// work gathers results and writes them, batch by batch, until it is abandoned.
func (r *recorder) work() {
	defer close(r.done)
	r.store.shortenLog(r.ctx)
	wait := firstWait
	timer := time.NewTimer(wait)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case result := <-r.queue:
			if len(r.pending) == 0 {
				timer.Reset(wait)
			}
			r.take(result)
			if len(r.pending) == rowsAtOnce && r.err == nil {
				r.err = r.batch.prepare(r.ctx) // while it waits for more
			}
		case <-timer.C:
			wait = min(2*wait, batchWait)
			r.flush()
		case q := <-r.asked:
			r.drain()
			q.answer <- q.do()
		case <-r.ctx.Done():
			return
		case <-r.store.closed:
			return
		}
	}
}

// drain handles what was added before.
func (r *recorder) drain() {
	for {
		select {
		case result := <-r.queue:
			r.take(result)
		default:
			return
		}
	}
}

func (r *recorder) take(result history.Result) {
	if r.err != nil {
		return // Finish reports it
	}
	r.pending = append(r.pending, result)
	if len(r.pending) >= batchSize {
		r.flush()
	}
}

func (r *recorder) flush() {
	if r.err == nil && len(r.pending) > 0 {
		r.err = r.batch.write(r.ctx, r.pending, nil)
	}
	r.drop()
}

// drop forgets what is pending.
func (r *recorder) drop() {
	clear(r.pending)
	r.pending = r.pending[:0]
}
