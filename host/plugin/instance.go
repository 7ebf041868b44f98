package plugin

import (
	"context"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/proctorhq/proctor/sdk/client"
)

// killLimit is how long to wait for a killed process. It takes microseconds, unless the
// process is stuck in the kernel.
const killLimit = 3 * time.Second

// instance is one process of a plugin and the connection to it. It lives until stop; a
// fault ends it for good.
type instance struct {
	config   Config
	dir      *runDir
	journal  *journal
	process  *process
	client   *goplugin.Client
	detector *client.Detector
	identity client.Identity
	// last reports whether no other instance will follow.
	last bool

	mu sync.Mutex
	// fault is why we ended the instance.
	fault error
	// during is the call in which the process ended by itself, if any.
	during string
	// closed reports whether it was ended because it is no longer needed.
	closed bool
}

// who returns the plugin's identity for errors.
func (i *instance) who() Identity {
	return Identity{Name: i.config.Candidate.Name, Version: i.identity.Version, Path: i.config.Candidate.Path}
}

// alive reports whether calls can succeed.
func (i *instance) alive() bool {
	select {
	case <-i.process.ended:
		return false
	default:
		return i.faulted() == nil
	}
}

// condemn ends the process because of a fault. The first fault counts: what other calls
// see afterwards is its consequence.
func (i *instance) condemn(fault error) error {
	i.mu.Lock()
	if i.fault == nil {
		i.fault = fault
	}
	fault = i.fault
	i.mu.Unlock()
	_ = i.process.Kill(context.Background())
	return fault
}

func (i *instance) faulted() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fault
}

// endReason returns why an instance is not alive.
func (i *instance) endReason() error {
	if fault := i.faulted(); fault != nil {
		return fault
	}
	return i.crashError("")
}

// close marks the instance as no longer needed: errors of calls from now on are not the
// plugin's fault.
func (i *instance) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
}

func (i *instance) isClosed() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.closed
}

// stop ends the process, politely within grace, and cleans up. It takes bounded time,
// whether the plugin is stopped, stuck or has left children behind.
func (i *instance) stop(ctx context.Context, grace time.Duration) error {
	if grace == 0 {
		_ = i.process.Kill(ctx)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		i.client.Kill()
	}()
	polite, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	select {
	case <-gone:
	case <-polite.Done():
		_ = i.process.Kill(ctx)
		if !await(gone, killLimit) {
			return &StuckError{Plugin: i.who(), PID: i.process.ID()}
		}
	}
	return i.dir.remove()
}
