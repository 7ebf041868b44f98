package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/sdk"
)

// timedOutCode is the exit code after a timeout, as in timeout(1).
const timedOutCode = 124

// Run executes a command to its end. The error is a [procgroup.StartError] if the
// command could not be started, and a [StuckError] if it does not end when killed;
// any other end is a result and not an error.
//
// After the deadline the whole process group receives SIGQUIT, on which Go
// programs print their stacks, and SIGKILL after the grace. When ctx is cancelled
// it receives SIGINT, and SIGKILL soon after. When the command has ended and
// leftovers silently hold its output, they are killed, too.
func Run(ctx context.Context, cfg Config) (Result, error) {
	return run(ctx, cfg, defaultLimits())
}

func run(ctx context.Context, cfg Config, lim limits) (Result, error) {
	if len(cfg.Argv) == 0 {
		return Result{}, &procgroup.StartError{Dir: cfg.Dir, Why: "the command is empty", Todo: "name a program", Err: errEmpty}
	}
	if cfg.Grace <= 0 {
		cfg.Grace = defaultGrace
	}
	out, err := openPipes()
	if err != nil {
		return Result{}, &procgroup.StartError{Path: cfg.Argv[0], Dir: cfg.Dir, Why: err.Error(), Todo: "raise the limit of open files (ulimit -n)", Err: err}
	}
	defer out.close()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	// The command runs before its start is complete: whoever cancels by then still gets what
	// it has written.
	proc, err := procgroup.Start(context.WithoutCancel(ctx), procgroup.Config{
		Path:    cfg.Argv[0],
		Args:    cfg.Argv,
		Dir:     cfg.Dir,
		Env:     cfg.Env,
		Stdout:  out.stdout.write,
		Stderr:  out.stderr.write,
		MaxData: cfg.MaxData,
		Group:   cfg.Group,
	})
	if err != nil {
		return Result{}, err
	}
	defer proc.Release()
	started := time.Now()
	out.given()

	sinkCtx, stopSink := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSink()
	held := make(chan struct{}, 1)
	sources := []*source{
		newSource(sdk.Stdout, out.stdout, lim, held),
		newSource(sdk.Stderr, out.stderr, lim, held),
	}
	del := newDelivery(cfg)
	drained := flow(sinkCtx, sources, del)
	sup := &supervisor{
		process: proc, sources: sources, deadline: cfg.Deadline, grace: cfg.Grace, limits: lim, stopSink: stopSink,
	}
	sup.supervise(ctx, drained, held)
	return result(proc, sup, del, started, cfg.Argv[0])
}

// flow starts the goroutines that pass on output; the last of them closes the channel.
func flow(ctx context.Context, sources []*source, del *delivery) <-chan struct{} {
	chunks := make(chan chunk)
	var pumps sync.WaitGroup
	for _, src := range sources {
		pumps.Go(func() { src.pump(chunks) })
	}
	go func() {
		pumps.Wait()
		close(chunks)
	}()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		del.run(ctx, chunks)
	}()
	return drained
}

// result is called once nothing runs any more.
func result(p *procgroup.Process, s *supervisor, del *delivery, started time.Time, path string) (Result, error) {
	res := Result{
		Exit:      s.exit,
		Stdout:    del.stdout.capture,
		Stderr:    del.stderr.capture,
		Started:   started,
		Duration:  s.endedAt.Sub(started),
		HeldOpen:  s.heldOpen,
		SinkErr:   del.sinkErr,
		RecordErr: del.recordErr(),
		Unguarded: p.Unguarded(),
	}
	var err error
	if s.stuck {
		res.Exit.Code = -1
		err = &StuckError{Path: path, Pid: p.Pid(), Err: s.killErr}
	} else {
		var exit procgroup.Exit
		// It has ended, so this does not wait.
		exit, err = p.Wait(context.Background())
		res.Exit.Code, res.Exit.Signal = exit.Code, exit.Signal
	}
	if res.Exit.TimedOut {
		res.Exit.Code = timedOutCode
	}
	return res, err
}

// errEmpty is the cause if there is no program.
var errEmpty = errors.New("empty command")

// Result is what happened.
type Result struct {
	// Exit is how the command ended. After a timeout the code is 124.
	Exit sdk.Exit
	// Stdout and Stderr are the kept parts of the output.
	Stdout, Stderr Capture
	Started        time.Time
	// Duration is the time until the command itself ended.
	Duration time.Duration
	// HeldOpen reports whether a leftover process held the output and was killed for
	// it. What it had not written by then is not part of the output.
	HeldOpen bool
	// SinkErr ended the calls of the sink, which has not received the whole output.
	SinkErr error
	// RecordErr ended a record, which is not the whole output.
	RecordErr error
	// Unguarded says why the command would have outlived a killed host.
	Unguarded error
}

// StuckError reports that a killed command did not end.
type StuckError struct {
	Path string
	Pid  int
	// Err is the error of killing it, if any.
	Err error
}

// Error names the process and what to do.
func (e *StuckError) Error() string {
	text := fmt.Sprintf("%s (process %d) was killed and does not end", e.Path, e.Pid)
	if e.Err != nil {
		return text + ": " + e.Err.Error() + "; if it runs as another user, end it as that user"
	}
	return text + ": it is stuck in the kernel; look for a file system that does not answer"
}

// Unwrap returns the error of killing it.
func (e *StuckError) Unwrap() error { return e.Err }
