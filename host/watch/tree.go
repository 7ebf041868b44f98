package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

// maxLooks bounds how often one look is repeated because of new directories.
const maxLooks = 5

// Tree is the sources of a workspace.
type Tree struct {
	// Keeper and Where identify the workspace.
	Keeper *ledger.Keeper
	Where  api.Where
	// Events watches the directories of the sources; nil if there are no events, for the
	// reason in Deaf.
	Events *Events
	Deaf   string

	cfg      fingerprint.Config
	snapshot *fingerprint.Snapshot
}

// Look compares the sources with those of the last look.
func (t *Tree) Look(ctx context.Context) (Look, error) {
	var before fingerprint.State
	if t.snapshot != nil {
		before = t.snapshot.State
	}
	first := t.snapshot == nil
	for range maxLooks {
		if err := t.take(ctx); err != nil {
			return Look{}, err
		}
		if !t.listen() {
			break
		}
	}
	seen := Look{State: t.snapshot.State.ID, Added: true, Deaf: t.Deaf, Sources: t.snapshot}
	if first || before.ID == seen.State {
		return seen, nil
	}
	for _, c := range fingerprint.Diff(before, t.snapshot.State) {
		path := filepath.Join(t.snapshot.State.Top, filepath.FromSlash(c.Path))
		if c.Kind == fingerprint.Deleted {
			if _, err := os.Lstat(path); err == nil {
				continue // still there, but no longer a source: a runner writes it
			}
		}
		if below, err := filepath.Rel(t.Where.Dir, path); err == nil {
			path = filepath.ToSlash(below)
		}
		seen.Files, seen.Added = append(seen.Files, path), seen.Added && c.Kind == fingerprint.Added
	}
	return seen, nil
}

// whyDeaf returns the reason why there are no events.
func whyDeaf(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the system's limit of watched directories is reached (fs.inotify.max_user_watches)"
	case errors.Is(err, syscall.EMFILE):
		return "the system's limit of open files, or of watches, is reached (fs.inotify.max_user_instances)"
	}
	return "changes of files are not reported here: " + err.Error()
}

// take determines the present state. Which files runners write is only known after a run.
func (t *Tree) take(ctx context.Context) (err error) {
	cfg, _ := ledger.WatchConfig(ctx, t.Keeper, t.Where)
	if t.snapshot == nil || !slices.Equal(cfg.Outputs, t.cfg.Outputs) {
		t.cfg = cfg
		t.snapshot, err = takeAnew(ctx, cfg, t.snapshot)
		return err
	}
	_, next, err := t.snapshot.Changed(ctx)
	if err != nil {
		return err
	}
	t.snapshot = next
	return nil
}

func takeAnew(ctx context.Context, cfg fingerprint.Config, before *fingerprint.Snapshot) (*fingerprint.Snapshot, error) {
	s, err := fingerprint.Take(ctx, cfg)
	if err != nil {
		return before, err
	}
	return s, nil
}

// listen watches the present directories. again reports whether something may already
// have changed in a new one.
func (t *Tree) listen() (again bool) {
	if t.Events == nil {
		return false
	}
	again, err := t.Events.Watch(t.snapshot.Dirs())
	if err != nil {
		t.Events, t.Deaf = nil, whyDeaf(err)
		return false
	}
	return again
}
