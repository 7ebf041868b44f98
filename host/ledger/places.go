package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// A workspace has records in two places if it was not writable for a while, or to one of
// its users: beside the sources, and in that user's state folder. Runs stay where they
// were recorded. There is one outstanding set, that of the writable place (beside the
// sources if both are), which takes over what the other one has.

// joinedKey, followed by a language, is where a history stores what it took over from the
// other place.
const joinedKey = "joined/v1/"

// joinedEntry names an entry that was taken over. It includes the run, as the same test
// may fail there again.
type joinedEntry struct {
	sdk.TestID
	RunID string `json:"run_id"`
}

// openGlance opens the history of a place read-only.
func openGlance(ctx context.Context, store *artifacts.Store) (history.Store, error) {
	return sqlite.OpenReadOnly(ctx, sqlite.Config{
		Path: filepath.Join(store.Dir(), historyFile), Root: store.Workspace(), Worktree: fingerprint.Worktree(store.Workspace()),
	})
}

// joinOther takes over what is newly outstanding in the other place. It reports whether
// that place could be read or does not exist.
func joinOther(ctx context.Context, l *Ledger) (read bool, err error) {
	other, ok := artifacts.OtherPlace(l.Artifacts)
	if !ok || !hasHistory(other) {
		return !artifacts.HasOther(l.Artifacts, historyFile), nil
	}
	beside, err := openGlance(ctx, other)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // it was removed meanwhile
	}
	if err != nil {
		l.Keeper.Cfg.Logger.Warn("the other place of the records cannot be read", "place", other.Dir(), "error", err)
		return false, nil
	}
	defer beside.Close() // read-only: nothing to lose
	languages, lost, err := beside.OutstandingLanguages(ctx)
	if err != nil || lost {
		return false, nil
	}
	for _, language := range languages {
		if err := joinLanguage(ctx, l, beside, language); err != nil {
			return true, err
		}
	}
	return true, nil
}

func joinLanguage(ctx context.Context, l *Ledger, beside history.Store, language string) error {
	theirs, known, lost, err := beside.Outstanding(ctx, language)
	if err != nil || !known && !lost {
		return err
	}
	if lost {
		theirs = everything("")
	}
	if why, _, err := beside.Get(ctx, lostKey); err == nil && string(why) == lostApart {
		// It marked everything only because it could not read this history.
		theirs = theirs.Only(func(e outstanding.Entry) bool {
			return e.Reason != outstanding.ReasonRun || e.Why != outstanding.WhyLost
		})
	}
	var before []joinedEntry
	if raw, ok, err := l.History.Get(ctx, joinedKey+language); err == nil && ok {
		_ = json.Unmarshal(raw, &before) // if unreadable, more is outstanding
	}
	had := map[joinedEntry]bool{}
	for _, e := range before {
		had[e] = true
	}
	now := []joinedEntry{}
	fresh := theirs.Only(func(e outstanding.Entry) bool {
		j := joinedEntry{e.TestID, e.LastRunID}
		now = append(now, j)
		return !had[j]
	})
	if fresh.Len() == 0 && len(now) == len(before) {
		return nil
	}
	if fresh.Len() > 0 {
		if _, err := l.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, _, _ bool) outstanding.Set { return unionSets(set, fresh) }); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(now)
	if err == nil {
		err = l.History.Put(ctx, joinedKey+language, raw)
	}
	return err
}

// openReadOnly is [OpenHistory] for read-only records.
func openReadOnly(ctx context.Context, k *Keeper, store *artifacts.Store) (*Ledger, error) {
	l := &Ledger{Keeper: k, Artifacts: store, readOnly: true}
	dir, worktree := store.Dir(), fingerprint.Worktree(store.Workspace())
	if db, ok := k.stores[dir]; ok {
		if db.worktree == worktree && db.InPlace() && db.missing != hasHistory(store) {
			l.History = db.Store
			return l, nil
		}
		retireHistory(k, dir, db)
	}
	db, err := openGlance(ctx, store)
	missing := errors.Is(err, fs.ErrNotExist) && !hasHistory(store)
	if missing {
		db, err = openMissing(ctx, store)
	}
	if err != nil {
		return nil, err
	}
	k.stores[dir] = opened{db, worktree, missing}
	l.History = db
	return l, nil
}

// openMissing opens what stands in for a history that is missing. The runs may still be there.
func openMissing(ctx context.Context, store *artifacts.Store) (history.Store, error) {
	db, err := sqlite.OpenEmpty(ctx, historyConfig(store))
	if err != nil || !artifacts.HasRuns(store) {
		return db, err
	}
	if err := db.Put(ctx, lostKey, []byte(lostGone)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// principal returns the Ledger whose outstanding set is the workspace's: this one, or
// that of the other place.
func (l *Ledger) principal(ctx context.Context) (*Ledger, error) {
	other, ok := artifacts.OtherPlace(l.Artifacts)
	if !ok || !hasHistory(other) || artifacts.IsReadOnly(other) || !l.readOnly && artifacts.IsInside(l.Artifacts) {
		return l, nil
	}
	return OpenHistory(ctx, l.Keeper, other)
}

// describeOther says in one line what is kept in the other place; empty if nothing is.
func describeOther(l *Ledger) string {
	other, ok := artifacts.OtherPlace(l.Artifacts)
	switch {
	case !ok && l.readOnly:
		return l.Artifacts.Dir() + " is not writable: runs of this user are kept in the user's own state folder"
	case !ok || !hasHistory(other):
		return ""
	case l.readOnly:
		return "these are the runs in " + l.Artifacts.Dir() + ", which is not writable; others are in " + other.Dir() + "; what is outstanding is that of both"
	case artifacts.IsReadOnly(other):
		return "these are the runs in " + l.Artifacts.Dir() + "; others are in " + other.Dir() + ", which is not writable; what is outstanding is that of both"
	}
	elsewhere := other
	if artifacts.IsInside(other) {
		elsewhere = l.Artifacts
	}
	return "runs made while " + filepath.Join(l.Artifacts.Workspace(), ".proctor") + " was not writable are in " + elsewhere.Dir() + "; what is outstanding is that of both"
}
