package upload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// bench is a host with fake plugins, a project, and its own directory for temporary
// files.
type bench struct {
	t             *testing.T
	keeper        *ledger.Keeper
	project, temp string
	home          string
}

func newBench(t *testing.T, env []string, plugins ...string) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, temp: t.TempDir(), home: t.TempDir()}
	if b.home, err = filepath.EvalSymlinks(b.home); err != nil {
		t.Fatal(err)
	}
	b.project = filepath.Join(b.home, "project")
	t.Setenv("TMPDIR", b.temp)
	b.write(filepath.Join(b.project, "project.txt"), "")
	b.write(filepath.Join(b.project, "lib", "dependency"), "theirs")
	b.write(filepath.Join(b.home, "secret"), "swordfish")
	bin := t.TempDir()
	overrides := map[string]string{}
	for _, name := range plugins {
		overrides[name] = filepath.Join(bin, fakePrefix+name)
		if err := os.Symlink(self, overrides[name]); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	if env == nil {
		env = []string{"PATH=" + os.Getenv("PATH")}
	}
	b.keeper = ledger.New(project.Config{
		Version: "test", Executable: filepath.Join(bin, "proctor"), Plugins: overrides,
		Env: append(env, "HOME="+b.home, "SECRET=swordfish"), Session: "s", StateHome: t.TempDir(),
	})
	t.Cleanup(func() { b.keeper.Close(context.Background()) })
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	testfiles.Write(b.t, name, text)
}

// set writes a source set.
func (b *bench) set(files map[string]string) string {
	b.t.Helper()
	raw, err := json.Marshal(files)
	if err != nil {
		b.t.Fatal(err)
	}
	name := filepath.Join(b.home, "set.json")
	b.write(name, string(raw))
	return name
}

// request asks to run a script, with the project's dependencies.
func (b *bench) request(script string) api.UploadRequest {
	b.t.Helper()
	return api.UploadRequest{
		RunRequest: api.RunRequest{Where: api.Where{Dir: b.project, Exact: true}, Timeout: time.Minute},
		Sources:    b.set(map[string]string{"run.sh": script}),
	}
}

// run uploads, closes, and checks that nothing is left.
func (b *bench) run(req api.UploadRequest) (api.Run, error) {
	b.t.Helper()
	needsSandbox(b.t)
	return b.runAnyway(b.t.Context(), req)
}

func (b *bench) runAnyway(ctx context.Context, req api.UploadRequest, listeners ...api.Listener) (api.Run, error) {
	b.t.Helper()
	u, err := RunUpload(ctx, b.keeper, req, listeners...)
	if cerr := u.Close(context.Background()); cerr != nil {
		b.t.Error(cerr)
	}
	if left, _ := filepath.Glob(filepath.Join(b.temp, "proctor-[us]*")); len(left) > 0 {
		b.t.Errorf("left behind: %q", left)
	}
	if err != nil {
		return api.Run{}, err
	}
	if len(u.Runs) != 1 {
		b.t.Fatalf("%d runs", len(u.Runs))
	}
	return u.Runs[0], nil
}

// needsSandbox fails in CI if there is none.
func needsSandbox(t *testing.T) {
	t.Helper()
	if _, err := sandbox.Available(t.Context(), os.Environ()); err != nil {
		needs.Missing(t, err.Error())
	}
}

func failuresOf(run api.Run) []string {
	var names []string
	for _, f := range run.Failures {
		names = append(names, f.Test)
	}
	return names
}

// hostile is a script; each line is a test that fails if the upload got where it must
// not.
const hostile = `
given=$1
try() { if eval "$2" >/dev/null 2>&1; then echo "not ok $1"; else echo "ok $1"; fi; }
has() { if eval "$2" >/dev/null 2>&1; then echo "ok $1"; else echo "not ok $1"; fi; }
has boxed '[ "$(cat /proc/sys/kernel/hostname)" = sandbox ]'
has input '[ "$(cat "$given")" = given ]'
has dependency '[ "$(cat lib/dependency)" = theirs ]'
has scaffold '[ "$(cat project.txt)$FROM_SCAFFOLD" = madeyes ]'
has workspace-writable 'echo x > new'
has home-writable 'echo x > "$HOME/new"'
has temp-writable 'echo x > "$TMPDIR/new"'
try dependency-write 'echo x > lib/dependency'
try shadow 'cat /etc/shadow'
try secret-file 'cat PROJECT/../secret'
try project 'cat PROJECT/project.txt'
try secret-env '[ -n "$SECRET" ]'
try secret-environ 'cat /proc/*/environ | grep swordfish'
try records 'echo x > .proctor'
try records-directory 'rm -f .proctor; mkdir .proctor'
try records-moved 'mv .proctor other'
try beside 'ls .. | grep -v -e work -e home -e tmp -e inputs'
try input-write 'echo x > "$given"'
chmod 0 "$HOME/new"; mkdir -p closed/in; chmod 0 closed
( trap '' HUP TERM INT QUIT; sleep 300 ) &
echo "ok done"
`

func TestAnUploadRunsInTheSandboxAndLeavesNothing(t *testing.T) {
	b := newBench(t, nil, "box")
	var told []string
	req := b.request(strings.ReplaceAll(hostile, "PROJECT", b.project))
	needsSandbox(t)
	run, err := b.runAnyway(t.Context(), req, api.ListenerFunc(func(e api.Event) {
		switch e := e.(type) {
		case *api.RunStarted:
			told = append(told, e.Run.Workspace)
		case *api.RunFinished:
			told = append(told, e.Run.Workspace)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if run.Verdict != api.Passed || run.Counts.Passed != 19 {
		t.Errorf("%s: %s; failed: %q; %+v", run.Verdict, run.Reason, failuresOf(run), run.Counts)
	}
	if run.Workspace != UploadWorkspace || !slices.Equal(told, []string{UploadWorkspace, UploadWorkspace}) {
		t.Errorf("workspace %q, told %q", run.Workspace, told)
	}
	all := fmt.Sprint(run.Warnings)
	for _, want := range []string{"nothing of this run is kept", "scaffolded by box", "probed in sandbox"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in %q", want, run.Warnings)
		}
	}
	if _, err := os.Stat(filepath.Join(b.project, ".proctor")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the project has records: %v", err)
	}
}

func TestAnUploadLeavesTheSessionAlone(t *testing.T) {
	b := newBench(t, nil, "box")
	b.write(filepath.Join(b.project, "run.sh"), "echo ok a; echo not ok b; exit 1")
	where := api.Where{Dir: b.project, Exact: true}
	runs, err := engine.Run(t.Context(), b.keeper, api.RunRequest{Where: where})
	if err != nil || len(runs) != 1 || runs[0].Outstanding != 1 {
		t.Fatalf("%v: %+v", err, runs)
	}
	run, err := b.run(b.request("echo not ok other; exit 1"))
	if err != nil || run.Verdict != api.Failed || run.Outstanding != 0 {
		t.Fatalf("%v: %+v", err, run)
	}
	answer, err := engine.Rerun(t.Context(), b.keeper, api.RerunRequest{Where: where})
	if err != nil || len(answer.Runs) != 1 || len(answer.Runs[0].Requested) != 1 || answer.Runs[0].Requested[0].Test != "b" {
		t.Errorf("%v: %+v", err, answer)
	}
}

func TestAFailureOfAnUploadCannotBeShownAgain(t *testing.T) {
	b := newBench(t, nil, "box")
	b.write(filepath.Join(b.project, "run.sh"), "echo not ok b; exit 1")
	kept, err := engine.Run(t.Context(), b.keeper, api.RunRequest{Where: api.Where{Dir: b.project, Exact: true}})
	if err != nil || len(kept) != 1 || len(kept[0].Failures) != 1 || kept[0].Failures[0].Repro == "" {
		t.Fatalf("without an upload it can: %v: %+v", err, kept)
	}
	needsSandbox(t)
	var told []api.Failure
	run, err := b.runAnyway(t.Context(), b.request("echo not ok b; exit 1"), api.ListenerFunc(func(e api.Event) {
		switch e := e.(type) {
		case *api.FailureFound:
			told = append(told, e.Failure)
		case *api.RunFinished:
			told = append(told, e.Run.Failures...)
		}
	}))
	if err != nil || len(run.Failures) != 1 || len(told) != 2 {
		t.Fatalf("%v: %+v, told %+v", err, run.Failures, told)
	}
	for _, f := range append(told, run.Failures...) {
		if f.Repro != "" {
			t.Errorf("%q would run what is gone", f.Repro)
		}
	}
}

func TestAnUploadThatEndsItsRunnerIsNotGreen(t *testing.T) {
	b := newBench(t, nil, "box")
	for _, script := range []string{"echo ok a; kill -9 $$", "echo ok a; kill -9 0"} {
		run, err := b.run(b.request(script))
		if err != nil || run.Verdict == api.Passed {
			t.Errorf("%s: %v, %s", script, err, run.Verdict)
		}
	}
}

func TestOutputAndResultsOfAnUploadAreThereUntilItIsClosed(t *testing.T) {
	b := newBench(t, nil, "box")
	needsSandbox(t)
	u, err := RunUpload(t.Context(), b.keeper, b.request("echo ok a; echo raw >&2"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := u.Raw(t.Context(), u.Runs[0])
	if err != nil || raw.Stdout != "ok a\n" || raw.Stderr != "raw\n" {
		t.Errorf("%v: %+v", err, raw)
	}
	results, err := u.Results(t.Context(), u.Runs[0])
	if err != nil || len(results) != 1 || results[0].Test != "a" || results[0].Status != "passed" {
		t.Errorf("%v: %+v", err, results)
	}
	for range 2 {
		if err := u.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestAnInterruptedUploadIsRemoved(t *testing.T) {
	b := newBench(t, nil, "box")
	needsSandbox(t)
	ctx, cancel := context.WithCancel(t.Context())
	l := api.ListenerFunc(func(e api.Event) {
		if _, ok := e.(*api.RunStarted); ok {
			time.AfterFunc(500*time.Millisecond, cancel)
		}
	})
	run, err := b.runAnyway(ctx, b.request("echo ok a; sleep 300"), l)
	if err != nil || !run.Cancelled || run.Verdict == api.Passed {
		t.Errorf("%v: %s, cancelled: %v", err, run.Verdict, run.Cancelled)
	}
}

// withoutBubblewrap is an environment with only a shell.
func withoutBubblewrap(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "sh")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	return []string{"PATH=" + dir}
}

func TestWithoutASandboxAnUploadIsRefusedUnlessItIsAllowed(t *testing.T) {
	b := newBench(t, withoutBubblewrap(t), "box")
	req := b.request(`echo ok a; [ -z "$SECRET" ] || echo not ok env; [ "$(cat lib/dependency)" = theirs ] || echo not ok dependency`)
	_, err := b.runAnyway(t.Context(), req)
	if refused, ok := errors.AsType[*api.UploadUnavailableError](err); !ok || refused.Advise().Operation != api.AdviseAllowUnsandboxed || !strings.Contains(err.Error(), "apt install bubblewrap") {
		t.Fatalf("%v", err)
	}
	req.AllowUnsandboxed = true
	run, err := b.runAnyway(t.Context(), req)
	if err != nil || run.Verdict != api.Passed {
		t.Fatalf("%v: %s %q", err, run.Reason, failuresOf(run))
	}
	if !slices.ContainsFunc(run.Warnings, func(n api.Note) bool { return n.Code == api.NoteUnsandboxed }) {
		t.Errorf("warnings: %q", run.Warnings)
	}
	if text, err := os.ReadFile(filepath.Join(b.project, "lib", "dependency")); err != nil || string(text) != "theirs" {
		t.Errorf("the dependency is gone: %v", err)
	}
}

func TestAnAllowanceDoesNotTakeTheSandboxAway(t *testing.T) {
	b := newBench(t, nil, "box")
	req := b.request(`[ "$(cat /proc/sys/kernel/hostname)" = sandbox ] && echo ok boxed || echo not ok boxed`)
	req.AllowUnsandboxed = true
	run, err := b.run(req)
	if err != nil || run.Verdict != api.Passed {
		t.Errorf("%v: %s %q", err, run.Verdict, run.Warnings)
	}
}

func TestAnUploadNeedsExactlyOnePlugin(t *testing.T) {
	b := newBench(t, nil, "box", "other", "plain")
	for name, c := range map[string]struct {
		files map[string]string
		lang  []string
		says  string
	}{
		"several":      {map[string]string{"run.sh": "echo ok a"}, nil, "could be of several languages: box, other"},
		"none":         {map[string]string{"run.sh": "", "x.py": ""}, nil, "box: x.py is not for box; other: x.py is not for other"},
		"not able":     {map[string]string{"run.sh": ""}, []string{"plain"}, "the plugin for plain takes no sources"},
		"unknown":      {map[string]string{"run.sh": ""}, []string{"rust"}, `no plugin for language "rust"`},
		"two":          {map[string]string{"run.sh": ""}, []string{"box", "other"}, "an upload has one language; name one"},
		"bad path":     {map[string]string{"../run.sh": ""}, nil, `source "../run.sh"`},
		"plugin's own": {map[string]string{"run.sh": "", "Project.txt": ""}, []string{"box"}, "the plugin makes this file itself"},
		"below a link": {map[string]string{"run.sh": "", "lib/x.sh": ""}, []string{"box"}, "lib"},
	} {
		t.Run(name, func(t *testing.T) {
			needsSandbox(t)
			req := b.request("")
			req.Sources, req.Languages = b.set(c.files), c.lang
			_, err := b.runAnyway(t.Context(), req)
			var usage *api.UsageError
			var language *api.LanguageError
			if !errors.As(err, &usage) && !errors.As(err, &language) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
	req := b.request("")
	req.Sources, req.Languages = b.set(map[string]string{"run.sh": "echo ok a"}), []string{"other"}
	if run, err := b.run(req); err != nil || run.Language != "other" {
		t.Errorf("%v: %s", err, run.Language)
	}
	req.Sources, req.Languages = b.set(map[string]string{"run.sh": "echo ok a", "x.other": ""}), nil
	if run, err := b.run(req); err != nil || run.Language != "other" {
		t.Errorf("%v: %s", err, run.Language)
	}
}

func TestTheProjectOfAnUploadNeedNotBeThereUnlessItIsNamed(t *testing.T) {
	b := newBench(t, nil, "box")
	empty := t.TempDir()
	req := b.request("[ -e lib ] && echo not ok lib; echo ok a")
	req.Where = api.Where{Dir: empty}
	if run, err := b.run(req); err != nil || run.Verdict != api.Passed {
		t.Errorf("%v: %s", err, run.Reason)
	}
	req.Where.Exact = true
	_, err := b.runAnyway(t.Context(), req)
	if _, ok := errors.AsType[*api.NoProjectError](err); !ok {
		t.Errorf("%v", err)
	}
}

func TestAnUploadDoesNotShowTheUsersHome(t *testing.T) {
	b := newBench(t, nil, "greedy")
	_, err := b.run(b.request("echo ok a"))
	if err == nil || !strings.Contains(err.Error(), "the sandbox would show ") {
		t.Errorf("%v", err)
	}
}
