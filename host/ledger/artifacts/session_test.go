package artifacts_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// clock is what a store is told the time by.
type clock struct{ now time.Time }

func (c *clock) after(d time.Duration) { c.now = c.now.Add(d) }

// sharedStore opens a workspace as a command without a session does.
func sharedStore(t *testing.T, root string, c *clock, idle time.Duration) *artifacts.Store {
	t.Helper()
	s, err := artifacts.Open(artifacts.Config{Workspace: root, Idle: idle, Now: func() time.Time { return c.now }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func TestASharedSessionEndsAfterATimeWithoutACommand(t *testing.T) {
	t.Parallel()
	root, c := t.TempDir(), newClock()
	first := sharedStore(t, root, c, 4*time.Hour).SessionID()
	if !strings.HasPrefix(first, "shared-20260301-120000") {
		t.Errorf("it is called %q", first)
	}
	// Each command counts from the one before, also one that only reads.
	for range 3 {
		c.after(3*time.Hour + 59*time.Minute)
		existing, ok := artifacts.OpenExisting(artifacts.Config{Workspace: root, Idle: 4 * time.Hour, Now: func() time.Time { return c.now }})
		if !ok || existing.SessionID() != first {
			t.Fatalf("a command in time is in %q", existing.SessionID())
		}
	}
	c.after(4*time.Hour + time.Minute)
	second := sharedStore(t, root, c, 4*time.Hour)
	if second.SessionID() == first {
		t.Error("it never ends")
	}
	if _, ok, err := second.Slot("go"); ok || err != nil {
		t.Errorf("the new one has a last run: %v", err)
	}
	// Others are nobody's business, and a clock that was set far back is another time.
	if other := sharedStore(t, t.TempDir(), c, 4*time.Hour).SessionID(); other == first {
		t.Error("two workspaces share one")
	}
	c.after(-48 * time.Hour)
	if again := sharedStore(t, root, c, 4*time.Hour).SessionID(); again == second.SessionID() {
		t.Error("a session goes on for ever since its last command is in the future")
	}
}

func TestARunKeepsItsSharedSession(t *testing.T) {
	t.Parallel()
	root, c := t.TempDir(), newClock()
	s := sharedStore(t, root, c, time.Hour)
	run := api.Run{RunID: artifacts.NewRunID(), SessionID: s.SessionID(), Language: "go", Kind: api.KindRun, State: api.StateRunning}
	rec, err := artifacts.NewRecorder(s, run)
	if err == nil {
		err = s.Begin(t.Context(), run)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.after(5 * time.Hour)
	if beside := sharedStore(t, root, c, time.Hour).SessionID(); beside != s.SessionID() {
		t.Errorf("beside a run of five hours begins %q", beside)
	}
	c.after(5 * time.Hour)
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	c.after(59 * time.Minute)
	later := sharedStore(t, root, c, time.Hour)
	if slot, ok, err := later.Slot("go"); later.SessionID() != s.SessionID() || !ok || err != nil || slot.RunID != run.RunID {
		t.Errorf("after its end: %q, %+v, %v", later.SessionID(), slot, err)
	}
}

func TestANoteOfAnotherWorkspaceIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, note := range map[string]string{
		"a copy":   `{"workspace":"/elsewhere","session_id":"theirs","last":"2026-03-01T12:00:00Z"}`,
		"rubbish":  `{"workspace":`,
		"a path":   `{"workspace":"ROOT","session_id":"../x","last":"2026-03-01T12:00:00Z"}`,
		"no name":  `{"workspace":"ROOT","last":"2026-03-01T12:00:00Z"}`,
		"too long": `{"workspace":"ROOT","session_id":"` + strings.Repeat("a", 500) + `","last":"2026-03-01T12:00:00Z"}`,
	} {
		root, c := t.TempDir(), newClock()
		sharedStore(t, root, c, time.Hour)
		path := filepath.Join(root, ".proctor", "sessions", "shared.now.json")
		testfiles.Write(t, path, strings.ReplaceAll(note, "ROOT", root))
		if id := sharedStore(t, root, c, time.Hour).SessionID(); !strings.HasPrefix(id, "shared-2026") {
			t.Errorf("%s: %q", name, id)
		}
	}
}

func TestInCITheRunOfTheProviderIsTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env   map[string]string
		other map[string]string // another attempt, or another run
		want  string
	}{
		"github":    {map[string]string{"GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "1", "CI": "true"}, map[string]string{"GITHUB_RUN_ATTEMPT": "2"}, "github-77-1"},
		"gitlab":    {map[string]string{"GITLAB_CI": "true", "CI_PIPELINE_ID": "5", "CI_JOB_ID": "9"}, map[string]string{"CI_JOB_ID": "10"}, "gitlab-5-9"},
		"buildkite": {map[string]string{"BUILDKITE": "true", "BUILDKITE_BUILD_ID": "0195-aa", "BUILDKITE_RETRY_COUNT": "0"}, map[string]string{"BUILDKITE_RETRY_COUNT": "1"}, "buildkite-0195-aa-0"},
		"circleci":  {map[string]string{"CIRCLECI": "true", "CIRCLE_WORKFLOW_ID": "w-1"}, map[string]string{"CIRCLE_WORKFLOW_ID": "w-2"}, "circleci-w-1"},
		"azure":     {map[string]string{"TF_BUILD": "True", "BUILD_BUILDID": "3", "SYSTEM_JOBATTEMPT": "1"}, map[string]string{"SYSTEM_JOBATTEMPT": "2"}, "azure-3-1"},
		"jenkins":   {map[string]string{"JENKINS_URL": "http://j", "BUILD_TAG": "jenkins-shop-12"}, map[string]string{"BUILD_TAG": "jenkins-shop-13"}, "jenkins-jenkins-shop-12"},
		"travis":    {map[string]string{"TRAVIS": "true", "TRAVIS_BUILD_ID": "4"}, map[string]string{"TRAVIS_BUILD_ID": "5"}, "travis-4"},
	} {
		id := func(env ...map[string]string) string {
			id, named := artifacts.ID("", func(name string) string {
				value := ""
				for _, e := range env {
					if v, ok := e[name]; ok {
						value = v
					}
				}
				return value
			})
			if !named {
				t.Errorf("%s: a job names no session", name)
			}
			return id
		}
		if got := id(c.env); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		if got := id(c.env, c.other); got == c.want {
			t.Errorf("%s: another attempt is %q, too", name, got)
		}
		if got, named := artifacts.ID("mine", func(name string) string { return c.env[name] }); got != "mine" || !named {
			t.Errorf("%s: what the user says is %q", name, got)
		}
	}
	tag := func(text string) string {
		id, _ := artifacts.ID("", func(name string) string { return map[string]string{"JENKINS_URL": "x", "BUILD_TAG": text}[name] })
		return id
	}
	if a, b := tag("a b/../../c"), tag("a-b/../../c"); a == b || strings.ContainsAny(a+b, "/ ") {
		t.Errorf("%q, %q", a, b)
	}
}
