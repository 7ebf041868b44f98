package artifacts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/api"
)

// KeptRuns are the last runs of a process's sessions, by workspace and language. A store
// falls back on them if the record of such a run is gone or could not be written: a
// failure that was shown must not be lost with it. The zero value is empty; nil remembers
// nothing. It is safe for concurrent use.
type KeptRuns struct {
	mu   sync.Mutex
	runs []keptRun // newest last
}

// maxKept bounds the runs of all sessions: each may carry hundreds of failures.
const maxKept = 32

// keptRun is the last run of one language in one session.
type keptRun struct {
	workspace, session string
	run                api.Run
	// lost is why the session's file does not name it; nil if it does.
	lost error
}

// keep remembers a run that ended.
func (m *KeptRuns) keep(s *Store, run api.Run, lost error) {
	if m == nil || !canBeLast(run) {
		return
	}
	run.Failures = slices.Clone(run.Failures) // the caller goes on with its own
	run.Results = nil
	kept := keptRun{workspace: s.cfg.Workspace, session: s.cfg.SessionID, run: run, lost: lost}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = slices.DeleteFunc(m.runs, func(k keptRun) bool {
		return k.workspace == kept.workspace && k.session == kept.session && k.run.Language == run.Language
	})
	m.runs = append(m.runs, kept)
	m.runs = slices.Delete(m.runs, 0, max(len(m.runs)-maxKept, 0))
}

// of returns what is remembered of a workspace, newest first.
func (m *KeptRuns) of(workspace string) []keptRun {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []keptRun
	for _, k := range slices.Backward(m.runs) {
		if k.workspace == workspace {
			k.run.Failures = slices.Clone(k.run.Failures)
			found = append(found, k)
		}
	}
	return found
}

// keptInSession returns what is remembered of this session, or of any, newest first.
func keptInSession(s *Store) []keptRun {
	return slices.DeleteFunc(s.cfg.KeptRuns.of(s.cfg.Workspace), func(k keptRun) bool { return !s.cfg.AnySession && k.session != s.cfg.SessionID })
}

// lastKept returns the remembered last run of a language, or of any, in this session.
func lastKept(s *Store, language string) (keptRun, bool) {
	for _, k := range keptInSession(s) {
		if language == "" || k.run.Language == language {
			return k, true
		}
	}
	return keptRun{}, false
}

// findKept returns a remembered run of this workspace, from any session.
func findKept(s *Store, id string) (keptRun, bool) {
	for _, k := range s.cfg.KeptRuns.of(s.cfg.Workspace) {
		if k.run.RunID == id {
			return k, true
		}
	}
	return keptRun{}, false
}

// KeptInSession returns the last runs that this process remembers of this session, recorded
// or not.
func KeptInSession(s *Store) []api.Run {
	var runs []api.Run
	for _, k := range keptInSession(s) {
		runs = append(runs, k.run)
	}
	return runs
}

// IsKept reports whether this process remembers a run.
func (s *Store) IsKept(id string) bool {
	_, ok := findKept(s, id)
	return ok
}

// WhyNotOnRecord says why only this process remembers a run; empty if it is on record.
func WhyNotOnRecord(s *Store, id string) string {
	k, ok := findKept(s, id)
	if !ok {
		return ""
	}
	run, err := s.onDisk(id)
	if err == nil && run.State == api.StateFinished && k.lost == nil {
		return ""
	}
	var missing *api.UnknownRunError
	why := "it could not be written to its end"
	switch {
	case k.lost != nil:
		why = k.lost.Error()
	case errors.As(err, &missing):
		why = "its record was removed"
	case err != nil:
		why = err.Error()
	}
	return fmt.Sprintf("the last run %s is not on record (%s); this answer is what the process that made it remembers", id, why)
}

// Restore records again what only this process remembers of a run: its object, and its
// place as the session's last run.
func Restore(ctx context.Context, s *Store, id string) error {
	k, ok := findKept(s, id)
	if !ok {
		return nil
	}
	if run, err := s.onDisk(id); err != nil || run.State != api.StateFinished {
		r := &Recorder{dir: filepath.Join(s.dir, runsDir, id), workspace: s.cfg.Workspace, store: s}
		if err := errors.Join(r.remake(), r.write(k.run, synced)); err != nil {
			return err
		}
	}
	if !s.cfg.AnySession && k.session != s.cfg.SessionID {
		return nil
	}
	if slot, err := s.files().state(); err == nil && k.lost == nil && slot.Slots[k.run.Language].RunID != "" {
		return nil
	}
	return s.Finish(ctx, k.run)
}

// Remake recreates the folder of the records after it was removed. It does not recreate a
// workspace.
func Remake(s *Store) error {
	err := error(nil)
	if _, gone := os.Stat(s.cfg.Workspace); gone != nil && strings.HasPrefix(s.dir, s.cfg.Workspace+string(filepath.Separator)) {
		err = gone
	} else {
		err = prepare(s.dir)
	}
	if err != nil {
		return &StoreError{Path: s.dir, Err: err}
	}
	return nil
}

// isWhole reports whether the folder of the records and its parts exist.
func isWhole(s *Store) bool {
	return isDir(s.dir) && isDir(filepath.Join(s.dir, "sessions")) && isDir(filepath.Join(s.dir, runsDir))
}

// hasRecords reports whether anything is on record, even if a part of it was removed.
func hasRecords(s *Store) bool {
	return isDir(s.dir) && (isDir(filepath.Join(s.dir, "sessions")) || isDir(filepath.Join(s.dir, runsDir)))
}

// remake recreates the folder of a run after it was removed.
func (r *Recorder) remake() error {
	if err := Remake(r.store); err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return &StoreError{Path: r.dir, Err: err}
	}
	return nil
}
