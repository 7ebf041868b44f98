package mcp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/mcp/tasks"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// progressInterval is how often a client receives progress.
const progressInterval = 500 * time.Millisecond

// job is one run, or a few, that a session began.
type job struct {
	task
	key   string
	ctx   context.Context // ends when the job is stopped
	stop  context.CancelCauseFunc
	done  chan struct{} // closed at the end
	begun time.Time
	// watching is closed once sources are watched; before, the run has not begun.
	watching chan struct{}
	sources  *ledger.SourceWatch

	mu sync.Mutex
	// run is the run as it began; nil while the job waits or examines the workspace.
	run      *api.Run
	waiting  *api.Holder // what it waits for
	progress sdk.Progress
	found    pick.Found
	// followers counts the calls that wait for the end, with the one that began it from
	// the start. When the last one hangs up, the job is abandoned: lease ends it some
	// time after the last call about it.
	followers int
	abandoned bool
	lease     *time.Timer
	// kept means that a call was answered after the time that it chose to wait: it wants
	// the end, however few followers there are.
	kept bool

	outcome outcome
	err     error
	stopped bool // it ended after it was stopped
}

// outcome is the result of a job: a run, or an answer.
type outcome struct {
	run *api.Run
	// raw is the runner's own output, if it is not on record.
	raw *api.RawOutput
	// said is the answer of a job without a run.
	said *answer
}

func newJob(t task, key string, ctx context.Context, stop context.CancelCauseFunc) *job {
	return &job{task: t, key: key, ctx: ctx, stop: stop, done: make(chan struct{}), watching: make(chan struct{}), begun: time.Now(), followers: 1}
}

func (j *job) hasEnded() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// isStopping reports whether it was stopped.
func (j *job) isStopping() bool { return j.ctx.Err() != nil }

// watchSources sets the watch that detects changes of the sources.
func (j *job) watchSources(sources *ledger.SourceWatch) {
	j.sources = sources
	close(j.watching)
}

func (j *job) finish(o outcome, err error, stopped bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.outcome, j.err, j.stopped = o, err, stopped
	if j.lease != nil {
		j.lease.Stop()
	}
	close(j.done)
}

// hasRun reports whether there is a run of tests, or may still be one.
func (j *job) hasRun() bool {
	return j.tests && (!j.hasEnded() || j.outcome.run != nil || j.status().run != nil)
}

// hasID reports whether an id is that of the job or of its run.
func (j *job) hasID(id string) bool {
	run := j.status().run
	return id == j.id || run != nil && id == run.RunID
}

// isIn reports whether a job is about a workspace.
func (j *job) isIn(dir string) bool {
	run := j.status().run
	return dir == j.where.Dir || run != nil && dir == run.Workspace
}

// sourcesWait is how long a call waits to learn whether sources have changed.
const sourcesWait = 2 * time.Second

// isCurrent reports whether a new run for the same request would show the same as the
// job's, and if not, why.
func (j *job) isCurrent(ctx context.Context, timeout time.Duration) (ok bool, why string) {
	if timeout > j.timeout {
		return false, "has a time-out of " + inSeconds(j.timeout)
	}
	if !j.tests {
		return true, ""
	}
	const unknown = "may have started before files changed"
	ctx, cancel := context.WithTimeout(ctx, sourcesWait)
	defer cancel()
	select {
	case <-j.watching:
	case <-ctx.Done():
		return false, unknown
	}
	switch unchanged, known := j.sources.Unchanged(ctx); {
	case !known:
		return false, unknown
	case !unchanged:
		return false, "started before files changed"
	}
	return true, ""
}

// Listen handles an event of the job.
func (j *job) Listen(e api.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.found.Listen(e)
	switch e := e.(type) {
	case *api.Waiting:
		holder := e.Holder
		j.waiting = &holder
	case *api.RunStarted:
		run := e.Run
		j.run, j.waiting = &run, nil
	case *api.Progressed:
		j.progress = e.Progress
	}
}

// follow waits for the end of the job, up to limit unless nil, and reports progress to
// the client. It returns an error if the client hung up, or cancelled one call of several.
func (j *job) follow(ctx context.Context, c *call, limit *time.Duration) error {
	j.addFollower()
	return j.await(ctx, c, limit, false)
}

// await is follow for a call that is a follower already. keeps means that the call wants the
// end even if it is answered before.
func (j *job) await(ctx context.Context, c *call, limit *time.Duration, keeps bool) error {
	var late <-chan time.Time
	if limit != nil {
		timer := time.NewTimer(*limit)
		defer timer.Stop()
		late = timer.C
	}
	task, isTask := tasks.In(ctx)
	if isTask {
		task.Follow(func() string { return j.status().line(time.Now()) })
	}
	stopBeats := c.sendProgress(ctx, j.status)
	defer stopBeats()
	select {
	case <-j.done:
	case <-late:
	case <-ctx.Done():
	}
	if keeps && ctx.Err() == nil {
		j.letContinue() // before it is no follower: nobody may stop it in between
	}
	// A cancelled task asks for that; a single call has no successor.
	stops := isTask || c.session.single
	j.removeFollower(ctx, stops, c.session.jobs.lease)
	switch {
	case ctx.Err() == nil || j.hasEnded():
		return nil
	case !stops:
		return ctx.Err()
	case j.isStopping():
		<-j.done
		return nil
	}
	return fmt.Errorf("the task was cancelled, but other calls want run %s, which goes on: cancel_run{\"run_id\":%q} stops it", j.id, j.id)
}

// addFollower adds a follower, and reports whether the job was not stopped before. Whoever
// requests a job wants it to continue.
func (j *job) addFollower() (goesOn bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.followers++
	if j.lease != nil {
		j.lease.Stop()
		j.lease = nil
	}
	return !j.stopped && (j.hasEnded() || !j.isStopping())
}

// removeFollower removes a follower. If it is the last and one has hung up, the job
// continues for the lease, and is then stopped; at once if the last one hung up to stop it.
func (j *job) removeFollower(ctx context.Context, stops bool, lease time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.followers--
	j.abandoned = j.abandoned || ctx.Err() != nil
	switch {
	case j.followers > 0 || j.kept || !j.abandoned || j.hasEnded():
	case stops && ctx.Err() != nil:
		j.stop(errStopped)
	default:
		j.lease = time.AfterFunc(lease, func() { j.stop(errUnwanted) })
	}
}

// letContinue lets the job continue: its client has chosen how long to wait, and was answered.
func (j *job) letContinue() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kept, j.abandoned = true, false
	if j.lease != nil {
		j.lease.Stop()
		j.lease = nil
	}
}

// status is the progress of a job.
type status struct {
	// word is queued, running or ended.
	word     string
	run      *api.Run
	waiting  *api.Holder
	progress sdk.Progress
	since    time.Time
	found    pick.Found
	// foreign means that it belongs to another session, so that nothing else is known.
	foreign bool
}

func (j *job) status() status {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := status{word: "running", run: j.run, waiting: j.waiting, progress: j.progress, since: j.begun, found: j.found.Copy()}
	switch {
	case j.hasEnded():
		s.word = "ended"
	case j.waiting != nil:
		s.word = "queued"
	}
	return s
}

// line formats it: "suites done: 12; results: 240 passed, 3 failed; 41s (pkg/foo
// TestX)".
func (s status) line(now time.Time) string {
	age := prose.Duration(now.Sub(s.since))
	if s.waiting != nil {
		return "waiting for " + limits.Of(s.waiting.String()) + " in this workspace, " + age
	}
	if s.foreign {
		return "run " + s.run.RunID + " of session " + limits.Of(s.run.SessionID) + " is running, " + age
	}
	if s.run == nil && s.progress.SuitesDone+s.progress.Passed+s.progress.Failed == 0 {
		return "looking at the workspace, " + age
	}
	p := s.progress
	line := fmt.Sprintf("suites done: %d; %s; %s", p.SuitesDone, render.ResultsSoFar(p.Passed, p.Failed, p.Skipped), age)
	switch {
	case len(p.Running) > 0:
		id := p.Running[0].ID
		line += " (" + prose.Line(strings.TrimSpace(id.Suite+" "+id.Test)) + ")"
	case p.SuitesDone == 0:
		line += " (no test is running: building)"
	default:
		line += " (no test is running)"
	}
	return line
}

// inSeconds formats a timeout as in calls.
func inSeconds(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }

// sendProgress sends the client progress until the returned function is called: at once, when
// something has changed, and as a heartbeat, on which some clients reset a call's
// timeout. A client that did not ask for it receives nothing.
func (c *call) sendProgress(ctx context.Context, now func() status) (stop func()) {
	if c.client == nil || c.token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		var r reporter
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			if params, due := r.next(now(), time.Now(), c.session.server.cfg.Heartbeat); due {
				params.ProgressToken = c.token
				if task, ok := tasks.In(ctx); ok {
					params.Meta = task.Related()
				}
				if c.client.NotifyProgress(ctx, params) != nil {
					return // the client is gone
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// reporter decides what is worth reporting.
type reporter struct {
	told  bool
	at    time.Time
	value float64
	word  string
	// broken is how many suites were not built.
	broken int
}

// next returns what to report now, if anything. The value must grow with each message,
// even if nothing has moved.
func (r *reporter) next(s status, now time.Time, heartbeat time.Duration) (*mcp.ProgressNotificationParams, bool) {
	done := float64(s.progress.Passed + s.progress.Failed + s.progress.Skipped + s.progress.SuitesDone)
	if r.told && s.word == r.word && s.found.NotBuiltTotal == r.broken && done <= r.value && now.Sub(r.at) < heartbeat {
		return nil, false
	}
	const little = 0.001
	r.value = max(done, r.value+little)
	r.told, r.at, r.word, r.broken = true, now, s.word, s.found.NotBuiltTotal
	message := s.line(now)
	if broken := limits.Of(s.found.Line()); broken != "" {
		message += "; " + broken
	}
	return &mcp.ProgressNotificationParams{Progress: r.value, Message: message}, true
}
