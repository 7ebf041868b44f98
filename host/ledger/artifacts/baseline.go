package artifacts

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
)

// baselinesDir holds the baselines. They belong to the workspace, not to a session, and
// stay until replaced.
const baselinesDir = "baselines"

// Baseline is the part of a run kept for later comparisons.
type Baseline struct {
	// Run is the run's object without its failures.
	Run api.Run `json:"run"`
	// Results hold how each test ended and the measures of those that passed.
	Results []api.Result `json:"results"`
}

// ReadBaseline returns the baseline of a language; ok is false if none was set. One that
// came with a clone or a copy does not count.
func ReadBaseline(s *Store, language string) (b Baseline, ok bool, err error) {
	path := baselinePath(s, language)
	if !isDir(filepath.Dir(path)) {
		return Baseline{}, false, nil
	}
	found, err := readJSON(path, &b)
	if err != nil {
		return Baseline{}, false, &StoreError{Path: path, Err: err, Fix: "move the file away and set the baseline again"}
	}
	if !found || b.Run.Workspace != s.cfg.Workspace {
		return Baseline{}, false, nil
	}
	return b, true, nil
}

// SetBaseline replaces the baseline of the run's language, and returns its path. A
// reader sees the old one or the new one.
func SetBaseline(s *Store, b Baseline) (path string, err error) {
	path = baselinePath(s, b.Run.Language)
	dir := filepath.Dir(path)
	if err := os.Mkdir(dir, 0o755); err != nil && !isDir(dir) {
		return path, &StoreError{Path: dir, Err: err}
	}
	b.Run.Workspace = s.cfg.Workspace // distinguishes it from one that came with a copy
	raw, err := json.Marshal(b)
	if err == nil {
		err = replaceFile(path, raw, synced)
	}
	if err != nil {
		return path, &StoreError{Path: path, Err: err}
	}
	return path, nil
}

func baselinePath(s *Store, language string) string {
	return filepath.Join(s.dir, baselinesDir, fileName(language)+".json")
}

// FinishedRuns returns the finished runs of a language in this session, or in
// any, newest first.
func FinishedRuns(s *Store, language string) []api.Run {
	var runs []api.Run
	for _, run := range sessionRuns(s) {
		if run.Language == language {
			runs = append(runs, run)
		}
	}
	return runs
}
