package procgroup

import (
	"context"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// releaseLimit is how long Release waits for a killed process to disappear. That takes
// microseconds, unless the process is stuck in the kernel, as on a dead network file
// system, where nobody can end it.
const releaseLimit = 2 * time.Second

// Config says what to start. The caller owns the files and closes them after Start
// returns.
type Config struct {
	// Path is the absolute path of the program.
	Path string
	// Args are its arguments, starting with its own name. Empty means only that.
	Args []string
	// Dir is its working directory; empty means the host's.
	Dir string
	// Env is its whole environment: nothing is inherited, and nil means empty.
	Env []string
	// Stdin defaults to the null device, never to the host's stdin.
	Stdin *os.File
	// Stdout and Stderr are discarded if nil.
	Stdout, Stderr *os.File
	// MaxData bounds the memory in bytes of the process and of each of its children; 0
	// means no bound. Only Linux supports it.
	MaxData uint64
	// Group is where the process starts; nil means in a new one.
	Group *Prepared
}

// Process is a running process, called the leader, and its group.
type Process struct {
	leader *os.Process
	group  *group

	ended   chan struct{} // closed when exit and waitErr are set
	exit    Exit
	waitErr error

	mu       sync.Mutex // held while signalling, so that no signal follows a release
	released bool
}

// Start starts a process. ctx bounds only the start. The caller must call
// [Process.Release].
func Start(ctx context.Context, cfg Config) (*Process, error) {
	if err := check(ctx, cfg); err != nil {
		return nil, err
	}
	files, closeFiles, err := openFiles(cfg)
	if err != nil {
		return nil, newStartError(cfg, err)
	}
	defer closeFiles()
	grp, err := cfg.Group.take()
	if err != nil {
		return nil, newStartError(cfg, err)
	}
	leader, err := startLeader(cfg, files, grp)
	if err != nil {
		if lost := grp.awaitGuard(ctx); lost == nil && grp.unguarded != nil {
			// The system lets nobody join a group whose only member is dead.
			grp.close()
			grp = newUnguarded(grp.unguarded)
			leader, err = startLeader(cfg, files, grp)
		}
	}
	if err != nil {
		grp.close()
		return nil, newStartError(cfg, err)
	}
	p := &Process{leader: leader, group: grp, ended: make(chan struct{})}
	err = grp.join(leader)
	go p.reap()
	if err == nil {
		err = grp.awaitGuard(ctx)
	}
	if err != nil {
		p.Release()
		return nil, newStartError(cfg, err)
	}
	return p, nil
}

// startLeader starts the process as a member of the group.
func startLeader(cfg Config, files []*os.File, grp *group) (*os.Process, error) {
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
	return leader, err
}

// Pid is the id of the leader.
func (p *Process) Pid() int { return p.leader.Pid }

// Unguarded returns why the group would outlive a killed host; nil if it would not.
func (p *Process) Unguarded() error { return p.group.unguarded }

// Ended is closed when the leader has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Wait waits for the leader to end; other members of the group may live on. It is safe
// for concurrent use.
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

// Signal sends sig to the whole group. It returns nil if nobody is left, and
// [os.ErrProcessDone] after a release.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.released {
		return os.ErrProcessDone
	}
	return p.group.signal(p.leader, sig)
}

// Kill ends the whole group at once, including what the leader left behind.
func (p *Process) Kill() error { return p.Signal(syscall.SIGKILL) }

// Release kills what is left of the group and frees its resources. It may be called
// more than once.
func (p *Process) Release() {
	p.mu.Lock()
	if p.released {
		p.mu.Unlock()
		return
	}
	p.released = true
	// Nothing can be done about a failure: either we may not signal anyone in the
	// group, or nobody is left.
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

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code; -1 if a signal ended the process.
	Code int
	// Signal names that signal, such as "SIGKILL"; empty if the process exited.
	Signal string
}

// String returns "exit 1" or "SIGKILL".
func (e Exit) String() string {
	if e.Signal != "" {
		return e.Signal
	}
	return "exit " + strconv.Itoa(e.Code)
}

// openFiles returns the three standard files of cfg, and a function that closes those
// the caller did not supply.
func openFiles(cfg Config) ([]*os.File, func(), error) {
	files := []*os.File{cfg.Stdin, cfg.Stdout, cfg.Stderr}
	var opened []*os.File
	closeAll := func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	for i, f := range files {
		if f != nil {
			continue
		}
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files[i], opened = null, append(opened, null)
	}
	return files, closeAll, nil
}
