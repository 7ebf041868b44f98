package artifacts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// How many sessions hold their last runs, whatever the limits of the record are: those
// used within a day of the latest one, and the newest ones. Each connection of an agent
// is a session, so that all of them would hold more than any limit.
const (
	heldFor     = 24 * time.Hour
	heldAtLeast = 20
)

// used is a session and when it was used last.
type used struct {
	at    time.Time
	slots map[string]Slot
}

// Held are the runs that stay on record whatever its limits are: the last ones of the
// sessions that were used lately, and of any session those that nobody has seen end.
// Nothing changes.
func (s *Store) Held() (map[string]bool, error) {
	sessions, err := s.sessions()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sessions, func(a, b used) int { return b.at.Compare(a.at) })
	held := map[string]bool{}
	for i, session := range sessions {
		lately := i < heldAtLeast || sessions[0].at.Sub(session.at) <= heldFor
		for _, slot := range session.slots {
			for _, id := range slot.Running {
				held[id] = true
			}
			if lately {
				held[slot.RunID] = true
			}
		}
	}
	delete(held, "")
	return held, nil
}

// sessions are all sessions of the workspace that have run something.
func (s *Store) sessions() ([]used, error) {
	dir := filepath.Join(s.dir, "sessions")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	var all []used
	for _, e := range entries {
		name, isState := strings.CutSuffix(e.Name(), stateSuffix)
		if !isState || strings.Contains(name, ".") {
			continue // another file of a session
		}
		st, err := files{workspace: s.cfg.Workspace, dir: dir, name: name}.state()
		if err != nil {
			return nil, err // it may name any run
		}
		info, err := e.Info()
		if err != nil || len(st.Slots) == 0 {
			continue // forgotten meanwhile, or of another workspace
		}
		all = append(all, used{info.ModTime(), st.Slots})
	}
	return all, nil
}

// RunSize is what the folder of a run takes, in bytes.
func (s *Store) RunSize(id string) int64 {
	dir, ok := s.runDir(id)
	if !ok {
		return 0
	}
	return dirSize(dir)
}

// RemoveRun removes the folder of a run, if it has one.
func (s *Store) RemoveRun(id string) error {
	dir, ok := s.runDir(id)
	if !ok {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return &StoreError{Path: dir, Err: err}
	}
	return nil
}
