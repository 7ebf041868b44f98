package host

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/host/workspace"
)

// Config is what a Host needs to know about its surroundings.
type Config struct {
	// Version of proctor.
	Version string
	// Executable is the path of proctor itself; plugins lie beside it.
	Executable string
	// Plugins maps names to absolute paths of plugin binaries that replace
	// all others.
	Plugins map[string]string
	// PluginStore is the directory of installed plugins, UserLock the path of the
	// user's lock file; empty is none.
	PluginStore, UserLock string
	// Env is the environment of the tests.
	Env []string
	// LoginShell: where a program is not in the PATH of Env, the user's login shell
	// is asked for its own, once.
	LoginShell bool
	// Session names the session; empty takes that of the CI or of the terminal, or
	// the one that all commands of a workspace without either share for a while.
	Session string
	// StateHome is where records go when the workspace cannot be written.
	StateHome string
	// CacheHome is where is remembered what can be found out again; empty is nowhere.
	CacheHome string
	// Logger takes what plugins log.
	Logger hclog.Logger
	// Notice is told what a user should know that belongs to no run, such as that
	// an unreadable history was set aside; nil is nobody.
	Notice func(text string)
	// Now is the clock; time.Now when nil.
	Now func() time.Time
}

// base is what a process has of its surroundings: its configuration and the plugins
// that it started. It may be used concurrently.
type base struct {
	cfg Config
	// box is what commands run in; nil is none.
	box *sandbox.Box
	*toolbox
}

// toolbox is what the sessions of one process have of plugins in common.
type toolbox struct {
	mu      sync.Mutex
	plugins map[string]runningPlugin // by path
	retired retired
	login   login
}

// Host runs tests and answers questions about them. It may be used
// concurrently. Close ends the plugins that it started.
type Host struct {
	*base
	*opens
}

// opens are the histories that the sessions of one process have open, and what it knows
// of them.
type opens struct {
	mu      sync.Mutex
	stores  map[string]opened // by directory
	lost    map[string]bool   // those of which the file was not in its place any more
	retired retired
	// last are the last runs of the sessions, keeping is what is outstanding, as far
	// as this process knows.
	last    session.Memory
	keeping keeping
}

// runningPlugin is a plugin, and the file that it was started from as that was then.
type runningPlugin struct {
	*plugin.Plugin
	binary os.FileInfo
	// hash is the one that was expected at its launch.
	hash string
}

// New returns a Host. It starts nothing.
func New(cfg Config) *Host {
	cfg.Session = session.ID(cfg.Session, func(name string) string { return workspace.Getenv(cfg.Env, name) })
	return &Host{
		base:  newBase(cfg),
		opens: &opens{stores: map[string]opened{}, lost: map[string]bool{}},
	}
}

// InSession returns a Host that speaks in another session, with the same plugins
// and histories. Closing either closes both.
func (h *Host) InSession(id string) *Host {
	return &Host{base: h.base.inSession(id), opens: h.opens}
}

// newBase returns a base without plugins.
func newBase(cfg Config) *base {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = hclog.NewNullLogger()
	}
	return &base{cfg: cfg, toolbox: &toolbox{plugins: map[string]runningPlugin{}}}
}

// inSession is the base of another session, with the same plugins.
func (h *base) inSession(id string) *base {
	cfg := h.cfg
	cfg.Session = id
	return &base{cfg: cfg, box: h.box, toolbox: h.toolbox}
}

// Session is the session in which the Host speaks; empty where each workspace has its
// own.
func (h *Host) Session() string { return h.cfg.Session }

// session is the session in which the Host speaks in a workspace.
func (h *Host) session(root string) string {
	if h.cfg.Session != "" {
		return h.cfg.Session
	}
	if store, ok := session.Existing(h.records(root)); ok {
		return store.SessionID()
	}
	return sharedSession
}

// sharedSession stands for the session that begins with the first run of a workspace.
const sharedSession = "shared"

// NewSessionID returns an id for a session that is no terminal's.
func NewSessionID() string { return session.NewRunID() }

// NewRunID returns an id for a run that a front wants to name before it begins.
func NewRunID() string { return session.NewRunID() }

// Close ends all plugins and lets go of all histories.
func (h *Host) Close(ctx context.Context) {
	h.base.close(ctx)
	h.opens.mu.Lock()
	defer h.opens.mu.Unlock()
	for dir, db := range h.stores {
		if err := db.Close(); err != nil {
			h.cfg.Logger.Warn("the history was not closed in order", "error", err)
		}
		delete(h.stores, dir)
	}
	h.opens.retired.close(ctx)
}

// close ends all plugins.
func (h *base) close(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, p := range h.plugins {
		p.Close(ctx)
		delete(h.plugins, path)
	}
	h.retired.close(ctx)
}

// start returns the running plugin of a candidate.
func (h *base) start(ctx context.Context, c plugin.Candidate) (*plugin.Plugin, error) {
	if p := h.running(ctx, c); p != nil {
		return p, nil
	}
	binary, err := os.Stat(c.Path)
	if err != nil {
		return nil, err
	}
	p, err := plugin.Start(ctx, plugin.Config{Candidate: c, Logger: h.cfg.Logger, HostVersion: h.cfg.Version})
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.plugins[c.Path]; other.Plugin != nil && !other.Stopped() && isSame(other.binary, binary) {
		p.Close(ctx) // somebody else started it meanwhile
		return other.Plugin, nil
	}
	h.drop(ctx, c.Path)
	h.plugins[c.Path] = runningPlugin{p, binary, expectedHash(c)}
	return p, nil
}

// running is the plugin that was started from a file; nil if there is none, or
// none any more: a host may outlive a plugin that broke down, or whose file or
// expected hash is another now.
func (h *base) running(ctx context.Context, c plugin.Candidate) *plugin.Plugin {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.plugins[c.Path]
	if !ok {
		return nil
	}
	binary, err := os.Stat(c.Path)
	if p.Stopped() || err != nil || !isSame(p.binary, binary) || p.hash != expectedHash(c) {
		h.drop(ctx, c.Path)
		return nil
	}
	return p.Plugin
}

// expectedHash is what a lock file says of a plugin's binary; empty where none names it.
func expectedHash(c plugin.Candidate) string {
	if c.Lock == nil {
		return ""
	}
	return c.Lock.Expected.Hash
}

// drop lets go of a plugin, if there is one. Runs may go on with it, unless it broke
// down.
func (h *base) drop(ctx context.Context, path string) {
	p, ok := h.plugins[path]
	delete(h.plugins, path)
	switch {
	case !ok:
	case p.Stopped():
		_ = p.Close(ctx) // what it left
	default:
		retire(&h.retired, p.Plugin, func(ctx context.Context, p *plugin.Plugin) { _ = p.Close(ctx) })
	}
}

// isSame tells whether a file was neither replaced nor written again.
func isSame(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
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
	return session.Open(h.records(root))
}

// records says where the records of a workspace are. What ran in a box is not
// remembered.
func (h *Host) records(root string) session.Config {
	cfg := session.Config{Workspace: root, SessionID: h.cfg.Session, StateHome: h.cfg.StateHome, Now: h.cfg.Now}
	if cfg.SessionID == "" {
		settings, err := h.settings(root)
		if err != nil {
			settings = config.Default() // whoever runs something says what is wrong
		}
		cfg.Idle = settings.Session.Idle
	}
	if h.box == nil {
		cfg.Memory = &h.last
	}
	return cfg
}
