package artifacts

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// RunIDs are the names of the runs that have a folder.
func (s *Store) RunIDs() ([]string, error) {
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

// Object is the Run object of the run with this id.
func (s *Store) Object(id string) (api.Run, error) { return s.load(id) }

// Artefact is a file of a run's record.
type Artefact struct {
	Name string
	Size int64
}

// Artefacts are the files of a run's record that a copy of it needs.
func (s *Store) Artefacts(id string) ([]Artefact, error) {
	dir, ok := s.runDir(id)
	if !ok {
		return nil, &api.UnknownRunError{Ref: id}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	var found []Artefact
	for _, e := range entries {
		if !IsArtefact(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, &StoreError{Path: dir, Err: err}
		}
		if !info.Mode().IsRegular() {
			return nil, &StoreError{Path: filepath.Join(dir, e.Name()), Err: fmt.Errorf("not a regular file")}
		}
		found = append(found, Artefact{Name: e.Name(), Size: info.Size()})
	}
	return found, nil
}

// OpenArtefact opens one of them.
func (s *Store) OpenArtefact(id, name string) (fs.File, error) {
	dir, ok := s.runDir(id)
	if !ok || !IsArtefact(name) {
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

// streamName is that of the record of one stream of one command.
var streamName = regexp.MustCompile(`^(0|[1-9][0-9]{0,3})-(stdout|stderr)$`)

// IsStream reports whether a file of that name holds recorded output.
func IsStream(name string) bool { return streamName.MatchString(name) }

// IsArtefact reports whether a copy of a run's record has a file of that name.
func IsArtefact(name string) bool {
	return name == runFile || name == resultsFile || name == failuresFile || IsStream(name)
}

// MaxStream bounds the recorded output of one stream of one command.
const MaxStream = maxRecord
