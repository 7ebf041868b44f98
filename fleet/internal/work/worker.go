package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/source"
	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
)

// Config is what a worker needs.
type Config struct {
	// Identity is the worker's, from [TakeIdentity]. Client is connected to the server.
	Identity  string
	Client    client.Client
	Namespace string
	Store     store.Store
	// Dir holds the checkouts, and Slots is how many batches run at a time.
	Dir   string
	Slots int
	Git   string
	// Host is the configuration of the runs, apart from where they keep their records.
	Host project.Config
	// Log receives a line for each batch.
	Log io.Writer
}

// machine runs batches.
type machine struct {
	Config
	slots chan *slot
	logs  sync.Mutex
	pause pause
	early *early
	// workers returns the identities of those that are alive.
	workers func(context.Context) ([]string, error)
	// latest is the job that was read last: its batches come one after the other.
	jobs   sync.Mutex
	latest job.Job
}

// load reads a job.
func (m *machine) load(ctx context.Context, id string) (job.Job, error) {
	m.jobs.Lock()
	defer m.jobs.Unlock()
	if m.latest.ID == id {
		return m.latest, nil
	}
	j, err := job.Load(ctx, m.Store, id, m.Host.Version)
	if err == nil && j.Version != m.Host.Version { // it may run or read the same tests differently
		err = &engine.OtherMachineError{What: fmt.Sprintf("the version of proctor here (%s, and not %s)", m.Host.Version, j.Version)}
	}
	if err == nil {
		m.latest = j
	}
	return j, err
}

// slot runs one batch at a time, with plugins and records of its own for each workspace.
type slot struct {
	source.Slot
	host    project.Config
	keepers map[string]*ledger.Keeper
}

// keeperOf returns the Keeper for the workspace in a directory of the slot.
func (s *slot) keeperOf(dir string) *ledger.Keeper {
	if s.keepers[dir] == nil {
		cfg := s.host
		sum := sha256.Sum256([]byte(dir))
		cfg.Session, cfg.RecordDir = "fleet", filepath.Join(s.Dir, "records", hex.EncodeToString(sum[:8]))
		cfg.ExitsOnClose, cfg.OneRequest = false, false
		s.keepers[dir] = ledger.New(cfg)
	}
	return s.keepers[dir]
}

// close ends the plugins that the slot started.
func (s *slot) close() {
	for _, k := range s.keepers {
		k.Close(context.Background())
	}
}

// Serve runs batches until the context ends; then it stops its tests and gives back its
// batches.
func Serve(ctx context.Context, cfg Config) (err error) {
	m := &machine{Config: cfg, slots: make(chan *slot, cfg.Slots)}
	m.workers = func(ctx context.Context) ([]string, error) { return Workers(ctx, cfg.Client, cfg.Namespace) }
	for range cfg.Slots {
		s, release, err := m.takeSlot()
		if err != nil {
			return err
		}
		defer release()
		m.slots <- s
	}
	tuner, early, err := newTuner(cfg.Slots, &m.pause)
	if err != nil {
		return err
	}
	m.early = early
	w := worker.New(cfg.Client, Queue, worker.Options{
		Tuner:    tuner,
		Identity: cfg.Identity,
		// A machine learns of a cancellation from the answer to its heartbeat.
		MaxHeartbeatThrottleInterval: heartbeat, DefaultHeartbeatThrottleInterval: heartbeat,
		WorkerStopTimeout: stopLimit,
	})
	w.RegisterWorkflowWithOptions(Workflow, workflow.RegisterOptions{Name: Name})
	w.RegisterActivityWithOptions(m.runBatch, activity.RegisterOptions{Name: activityName})
	stop := make(chan any)
	context.AfterFunc(ctx, func() { close(stop) })
	return w.Run(stop)
}

const (
	// heartbeat is how often a running batch reports its progress.
	heartbeat = 500 * time.Millisecond
	// LeastSilence is what a live machine on a busy network does not exceed.
	LeastSilence = 4 * heartbeat
	// stopLimit is how long tests may take to end when told to: their grace and what follows.
	stopLimit = 30 * time.Second
	// maxSlots bounds the slot directories of one machine.
	maxSlots = 256
)

// takeSlot takes the first free directory.
func (m *machine) takeSlot() (*slot, func(), error) {
	for n := range maxSlots {
		dir := filepath.Join(m.Dir, "slots", strconv.Itoa(n))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, nil, err
		}
		lock := flock.New(filepath.Join(dir, "lock"))
		taken, err := lock.TryLock()
		if err != nil {
			return nil, nil, err
		}
		if !taken {
			continue
		}
		s := &slot{
			Slot: source.Slot{Mirrors: filepath.Join(m.Dir, "mirrors"), Dir: dir, Git: m.Git, Env: m.Host.Env},
			host: m.Host, keepers: map[string]*ledger.Keeper{},
		}
		return s, func() { s.close(); _ = lock.Unlock() }, nil
	}
	return nil, nil, fmt.Errorf("all %d slots of %s are in use", maxSlots, m.Dir)
}

func (m *machine) log(format string, args ...any) {
	m.logs.Lock()
	defer m.logs.Unlock()
	fmt.Fprintf(m.Log, "%s  %s\n", time.Now().Format(time.TimeOnly), prose.Line(fmt.Sprintf(format, args...)))
}

// runBatch runs a batch unless its result is already stored, which means that the answer
// of an earlier attempt was lost.
func (m *machine) runBatch(ctx context.Context, id string, n int) (accepted string, err error) {
	if accepted, err := job.Accepted(ctx, m.Store, id, n); err == nil {
		return accepted, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			cancel(errWorkerStopped)
		case <-ctx.Done():
		}
	}()
	j, err := m.load(ctx, id)
	if err != nil {
		m.log("run %s part %d: %v", id, n+1, err)
		m.rest(m.isAlone(ctx))
		return "", m.explain(err)
	}
	attempt := fmt.Sprintf("%04d-%s", activity.GetInfo(ctx).Attempt, ledger.NewRunID())
	journal := job.NewJournal(ctx, m.Store, id, n, attempt, m.Identity)
	token := activity.GetInfo(ctx).TaskToken
	stopped := sendHeartbeats(ctx,
		func(ctx context.Context) error {
			return m.Client.RecordActivityHeartbeat(ctx, token, journal.Heartbeat())
		},
		func() { activity.RecordHeartbeat(ctx, journal.Heartbeat()) })
	began := time.Now()
	give := m.early.giver()
	run, err := m.run(ctx, j, j.Batches()[n], journal, give)
	interrupted := context.Cause(ctx)
	if interrupted == nil && err == nil && run.Verdict != api.ToolError {
		give()
	}
	cancel(nil)
	<-stopped
	keep := context.WithoutCancel(ctx)
	err = errors.Join(err, journal.Close())
	if err == nil {
		err = journal.SaveReport(keep)
	}
	if interrupted != nil {
		m.log("run %s part %d: stopped after %.1f s", id, n+1, time.Since(began).Seconds())
		if errors.Is(interrupted, errWorkerStopped) {
			return "", m.explain(interrupted)
		}
		return "", interrupted
	}
	if err = m.assess(keep, id, n, int(activity.GetInfo(ctx).Attempt), run, err); err != nil {
		m.log("run %s part %d: %v", id, n+1, err)
		return "", m.explain(err)
	}
	m.log("run %s part %d: %s, %.1f s", id, n+1, strings.ReplaceAll(string(run.Verdict), "_", " "), time.Since(began).Seconds())
	return job.Accept(keep, m.Store, id, n, attempt)
}

// errWorkerStopped ends a batch whose worker stops: another takes it at once.
var errWorkerStopped = errors.New("the worker was stopped")

// assess returns nil if an attempt is a result, and lets the worker rest after one that is
// not. Heartbeats have ended by now, so the server is asked at most once who is alive.
func (m *machine) assess(ctx context.Context, id string, n, attempt int, run api.Run, err error) error {
	alone := sync.OnceValue(func() bool { return m.isAlone(ctx) })
	if err == nil && run.Verdict == api.ToolError {
		if err = m.confirmToolError(ctx, id, n, attempt, alone); err != nil {
			err = fmt.Errorf("%w: %s", err, run.Reason)
		}
	}
	switch {
	case err == nil && run.Verdict != api.ToolError:
		m.pause.end()
	case err != nil && !isUsage(err):
		m.rest(alone())
	}
	return err
}

// rest keeps the worker from the next batches after one that it could not run, if others
// can take them.
func (m *machine) rest(alone bool) {
	if !alone {
		m.pause.extend(time.Now())
	}
}

// isAlone reports whether no other worker is alive. If the server does not say, there may be
// others.
func (m *machine) isAlone(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	alive, err := m.workers(ctx)
	return err == nil && !slices.ContainsFunc(alive, func(id string) bool { return nameOf(id) != nameOf(m.Identity) })
}

const (
	// askLimit is how long the server may take to say who is alive.
	askLimit = 2 * time.Second
	// toolAttempts is how often a batch that cannot be run is tried at least.
	toolAttempts = 3
)

// confirmToolError returns nil if it is the result of a batch that it could not be run: it
// was tried often enough and by another worker, too, or there is no other.
func (m *machine) confirmToolError(ctx context.Context, id string, n, attempt int, alone func() bool) error {
	others, err := job.NoteUnable(ctx, m.Store, id, n, nameOf(m.Identity))
	if others > 0 {
		m.pause.end() // it is not this worker's fault
	}
	switch {
	case err != nil:
		return err
	case attempt >= mostAttempts: // better this result than none
		return nil
	case attempt >= toolAttempts && (others > 0 || alone()):
		return nil
	}
	return errors.New("the tests could not be run")
}

// explain returns the error for the engine. What the user must fix is not retried.
func (m *machine) explain(err error) error {
	text := fmt.Sprintf("%s: %v", m.Identity, err)
	text = strings.ToValidUTF8(text[:min(len(text), maxReason)], "\uFFFD")
	if isUsage(err) {
		return temporal.NewNonRetryableApplicationError(text, "usage", nil)
	}
	return temporal.NewApplicationError(text, "machine")
}

// isUsage reports whether an error is the user's to mend: no machine can run the batch.
func isUsage(err error) bool {
	var usage *api.UsageError
	return errors.As(err, &usage)
}

// run runs a batch in a slot. It calls ended when no test of it will run any more, if that is
// known before the end.
func (m *machine) run(ctx context.Context, j job.Job, b job.Batch, journal *job.Journal, ended func()) (api.Run, error) {
	var s *slot
	select {
	case s = <-m.slots:
		defer func() { m.slots <- s }()
	case <-ctx.Done():
		return api.Run{}, context.Cause(ctx)
	}
	dir, err := s.Checkout(ctx, j.Sources, func(pack string) ([]byte, error) { return store.GetSum(ctx, m.Store, pack) })
	if err != nil {
		return api.Run{}, err
	}
	req := j.Request
	req.Where.Dir, req.RunID = dir, ""
	d := j.DivisionOf(b)
	return engine.RunPart(ctx, s.keeperOf(dir), req, d, b.Index, journal, newFinishing(d, b.Index, ended))
}

// sendHeartbeats reports the progress of a batch to the engine until the context ends. Once
// the engine wants the batch ended, it has the SDK ask as well, which then ends the context.
//
// The SDK's own heartbeats would end a batch that the engine cannot be told of for a second,
// as when its database restarts. The engine decides when a machine is dead, and the tests
// run on until then.
func sendHeartbeats(ctx context.Context, beat func(context.Context) error, ask func()) (stopped <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			beating, cancel := context.WithTimeout(ctx, LeastSilence)
			err := beat(beating)
			cancel()
			if endsBatch(err) {
				ask()
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return done
}

// endsBatch reports whether the answer to a heartbeat ends the batch: it was cancelled, or
// the engine no longer waits for it. An engine without its database says that there is no
// namespace, which ends nothing.
func endsBatch(err error) bool {
	var gone *serviceerror.NotFound
	var inactive *serviceerror.NamespaceNotActive
	return temporal.IsCanceledError(err) || errors.Is(err, activity.ErrActivityPaused) || errors.Is(err, activity.ErrActivityReset) ||
		errors.As(err, &gone) || errors.As(err, &inactive)
}
