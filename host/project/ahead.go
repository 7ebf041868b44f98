package project

import (
	"context"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/plugin"
)

// aheads are the plugins that are being started before anybody asks for them.
type aheads struct {
	mu     sync.Mutex
	starts map[string]*aheadStart // by path, until somebody asks for them
	going  sync.WaitGroup
}

// aheadStart is the start of one of them.
type aheadStart struct {
	hash   string
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// StartPluginsAhead begins to start the plugins that a request to run tests will ask for, and
// returns what [Host.LikelyRoot] does: starting them takes longer than all else that comes
// before the request. It starts none that the request may not ask for, and leaves it to the
// request to report what is wrong with one.
func StartPluginsAhead(ctx context.Context, h *Host, where api.Where, languages []string) (string, error) {
	f, err := h.findSite(ctx, where, nil, false)
	if err != nil || f.none != nil {
		return "", err
	}
	there, err := f.matching.In(f.root.Path)
	if err != nil {
		return f.root.Path, nil
	}
	for _, c := range there {
		if len(languages) == 0 || isAmong(languages, c.Name) {
			startAhead(ctx, h, c)
		}
	}
	return f.root.Path, nil
}

// startAhead begins to start a plugin.
func startAhead(ctx context.Context, h *Host, c plugin.Candidate) {
	a := &h.aheads
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.starts[c.Path] != nil {
		return
	}
	if a.starts == nil {
		a.starts = map[string]*aheadStart{}
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &aheadStart{hash: expectedHash(c), cancel: cancel, done: make(chan struct{})}
	a.starts[c.Path] = s
	a.going.Go(func() {
		defer cancel()
		defer close(s.done)
		_, s.err = startPlugin(ctx, h, c)
	})
}

// await waits for a plugin that is being started ahead. The error is why it could not be
// started; whoever asks again has it started again.
func (a *aheads) await(ctx context.Context, c plugin.Candidate) error {
	a.mu.Lock()
	s := a.starts[c.Path]
	a.mu.Unlock()
	if s == nil {
		return nil
	}
	select {
	case <-s.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.starts[c.Path] == s {
		delete(a.starts, c.Path)
	}
	if s.hash != expectedHash(c) {
		return nil
	}
	return s.err
}

// end gives up what is still being started.
func (a *aheads) end() {
	a.mu.Lock()
	for _, s := range a.starts {
		s.cancel()
	}
	a.starts = nil
	a.mu.Unlock()
	a.going.Wait()
}
