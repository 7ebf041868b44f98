package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
)

// historyFile is the database beside the records of the runs.
const historyFile = "history.db"

// lostKey marks a history that was created after there had been runs: what these left
// outstanding is unknown.
const lostKey = "lost/v1"

// Why a history is marked: the previous one is gone, or is in the other place and could
// not be read.
const (
	lostGone  = "gone"
	lostApart = "apart"
)

// Ledger is what is on record of a workspace: the artifacts of its runs, and its
// history.
type Ledger struct {
	Keeper    *Keeper
	Artifacts *artifacts.Store
	History   history.Store // nil if only the artifacts can be read
	// notice is set if an unusable history was set aside.
	notice error
	// trouble is why an answer does without the history.
	trouble error
	// renewed reports whether another history has replaced the first; see
	// [Ledger.renew].
	renewed bool
	// Extent is how much is examined to judge files; zero means as usual.
	Extent Extent
	// readOnly means that the records cannot be written.
	readOnly bool
}

// Extent is how much is examined to judge files.
type Extent struct {
	// Tests is how many tests that ever failed are examined, latest failures first, and
	// Each the most for one file: a few suffice to show that it is bad. From is how
	// many they are chosen from.
	Tests, Each, From int
	// Points is how many results are read for each. For the first Full tests, all
	// sessions are examined as well.
	Points, Full int
}

// OpenHistory opens the history beside the records, creating it if missing. A Keeper opens
// each once, and again if another file has replaced it. All ways to open a ledger for
// writing end here; see [openReadOnly] for the other.
func OpenHistory(ctx context.Context, k *Keeper, store *artifacts.Store) (*Ledger, error) {
	k.sharedState.mu.Lock()
	defer k.sharedState.mu.Unlock()
	dir, worktree := store.Dir(), fingerprint.Worktree(store.Workspace())
	if artifacts.IsReadOnly(store) {
		return openReadOnly(ctx, k, store)
	}
	l := &Ledger{Keeper: k, Artifacts: store}
	if db, ok := k.stores[dir]; ok {
		if db.worktree == worktree && db.InPlace() {
			l.History = db.Store
			writeKept(ctx, l)
			_, err := joinOther(ctx, l)
			return l, err
		}
		forgetHistory(k, dir, db)
	}
	if k.lost[dir] {
		if err := artifacts.Remake(store); err != nil {
			return nil, err
		}
	}
	begins := !hasHistory(store)
	behind := artifacts.IsBehind(store, historyFile)
	db, err := k.openDatabase(ctx, historyConfig(store))
	l.History = db
	var aside *history.SetAsideError
	if errors.As(err, &aside) {
		l.notice, err = aside, nil
		k.Notice(aside.Error())
	}
	var joined, gone bool
	if err == nil {
		joined, err = joinOther(ctx, l)
		gone = begins && (artifacts.HasRuns(store) || !joined)
	}
	if err == nil && gone {
		why := lostGone
		if !artifacts.HasRuns(store) {
			why = lostApart
		}
		err = l.History.Put(ctx, lostKey, []byte(why))
	}
	if err != nil {
		return nil, err
	}
	k.stores[dir] = opened{Store: db, worktree: worktree}
	if gone || aside != nil || k.lost[dir] {
		restoreKept(l)
	}
	delete(k.lost, dir)
	writeKept(ctx, l)
	if behind && !joined {
		return l, doubtAll(ctx, l)
	}
	return l, nil
}

func hasHistory(store *artifacts.Store) bool {
	_, err := os.Lstat(filepath.Join(store.Dir(), historyFile))
	return err == nil
}

// forgetHistory stops using a history. If its file is no longer in place, its content is
// lost.
func forgetHistory(k *Keeper, dir string, db opened) {
	if !db.InPlace() {
		k.lost[dir] = true
	}
	retireHistory(k, dir, db)
}

// retireHistory closes a history once nobody uses it any more.
func retireHistory(k *Keeper, dir string, db opened) {
	delete(k.stores, dir)
	if s, ok := db.Store.(*sqlite.Store); ok {
		project.CloseUnused(&k.sharedState.retired, s.Database, func(_ context.Context, db *sqlite.Database) { _ = db.Close() })
	}
}

// renew switches to the history that is now in place, if another file has replaced the
// one in use.
func (l *Ledger) renew(ctx context.Context) error {
	if l.History.InPlace() {
		return nil
	}
	now, err := OpenHistory(ctx, l.Keeper, l.Artifacts)
	if err != nil {
		return err
	}
	l.History, l.notice, l.renewed = now.History, now.notice, true
	retellKept(ctx, l)
	return nil
}

// openSettled opens the history and ends runs that were killed. A history that turns out
// to be unusable is reopened once, which sets it aside.
func openSettled(ctx context.Context, k *Keeper, store *artifacts.Store) (*Ledger, error) {
	l, err := OpenHistory(ctx, k, store)
	if err != nil || l.readOnly {
		return l, err
	}
	if err = l.settle(ctx); err == nil || l.History.InPlace() {
		return l, err
	}
	if err := l.renew(ctx); err != nil {
		return nil, err
	}
	return l, l.settle(ctx)
}

// OpenAt opens a workspace's ledger for a question about its history, and ends runs that
// were killed. It starts no plugin. Without a record the error is a [*api.NoRunError].
func OpenAt(ctx context.Context, k *Keeper, where api.Where) (*Ledger, error) {
	store, err := k.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !k.keptSets.hasAny(store.Workspace()) && !artifacts.HasRuns(store) {
		if err := checkRecorded(store); err != nil {
			return nil, err
		}
		return nil, &api.NoRunError{}
	}
	return openNoting(ctx, k, store)
}

// openNoting opens the ledger and tells the user which runs are kept in another place.
func openNoting(ctx context.Context, k *Keeper, store *artifacts.Store) (*Ledger, error) {
	l, err := openSettled(ctx, k, store)
	if err == nil {
		if line := describeOther(l); line != "" {
			k.Notice(line)
		}
	}
	return l, err
}

// OpenToRead opens the ledger for a question that can be answered without a history: if
// it is missing or unreadable, History is nil.
func OpenToRead(ctx context.Context, k *Keeper, store *artifacts.Store) (*Ledger, error) {
	bare := &Ledger{Keeper: k, Artifacts: store}
	if !hasHistory(store) {
		return bare, nil
	}
	l, err := openNoting(ctx, k, store)
	if err == nil || ctx.Err() != nil {
		return l, err
	}
	k.Notice(err.Error())
	if l == nil {
		l = bare
	} else if _, unread := l.History.Runs(ctx, history.RunFilter{Limit: 1}); unread != nil {
		l.History = nil
	}
	l.trouble = err
	return l, nil
}

// OpenForRun opens the ledger for a run, and ends runs that were killed. In a sandbox it
// returns nil: nothing is recorded there.
func OpenForRun(ctx context.Context, k *Keeper, store *artifacts.Store) (*Ledger, error) {
	if k.Box != nil {
		return nil, nil
	}
	return openSettled(ctx, k, store)
}

// checkRecorded returns an error if the session's last run could not be
// recorded, else nil.
func checkRecorded(store *artifacts.Store) error {
	if artifacts.IsDisowned(store) {
		run := "the last run"
		if id := artifacts.LastUnwritten(store); id != "" {
			run += ", " + id + ","
		}
		return errors.New(run + " ended but could not be recorded, perhaps because the disk is full; its result is unknown here: free some space and run the tests again")
	}
	return nil
}
