package front

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/merge"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// pollInterval is how often the server is asked about a run.
	pollInterval = 500 * time.Millisecond
	// leaveWindow is how long after a Ctrl-C a second one leaves the run instead of stopping
	// it. A signal within echoWindow is the same key press: the terminal signals the whole
	// process group, and some shells pass it on once more.
	leaveWindow = 2 * time.Second
	echoWindow  = 50 * time.Millisecond
	// answerLimit is how long the server may be silent before the user is told.
	answerLimit = 5 * time.Second
)

// watchInterrupts delivers interrupts. The first of them also cancels ctx.
func watchInterrupts(ctx context.Context) <-chan os.Signal {
	c := make(chan os.Signal, 8)
	signal.Notify(c, os.Interrupt)
	return c
}

// leftError reports that the user left a run, which continues without them.
type leftError struct{ job string }

func (e *leftError) Error() string {
	return fmt.Sprintf("the run continues without you; to follow it again: proctor run --fleet --attach %s", e.job)
}

func (e *leftError) Is(target error) bool { return target == context.Canceled }

// follower shows a run as it goes, until it ends.
type follower struct {
	fleet   *fleet
	job     job.Job
	client  client.Client
	store   store.Store
	live    api.Listener
	notice  func(string)
	presses <-chan os.Signal

	running map[int]job.Heartbeat
	ended   map[int]bool
	// shown are the failures already shown; read counts the failure objects already read of
	// each attempt.
	shown map[string]bool
	read  map[string]int
	done  sdk.Progress // of the batches that have ended
	// refused are the reasons already shown for which machines gave batches back.
	refused map[string]bool
	// took is how long the run took, once it has ended.
	took time.Duration
}

// run follows the run, and cancels it when the context ends.
func (f *follower) run(ctx context.Context) error {
	f.running, f.ended, f.shown, f.read = map[int]job.Heartbeat{}, map[int]bool{}, map[string]bool{}, map[string]int{}
	f.refused = map[string]bool{}
	f.showStart()
	quiet := context.WithoutCancel(ctx)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	awaiting, leave := context.WithCancel(quiet)
	defer leave()
	ended := f.awaitEnd(awaiting)
	heard, mentioned := time.Now(), false
	var cancelAt <-chan time.Time
	interrupted := ctx.Done()
	var pressed time.Time
	for {
		over, err := f.poll(quiet)
		var none *serviceerror.NotFound
		var unread *storeError
		switch {
		case errors.As(err, &none):
			return fmt.Errorf("the Temporal server no longer knows run %s: %w; to go on with what is stored of it: proctor run --fleet --attach %s", f.job.ID, err, f.job.ID)
		case err == nil:
			heard, mentioned = time.Now(), false
		case errors.As(err, &unread) && time.Since(heard) > answerLimit && unread.ended:
			return fmt.Errorf("run %s has ended, and its results cannot be read: %w; once they can: proctor run --fleet --attach %s", f.job.ID, err, f.job.ID)
		case errors.As(err, &unread) && time.Since(heard) > answerLimit && !mentioned:
			mentioned = true
			f.notice(prose.Line(err.Error()) + "; trying again (to leave the run: Ctrl-C twice)")
		case time.Since(heard) > answerLimit && !mentioned:
			mentioned = true
			f.notice("the Temporal server does not answer; waiting for it (to leave the run: Ctrl-C twice)")
		}
		if over {
			f.reportLost(quiet)
			return nil
		}
		select {
		case <-tick.C:
		case <-ended:
			ended = nil
		case now := <-f.presses:
			if !pressed.IsZero() && now != nil && time.Since(pressed) > echoWindow {
				return &leftError{job: f.job.ID}
			}
			pressed = time.Now()
		case <-interrupted:
			interrupted, pressed = nil, time.Now()
			f.notice("stopping the run; press Ctrl-C again to leave it to the workers instead")
			cancelAt = time.After(leaveWindow)
		case <-cancelAt:
			if err := f.client.CancelWorkflow(quiet, workflowID(f.job.ID), ""); err != nil {
				f.notice("the run could not be stopped: " + err.Error())
				cancelAt = time.After(leaveWindow)
			}
		}
	}
}

// storeError reports that the store cannot be read, although the server answers.
type storeError struct {
	err   error
	ended bool // the run has
}

func (e *storeError) Error() string { return "the store: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// awaitEnd returns a channel that is closed when the run seems to have ended: the server
// says so at once, but may have been restarted.
func (f *follower) awaitEnd(ctx context.Context) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = f.client.GetWorkflow(ctx, workflowID(f.job.ID), "").Get(ctx, nil)
	}()
	return ended
}

// showStart shows that the run begins.
func (f *follower) showStart() {
	var languages []string
	var suites []api.ExpectedSuite
	seen := map[string]bool{}
	for _, d := range f.job.Divisions {
		languages = append(languages, d.Language)
		for _, part := range d.Parts {
			for _, p := range part {
				if key := d.Language + " " + p.Suite; !seen[key] { // a suite may be divided
					seen[key] = true
					suites = append(suites, api.ExpectedSuite{Suite: p.Suite})
				}
			}
		}
	}
	where := fmt.Sprintf("run %s, %s on %s at %s", f.job.ID, api.Plural(len(f.job.Batches()), "part"), api.Plural(f.job.Slots, "slot"), f.fleet.server)
	f.live.Listen(&api.RunStarted{Suites: len(suites), Expected: func() []api.ExpectedSuite { return suites }, Run: api.Run{
		RunID: f.job.ID, Kind: api.KindRun, Language: strings.Join(languages, ", "), Workspace: f.job.Workspace,
		Commands: []api.Command{{Argv: strings.Fields(where)}},
	}})
}

// poll asks about the run, shows what is new, and reports whether it is over.
func (f *follower) poll(ctx context.Context) (over bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	answer, err := f.client.DescribeWorkflowExecution(ctx, workflowID(f.job.ID), "")
	if err != nil {
		return false, err
	}
	f.running = map[int]job.Heartbeat{}
	for _, a := range answer.GetPendingActivities() {
		f.sayRefused(a.GetLastFailure())
		var beat job.Heartbeat
		details := a.GetHeartbeatDetails()
		if a.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED && details != nil && converter.GetDefaultDataConverter().FromPayloads(details, &beat) == nil {
			f.running[beat.Batch] = beat
		}
	}
	info := answer.GetWorkflowExecutionInfo()
	if err := errors.Join(f.showFailures(ctx), f.showEnded(ctx)); err != nil {
		return false, &storeError{err: err, ended: info.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING}
	}
	f.showProgress()
	if began, ended := info.GetStartTime(), info.GetCloseTime(); ended.IsValid() {
		f.took = ended.AsTime().Sub(began.AsTime())
	}
	return info.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// sayRefused says once why a machine gave a batch back: if all do, the run waits for nothing.
func (f *follower) sayRefused(last *failure.Failure) {
	why := last.GetMessage()
	if last.GetTimeoutFailureInfo() != nil {
		why = "its worker stopped answering"
	}
	if why != "" && len(f.refused) < maxRefused && !f.refused[why] {
		f.refused[why] = true
		f.notice("a part waits for another worker: " + prose.Line(why))
	}
}

// maxRefused is how many reasons are shown.
const maxRefused = 10

// showFailures shows what has failed in the running batches.
func (f *follower) showFailures(ctx context.Context) error {
	for _, beat := range f.running {
		failures, err := job.LoadFailures(ctx, f.store, f.job.ID, beat, f.read[beat.Attempt])
		if err != nil {
			return err
		}
		f.read[beat.Attempt] = beat.FailureObjects
		for _, failure := range failures {
			f.showFailure(failure)
		}
	}
	return nil
}

// showFailure shows a failure, once.
func (f *follower) showFailure(failure api.Failure) {
	key := strings.Join([]string{failure.Suite, failure.Test, failure.Kind, failure.Headline()}, "\x00")
	if !f.shown[key] {
		f.shown[key] = true
		f.live.Listen(&api.FailureFound{Failure: failure})
	}
}

// showEnded shows the results of the batches that have ended.
func (f *follower) showEnded(ctx context.Context) error {
	ended, err := job.Ended(ctx, f.store, f.job.ID)
	if err != nil {
		return err
	}
	for n := range f.job.Batches() {
		if !ended[n] || f.ended[n] {
			continue
		}
		run, err := f.job.Result(ctx, f.store, n)
		if err != nil {
			return err
		}
		f.ended[n] = true
		took := map[string]time.Duration{}
		for _, r := range run.Results {
			f.live.Listen(&api.TestEnded{Result: r})
			if r.Root == "" {
				took[r.Suite] += time.Duration(r.DurationS * float64(time.Second))
			}
		}
		for _, failure := range run.Failures {
			f.showFailure(failure)
		}
		for _, p := range run.Shard.Planned {
			if outcome := shard.OutcomeOf(p.Ended); outcome != 0 && p.Tests == nil {
				f.live.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: p.Suite, Outcome: outcome, Elapsed: took[p.Suite]}})
			}
		}
		f.done.Passed, f.done.Failed, f.done.Skipped = f.done.Passed+run.Counts.Passed, f.done.Failed+run.Counts.Failed, f.done.Skipped+run.Counts.Skipped
		f.done.SuitesDone += len(run.Shard.Planned)
	}
	return nil
}

// showProgress shows the progress of all machines.
func (f *follower) showProgress() {
	all := f.done
	for n, beat := range f.running {
		if f.ended[n] {
			continue
		}
		p := beat.Progress
		all.Passed, all.Failed, all.Skipped, all.SuitesDone = all.Passed+p.Passed, all.Failed+p.Failed, all.Skipped+p.Skipped, all.SuitesDone+p.SuitesDone
		all.SuitesRunning = append(all.SuitesRunning, p.SuitesRunning...)
		all.Running, all.RunningTotal = append(all.Running, p.Running...), all.RunningTotal+p.RunningTotal
	}
	slices.SortFunc(all.Running, func(a, b sdk.RunningTest) int { return int(b.Elapsed - a.Elapsed) })
	f.live.Listen(&api.Progressed{Progress: all})
}

// reportLost says which batches were given up, and why.
func (f *follower) reportLost(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var out work.Output
	if err := f.client.GetWorkflow(ctx, workflowID(f.job.ID), "").Get(ctx, &out); err == nil {
		for _, lost := range out.Lost {
			f.notice(lost)
		}
	}
}

// mergeReports merges what the machines of a run found.
func mergeReports(ctx context.Context, k *ledger.Keeper, s store.Store, j job.Job, took time.Duration, where api.Where, listeners []api.Listener) (runs []api.Run, err error) {
	ctx = context.WithoutCancel(ctx)
	temp, err := os.MkdirTemp("", "proctor-fleet-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	absent, err := j.WriteReports(ctx, s, temp)
	if err != nil {
		return nil, err
	}
	if _, err := job.Load(ctx, s, j.ID, k.Cfg.Version); err != nil {
		return nil, err // it was removed meanwhile, so something may be missing
	}
	if len(absent) < len(j.Divisions) {
		runs, err = merge.Merge(ctx, k, api.MergeRequest{Where: where, Paths: []string{temp}, RunID: j.ID, Took: took}, listeners...)
	}
	if err == nil && len(absent) > 0 {
		err = fmt.Errorf("no worker reported anything for run %s (%s)", j.ID, strings.Join(absent, ", "))
	}
	return runs, err
}
