package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/internal/testbin"
)

// TestScripts plays the stories of testdata/script. A story takes place in a Go module, ws,
// and calls
//
//	proctor CODE ARGUMENT...
//
// which fails unless proctor exits with CODE. What it prints has placeholders for what
// differs from run to run; `cmp stdout NAME` compares it with a file of the story, which
// -update rewrites. $FAKE is a plugin that reports what ws/fake-report says. The
// first run of a story is RUN1 in arguments and texts, and RUN1SHORT the beginning of its
// id in arguments.
func TestScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the built binaries")
	}
	fake := fakePlugin(t, fakeMeasured)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		// The same in each run of the suite, so that nothing is compiled anew.
		WorkdirRoot:   testbin.Place(t),
		UpdateScripts: golden.IsUpdating(),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			for _, setting := range userEnv(home) {
				name, value, _ := strings.Cut(setting, "=")
				e.Setenv(name, value)
			}
			e.Setenv("LC_ALL", "C.UTF-8")
			e.Setenv("FAKE", fakeMeasured+"="+fake)
			e.Values[runsOfStory{}] = runNames{}
			e.Cd = filepath.Join(e.WorkDir, "ws")
			if err := testbin.FurnishHome(home); err != nil {
				return err
			}
			return os.MkdirAll(e.Cd, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"proctor": playProctor},
	})
}

// playProctor calls proctor in a script.
func playProctor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: proctor CODE ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(testbin.Path("proctor"), withRuns(ts, args[1:])...); err != nil {
		var exit *exec.ExitError
		if exit, _ = err.(*exec.ExitError); exit == nil {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	nameRuns(ts)
	stdout, stderr := steady(ts, ts.ReadFile("stdout")), steady(ts, ts.ReadFile("stderr"))
	_, err = ts.Stdout().Write([]byte(stdout))
	ts.Check(err)
	_, err = ts.Stderr().Write([]byte(stderr))
	ts.Check(err)
	if code != want {
		ts.Fatalf("exit %d, want %d\n%s%s", code, want, stdout, stderr)
	}
}

// runsOfStory is the key of a story's runNames.
type runsOfStory struct{}

// runNames has the names of a story's runs, by their ids.
type runNames map[string]string

// withRuns puts ids into arguments in the place of the names of runs.
func withRuns(ts *testscript.TestScript, args []string) []string {
	var pairs []string
	for id, name := range ts.Value(runsOfStory{}).(runNames) {
		pairs = append(pairs, name+"SHORT", id[:6], name, id)
	}
	args = slices.Clone(args)
	for i := range args {
		args[i] = strings.NewReplacer(pairs...).Replace(args[i])
	}
	return args
}

// nameRuns names the runs that a command has added to the workspace, in the order in
// which they began.
func nameRuns(ts *testscript.TestScript) {
	names := ts.Value(runsOfStory{}).(runNames)
	dirs, err := filepath.Glob(ts.MkAbs(filepath.Join(".proctor", "runs", "*")))
	ts.Check(err)
	var added []api.Run
	for _, dir := range dirs {
		id := filepath.Base(dir)
		if len(id) != 10 || names[id] != "" {
			continue
		}
		run := api.Run{RunID: id}
		if raw, err := os.ReadFile(filepath.Join(dir, artifacts.ObjectName)); err == nil {
			ts.Check(json.Unmarshal(raw, &run))
		}
		added = append(added, run)
	}
	slices.SortStableFunc(added, func(a, b api.Run) int { return a.StartedAt.Compare(b.StartedAt) })
	for _, run := range added {
		names[run.RunID] = fmt.Sprintf("RUN%d", len(names)+1)
	}
}

// steady replaces what differs from run to run and from machine to machine. An object is
// printed at length.
func steady(ts *testscript.TestScript, text string) string {
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "WORK")
	text = strings.ReplaceAll(text, testbin.Dir(), "BIN")
	for id, name := range ts.Value(runsOfStory{}).(runNames) {
		text = strings.ReplaceAll(text, id, name)
	}
	_, fake, _ := strings.Cut(ts.Getenv("FAKE"), "=")
	text = strings.ReplaceAll(text, fake, "FAKE")
	if strings.HasPrefix(text, "{") && strings.Count(text, "\n") == 1 {
		object, err := golden.Object([]byte(text))
		ts.Check(err)
		text = object
	}
	return golden.Text(text)
}
