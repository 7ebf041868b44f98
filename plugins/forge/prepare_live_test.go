package forge_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

func TestSourcesAreCompiledBeforeARunOnlyIfTheyChanged(t *testing.T) {
	l := newLive(t, map[string]string{"test/A.t.sol": contractSource("ATest test_a()"), "src/deep/C.sol": contractSource("C c()")})
	commands := func(args ...string) int {
		t.Helper()
		plan, err := l.detector.TestCmd(t.Context(), sdk.TestRequest{Workspace: l.ws, RunnerArgs: args})
		if err != nil {
			t.Fatal(err)
		}
		return len(plan.Commands)
	}
	if n := commands(); n != 1 {
		t.Errorf("%d commands where nothing was compiled", n)
	}
	l.observe("1")
	if n := commands(); n != 1 {
		t.Errorf("%d commands where nothing has changed", n)
	}
	elsewhere := t.TempDir()
	forgetest.Run(t, l.ws.Root, nil, "test", "--cache-path", elsewhere)
	for _, change := range []struct{ file, text string }{
		{"test/A.t.sol", contractSource("ATest test_a() test_b()")}, {"src/deep/C.sol", contractSource("C c() d()")}, {"script/S.s.sol", contractSource("S s()")},
		{"foundry.toml", forgetest.Config + "optimizer = true\n"},
	} {
		forgetest.Write(t, l.ws.Root, change.file, change.text)
		for args, want := range map[string]int{"": 2, "--force": 1, "--no-cache": 1, "--cache-path none": 1, "--cache-path " + elsewhere: 2, "--match-test a": 2} {
			if n := commands(strings.Fields(args)...); n != want {
				t.Errorf("%d commands after a change of %s, arguments %q", n, change.file, args)
			}
		}
		if got := l.observe("1"); len(got.Notes)+len(got.RunErrors)+len(got.Failures) > 0 || got.Foreign+got.Damaged > 0 {
			t.Errorf("after a change of %s: %+v", change.file, got)
		}
		if n := commands(); n != 1 {
			t.Errorf("%d commands after a run", n)
		}
	}
}

func TestNothingIsCompiledBeforeARunThatCompilesEverything(t *testing.T) {
	for _, setting := range []string{"cache = false", "force = true"} {
		l := newLive(t, map[string]string{"test/A.t.sol": contractSource("ATest test_a()")})
		l.observe("1")
		forgetest.Write(t, l.ws.Root, "foundry.toml", forgetest.Config+setting+"\n")
		l.setenv()
		if plan, err := l.detector.TestCmd(t.Context(), sdk.TestRequest{Workspace: l.ws}); err != nil || len(plan.Commands) != 1 {
			t.Errorf("%s: %d commands, error %v", setting, len(plan.Commands), err)
		}
	}
}

func TestAPreparationThatFailsSaysWhy(t *testing.T) {
	l := newLive(t, map[string]string{"test/A.t.sol": contractSource("ATest test_a()")})
	l.observe("1")
	forgetest.Write(t, l.ws.Root, "test/A.t.sol", contractSource("ATest test_a()")+"contract {}\n")
	for _, args := range [][]string{nil, {"--match-contract", "A"}} {
		if got := l.observe("1", args...); len(got.Failures) != 1 || got.Failures[0].Kind != sdk.KindBuild || got.Failures[0].Location.File != "test/A.t.sol" {
			t.Errorf("%q: %+v", args, got)
		}
	}
	forgetest.Write(t, l.ws.Root, "test/A.t.sol", contractSource("ATest test_a()")+"// changed\n")
	if got := l.observe("1", "--match-test", "["); len(got.RunErrors) != 1 || !strings.Contains(got.RunErrors[0], "regex") {
		t.Errorf("%+v", got)
	}
}
