package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/upload"
)

// maxKept is how many ended jobs a session remembers: runs that are not on record would
// otherwise be lost.
const maxKept = 16

// jobs are the jobs of a session: those in progress, and the last that ended. A job
// belongs to the session and not to the call that began it, so that a client that hangs up
// loses nothing.
type jobs struct {
	lease time.Duration
	ctx   context.Context // of all jobs
	stop  context.CancelFunc
	wg    sync.WaitGroup
	// watch watches the sources that a run will see; it may be nil.
	watch func(ctx context.Context, where api.Where) *ledger.SourceWatch
	// ended is called at the end of each job; it may be nil.
	ended func(id string)

	mu   sync.Mutex
	list []*job // the newest last
}

func newJobs(lease time.Duration) *jobs {
	ctx, stop := context.WithCancel(context.Background())
	return &jobs{lease: lease, ctx: ctx, stop: stop}
}

// task is what a job should do.
type task struct {
	// id is that of the run, or of the job if it makes none.
	id   string
	tool string
	// where is the workspace; the zero value means that args say so.
	where api.Where
	// args are equal in calls that request the same.
	args any
	// timeout is what a run may take; 0 means none.
	timeout time.Duration
	// tests means that it runs the tests of where, and so can be the session's last run.
	tests bool
}

// key identifies a task: it is equal for equal requests.
func (t task) key() string {
	raw, err := json.Marshal([]any{t.tool, t.where, t.args})
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// work does a job and returns the outcome.
type work func(ctx context.Context, l api.Listener) (outcome, error)

// errStopped is the cause of a job's end if it was stopped on request. It counts as a
// cancellation.
var errStopped = fmt.Errorf("stopped: %w", context.Canceled)

// errUnwanted is the cause of a job's end if no call asked for it any longer.
var errUnwanted = fmt.Errorf("nobody was waiting for it any longer: %w", context.Canceled)

// start starts a job, or returns one in progress that does the same and is not in passed.
func (s *jobs) start(t task, do work, passed []*job) (j *job, attached bool) {
	key := t.key()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.list {
		if j.key == key && !j.hasEnded() && !j.isStopping() && !slices.Contains(passed, j) {
			return j, true
		}
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	j = newJob(t, key, ctx, cancel)
	if err := s.ctx.Err(); err != nil {
		cancel(nil)
		j.finish(outcome{}, err, true) // the session has ended
		return j, false
	}
	s.list = append(s.list, j)
	s.forgetOld()
	s.wg.Go(func() {
		defer cancel(nil)
		if s.watch != nil && t.tests {
			watch := s.watch(ctx, t.where)
			defer watch.Close()
			j.watchSources(watch)
		}
		o, err := recoverPanic(func() (outcome, error) { return do(ctx, j) })
		j.finish(o, err, ctx.Err() != nil)
		if s.ended != nil {
			s.ended(t.id)
		}
	})
	return j, false
}

// recoverPanic turns a panic into an error of the call: it must not end the runs of
// others.
func recoverPanic[T any](do func() (T, error)) (got T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this is a bug in proctor, not a mistake in the call: %v", r)
		}
	}()
	return do()
}

// forgetOld drops ended jobs beyond the limit: first those without a run, then the oldest.
func (s *jobs) forgetOld() {
	for len(s.list) > maxKept {
		i := slices.IndexFunc(s.list, func(j *job) bool { return j.hasEnded() && j.outcome.run == nil })
		if i < 0 {
			i = slices.IndexFunc(s.list, (*job).hasEnded)
		}
		if i < 0 {
			return
		}
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// The words for runs of the session that replace an id.
const (
	lastRun     = "last"
	previousRun = "prev"
)

// find returns the job of a run of this session: by its id or a prefix or, without an
// id, the session's last. That is the newest with a run of tests, or that may still get
// one. dir selects a workspace; empty means any.
func (s *jobs) find(id, dir string) (*job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var begun []*job
	for _, j := range slices.Backward(s.list) {
		switch {
		case dir != "" && !j.isIn(dir):
		case id == "" || id == lastRun:
			if j.hasRun() {
				return j, true
			}
		case j.hasID(id):
			return j, true
		case id != previousRun && strings.HasPrefix(j.id, id) && (j.hasRun() || !j.hasEnded()):
			begun = append(begun, j)
		}
	}
	if len(begun) == 1 {
		return begun[0], true
	}
	return nil, false
}

// refusalIn says how the newest call for a run in a workspace ended, if it is newer than
// the last run and did not lead to one: an earlier green must not be taken for its result.
// dir is as in find.
func (s *jobs) refusalIn(dir string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range slices.Backward(s.list) {
		switch {
		case !j.tests || dir != "" && !j.isIn(dir):
		case j.hasRun():
			return ""
		case j.err == nil: // there was nothing to run
		case j.stopped:
			return "the last " + j.tool + " call did not run: it was stopped before it began"
		default:
			return "the last " + j.tool + " call did not run: " + failure(j.err).text[0]
		}
	}
	return ""
}

// lastUpload returns the last run, if it was one of sources that came with the call. dir is
// as in find.
func (s *jobs) lastUpload(dir string) (api.Run, bool) {
	j, ok := s.find("", dir)
	if !ok || !j.hasEnded() || j.outcome.run == nil || j.outcome.run.Workspace != upload.UploadWorkspace {
		return api.Run{}, false
	}
	return *j.outcome.run, true
}

// unfinished returns the jobs that have not ended, newest last.
func (s *jobs) unfinished() []*job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.list), (*job).hasEnded)
}

// drain waits until all jobs have ended.
func (s *jobs) drain() { s.wg.Wait() }

// close stops all jobs and waits for them.
func (s *jobs) close() {
	s.mu.Lock()
	s.stop() // no job is begun after this
	s.mu.Unlock()
	s.wg.Wait()
}
