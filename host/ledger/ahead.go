package ledger

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// ahead is the history that is being opened before anybody asks for it.
type ahead struct {
	mu     sync.Mutex
	cfg    sqlite.Config
	opened chan history.Store // nil if nothing is; nil is sent if it cannot be opened as it is
}

// OpenAhead begins to open the history of a workspace for a run, which takes about as long
// as a plugin takes to start. Whatever needs more than opening it is left to
// [OpenHistory]: nothing is created, repaired or told.
func (k *Keeper) OpenAhead(ctx context.Context, root string) {
	store, ok := artifacts.OpenExisting(k.Records(root))
	if !ok || k.Box != nil || artifacts.IsReadOnly(store) || !hasHistory(store) {
		return
	}
	k.sharedState.mu.Lock()
	_, isOpen := k.stores[store.Dir()]
	k.sharedState.mu.Unlock()
	k.ahead.mu.Lock()
	defer k.ahead.mu.Unlock()
	if isOpen || k.ahead.opened != nil {
		return
	}
	cfg, opened := historyConfig(store), make(chan history.Store, 1)
	k.ahead.cfg, k.ahead.opened = cfg, opened
	go func() {
		db, err := sqlite.OpenSound(context.WithoutCancel(ctx), cfg)
		if err != nil {
			db = nil
		}
		opened <- db
	}()
}

// historyConfig says where the history beside the records is.
func historyConfig(store *artifacts.Store) sqlite.Config {
	return sqlite.Config{Path: filepath.Join(store.Dir(), historyFile), Root: store.Workspace(), Worktree: fingerprint.Worktree(store.Workspace())}
}

// openDatabase opens a history, unless that was done ahead.
func (k *Keeper) openDatabase(ctx context.Context, cfg sqlite.Config) (history.Store, error) {
	if db := k.ahead.take(cfg); db != nil {
		return db, nil
	}
	return sqlite.Open(ctx, cfg)
}

// take returns what was opened for this configuration, and nil if nothing was, or if
// another file has replaced it.
func (a *ahead) take(cfg sqlite.Config) history.Store {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opened == nil || a.cfg != cfg {
		return nil
	}
	db := <-a.opened
	a.opened = nil
	if db != nil && !db.InPlace() {
		_ = db.Close()
		return nil
	}
	return db
}

// close closes what nobody took, with end.
func (a *ahead) close(end func(history.Store) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opened != nil {
		if db := <-a.opened; db != nil {
			_ = end(db)
		}
		a.opened = nil
	}
}
