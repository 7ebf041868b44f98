package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

// with calls proctor with further variables, and returns the runs that it prints.
func (w *module) with(env []string, args ...string) ([]api.Run, reply) {
	w.t.Helper()
	cmd := w.command(args...)
	cmd.Env = append(cmd.Env, env...)
	r := w.wait(cmd)
	var runs []api.Run
	for dec := json.NewDecoder(strings.NewReader(r.stdout)); ; {
		var run api.Run
		if err := dec.Decode(&run); err == io.EOF {
			return runs, r
		} else if err != nil {
			w.t.Fatalf("%v: %+v", err, r)
		}
		runs = append(runs, run)
	}
}

// left is what is outstanding: tests with the ways in which they were red.
func (w *module) left() []string {
	w.t.Helper()
	var answer api.Outstanding
	decodeLine(w.t, w.proctor("rerun", "--list", "--json"), &answer)
	list := []string{}
	for _, t := range answer.Tests {
		list = append(list, strings.TrimSpace(t.Test+" "+strings.Join(t.Way, " ")))
	}
	slices.Sort(list)
	return list
}

func (w *module) expectLeft(want ...string) {
	w.t.Helper()
	slices.Sort(want)
	if got := w.left(); !slices.Equal(got, append([]string{}, want...)) {
		w.t.Fatalf("outstanding %q, want %q", got, want)
	}
}

// What failed in one way leaves only by a pass in that way, or in a wider one.
func TestAFailureInOneWayIsClearedByAPassInThatWay(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": `package a

import (
	"os"
	"testing"
)

var fixed = os.Getenv("FIXED") != ""

func TestRace(t *testing.T) {
	x, done := 0, make(chan bool)
	go func() { x = 1; close(done) }()
	if !fixed {
		x = 2
	}
	<-done
	_ = x
}

func TestLong(t *testing.T) {
	if !testing.Short() && !fixed {
		t.Fatal("long")
	}
}

func TestShort(t *testing.T) {
	if testing.Short() && !fixed {
		t.Fatal("short")
	}
}

func TestDebug(t *testing.T) {
	if os.Getenv("GODEBUG") != "" && !fixed {
		t.Fatal("debug")
	}
}
`, "a/x_test.go": `//go:build x

package a

import "testing"

func TestTag(t *testing.T) {
	if !fixed {
		t.Fatal("tag")
	}
}
`})
	w.setenv("GOFLAGS=", "GORACE=", "GOGC=", "GOMEMLIMIT=")
	run := func(env []string, args ...string) api.Run {
		t.Helper()
		runs, r := w.with(env, append([]string{"run", "--json"}, args...)...)
		if len(runs) != 1 {
			t.Fatalf("%+v", r)
		}
		return runs[0]
	}
	fixed := []string{"FIXED=1"}
	run(nil, "--", "-short", "-v")
	w.expectLeft("TestShort -short")
	run(nil, "--", "-race", "-parallel", "2")
	w.expectLeft("TestShort -short", "TestRace -race", "TestLong -race")
	run([]string{"GODEBUG=panicnil=1"}, "--", "-tags", "x")
	w.expectLeft("TestShort -short", "TestRace -race", "TestLong -race",
		"TestTag -tags=x GODEBUG=panicnil=1", "TestDebug -tags=x GODEBUG=panicnil=1", "TestLong -tags=x GODEBUG=panicnil=1")
	// A pass without -short does more; one without -race proves nothing of a race.
	passed := run(fixed)
	w.expectLeft("TestRace -race", "TestLong -race",
		"TestTag -tags=x GODEBUG=panicnil=1", "TestDebug -tags=x GODEBUG=panicnil=1", "TestLong -tags=x GODEBUG=panicnil=1")
	if !slices.ContainsFunc(passed.Warnings, func(n api.Note) bool {
		return n.Code == api.NotePassedOtherwise && strings.Contains(n.Text, "red with -race and not run like that since: example.com/m/a/TestRace")
	}) {
		t.Errorf("nobody says why it stays: %q", passed.Warnings)
	}
	run(nil)
	w.expectLeft("TestRace -race", "TestLong -race", "TestLong",
		"TestTag -tags=x GODEBUG=panicnil=1", "TestDebug -tags=x GODEBUG=panicnil=1", "TestLong -tags=x GODEBUG=panicnil=1")
	// -short does less than what failed; other words for the same way are the same.
	run(fixed, "--", "-short")
	run(append(fixed, "GOFLAGS=-race"), "--", "-v")
	w.expectLeft("TestLong", "TestTag -tags=x GODEBUG=panicnil=1", "TestDebug -tags=x GODEBUG=panicnil=1", "TestLong -tags=x GODEBUG=panicnil=1")
	// A rerun runs all ways, each in its own environment.
	runs, r := w.with(nil, "rerun", "--json")
	if len(runs) != 2 || r.code != exitFailed {
		t.Fatalf("exit %d, %d runs", r.code, len(runs))
	}
	w.proctor("failures").expect(t, 0, "TestLong")
	runs, r = w.with(append(fixed, "GODEBUG=other=1"), "rerun", "--json")
	if len(runs) != 2 || r.code != exitPassed {
		t.Fatalf("exit %d, %d runs: %s", r.code, len(runs), r.stdout)
	}
	text := fmt.Sprint(runs[0].Warnings, runs[1].Warnings)
	for _, want := range []string{"part 1 of 2", "part 2 of 2", runs[0].RunID, "run with GODEBUG=panicnil=1, as when these tests failed"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not in it once: %s", want, text)
		}
	}
	if got := runs[1].Reason; !strings.Contains(got, "(part 2 of 2 of this rerun") {
		t.Errorf("the sentence of a part does not say so: %s", got)
	}
	w.expectLeft()
}

func TestARerunThatIsRedInOneWayIsRed(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", broken),
		"a/x_test.go": "//go:build x\n\npackage a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {\n\tif os.Getenv(\"XFIXED\") == \"\" {\n\t\tt.Fatal(\"x\")\n\t}\n}\n",
	})
	w.setenv("GOFLAGS=", "GORACE=", "GOGC=", "GOMEMLIMIT=")
	w.proctor("run", "-f", "TestA").expect(t, exitFailed)
	w.proctor("run", "-f", "TestX", "--", "-tags=x").expect(t, exitFailed)
	w.expectLeft("TestA", "TestX -tags=x")
	w.setenv("FIXED=1")
	runs, r := w.with(nil, "rerun", "--json")
	if len(runs) != 2 || r.code != exitFailed {
		t.Errorf("exit %d, %d runs", r.code, len(runs))
	}
	w.expectLeft("TestX -tags=x")
	// Whoever asks for the last run's failures gets them, whichever part came last.
	w.proctor("failures").expect(t, 0, "TestX")
	w.proctor("rerun", "--limit", "1").expect(t, exitFailed, "TestX")
	w.setenv("XFIXED=1")
	w.proctor("rerun").expect(t, exitPassed, "nothing is outstanding any more")
}

// A test whose process is killed under -race, and one that fails on another architecture,
// are not proved by a run of the usual way.
func TestACrashOrFailureElsewhereIsClearedByAPassInTheSameWay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("runs programs for 386")
	}
	w := newModule(t, files{"a/a_test.go": `package a

import (
	"os"
	"runtime"
	"testing"
)

var fixed = os.Getenv("FIXED") != ""

func TestKilled(t *testing.T) {
	if raced && !fixed {
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		select {}
	}
}

func TestNarrow(t *testing.T) {
	if runtime.GOARCH == "386" && !fixed {
		t.Fatal("narrow")
	}
}
`, "a/race_test.go": "//go:build race\n\npackage a\n\nconst raced = true\n", "a/norace_test.go": "//go:build !race\n\npackage a\n\nconst raced = false\n"})
	w.setenv("GOFLAGS=", "GORACE=", "GOGC=", "GOMEMLIMIT=")
	narrow := []string{"GOARCH=386", "CGO_ENABLED=0"}
	if runs, r := w.with(narrow, "run", "--json", "-f", "TestNarrow"); len(runs) != 1 || runs[0].Verdict != api.Failed {
		t.Fatalf("%+v", r)
	}
	w.proctor("run", "-f", "TestKilled", "--", "-race").expect(t, exitIncomplete)
	const red = "TestNarrow CGO_ENABLED=0 GOARCH=386"
	w.expectLeft("TestKilled -race", red)
	w.proctor("run").expect(t, exitPassed, "still outstanding")
	w.expectLeft("TestKilled -race", red)
	w.setenv("FIXED=1")
	w.proctor("run", "--", "-race").expect(t, exitPassed, "still outstanding")
	w.expectLeft(red)
	w.proctor("rerun").expect(t, exitPassed, "run with", "GOARCH=386", "nothing is outstanding any more")
	w.expectLeft()
}

func TestAKilledOrBrokenWayStaysOutstanding(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", pass),
		"a/x_test.go": "//go:build x\n\npackage a\n\nvar x int = \"x\"\n",
	})
	w.proctor("run", "--", "-tags=x").expect(t, exitFailed)
	w.proctor("run").expect(t, exitPassed, "still outstanding")
	w.proctor("rerun").expect(t, exitFailed)
	w.write(files{"a/x_test.go": "//go:build x\n\npackage a\n\nvar x int\n"})
	w.proctor("rerun").expect(t, exitPassed)
	w.expectLeft()
}

func TestAProfileOfFoundryIsAWay(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{
		"foundry.toml": forgetest.Config + "\n[profile.ci]\nfuzz = { runs = 300 }\n",
		"test/A.t.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Vm { function envOr(string calldata, string calldata) external returns (string memory); }

contract ATest {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function test_profile() public {
        bool ci = keccak256(bytes(vm.envOr("FOUNDRY_PROFILE", "none"))) == keccak256("ci");
        bool mended = keccak256(bytes(vm.envOr("MENDED", ""))) == keccak256("1");
        require(!ci || mended, "ci");
    }
}
`})
	ci := []string{"FOUNDRY_PROFILE=ci"}
	if runs, r := w.with(ci, "run", "--json"); len(runs) != 1 || runs[0].Verdict != api.Failed {
		t.Fatalf("%+v", r)
	}
	w.expectLeft("test_profile() FOUNDRY_PROFILE=ci")
	w.proctor("run").expect(t, exitPassed, "still outstanding")
	w.proctor("rerun").expect(t, exitFailed, "run with FOUNDRY_PROFILE=ci")
	w.setenv("MENDED=1")
	w.proctor("run").expect(t, exitPassed, "still outstanding")
	w.proctor("rerun").expect(t, exitPassed, "nothing is outstanding any more")
	w.expectLeft()
}
