package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// Config configures an Installer.
type Config struct {
	// Store is the directory of installed plugins, Keys the file of pinned index keys.
	Store, Keys string
	// Locks are the lock files whose plugins [Installer.Remove] keeps in the store: the
	// user's and the project's.
	Locks []string
	// HostVersion is proctor's version, Protocols those it speaks.
	HostVersion string
	Protocols   []int
	Platform    manifest.Platform
	// Env is the user's environment, for the go command.
	Env     []string
	Offline bool
	Events  Events
	Now     func() time.Time

	// reached is called after each step; an error stops the work there. Only tests set
	// it.
	reached func(step) error
}

// step is a moment at which an install may be interrupted.
type step string

// The steps of an install, in order.
const (
	stepResolved  step = "resolved"
	stepLocked    step = "locked"
	stepFetched   step = "fetched"
	stepCleared   step = "cleared"
	stepPublished step = "published"
	stepPinned    step = "pinned"
	stepWritten   step = "written"
)

// Installer installs plugins.
type Installer struct {
	cfg   Config
	store *store.Store
}

// New returns an Installer. It touches nothing.
func New(cfg Config) *Installer {
	if cfg.Platform == "" {
		cfg.Platform = manifest.ThisPlatform()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Installer{cfg: cfg, store: store.Open(cfg.Store)}
}

// reach marks a step.
func (in *Installer) reach(s step) error {
	if in.cfg.reached == nil {
		return nil
	}
	return in.cfg.reached(s)
}

// scratch creates a private directory in the store. What release cannot remove, the next
// install does.
func (in *Installer) scratch(ctx context.Context) (dir string, release func(), err error) {
	dir, err = in.store.Stage(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("nothing can be put into the store of plugins: %w", err)
	}
	return dir, func() { _ = in.store.Discard(dir) }, nil
}

// open opens the source of a specification, with a directory for its downloads.
func (in *Installer) open(ctx context.Context, spec source.Spec) (source.Source, func(), error) {
	temp, release, err := in.scratch(ctx)
	if err != nil {
		return nil, nil, err
	}
	src, err := source.Open(source.Config{Env: in.cfg.Env, Temp: temp, Offline: in.cfg.Offline}, spec)
	if err != nil {
		release()
		return nil, nil, err
	}
	return src, release, nil
}

// newQuery builds a source's query for a plugin for this platform.
func newQuery(in *Installer, name, constraint string) source.Query {
	return source.Query{Name: name, Constraint: constraint, Platform: in.cfg.Platform, Protocols: in.cfg.Protocols}
}

// errNoStore reports that neither a home directory nor an XDG one is known.
var errNoStore = errors.New("no directory for plugins is known: set HOME")

// checkConfig reports what the configuration lacks.
func (in *Installer) checkConfig(lockPath string) error {
	if in.cfg.Store == "" || in.cfg.Keys == "" || lockPath == "" {
		return errNoStore
	}
	return nil
}
