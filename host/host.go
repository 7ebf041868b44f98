package host

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/host/session"
)

// Config is what a Host needs to know about its surroundings.
type Config struct {
	// Version of proctor.
	Version string
	// Executable is the path of proctor itself; plugins lie beside it.
	Executable string
	// Plugins maps names to absolute paths of plugin binaries that replace
	// those beside proctor.
	Plugins map[string]string
	// Env is the environment of the tests.
	Env []string
	// Session names the session; empty takes that of the terminal, or the one
	// that all commands without a terminal share.
	Session string
	// StateHome is where records go when the workspace cannot be written.
	StateHome string
	// Logger takes what plugins log.
	Logger hclog.Logger
	// Notice is told what a user should know that belongs to no run, such as that
	// an unreadable history was set aside; nil is nobody.
	Notice func(text string)
	// Now is the clock; time.Now when nil.
	Now func() time.Time
}

// Host runs tests and answers questions about them. It may be used
// concurrently. Close ends the plugins that it started.
type Host struct {
	cfg Config
	// box is what commands run in; nil is none.
	box *sandbox.Box

	mu       sync.Mutex
	plugins  map[string]*plugin.Plugin // by path
	memories map[string]*memory        // by directory
}

// New returns a Host. It starts nothing.
func New(cfg Config) *Host {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Session = session.ID(cfg.Session)
	if cfg.Logger == nil {
		cfg.Logger = hclog.NewNullLogger()
	}
	return &Host{cfg: cfg, plugins: map[string]*plugin.Plugin{}, memories: map[string]*memory{}}
}

// Close ends all plugins and lets go of all histories.
func (h *Host) Close(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, p := range h.plugins {
		p.Close(ctx)
		delete(h.plugins, path)
	}
	for dir, m := range h.memories {
		if err := m.history.Close(); err != nil {
			h.cfg.Logger.Warn("the history was not closed in order", "error", err)
		}
		delete(h.memories, dir)
	}
}

// start returns the running plugin of a candidate.
func (h *Host) start(ctx context.Context, c plugin.Candidate) (*plugin.Plugin, error) {
	h.mu.Lock()
	p := h.plugins[c.Path]
	h.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := plugin.Start(ctx, plugin.Config{Candidate: c, Logger: h.cfg.Logger, HostVersion: h.cfg.Version})
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.plugins[c.Path]; other != nil {
		p.Close(ctx) // somebody else started it meanwhile
		return other, nil
	}
	h.plugins[c.Path] = p
	return p, nil
}

// cacheDir is where a plugin's commands may keep what they can make again.
func (h *Host) cacheDir(store *session.Store, p project) string {
	if temp := h.box.Temp(); temp != "" {
		return filepath.Join(temp, cacheName, p.id.Name)
	}
	return filepath.Join(store.Dir(), cacheName, p.id.Name)
}

// cacheName is the directory of caches.
const cacheName = "cache"

// store opens the records of a workspace.
func (h *Host) store(root string) (*session.Store, error) {
	return session.Open(session.Config{Workspace: root, SessionID: h.cfg.Session, StateHome: h.cfg.StateHome})
}
