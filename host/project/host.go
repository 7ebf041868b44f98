package project

import (
	"context"
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

// Host is what a process has of its surroundings: its configuration and the plugins
// that it started. It may be used concurrently.
type Host struct {
	Cfg Config
	// Box is what commands run in; nil is none.
	Box *sandbox.Box
	*toolbox
}

// toolbox is what the sessions of one process have of plugins in common.
type toolbox struct {
	mu      sync.Mutex
	plugins map[string]runningPlugin // by path
	retired Superseded
	login   login
}

// runningPlugin is a plugin, and the file that it was started from as that was then.
type runningPlugin struct {
	*plugin.Plugin
	binary os.FileInfo
	// hash is the one that was expected at its launch.
	hash string
}

// New returns a base without plugins.
func New(cfg Config) *Host {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = hclog.NewNullLogger()
	}
	return &Host{Cfg: cfg, toolbox: &toolbox{plugins: map[string]runningPlugin{}}}
}

// InSession is the base of another session, with the same plugins.
func (h *Host) InSession(id string) *Host {
	cfg := h.Cfg
	cfg.Session = id
	return &Host{Cfg: cfg, Box: h.Box, toolbox: h.toolbox}
}

// Close ends all plugins.
func (h *Host) Close(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, p := range h.plugins {
		p.Close(ctx)
		delete(h.plugins, path)
	}
	h.retired.Close(ctx)
}

// Start returns the running plugin of a candidate.
func (h *Host) Start(ctx context.Context, c plugin.Candidate) (*plugin.Plugin, error) {
	if p := h.running(ctx, c); p != nil {
		return p, nil
	}
	binary, err := os.Stat(c.Path)
	if err != nil {
		return nil, err
	}
	p, err := plugin.Start(ctx, plugin.Config{Candidate: c, Logger: h.Cfg.Logger, HostVersion: h.Cfg.Version})
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

// expectedHash is what a lock file says of a plugin's binary; empty where none names it.
func expectedHash(c plugin.Candidate) string {
	if c.Lock == nil {
		return ""
	}
	return c.Lock.Expected.Hash
}

// drop lets go of a plugin, if there is one. Runs may go on with it, unless it broke
// down.
func (h *Host) drop(ctx context.Context, path string) {
	p, ok := h.plugins[path]
	delete(h.plugins, path)
	switch {
	case !ok:
	case p.Stopped():
		_ = p.Close(ctx) // what it left
	default:
		CloseUnused(&h.retired, p.Plugin, func(ctx context.Context, p *plugin.Plugin) { _ = p.Close(ctx) })
	}
}

// isSame reports whether a file was neither replaced nor written again.
func isSame(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// Notice tells the user something that belongs to no run.
func (h *Host) Notice(text string) {
	if h.Cfg.Notice != nil {
		h.Cfg.Notice(text)
	}
}

// Superseded is what others have taken the place of, in a process that lives long: a
// plugin whose binary was replaced, a history whose file was. Runs may go on with
// one, and nobody says when the last of them ends: so it is closed when nothing
// refers to it any more.
type Superseded struct {
	// closers close one each, unless that has happened.
	closers []func(ctx context.Context) (was bool)
}

// CloseUnused hands over p, which the caller forgets. It must not be handed over before.
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

// Close closes those that are left.
func (r *Superseded) Close(ctx context.Context) {
	for _, c := range r.closers {
		c(ctx)
	}
	r.closers = nil
}
