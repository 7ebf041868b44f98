package cargotest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func commandLines(plan sdk.Plan) []string {
	var list []string
	for _, c := range plan.Commands {
		list = append(list, strings.TrimPrefix(strings.Join(c.Argv, " "), "cargo test --message-format=json --no-fail-fast "))
	}
	return list
}

func TestARunBuildsAndThenTestsEachTarget(t *testing.T) {
	plan, err := New().TestCmd(context.Background(), sdk.TestRequest{Workspace: newKitchen(t), RunnerArgs: []string{"--release", "parse", "--", "--nocapture"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--release --no-run -p kitchen",
		"--release -p kitchen --lib -- --nocapture parse",
		"--release -p kitchen --test atexit -- --nocapture parse",
		"--release -p kitchen --test custom -- --nocapture parse",
		"--release -p kitchen --test exits -- --nocapture parse",
		"--release -p kitchen --test hangs -- --nocapture parse",
		"--release -p kitchen --test overflow -- --nocapture parse",
		"--release -p kitchen --test segv -- --nocapture parse",
		"--release -p kitchen --doc -- --nocapture parse",
	}
	if got := commandLines(plan); !slices.Equal(got, want) {
		t.Errorf("composed\n%s", strings.Join(got, "\n"))
	}
	if !plan.Commands[0].Prepares || plan.Commands[1].Prepares {
		t.Error("want the first command to prepare, and no other")
	}
	if len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "kitchen bin gated") {
		t.Errorf("warnings %q do not name the target that lacks features", plan.Warnings)
	}
}

func TestARerunHasOneCommandForEachTarget(t *testing.T) {
	lib, exits := "kitchen lib kitchen", "kitchen test exits"
	plan, err := New().RerunCmd(context.Background(), sdk.RerunRequest{
		Workspace: newKitchen(t), RunnerArgs: []string{"--release", "old", "--", "--skip", "x", "--nocapture"},
		Targets: []sdk.TestID{
			{Suite: lib, Test: "tests::a"}, {Suite: exits, Test: "a"}, {Suite: lib, Test: "tests::b"}, {Suite: "gone lib gone", Test: "a"},
			{Suite: "kitchen test custom", Test: mainTest}, {Suite: "kitchen doc kitchen", Test: "src/lib.rs - add (line 6)"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--release -p kitchen --lib -- --nocapture --exact -- tests::a tests::b",
		"--release -p kitchen --test exits -- --nocapture --exact -- a",
		"--release -p kitchen --test custom -- --nocapture",
		"--release -p kitchen --doc -- --nocapture",
	}
	if got := commandLines(plan); !slices.Equal(got, want) {
		t.Errorf("composed\n%s", strings.Join(got, "\n"))
	}
}

func TestARerunOfTheWholeRunHasTheCommandsOfARun(t *testing.T) {
	plan, err := New().RerunCmd(context.Background(), sdk.RerunRequest{Workspace: newKitchen(t), Targets: []sdk.TestID{{}}})
	if err != nil || len(plan.Commands) != 9 {
		t.Errorf("%d commands, %v", len(plan.Commands), err)
	}
}

func TestSuitesAreSelectedByNameOrPattern(t *testing.T) {
	for want, sel := range map[string]sdk.Selection{
		"kitchen test exits":   {Suites: []string{"kitchen test ex*"}},
		"kitchen test hangs":   {SuitePattern: "hang"},
		"kitchen doc kitchen":  {Suites: []string{"kitchen"}, SuitePattern: "doc"},
		"kitchen test custom":  {Suites: []string{"kitchen test custom"}},
		"kitchen lib kitchen":  {SuitePattern: "^kitchen lib"},
		"kitchen test nothing": {Suites: []string{"nosuch"}},
	} {
		plan, err := New().TestCmd(context.Background(), sdk.TestRequest{Workspace: newKitchen(t), Selection: sel})
		switch {
		case err != nil:
			t.Fatal(err)
		case want == "kitchen test nothing":
			if len(plan.Commands) != 0 {
				t.Errorf("%+v selects %q", sel, commandLines(plan))
			}
		case len(plan.Commands) != 2 || plan.Commands[1].Targets[0].Suite != want:
			t.Errorf("%+v selects %q, want %s", sel, commandLines(plan), want)
		}
	}
}

func TestRefusalsHaveAReason(t *testing.T) {
	ws := newKitchen(t)
	unread, none, bare := ws, ws, ws
	unread.Probes = map[string]sdk.ProbeOutput{probeMetadata: {ExitCode: -1}}
	none.Probes = nil
	bare.Probes, bare.Tools = nil, nil
	for name, c := range map[string]struct {
		req    sdk.TestRequest
		reason sdk.Reason
	}{
		"too many packages": {sdk.TestRequest{Workspace: unread}, sdk.WorkspaceNotSupported},
		"no metadata":       {sdk.TestRequest{Workspace: none}, sdk.WorkspaceNotSupported},
		"no cargo":          {sdk.TestRequest{Workspace: bare}, sdk.ToolNotFound},
		"quiet":             {sdk.TestRequest{Workspace: ws, RunnerArgs: []string{"-q"}}, sdk.InvalidArguments},
		"unknown package":   {sdk.TestRequest{Workspace: ws, RunnerArgs: []string{"-p", "x"}}, sdk.InvalidArguments},
		"test pattern":      {sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{TestPattern: "x"}}, sdk.InvalidSelection},
		"broken pattern":    {sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{SuitePattern: "("}}, sdk.InvalidSelection},
	} {
		var refusal *sdk.Error
		if _, err := New().TestCmd(context.Background(), c.req); !errors.As(err, &refusal) || refusal.Reason != c.reason || refusal.Message == "" {
			t.Errorf("%s: got %v, want %s", name, err, c.reason)
		}
	}
}

func TestABrokenManifestIsLeftToCargoToExplain(t *testing.T) {
	ws := newKitchen(t)
	ws.Probes = map[string]sdk.ProbeOutput{probeMetadata: {ExitCode: 101, Stderr: "error: broken"}}
	plan, err := New().TestCmd(context.Background(), sdk.TestRequest{Workspace: ws})
	if err != nil || len(plan.Commands) != 1 || !plan.Commands[0].Prepares {
		t.Errorf("%+v, %v", plan, err)
	}
}
