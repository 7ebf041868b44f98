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

// maxLooks bounds how often one look begins again because of new directories.
const maxLooks = 5

// Tree is the sources of a workspace.
type Tree struct {
	// Keeper and Where say of which.
	Keeper *ledger.Keeper
	Where  api.Where
	// Events are told which directories matter; nil where there are none, for the
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
				continue // no source any more, as it is known by now that runners write it
			}
		}
		if below, err := filepath.Rel(t.Where.Dir, path); err == nil {
			path = filepath.ToSlash(below)
		}
		seen.Files, seen.Added = append(seen.Files, path), seen.Added && c.Kind == fingerprint.Added
	}
	return seen, nil
}

// WhyDeaf says why there are no events.
func WhyDeaf(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the system's limit of watched directories is reached (fs.inotify.max_user_watches)"
	case errors.Is(err, syscall.EMFILE):
		return "the system's limit of open files, or of watches, is reached (fs.inotify.max_user_instances)"
	}
	return "changes of files are not told here: " + err.Error()
}

// take determines the present state. What runners write is only known once one ran.
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

// listen has the events of the present directories heard. again reports whether
// something may have happened in one before.
func (t *Tree) listen() (again bool) {
	if t.Events == nil {
		return false
	}
	again, err := t.Events.Watch(t.snapshot.Dirs())
	if err != nil {
		t.Events, t.Deaf = nil, WhyDeaf(err)
		return false
	}
	return again
}
