package runner

import (
	"context"
	"syscall"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// process is the part of [procgroup.Process] that a supervisor needs.
type process interface {
	Ended() <-chan struct{}
	Signal(sig syscall.Signal) error
	Kill() error
}

// supervisor makes sure that a command ends in time.
type supervisor struct {
	process  process
	sources  []*source
	deadline time.Duration
	grace    time.Duration
	limits   limits
	stopSink func()

	exit     sdk.Exit
	endedAt  time.Time
	heldOpen bool
	stuck    bool // it was killed and did not end
	killErr  error

	killed bool
	kill   *time.Timer // when the grace is over
	drain  *time.Timer // when the sink has had its time for the rest
	giveUp *time.Timer // when a killed command can no longer be expected to end
}

// supervise returns when the command has ended and its output was delivered, as drained
// signals. held signals that a leftover has the output open.
func (s *supervisor) supervise(ctx context.Context, drained, held <-chan struct{}) {
	s.kill, s.drain, s.giveUp = idleTimer(), idleTimer(), idleTimer()
	deadline := idleTimer()
	if s.deadline != 0 {
		deadline.Reset(s.deadline)
	}
	defer func() {
		for _, timer := range []*time.Timer{deadline, s.kill, s.drain, s.giveUp} {
			timer.Stop()
		}
	}()

	cancelled, ended := ctx.Done(), s.process.Ended()
	for drained != nil || ended != nil {
		select {
		case <-deadline.C:
			if ended != nil && !s.hasEnded() {
				s.exit.TimedOut = true
				s.ask(syscall.SIGQUIT, s.grace)
			}
		case <-cancelled:
			cancelled = nil
			deadline.Stop()
			s.cancel()
		case <-s.kill.C:
			s.killAll()
		case <-held:
			s.heldOpen = true
			s.killAll()
		case <-s.drain.C:
			s.stopSink()
		case <-s.giveUp.C:
			if ended != nil {
				ended, s.stuck, s.endedAt = nil, true, time.Now()
			}
		case <-ended:
			ended, s.endedAt = nil, time.Now()
			deadline.Stop()
			if !s.killed {
				s.enter(lingering)
			}
		case <-drained:
			drained = nil
		}
	}
	select {
	case <-held:
		s.heldOpen = true
	default:
	}
}

// cancel interrupts the command: `go test` then finishes its output properly.
func (s *supervisor) cancel() {
	if s.killed {
		return
	}
	if s.exit.TimedOut { // it was asked already, and this is the reason to report
		s.killAll()
		return
	}
	s.exit.Cancelled = true
	if s.hasEnded() {
		s.killAll()
		return
	}
	s.ask(syscall.SIGINT, s.limits.cancelGrace)
}

// ask sends a signal that the command may handle within grace.
func (s *supervisor) ask(sig syscall.Signal, grace time.Duration) {
	// A group that cannot be signalled is still killed after the grace.
	_ = s.process.Signal(sig)
	s.kill.Reset(grace)
}

func (s *supervisor) killAll() {
	if s.killed {
		return
	}
	s.killed = true
	s.killErr = s.process.Kill()
	s.enter(killed)
	s.drain.Reset(s.limits.drain)
	s.giveUp.Reset(s.limits.stuck)
}

func (s *supervisor) enter(next phase) {
	for _, src := range s.sources {
		src.enter(next)
	}
}

func (s *supervisor) hasEnded() bool {
	select {
	case <-s.process.Ended():
		return true
	default:
		return false
	}
}

// idleTimer returns a timer that only fires after a Reset.
func idleTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
