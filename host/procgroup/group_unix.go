//go:build unix

package procgroup

import (
	"context"
	"errors"
	"os"
	"runtime"
	"syscall"
)

// group is a process group, led by a watcher.
type group struct {
	watcher   *watcher // nil if there is none
	unguarded error    // why there is none
	id        int      // 0 until the group has a leader
}

// newGroup starts a watcher. Without one the group still works, unguarded.
func newGroup(shell string) (*group, error) {
	w, err := startWatcher(shell)
	if err != nil {
		return newUnguarded(err), nil
	}
	return &group{watcher: w, id: w.process.Pid}, nil
}

// newUnguarded returns a group without a watcher.
func newUnguarded(because error) *group { return &group{unguarded: because} }

// awaitGuard waits until the group is guarded, which takes about as long as the leader takes
// to start. Its error is that of ctx; a watcher that does not get ready leaves the group
// unguarded.
func (g *group) awaitGuard(ctx context.Context) error {
	if g.watcher == nil {
		return nil
	}
	err := g.watcher.awaitReady(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	g.unguarded = err
	return nil
}

// attr makes a new process a member of the group, or its leader when id is 0.
func (g *group) attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: g.id}
}

// join adds the first process to the group.
func (g *group) join(leader *os.Process) error {
	if g.id == 0 {
		g.id = leader.Pid
	}
	return nil
}

// signal sends sig to all members, and to the leader even if it left the group.
func (g *group) signal(leader *os.Process, sig syscall.Signal) error {
	err := syscall.Kill(-g.id, sig)
	if runtime.GOOS == "darwin" && errors.Is(err, syscall.EPERM) {
		err = nil // of a group in which all have ended
	}
	if id, idErr := syscall.Getpgid(leader.Pid); idErr == nil && id != g.id {
		// leader knows when it was reaped, so this cannot hit another process with a
		// reused id.
		err = errors.Join(err, leader.Signal(sig))
	}
	switch sig {
	case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		// A stopped process, such as one that read a password from the terminal in the
		// background, handles signals only when continued.
		_ = syscall.Kill(-g.id, syscall.SIGCONT)
	}
	if isGone(err) {
		return nil
	}
	return err
}

// close ends and frees the watcher.
func (g *group) close() {
	if g.watcher != nil {
		g.watcher.close()
	}
}

// isGone reports whether err means that nobody is left to signal.
func isGone(err error) bool {
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
