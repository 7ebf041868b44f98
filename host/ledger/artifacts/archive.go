package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// ListRunIDs returns the ids of the runs that have a folder.
func ListRunIDs(s *Store) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	if err != nil {
		return nil, &StoreError{Path: s.dir, Err: err}
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Artifact is a file of a run's record.
type Artifact struct {
	Name string
	Size int64
}

// ListFiles returns the files of a run's record that a copy needs.
func ListFiles(s *Store, id string) ([]Artifact, error) {
	dir, ok := s.runDir(id)
	if !ok {
		return nil, &api.UnknownRunError{Ref: id}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	var found []Artifact
	for _, e := range entries {
		if !IsArtifact(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, &StoreError{Path: dir, Err: err}
		}
		if !info.Mode().IsRegular() {
			return nil, &StoreError{Path: filepath.Join(dir, e.Name()), Err: fmt.Errorf("not a regular file")}
		}
		found = append(found, Artifact{Name: e.Name(), Size: info.Size()})
	}
	return found, nil
}

// OpenFile opens one of the files that [ListFiles] returns.
func OpenFile(s *Store, id, name string) (fs.File, error) {
	dir, ok := s.runDir(id)
	if !ok || !IsArtifact(name) {
		return nil, &api.UnknownRunError{Ref: id}
	}
	f, err := openFile(filepath.Join(dir, name))
	if err != nil {
		return nil, &StoreError{Path: filepath.Join(dir, name), Err: err}
	}
	return f, nil
}

// The names of the lists of a run's record.
const (
	ObjectName   = runFile
	ResultsName  = resultsFile
	FailuresName = failuresFile
)

// streamName matches the record of one stream of one command.
var streamName = lazyregexp.New(`^(0|[1-9][0-9]{0,3})-(stdout|stderr)$`)

// IsStream reports whether a file with that name holds recorded output.
func IsStream(name string) bool { return streamName.MatchString(name) }

// IsArtifact reports whether a copy of a run's record has a file with that name.
func IsArtifact(name string) bool {
	return name == runFile || name == resultsFile || name == failuresFile || IsStream(name)
}

// MaxStream bounds the recorded output of one stream of one command.
const MaxStream = maxRecord

// Stage receives records of runs made elsewhere. They are invisible before Publish, and
// what was not published leaves no trace.
type Stage struct {
	store *Store
	dir   string
	lock  *flock.Flock
	// published holds the locks that mark the runs as in progress.
	published map[string]*flock.Flock
}

// stageLock allows one import at a time; stagePrefix begins the name of its folder.
const (
	stageLock   = "import.lock"
	stagePrefix = ".import-"
)

// NewStage starts receiving records. It waits for other imports of the workspace, and
// removes what a killed one has left.
func NewStage(ctx context.Context, s *Store) (*Stage, error) {
	path := filepath.Join(s.dir, stageLock)
	lock, err := lockFile(ctx, path)
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	left, _ := os.ReadDir(s.dir)
	for _, e := range left {
		if e.IsDir() && strings.HasPrefix(e.Name(), stagePrefix) {
			os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
	dir, err := os.MkdirTemp(s.dir, stagePrefix+"*")
	if err != nil {
		removeLock(lock)
		return nil, &StoreError{Path: s.dir, Err: err}
	}
	return &Stage{store: s, dir: dir, lock: lock, published: map[string]*flock.Flock{}}, nil
}

// Add begins the record of a run. The id must satisfy [IsRunID].
func (st *Stage) Add(id string) error {
	if !IsRunID(id) {
		return &api.UnknownRunError{Ref: id}
	}
	if err := os.Mkdir(filepath.Join(st.dir, id), 0o755); err != nil {
		return &StoreError{Path: st.dir, Err: err}
	}
	return nil
}

// Object writes a run's object.
func (st *Stage) Object(run api.Run) error {
	r := &Recorder{dir: filepath.Join(st.dir, run.RunID), workspace: st.store.cfg.Workspace}
	return r.write(run, synced)
}

// Create opens a new file of a run's record.
func (st *Stage) Create(id, name string) (io.WriteCloser, error) {
	path := filepath.Join(st.dir, id, name)
	if !IsRunID(id) || !IsArtifact(name) {
		return nil, &StoreError{Path: path, Err: errors.New("not a file of a run's record")}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|noFollow, 0o644)
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	return f, nil
}

// Spool creates a file that is needed only while records are received.
func (st *Stage) Spool() (*os.File, error) {
	f, err := os.CreateTemp(st.dir, ".spool-*")
	if err != nil {
		return nil, &StoreError{Path: st.dir, Err: err}
	}
	return f, nil
}

// Publish moves the record of a run to the others, replacing one with its id. Until Close
// the run counts as in progress, so that no process ends it while its results are still
// being written to the history.
func (st *Stage) Publish(id string) error {
	if err := RemoveRun(st.store, id); err != nil {
		return err
	}
	to := filepath.Join(st.store.dir, "runs", id)
	if err := atomicfile.Rename(filepath.Join(st.dir, id), to); err != nil {
		return &StoreError{Path: to, Err: err}
	}
	alive := flock.New(filepath.Join(to, aliveFile), flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
	if err := alive.Lock(); err != nil {
		return errors.Join(&StoreError{Path: alive.Path(), Err: err}, os.RemoveAll(to))
	}
	st.published[id] = alive
	return nil
}

// Withdraw removes a published record again.
func (st *Stage) Withdraw(id string) error {
	if alive := st.published[id]; alive != nil {
		alive.Unlock()
		delete(st.published, id)
		return RemoveRun(st.store, id)
	}
	return nil
}

// Close removes what was not published.
func (st *Stage) Close() error {
	for _, alive := range st.published {
		alive.Unlock()
	}
	err := os.RemoveAll(st.dir)
	removeLock(st.lock)
	if err != nil {
		return &StoreError{Path: st.dir, Err: err}
	}
	return nil
}

// IsRunID reports whether a text can be a run id: a plain file name on every system, and
// not a word with a meaning in commands.
func IsRunID(id string) bool {
	return len(id) >= minRunID && len(id) <= api.MaxPlainName && plainName.MatchString(id) && !deviceName.MatchString(id) &&
		id != "last" && id != "prev"
}

// minRunID is far below [RunIDLength], and too long for a stray file name.
const minRunID = 4
