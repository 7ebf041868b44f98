package session

import (
	"os"
	"path/filepath"
	"strings"
)

// Held are the runs that the slots of any session name: those stay on record
// whatever their age. Nothing changes.
func (s *Store) Held() (map[string]bool, error) {
	held := map[string]bool{}
	dir := filepath.Join(s.dir, "sessions")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	for _, e := range entries {
		name, isState := strings.CutSuffix(e.Name(), stateSuffix)
		if !isState || strings.Contains(name, ".") {
			continue // another file of a session
		}
		st, err := files{workspace: s.cfg.Workspace, dir: dir, name: name}.state()
		if err != nil {
			return nil, err // it may name any run
		}
		for _, slot := range st.Slots {
			for _, id := range append(slot.Running, slot.RunID) {
				held[id] = true
			}
		}
	}
	delete(held, "")
	return held, nil
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
