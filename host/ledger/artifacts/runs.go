package artifacts

import (
	"cmp"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/api"
)

// idBytes are the random bytes of a run id, of which about 50 bits are used: a clash among
// one workspace's few thousand runs is negligible, and ten characters can be read out.
const idBytes = 7

// RunIDLength is the number of characters of a run id.
const RunIDLength = 10

// runIDEncoding has no padding and only lower-case letters, since ids are typed.
var runIDEncoding = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// NewRunID returns the id of a new run. It is random from its first character, so that
// a few characters suffice to name a run.
func NewRunID() string {
	raw := make([]byte, idBytes)
	_, _ = rand.Read(raw) // never fails
	return RunIDOf(raw)
}

// RunIDOf derives a run id from at least as many bytes as [NewRunID] uses; only the
// first ones count.
func RunIDOf(sum []byte) string { return runIDEncoding.EncodeToString(sum)[:RunIDLength] }

// Run returns a run by id, by the unique beginning of an id, or by "last" and "prev" for
// the session's newest finished runs of any language. The history knows their order
// better.
func (s *Store) Run(ref string) (api.Run, error) {
	id, err := resolveRun(s, ref)
	if err != nil {
		return api.Run{}, err
	}
	return s.Object(id)
}

// Object returns the Run object of a run that is on record or remembered by this process.
func (s *Store) Object(id string) (api.Run, error) {
	run, err := s.onDisk(id)
	if err == nil && run.State == api.StateFinished {
		return run, nil
	}
	if k, ok := findKept(s, id); ok {
		return k.run, nil
	}
	return run, err
}

func (s *Store) onDisk(id string) (api.Run, error) {
	dir, ok := s.runDir(id)
	if !ok {
		return api.Run{}, &api.UnknownRunError{Ref: id}
	}
	path := filepath.Join(dir, runFile)
	var run api.Run
	found, err := readJSON(path, &run)
	if err != nil {
		return api.Run{}, &StoreError{Path: path, Err: err}
	}
	if !found || run.Workspace != s.cfg.Workspace {
		return api.Run{}, &api.UnknownRunError{Ref: id} // it came with a clone or a copy
	}
	if !isSound(run, id) {
		return api.Run{}, &StoreError{Path: path, Err: errors.New("proctor did not write it"), Fix: "remove its folder"}
	}
	return run, nil
}

// isSound reports whether the words in a run's object are single words: anybody can write
// such a file, and its text must not pass for proctor's.
func isSound(run api.Run, id string) bool {
	return run.RunID == id && isWord(run.Language) && isWord(string(run.Kind)) && isWord(string(run.State)) && isWord(string(run.Verdict)) &&
		isWord(run.Running)
}

// maxWord is longer than any name of a language or run.
const maxWord = 64

// isWord reports whether a text is at most one word, like names of languages and runs
// and the words of the Run object.
func isWord(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_+#.-", r) {
			return false
		}
	}
	return len(text) <= maxWord
}

// runDir returns the folder of a run's record; ok is false if there is none. A link to a
// folder does not count, nor does an id with a path separator.
func (s *Store) runDir(id string) (dir string, ok bool) {
	dir = filepath.Join(s.dir, runsDir, id)
	return dir, id != "" && filepath.IsLocal(id) && filepath.Base(dir) == id && isDir(dir)
}

func resolveRun(s *Store, ref string) (string, error) {
	if ref == "last" || ref == "prev" {
		return findRecent(s, ref)
	}
	if _, ok := s.runDir(ref); ok && IsRunID(ref) {
		return ref, nil
	}
	names, err := s.names()
	if err != nil {
		return "", err
	}
	var matches []string
	for _, name := range names {
		if name == ref {
			return ref, nil
		}
		if ref != "" && strings.HasPrefix(name, ref) && isOurs(s, name) {
			matches = append(matches, name)
		}
	}
	if len(matches) != 1 {
		return "", &api.UnknownRunError{Ref: ref, Matches: describeRuns(s, matches)}
	}
	return matches[0], nil
}

// names returns the names of the run folders and of the remembered runs.
func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, runsDir))
	kept := s.cfg.KeptRuns.of(s.cfg.Workspace)
	if err != nil && len(kept) == 0 {
		return nil, &StoreError{Path: s.dir, Err: err}
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, k := range kept {
		if !slices.Contains(names, k.run.RunID) {
			names = append(names, k.run.RunID)
		}
	}
	return names, nil
}

// describeRuns adds kind and verdict to the first ids.
func describeRuns(s *Store, ids []string) []string {
	for i, id := range ids {
		if i == api.MaxMatches {
			break // no more are named
		}
		if run, err := s.Object(id); err == nil {
			ids[i] += " (" + string(run.Kind) + ", " + cmp.Or(string(run.Verdict), string(run.State)) + ")"
		}
	}
	return ids
}

// isOurs reports whether a run was, or may have been, recorded in this workspace.
func isOurs(s *Store, id string) bool {
	_, err := s.Object(id)
	var missing *api.UnknownRunError
	return !errors.As(err, &missing)
}

// sessionRuns returns the finished runs of the session, or of any, newest first. It skips
// unreadable ones: one bad file must not hide the others.
func sessionRuns(s *Store) []api.Run {
	names, err := s.names()
	if err != nil {
		return nil
	}
	var runs []api.Run
	for _, name := range names {
		if run, err := s.Object(name); err == nil && isOfSession(s, run) && run.State == api.StateFinished && canBeLast(run) {
			runs = append(runs, run)
		}
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].StartedAt.After(runs[j].StartedAt) })
	return runs
}

// canBeLast reports whether a run can be the last one of a session: it ran the workspace's
// own tests, here.
func canBeLast(run api.Run) bool {
	return run.Kind != api.KindTriage && run.Kind != api.KindRetry && run.Kind != api.KindIngest && run.Kind != api.KindParsed && run.Origin == ""
}

// Alive reports whether the process of a run is alive.
func (s *Store) Alive(id string) bool {
	dir, ok := s.runDir(id)
	if !ok {
		return false
	}
	path := filepath.Join(dir, aliveFile)
	if noLink(path) != nil {
		return false
	}
	// A shared lock, so that two processes that check do not mistake each other for it.
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY|noFollow))
	free, err := lock.TryRLock()
	if free {
		lock.Unlock()
	}
	return err == nil && !free
}

// HasRuns reports whether any run of this workspace is on record.
func HasRuns(s *Store) bool {
	entries, _ := os.ReadDir(filepath.Join(s.dir, runsDir))
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isOurs(s, e.Name()) })
}

// RunLanguages returns the languages of the recorded runs of the workspace's own tests,
// in all sessions.
func RunLanguages(s *Store) []string {
	names, _ := s.names()
	found := map[string]bool{}
	for _, name := range names {
		if run, err := s.Object(name); err == nil && canBeLast(run) {
			found[run.Language] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// HasOther reports whether a file is, or may be, in the other place for records of the
// workspace: beside its sources, or in the user's state folder.
func HasOther(s *Store, file string) bool {
	if s.cfg.StateHome == "" {
		return false
	}
	for _, dir := range []string{filepath.Join(s.cfg.Workspace, dirName), s.cfg.outside()} {
		if _, err := os.Lstat(filepath.Join(dir, file)); dir != s.dir && !isAbsent(err) {
			return true
		}
	}
	return false
}

// IsBehind reports whether the other place also has a file, changed later than here:
// while the workspace could not be written, runs continued there.
func IsBehind(s *Store, file string) bool {
	here, ok := writtenAt(s.dir, file)
	if !ok || s.cfg.StateHome == "" {
		return false
	}
	for _, dir := range []string{filepath.Join(s.cfg.Workspace, dirName), s.cfg.outside()} {
		there, ok := writtenAt(dir, file)
		if ok && dir != s.dir && there.After(here) {
			return true
		}
	}
	return false
}

// writtenAt returns when a database was last written. Recent changes are in its
// write-ahead log.
func writtenAt(dir, file string) (at time.Time, ok bool) {
	for _, name := range []string{file, file + "-wal"} {
		st, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			break
		}
		if ok = true; st.ModTime().After(at) {
			at = st.ModTime()
		}
	}
	return at, ok
}

// CatchUp makes a file the newer one; see [IsBehind].
func CatchUp(s *Store, file string) error {
	path, now := filepath.Join(s.dir, file), time.Now()
	err := noLink(path)
	if err == nil {
		err = os.Chtimes(path, now, now)
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}

// Claim takes a run whose process is gone, so that only one process ends its record. ok is
// false while its process or another claim holds it. A run without a folder can always be
// claimed.
func (s *Store) Claim(id string) (release func(), ok bool) {
	dir, found := s.runDir(id)
	if !found {
		return func() {}, true
	}
	path := filepath.Join(dir, aliveFile)
	if noLink(path) != nil {
		return func() {}, true
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|noFollow))
	if free, err := lock.TryLock(); err != nil || !free {
		return nil, false
	}
	return func() { lock.Unlock() }, true
}

// Has reports whether a run is on record.
func (s *Store) Has(id string) bool {
	_, ok := s.runDir(id)
	return ok
}

// CompleteRun writes the final object of a run whose process did not.
func CompleteRun(s *Store, run api.Run) error {
	dir, ok := s.runDir(run.RunID)
	if !ok {
		return &api.UnknownRunError{Ref: run.RunID}
	}
	r := &Recorder{dir: dir, workspace: s.cfg.Workspace}
	return r.write(run, synced)
}

// Results calls yield with every test's result of a run until it returns false.
func (s *Store) Results(id string, yield func(api.Result) bool) error {
	return readRun(s, id, resultsFile, yield)
}

// Failures calls yield with every failure of a run until it returns false. If the folder
// is gone, these are the ones that this process remembers.
func (s *Store) Failures(id string, yield func(api.Failure) bool) error {
	if k, kept := findKept(s, id); kept && !s.Has(id) {
		for _, f := range k.run.Failures {
			if !yield(f) {
				break
			}
		}
		return nil
	}
	return readRun(s, id, failuresFile, yield)
}

// RecordOf returns the results and failures of a run for those who read them after its
// end.
func RecordOf(s *Store, id string) api.Record { return runRecord{s, id} }

type runRecord struct {
	store *Store
	id    string
}

func (r runRecord) Results(yield func(api.Result) bool) error {
	return r.store.Results(r.id, yield)
}

func (r runRecord) Failures(yield func(api.Failure) bool) error {
	return r.store.Failures(r.id, yield)
}

func readRun[T any](s *Store, id, name string, yield func(T) bool) error {
	dir, ok := s.runDir(id)
	if !ok {
		return nil
	}
	return readLines(filepath.Join(dir, name), yield)
}

// findRecent finds the last finished run, or the one before. The slot says which is the
// last, not a clock, which may have been set back. If the run of a slot is not on record,
// as after a full disk, no older run takes its place.
func findRecent(s *Store, ref string) (id string, err error) {
	languages, err := s.Languages()
	if err != nil {
		return "", err
	}
	for _, language := range languages {
		slot, _, err := s.Slot(language)
		if err != nil {
			return "", err
		}
		if slot.RunID == "" {
			continue // none has finished
		}
		if _, err := s.Object(slot.RunID); err != nil {
			return "", err
		}
		id = slot.RunID
	}
	if id == "" {
		return "", &api.UnknownRunError{Ref: ref} // the slots could not be written
	}
	runs := sessionRuns(s)
	if last, _, err := s.Slot(""); err == nil && last.RunID != "" {
		id = last.RunID
	} else if len(runs) > 0 {
		id = runs[0].RunID
	}
	if ref == "last" {
		return id, nil
	}
	for _, run := range runs {
		if run.RunID != id {
			return run.RunID, nil
		}
	}
	return "", &api.UnknownRunError{Ref: ref}
}
