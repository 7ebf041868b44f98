package runner

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

// immortal is a process that does not end.
type immortal struct {
	ended   chan struct{}
	signals []syscall.Signal
	kills   int
}

func (p *immortal) Ended() <-chan struct{} { return p.ended }

func (p *immortal) Signal(sig syscall.Signal) error {
	p.signals = append(p.signals, sig)
	return syscall.EPERM
}

func (p *immortal) Kill() error {
	p.kills++
	return syscall.EPERM
}

func TestProcessThatDoesNotEndIsGivenUp(t *testing.T) {
	p := &immortal{ended: make(chan struct{})}
	stopped := false
	s := &supervisor{
		process:  p,
		deadline: time.Millisecond,
		grace:    time.Millisecond,
		limits:   limits{drain: time.Millisecond, stuck: 50 * time.Millisecond},
		stopSink: func() { stopped = true },
	}
	drained := make(chan struct{})
	close(drained)
	s.supervise(t.Context(), drained, nil)
	if !s.stuck || !s.exit.TimedOut || !stopped || p.kills != 1 || len(p.signals) != 1 || p.signals[0] != syscall.SIGQUIT {
		t.Errorf("supervisor %+v, process %+v", s, p)
	}
}

func TestStuckErrorNamesTheProcess(t *testing.T) {
	for _, err := range []*StuckError{{Path: "prog", Pid: 42}, {Path: "prog", Pid: 42, Err: syscall.EPERM}} {
		if !strings.Contains(err.Error(), "prog (process 42)") || errors.Unwrap(err) != err.Err {
			t.Errorf("error %q", err)
		}
	}
}
