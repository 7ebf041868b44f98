package session

import (
	"bufio"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/record"
)

// idBytes are the random bytes of a run id: 50 bits or so make a clash within
// one workspace's few thousand runs negligible, and ten characters are short
// enough to read out.
const idBytes = 7

// runIDEncoding has no padding and lower-case letters: the ids are typed.
var runIDEncoding = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// NewRunID makes the name of a new run. It is random from its first character,
// so that a few characters suffice to name a run.
func NewRunID() string {
	raw := make([]byte, idBytes)
	_, _ = rand.Read(raw) // never fails, says crypto/rand
	return runIDEncoding.EncodeToString(raw)[:10]
}

// Run returns the record of a run, by id, by the unique beginning of an id, or
// by "last" and "prev" for the session's newest runs of any language.
func (s *Store) Run(ref string) (record.Run, error) {
	id, err := s.resolve(ref)
	if err != nil {
		return record.Run{}, err
	}
	return s.load(id)
}

func (s *Store) load(id string) (record.Run, error) {
	path := filepath.Join(s.dir, "runs", id, runFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return record.Run{}, &NoRunError{Ref: id}
	}
	var run record.Run
	if err == nil {
		err = json.Unmarshal(raw, &run)
	}
	if err != nil {
		return record.Run{}, &StoreError{Path: path, Err: err}
	}
	return run, nil
}

func (s *Store) resolve(ref string) (string, error) {
	if ref == "last" || ref == "prev" {
		runs := s.sessionRuns()
		back := map[string]int{"last": 0, "prev": 1}[ref]
		if back >= len(runs) {
			return "", &NoRunError{Ref: ref}
		}
		return runs[back].RunID, nil
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	if err != nil {
		return "", &StoreError{Path: s.dir, Err: err}
	}
	var matches []string
	for _, e := range entries {
		if e.Name() == ref {
			return ref, nil
		}
		if ref != "" && strings.HasPrefix(e.Name(), ref) {
			matches = append(matches, e.Name())
		}
	}
	if len(matches) != 1 {
		return "", &NoRunError{Ref: ref, Matches: matches}
	}
	return matches[0], nil
}

// sessionRuns are the finished runs of the session, newest first. Records that
// cannot be read are passed over: one bad file must not hide the others.
func (s *Store) sessionRuns() []record.Run {
	entries, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	if err != nil {
		return nil
	}
	var runs []record.Run
	for _, e := range entries {
		if run, err := s.load(e.Name()); err == nil && run.SessionID == s.cfg.SessionID {
			runs = append(runs, run)
		}
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].StartedAt.After(runs[j].StartedAt) })
	return runs
}

// Alive tells whether the process that makes a run is still there.
func (s *Store) Alive(id string) bool {
	lock := flock.New(filepath.Join(s.dir, "runs", id, aliveFile))
	if _, err := os.Stat(lock.Path()); err != nil {
		return false
	}
	free, err := lock.TryLock()
	if free {
		lock.Unlock()
	}
	return err == nil && !free
}

// Has tells whether a run is on record.
func (s *Store) Has(id string) bool { return isDir(filepath.Join(s.dir, "runs", id)) }

// Complete ends the record of a run whose process did not.
func (s *Store) Complete(run record.Run) error {
	r := &Recorder{dir: filepath.Join(s.dir, "runs", run.RunID)}
	return r.write(run)
}

// Results calls yield with every test's result of a run until it returns false.
func (s *Store) Results(id string, yield func(record.Result) bool) error {
	return readLines(filepath.Join(s.dir, "runs", id, resultsFile), yield)
}

// Failures calls yield with every failure of a run until it returns false.
func (s *Store) Failures(id string, yield func(record.Failure) bool) error {
	return readLines(filepath.Join(s.dir, "runs", id, failuresFile), yield)
}

// readLines decodes a file of one JSON object a line. A last line that was cut
// by a crash is passed over.
func readLines[T any](path string, yield func(T) bool) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(f, 64<<10))
	for {
		var item T
		err := dec.Decode(&item)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return &StoreError{Path: path, Err: err}
		}
		if !yield(item) {
			return nil
		}
	}
}
