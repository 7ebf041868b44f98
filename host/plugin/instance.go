package plugin

import (
	"context"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/proctorhq/proctor/sdk/client"
)

// killLimit is how long a killed process is waited for. It takes microseconds,
// except for one that is stuck in the kernel.
const killLimit = 3 * time.Second

// instance is one process of a plugin and the connection to it. It lives until
// stop; a fault ends it and it is not used again.
type instance struct {
	config   Config
	dir      *runDir
	journal  *journal
	process  *process
	client   *goplugin.Client
	detector *client.Detector
	identity client.Identity
	// last reports whether no other instance will follow this one.
	last bool

	mu sync.Mutex
	// fault is why the instance was ended by us.
	fault error
	// during is the call that the process ended in by itself, empty where none was
	// going on.
	during string
	// closed reports whether it was ended because nobody needs it any more.
	closed bool
}

// who names the plugin in errors.
func (i *instance) who() Identity {
	return Identity{Name: i.config.Candidate.Name, Version: i.identity.Version, Path: i.config.Candidate.Path}
}

// alive reports whether calls make sense.
func (i *instance) alive() bool {
	select {
	case <-i.process.ended:
		return false
	default:
		return i.faulted() == nil
	}
}

// condemn ends the process because of a fault. The first fault counts: what
// other calls see afterwards is its consequence.
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

// epitaph is why an instance is not alive.
func (i *instance) epitaph() error {
	if fault := i.faulted(); fault != nil {
		return fault
	}
	return i.crashed("")
}

// close marks the instance as not needed: what calls see from now on is no
// fault of the plugin.
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

// stop ends the process, politely within grace, and clears up. It is bounded:
// a plugin that is stopped, stuck or has left children behind cannot hold it.
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
