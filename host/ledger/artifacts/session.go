package artifacts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// ID returns the session of a command: the user's PROCTOR_SESSION, else the run and
// attempt of the surrounding CI, else the terminal session. It is empty without any of
// these: see [Config.Idle]. named reports whether the session was chosen, as a terminal is
// not.
func ID(override string, getenv func(name string) string) (id string, named bool) {
	if override != "" {
		return override, true
	}
	if id := jobID(getenv); id != "" {
		return id, true
	}
	id, _ = terminalID()
	return id, false
}

// provider is a CI system. Its run is named by the first of run that is set, its attempt
// by all of attempt that are.
type provider struct {
	name string
	// mark is the variable that identifies this provider.
	mark         string
	run, attempt []string
}

// providers returns the CI systems with documented variables. The order matters: several
// imitate GitHub's variables, and GitLab and Woodpecker share names.
func providers() []provider {
	return []provider{
		{"github", "GITHUB_RUN_ID", []string{"GITHUB_RUN_ID"}, []string{"GITHUB_RUN_ATTEMPT"}},
		{"gitlab", "GITLAB_CI", []string{"CI_PIPELINE_ID"}, []string{"CI_JOB_ID"}}, // a retried job is another job
		{"buildkite", "BUILDKITE", []string{"BUILDKITE_BUILD_ID"}, []string{"BUILDKITE_RETRY_COUNT"}},
		{"circleci", "CIRCLECI", []string{"CIRCLE_WORKFLOW_ID", "CIRCLE_BUILD_NUM"}, nil},
		{"azure", "TF_BUILD", []string{"BUILD_BUILDID"}, []string{"SYSTEM_STAGEATTEMPT", "SYSTEM_JOBATTEMPT"}},
		{"jenkins", "JENKINS_URL", []string{"BUILD_TAG"}, nil},
		{"travis", "TRAVIS", []string{"TRAVIS_BUILD_ID"}, []string{"TRAVIS_JOB_ID"}},
		{"bitbucket", "BITBUCKET_BUILD_NUMBER", []string{"BITBUCKET_PIPELINE_UUID", "BITBUCKET_BUILD_NUMBER"}, []string{"BITBUCKET_STEP_RUN_NUMBER"}},
		{"teamcity", "TEAMCITY_VERSION", []string{"BUILD_NUMBER"}, nil},
		{"appveyor", "APPVEYOR", []string{"APPVEYOR_BUILD_ID"}, []string{"APPVEYOR_JOB_ID"}},
		{"codebuild", "CODEBUILD_BUILD_ID", []string{"CODEBUILD_BUILD_ID"}, nil},
		{"semaphore", "SEMAPHORE", []string{"SEMAPHORE_WORKFLOW_ID"}, nil},
		{"drone", "DRONE", []string{"DRONE_BUILD_NUMBER"}, nil},
		{"woodpecker", "CI_PIPELINE_NUMBER", []string{"CI_PIPELINE_NUMBER"}, nil},
		{"cirrus", "CIRRUS_CI", []string{"CIRRUS_BUILD_ID"}, nil},
	}
}

// jobID names the CI run that a command belongs to; empty if none.
func jobID(getenv func(string) string) string {
	for _, p := range providers() {
		if getenv(p.mark) == "" {
			continue
		}
		for _, name := range p.run {
			run := getenv(name)
			if run == "" {
				continue
			}
			parts := []string{run}
			for _, name := range p.attempt {
				if attempt := getenv(name); attempt != "" {
					parts = append(parts, attempt)
				}
			}
			return p.name + "-" + toPlainWord(strings.Join(parts, "-"))
		}
	}
	return ""
}

// maxRunName has room for the usual name of a CI run: a UUID and a number.
const maxRunName = 60

// toPlainWord turns a provider's name for a run into a plain word, with a hash if it had
// to be changed, so that two never become one.
func toPlainWord(text string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, text)
	if plain == text && len(text) <= maxRunName {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return plain[:min(len(plain), maxRunName-9)] + "-" + hex.EncodeToString(sum[:4])
}

// sharedPrefix begins the ids of sessions that commands without one share, such as those
// of a script, or of an agent's shell that starts each command separately.
const sharedPrefix = "shared-"

// sharedFile names the present shared session. [ForgetSessions] leaves it alone.
const sharedFile = "shared.now"

// present is the session that commands share, and when it was last used.
type present struct {
	Workspace string    `json:"workspace"`
	SessionID string    `json:"session_id"`
	Last      time.Time `json:"last"`
}

// SessionID is the session from which the store is seen.
func (s *Store) SessionID() string { return s.cfg.SessionID }

// LastOf is the session whose last runs are read; empty means any.
func (s *Store) LastOf() string {
	if s.cfg.AnySession {
		return ""
	}
	return s.cfg.SessionID
}

// joinShared gives a store without a session the shared one, or begins another if the
// last command is too long ago. It is best effort: a session that cannot be written down
// is this store's only.
func joinShared(s *Store) {
	if s.cfg.SessionID != "" {
		return
	}
	now := s.cfg.now()
	f := files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: sharedFile}
	p, goesOn := findPresent(s, f, now)
	s.cfg.SessionID = p.SessionID
	if goesOn && now.Sub(p.Last).Abs() < s.cfg.Idle/maxLag {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharePatience)
	defer cancel()
	lock, err := f.lock(ctx)
	if err != nil {
		return
	}
	defer lock.Unlock()
	p, _ = findPresent(s, f, now) // another command may have begun one
	if p.Last = now; f.replace(f.statePath(), p, false, visible) == nil {
		s.cfg.SessionID = p.SessionID
	}
}

const (
	// maxLag is the fraction of the idle time by which the note of the last command may
	// be out of date, so that not every command writes a file.
	maxLag = 240
	// sharePatience bounds waiting for another command that writes the note.
	sharePatience = 2 * time.Second
)

// findPresent returns the session that continues, or the one that begins now.
func findPresent(s *Store, f files, now time.Time) (p present, goesOn bool) {
	found, err := readJSON(f.statePath(), &p)
	known := found && err == nil && p.Workspace == s.cfg.Workspace && p.SessionID != "" && isWord(p.SessionID)
	if known && (now.Sub(p.Last).Abs() <= s.cfg.Idle || isBusy(s, p.SessionID)) {
		return p, true
	}
	at := now.UTC()
	id := fmt.Sprintf("%s%s-%03d", sharedPrefix, at.Format("20060102-150405"), at.Nanosecond()/int(time.Millisecond))
	return present{Workspace: s.cfg.Workspace, SessionID: id, Last: now}, false
}

// isBusy reports whether a run of a session is in progress: a long run is a command that
// has not ended.
func isBusy(s *Store, id string) bool {
	st, err := files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: fileName(id)}.state()
	if err != nil {
		return false
	}
	for _, slot := range st.Slots {
		for _, run := range slot.Running {
			if s.Alive(run) {
				return true
			}
		}
	}
	return false
}

// noteUse records that a command of the shared session has just ended.
func noteUse(s *Store) {
	if s.cfg.Idle == 0 {
		return
	}
	f := files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: sharedFile}
	ctx, cancel := context.WithTimeout(context.Background(), sharePatience)
	defer cancel()
	lock, err := f.lock(ctx)
	if err != nil {
		return
	}
	defer lock.Unlock()
	var p present
	if found, err := readJSON(f.statePath(), &p); found && err == nil && p.SessionID == s.cfg.SessionID {
		p.Last = s.cfg.now()
		_ = f.replace(f.statePath(), p, false, visible) // on failure the session ends a little earlier
	}
}

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Slot is the last run of one language in a session.
type Slot struct {
	// RunID is the last run that finished; empty before the first.
	RunID string `json:"run_id"`
	// Running are the runs that began and have not finished: they are in progress, or
	// their proctor was killed.
	Running []string `json:"running,omitempty"`
}

// state is a session's file of slots.
type state struct {
	// Workspace is where it was written: a clone or a copy may bring the file of another
	// workspace.
	Workspace string          `json:"workspace"`
	Slots     map[string]Slot `json:"slots"`
	// Last is the language of the latest run, Before what it was when that began.
	Last   string `json:"last,omitempty"`
	Before string `json:"before,omitempty"`
	// foreign means that the file on disk belongs to another workspace.
	foreign bool
}

// files are the files of one session.
type files struct {
	workspace string
	dir, name string
}

func (f files) statePath() string { return filepath.Join(f.dir, f.name+stateSuffix) }
func (f files) lockPath() string  { return filepath.Join(f.dir, f.name+lockSuffix) }

// The suffixes of a session's files.
const (
	stateSuffix = ".json"
	lockSuffix  = ".lock"
	// foreignSuffix is that of a file from another workspace.
	foreignSuffix = ".foreign-"
)

// lock keeps other processes from changing the session.
func (f files) lock(ctx context.Context) (*flock.Flock, error) {
	lock, err := lockFile(ctx, f.lockPath())
	if err != nil {
		return nil, &StoreError{Path: f.lockPath(), Err: err}
	}
	return lock, nil
}

// state reads the slots. A file of another workspace has none.
func (f files) state() (state, error) {
	var st state
	found, err := readJSON(f.statePath(), &st)
	if err != nil && isEmpty(f.statePath()) {
		found, err = false, nil // see [Disown]
	}
	if err != nil {
		return state{}, f.damaged(f.statePath(), err)
	}
	if found && st.Workspace != f.workspace {
		st = state{foreign: true}
	}
	st.Workspace = f.workspace
	if st.Slots == nil {
		st.Slots = map[string]Slot{}
	}
	maps.DeleteFunc(st.Slots, func(language string, slot Slot) bool {
		return !isWord(language) || !isWord(slot.RunID) || slices.ContainsFunc(slot.Running, func(id string) bool { return !isWord(id) })
	})
	return st, nil
}

func (f files) damaged(path string, err error) error {
	return &StoreError{Path: path, Err: err,
		Fix: "move the file away to begin the session again; the runs themselves are not in it"}
}

// change changes the slots under the session's lock.
func (f files) change(ctx context.Context, survives durability, change func(*state)) error {
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	st, err := f.state()
	if err != nil {
		return err
	}
	change(&st)
	return f.replace(f.statePath(), st, st.foreign, survives)
}

// replace writes a state; the caller holds the lock. A file of another workspace is not
// ours to erase, and is kept under another name.
func (f files) replace(path string, v any, foreign bool, survives durability) error {
	raw, err := json.Marshal(v)
	if err == nil && foreign {
		err = setAside(path)
	}
	if err == nil {
		err = replaceFile(path, raw, survives)
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}

func setAside(path string) error {
	old, err := openFile(path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, old)
	old.Close()
	if err != nil {
		return err
	}
	// Named by its content: an existing file with the name is the same.
	return atomicfile.Rename(path, path+foreignSuffix+hex.EncodeToString(sum.Sum(nil)[:8]))
}
