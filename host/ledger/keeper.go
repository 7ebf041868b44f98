package ledger

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
)

// Keeper is what use cases need from their process: configuration, plugins, and the
// ledgers of workspaces, each opened once. It is safe for concurrent use. Close ends the
// plugins that it started and closes what it opened.
type Keeper struct {
	*project.Host
	*sharedState
	// known is of one run only.
	known *Known
}

// sharedState is what the Keepers of all sessions of a process share: the open histories,
// and what must outlive them.
type sharedState struct {
	mu      sync.Mutex
	stores  map[string]opened // by directory
	ahead   ahead
	lost    map[string]bool // those whose file was no longer in place
	retired project.Superseded
	// What must not be lost even if nothing can be written: the last runs of the sessions
	// stand in for their files, the outstanding sets for the history.
	keptRuns artifacts.KeptRuns
	keptSets keptSets
	words    map[string]suiteWords // by language, of the plugins
}

// New returns a Keeper. It starts nothing.
func New(cfg project.Config) *Keeper {
	named := false
	cfg.Session, named = artifacts.ID(cfg.Session, func(name string) string { return workspace.Getenv(cfg.Env, name) })
	cfg.AnySession = cfg.AnySession && !named
	return &Keeper{
		Host:        project.New(cfg),
		sharedState: &sharedState{stores: map[string]opened{}, lost: map[string]bool{}, words: map[string]suiteWords{}},
	}
}

// InSession returns a Keeper for another session, with the same plugins and histories.
// Closing either closes both.
func (k *Keeper) InSession(id string) *Keeper {
	return &Keeper{Host: k.Host.InSession(id), sharedState: k.sharedState}
}

// SessionIn returns the Keeper's session in a workspace.
func (k *Keeper) SessionIn(root string) string {
	if k.Cfg.Session != "" {
		return k.Cfg.Session
	}
	if store, ok := artifacts.OpenExisting(k.Records(root)); ok {
		return store.SessionID()
	}
	return SharedSession
}

// SharedSession stands for the shared session of a workspace that has no run yet.
const SharedSession = "shared"

// NewSessionID returns an id for a session without a terminal.
func NewSessionID() string { return artifacts.NewRunID() }

// NewRunID returns an id for a run that a front wants to name before it begins.
func NewRunID() string { return artifacts.NewRunID() }

// Close ends all plugins and closes all histories, side by side.
func (k *Keeper) Close(ctx context.Context) {
	var ended sync.WaitGroup
	defer ended.Wait()
	ended.Go(func() { k.Host.Close(ctx) })
	end := history.Store.Close
	if k.Cfg.ExitsOnClose {
		end = history.Store.Leave
	}
	k.ahead.close(end)
	k.sharedState.mu.Lock()
	defer k.sharedState.mu.Unlock()
	for dir, db := range k.stores {
		if err := end(db); err != nil {
			k.Cfg.Logger.Warn("closing the history failed", "error", err)
		}
		delete(k.stores, dir)
	}
	k.sharedState.retired.Close(ctx)
}

// CacheDir returns the directory for what a plugin's commands can recreate.
func (k *Keeper) CacheDir(store *artifacts.Store, p project.Project) string {
	if temp := k.Box.Temp(); temp != "" {
		return filepath.Join(temp, cacheName, p.ID.Name)
	}
	return filepath.Join(store.Dir(), cacheName, p.ID.Name)
}

// WithCache returns the project with the directory for what its plugin's commands can
// recreate, if the workspace has records: a question creates none.
func (k *Keeper) WithCache(p project.Project) project.Project {
	if store, ok := artifacts.OpenExisting(k.Records(p.Root.Path)); ok {
		p.Ws.Cache = k.CacheDir(store, p)
	}
	return p
}

// cacheName is the directory of caches.
const cacheName = "cache"

// Store opens the records of a workspace.
func (k *Keeper) Store(root string) (*artifacts.Store, error) {
	return artifacts.Open(k.Records(root))
}

// Records says where a workspace's records are. A sandboxed process remembers nothing.
func (k *Keeper) Records(root string) artifacts.Config {
	cfg := artifacts.Config{Workspace: root, SessionID: k.Cfg.Session, AnySession: k.Cfg.AnySession, Dir: k.Cfg.RecordDir, StateHome: k.Cfg.StateHome, Now: k.Cfg.Now}
	if cfg.SessionID == "" {
		settings, err := k.Settings(root)
		if err != nil {
			settings = config.Default() // a run reports what is wrong with them
		}
		cfg.Idle = settings.Session.Idle
	}
	if k.Box == nil {
		cfg.KeptRuns = &k.keptRuns
	}
	return cfg
}

// opened is a history that stays open.
type opened struct {
	history.Store
	worktree string
	// missing means that it stands for a history that is not there.
	missing bool
}

// OpenMeasurements returns the store of a workspace's coverage measurements.
func OpenMeasurements(store *artifacts.Store) *coveragestore.Store {
	return coveragestore.New(coveragestore.Config{Dir: filepath.Join(store.Dir(), coverageName)})
}

// coverageName is the directory of measurements beside the records.
const coverageName = "coverage"

// ReadMeasuredSuites returns, by name, the coverage of a project's suites as measured
// with these arguments.
func ReadMeasuredSuites(ctx context.Context, kept *coveragestore.Store, p project.Project, args []string) (map[string]*coverage.Suite, error) {
	suites, err := kept.Suites(ctx, p.ID.Language, p.Setting(args))
	byName := make(map[string]*coverage.Suite, len(suites))
	for _, s := range suites {
		byName[s.Suite] = s
	}
	return byName, err
}
