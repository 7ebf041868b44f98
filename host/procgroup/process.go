package procgroup

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"
)

// releaseLimit is how long Release waits for a killed process to be gone: that
// takes microseconds, except for one that is stuck in the kernel, as on a dead
// network file system, and nobody can end such a process.
const releaseLimit = 2 * time.Second

// Config says what to start. The files stay the caller's, who closes them when
// Start has returned.
type Config struct {
	// Path is the program, absolute.
	Path string
	// Args are its arguments, its own name first. Empty means only that.
	Args []string
	// Dir is its working directory; empty is the host's.
	Dir string
	// Env is its whole environment: nothing is inherited, and nil is empty.
	Env []string
	// Stdin, when nil, is the null device: never the host's.
	Stdin *os.File
	// Stdout and Stderr, when nil, are discarded.
	Stdout, Stderr *os.File
	// MaxData bounds the memory of the process, and of each that it starts, in
	// bytes; 0 does not. Only Linux does it.
	MaxData uint64
}

// Process is a running process, the leader, and its group.
type Process struct {
	leader *os.Process
	group  *group

	ended   chan struct{} // closed when exit and waitErr are set
	exit    Exit
	waitErr error

	mu       sync.Mutex // held while signalling, so that no signal follows a release
	released bool
}

// Start starts a process. Only the starting is bounded by ctx. The caller must
// call [Process.Release].
func Start(ctx context.Context, cfg Config) (*Process, error) {
	return start(ctx, cfg, watcherShell)
}

// start is Start with the shell that the watcher runs in.
func start(ctx context.Context, cfg Config, shell string) (*Process, error) {
	if err := check(ctx, cfg); err != nil {
		return nil, err
	}
	files, closeFiles, err := openFiles(cfg)
	if err != nil {
		return nil, newStartError(cfg, err)
	}
	defer closeFiles()
	grp, err := newGroup(ctx, shell)
	if err != nil {
		return nil, newStartError(cfg, err)
	}
	args := cfg.Args
	if len(args) == 0 {
		args = []string{cfg.Path}
	}
	leader, err := os.StartProcess(cfg.Path, args, &os.ProcAttr{
		Dir: cfg.Dir,
		// A nil slice would inherit ours.
		Env:   append([]string{}, cfg.Env...),
		Files: files,
		Sys:   grp.attr(),
	})
	if err == nil && cfg.MaxData > 0 {
		limitData(leader.Pid, cfg.MaxData)
	}
	if err != nil {
		grp.close()
		return nil, newStartError(cfg, err)
	}
	p := &Process{leader: leader, group: grp, ended: make(chan struct{})}
	joinErr := grp.join(leader)
	go p.reap()
	if joinErr != nil {
		p.Release()
		return nil, newStartError(cfg, joinErr)
	}
	return p, nil
}

// Pid is the id of the leader.
func (p *Process) Pid() int { return p.leader.Pid }

// Unguarded tells why the group would outlive a killed host; nil means that it
// would not.
func (p *Process) Unguarded() error { return p.group.unguarded }

// Ended is closed when the leader has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Wait waits for the end of the leader; others of the group may live on. It may
// be called from several goroutines.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.ended:
		return p.exit, p.waitErr
	default:
	}
	select {
	case <-p.ended:
		return p.exit, p.waitErr
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Signal sends sig to the whole group. It is no error when nobody is left. The
// error after a release is [os.ErrProcessDone].
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.released {
		return os.ErrProcessDone
	}
	return p.group.signal(p.leader, sig)
}

// Kill ends the whole group at once, also what the leader left behind.
func (p *Process) Kill() error { return p.Signal(syscall.SIGKILL) }

// Release kills what is left of the group and frees what guards it. It may be
// called again.
func (p *Process) Release() {
	p.mu.Lock()
	if p.released {
		p.mu.Unlock()
		return
	}
	p.released = true
	// Nothing can be done about a failure: what it means is that nobody of the
	// group may be signalled by us, or that nobody is left.
	_ = p.group.signal(p.leader, syscall.SIGKILL)
	p.group.close()
	p.mu.Unlock()

	limit := time.NewTimer(releaseLimit)
	defer limit.Stop()
	select {
	case <-p.ended:
	case <-limit.C:
	}
}

// reap waits for the leader.
func (p *Process) reap() {
	defer close(p.ended)
	state, err := p.leader.Wait()
	if err != nil {
		p.exit, p.waitErr = Exit{Code: -1}, err
		return
	}
	p.exit = exitOf(state)
}
