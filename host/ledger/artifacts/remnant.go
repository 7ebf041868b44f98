package artifacts

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// Remnant is a folder of a run that is not on record here: nobody who looks for the
// workspace's runs finds it.
type Remnant struct {
	ID   string
	Size int64
	// At is when its run started or, where it does not say so, when something in it
	// was last written.
	At time.Time
	// Foreign: its run is of another workspace, with which the folder was copied, or of
	// this one when it was elsewhere.
	Foreign bool
	// Unwritten: its run came to its end, which could not be put on record.
	Unwritten bool
}

// Remnants are the folders among those of runs that have no run of the workspace:
// what was left by a process that was killed while it made or removed one, and what
// came with a copy. isKnown tells which have one. Left out are those of runs that go on,
// those that the last runs of any session are in, and what holds files that proctor
// does not write.
func (s *Store) Remnants(isKnown func(id string) bool) ([]Remnant, error) {
	ids, err := s.RunIDs()
	if err != nil {
		return nil, err
	}
	var found []Remnant
	var named [][]byte
	for _, id := range ids {
		if !IsRunID(id) || isKnown(id) || s.IsKept(id) {
			continue
		}
		r, ok := s.remnant(id)
		if !ok || s.Alive(id) {
			continue
		}
		if named == nil {
			named = s.sessionTexts()
		}
		if !isNamed(named, id) {
			found = append(found, r)
		}
	}
	return found, nil
}

// remnant looks at a folder; ok is false for one that proctor did not make.
func (s *Store) remnant(id string) (r Remnant, ok bool) {
	dir, ok := s.runDir(id)
	if !ok {
		return r, false
	}
	info, err := os.Lstat(dir)
	entries, listed := os.ReadDir(dir)
	if err != nil || listed != nil {
		return r, false
	}
	r = Remnant{ID: id, At: info.ModTime()}
	for _, e := range entries {
		name := e.Name()
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() ||
			!IsArtefact(name) && name != aliveFile && name != surroundingsFile && name != unwrittenFile && !(strings.HasPrefix(name, ".proctor-") && strings.HasSuffix(name, ".tmp")) {
			return r, false
		}
		r.Size += info.Size()
		if info.ModTime().After(r.At) {
			r.At = info.ModTime()
		}
	}
	r.Unwritten = isEmpty(filepath.Join(dir, unwrittenFile))
	var run api.Run
	if read, err := readJSON(filepath.Join(dir, runFile), &run); read && err == nil && run.RunID == id && run.Workspace != "" && run.Workspace != s.cfg.Workspace {
		r.At, r.Foreign = run.StartedAt, true
	}
	return r, true
}

// sessionTexts are the states of all sessions, of whatever workspace.
func (s *Store) sessionTexts() [][]byte {
	texts := [][]byte{{}}
	dir := filepath.Join(s.dir, "sessions")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), stateSuffix) && e.Type().IsRegular() {
			if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func isNamed(texts [][]byte, id string) bool {
	for _, text := range texts {
		if bytes.Contains(text, []byte(id)) {
			return true
		}
	}
	return false
}
