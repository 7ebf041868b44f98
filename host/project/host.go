package project

import (
	"context"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/sandbox"
)

// Config is what a Host needs to know about its surroundings.
type Config struct {
	// Version is the version of proctor.
	Version string
	// Executable is the path of proctor itself; bundled plugins are beside it.
	Executable string
	// Plugins maps names to absolute paths of plugin binaries that replace
	// all others.
	Plugins map[string]string
	// PluginStore is the directory of installed plugins, and UserLock the path of the
	// user's lock file; "" means none.
	PluginStore, UserLock string
	// UserConfig is the path of the user's own configuration; "" means none.
	UserConfig string
	// Env is the environment of the tests.
	Env []string
	// LoginShell allows asking the user's login shell, once, for its PATH if a program
	// is not in that of Env.
	LoginShell bool
	// Session names the session. If it is empty, the session is that of the CI job or
	// the terminal. Commands with neither share one session per workspace for a while.
	Session string
	// AnySession: the last run is that of any session, unless this one was named by a
	// user or is that of a CI job.
	AnySession bool
	// StateHome is where records go if the workspace is not writable.
	StateHome string
	// RecordDir is the directory of the record to read in place of the workspace's own;
	// "" means the workspace's own.
	RecordDir string
	// CacheHome is the directory of caches; "" means that nothing is cached.
	CacheHome string
	// Logger receives what is logged, and PluginLogger what plugins log; nil means Logger.
	// A plugin keeps its logger for its life: one that sessions share must not have that of
	// the session that started it.
	Logger, PluginLogger hclog.Logger
	// Written are the files that the process writes, which are no sources.
	Written []fs.FileInfo
	// Notice receives what a user should know that belongs to no run, such as that an
	// unreadable history was set aside. It may be nil.
	Notice func(text string)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// ExitsOnClose means that the process exits once the Host is closed, OneRequest that
	// nothing is asked of its plugins after one request to run tests.
	ExitsOnClose, OneRequest bool
}

// Host is what a process knows of its surroundings: its configuration and the plugins
// that it started. It is safe for concurrent use.
type Host struct {
	Cfg Config
	// Box is what commands run in, or nil.
	Box *sandbox.Box
	*toolbox
}

// toolbox holds the plugins that the sessions of a process share.
type toolbox struct {
	mu      sync.Mutex
	plugins map[string]runningPlugin // by path
	retired Superseded
	aheads  aheads
	login   login
}

// runningPlugin is a plugin and the state of its binary when it was started.
type runningPlugin struct {
	*plugin.Plugin
	binary os.FileInfo
	// hash is the hash that was expected of the binary at launch.
	hash string
}

// New returns a Host without plugins.
func New(cfg Config) *Host {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = hclog.NewNullLogger()
	}
	if cfg.PluginLogger == nil {
		cfg.PluginLogger = cfg.Logger
	}
	return &Host{Cfg: cfg, toolbox: &toolbox{plugins: map[string]runningPlugin{}}}
}

// InSession returns a Host for another session with the same plugins.
func (h *Host) InSession(id string) *Host {
	cfg := h.Cfg
	cfg.Session, cfg.AnySession = id, false
	return &Host{Cfg: cfg, Box: h.Box, toolbox: h.toolbox}
}

// Close stops all plugins concurrently: each takes milliseconds.
func (h *Host) Close(ctx context.Context) {
	h.aheads.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	var going sync.WaitGroup
	for _, p := range h.plugins {
		going.Go(func() { p.Close(ctx) })
	}
	h.retired.Close(ctx)
	going.Wait()
	clear(h.plugins)
}

// Start returns the running plugin of a candidate.
func (h *Host) Start(ctx context.Context, c plugin.Candidate) (*plugin.Plugin, error) {
	if err := h.aheads.await(ctx, c); err != nil {
		return nil, err
	}
	return startPlugin(ctx, h, c)
}

func startPlugin(ctx context.Context, h *Host, c plugin.Candidate) (*plugin.Plugin, error) {
	if p := h.running(ctx, c); p != nil {
		return p, nil
	}
	binary, err := os.Stat(c.Path)
	if err != nil {
		return nil, err
	}
	p, err := plugin.Start(ctx, plugin.Config{Candidate: c, Logger: h.Cfg.PluginLogger, HostVersion: h.Cfg.Version})
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.plugins[c.Path]; other.Plugin != nil && !other.Stopped() && isSame(other.binary, binary) {
		p.Close(ctx) // another goroutine has started it meanwhile
		return other.Plugin, nil
	}
	h.drop(ctx, c.Path)
	h.plugins[c.Path] = runningPlugin{p, binary, expectedHash(c)}
	return p, nil
}

// running returns the plugin started from a file. It returns nil if there is none or it
// is outdated: a host may outlive a plugin that broke down, or whose file or expected
// hash has changed.
func (h *Host) running(ctx context.Context, c plugin.Candidate) *plugin.Plugin {
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

// expectedHash returns the hash of a plugin's binary in the lock file that names it, or
// "" if none does.
func expectedHash(c plugin.Candidate) string {
	if c.Lock == nil {
		return ""
	}
	return c.Lock.Expected.Hash
}

// drop forgets the plugin of a path, if there is one. Runs in progress keep using it
// unless it broke down.
func (h *Host) drop(ctx context.Context, path string) {
	p, ok := h.plugins[path]
	delete(h.plugins, path)
	switch {
	case !ok:
	case p.Stopped():
		_ = p.Close(ctx) // clean up what is left of it
	default:
		CloseUnused(&h.retired, p.Plugin, func(ctx context.Context, p *plugin.Plugin) { _ = p.Close(ctx) })
	}
}

// isSame reports whether a file has been neither replaced nor rewritten.
func isSame(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// Notice tells the user something that belongs to no run.
func (h *Host) Notice(text string) {
	if h.Cfg.Notice != nil {
		h.Cfg.Notice(text)
	}
}

// Superseded holds what a long-lived process has replaced, such as a plugin with a new
// binary or a history with a new file. Runs may still be using it, and nothing tracks
// when the last of them ends, so it is closed once nothing refers to it any more.
type Superseded struct {
	// closers close one value each and report whether it was still open. With a nil
	// context they only report.
	closers []func(ctx context.Context) (was bool)
}

// CloseUnused closes p with end once nothing refers to it, so the caller must drop its
// own reference. It must be called only once for p.
func CloseUnused[T any](r *Superseded, p *T, end func(context.Context, *T)) {
	runtime.SetFinalizer(p, func(p *T) {
		go end(context.Background(), p) // finalizers must not wait
	})
	left := weak.Make(p)
	r.closers = slices.DeleteFunc(r.closers, func(c func(context.Context) bool) bool { return !c(nil) })
	r.closers = append(r.closers, func(ctx context.Context) bool {
		p := left.Value()
		if p != nil && ctx != nil {
			end(ctx, p)
		}
		return p != nil
	})
}

// Close closes whatever is still open.
func (r *Superseded) Close(ctx context.Context) {
	for _, c := range r.closers {
		c(ctx)
	}
	r.closers = nil
}
