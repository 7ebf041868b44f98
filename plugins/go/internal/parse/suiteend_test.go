package parse

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

const (
	oneTest = "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	noTest  = "package m\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n"
)

func TestASuiteThatReportsNoTests(t *testing.T) {
	const warned, silent = "testing: warning: no tests to run\nPASS\n", okLine
	all := []string{"go", "test", "-json", "./..."}
	with := func(words ...string) []string { return append([]string{"go", "test", "-json"}, words...) }
	for _, tt := range []struct {
		name, file, source string
		argv               []string
		text               string
		want               sdk.SuiteOutcome
	}{
		{"nothing said", "a_test.go", oneTest, all, silent, sdk.SuiteAborted},
		{"nothing said, no tests", "a_test.go", noTest, all, silent, sdk.SuiteNoTests},
		{"nothing said, command unknown", "a_test.go", noTest, nil, silent, sdk.SuiteAborted},
		{"nothing said, filtered out", "a_test.go", oneTest, with("-run=TestB"), silent, sdk.SuiteNoTests},
		{"nothing said, selected", "a_test.go", oneTest, with("-run", "A/x"), silent, sdk.SuiteAborted},
		{"nothing said, skipped", "a_test.go", oneTest, with("-skip", "TestA"), silent, sdk.SuiteNoTests},
		{"nothing said, a subtest skipped", "a_test.go", oneTest, with("-skip", "TestA/x"), silent, sdk.SuiteAborted},
		{"nothing said, for another platform", "a_plan9_test.go", oneTest, all, silent, sdk.SuiteAborted},
		{"nothing said, for no build", "_a_test.go", oneTest, all, silent, sdk.SuiteNoTests},
		{"listed", "a_test.go", oneTest, with("-list", "."), "TestA\n" + silent, sdk.SuiteNoTests},
		{"benchmarks only", "a_test.go", "package m\n\nfunc BenchmarkA(b *testing.B) {}\n", all, silent, sdk.SuiteNoTests},
		{"benchmarks selected", "a_test.go", "package m\n\nfunc BenchmarkA(b *testing.B) {}\n", with("-run=^$", "-bench=."), silent, sdk.SuiteAborted},
		{"fuzz target selected", "a_test.go", "package m\n\nfunc FuzzA(f *testing.F) {}\n", with("-run=^$", "-fuzz=."), silent, sdk.SuiteAborted},
		{"an example that is not run", "a_test.go", "package m\n\nfunc Example() {}\n", all, silent, sdk.SuiteNoTests},

		{"warned", "a_test.go", oneTest, all, warned, sdk.SuiteAborted},
		{"warned, glued", "a_test.go", oneTest, all, "x" + warned, sdk.SuiteAborted},
		{"warned, no tests", "a_test.go", noTest, all, warned, sdk.SuiteNoTests},
		{"warned, command unknown", "a_test.go", oneTest, nil, warned, sdk.SuiteNoTests},
		{"warned, filtered", "a_test.go", oneTest, with("-run=TestA"), warned, sdk.SuiteAborted},
		{"warned, filtered out", "a_test.go", oneTest, with("-run=TestB"), warned, sdk.SuiteNoTests},
		{"warned, and a subtest filtered", "a_test.go", oneTest, with("-run=TestA/x", "-skip=TestA/y"), warned, sdk.SuiteAborted},
		{"looked like the end, filtered", "a_test.go", oneTest, with("-run=TestA"), "PASS\n", sdk.SuiteAborted},
		{"warned, filtered behind -args", "a_test.go", oneTest, with("-args", "-test.run=x"), warned, sdk.SuiteNoTests},
		{"warned, filtered, and its last word went elsewhere", "a_test.go", oneTest, with("-run=TestA"), "testing: warning: no tests to run\n" + okLine, sdk.SuiteAborted},
		{"warned, run 0 times", "a_test.go", oneTest, with("-count=0"), warned, sdk.SuiteNoTests},
		{"warned, run twice", "a_test.go", oneTest, with("-count", "2"), warned, sdk.SuiteAborted},
		{"warned, for another platform", "a_plan9_test.go", oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, for the own platform, as its name says", "a_linux_test.go", oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, with a constraint", "a_test.go", "// A license.\n\n//go:build !windows\n\n" + oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, with an old constraint", "a_test.go", "// +build !windows\n\n" + oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, with an overlay", "a_test.go", oneTest, with("-overlay=x.json"), warned, sdk.SuiteNoTests},
		{"benchmarks were looked for", "a_test.go", oneTest, with("-run=^$", "-bench=."), "PASS\n", sdk.SuiteNoTests},
		{"-v, filtered, and TestMain's own word", "a_test.go", oneTest, with("-v", "-run=TestA"), "all checks PASS\n", sdk.SuiteAborted},
		{"-v, glued", "a_test.go", noTest, with("-v"), "startingPASS\n", sdk.SuiteNoTests},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := newProject(t, map[string]string{tt.file: tt.source, "b_test.go": noTest})
			run.Command.Argv = tt.argv
			got := parseStream(run, new(script).start().out("", tt.text).died("pass").String(), sdk.Exit{})
			if got.suites[pkg] != tt.want {
				t.Errorf("outcome is %v, want %v", got.suites[pkg], tt.want)
			}
			if noted := strings.Contains(strings.Join(got.log, "\n"), "note"); noted != (tt.want == sdk.SuiteAborted) {
				t.Errorf("noted: %v", got.log)
			}
		})
	}
}

func TestAFuzzingOfNothingIsNoted(t *testing.T) {
	const fuzzTest = oneTest + "\nfunc FuzzX(f *testing.F) {}\n"
	for _, tt := range []struct {
		source, fuzz, text string
		want               bool
	}{
		{fuzzTest, "-fuzz=Nope", "testing: warning: no fuzz tests to fuzz\n", true},
		{oneTest, "-fuzz=FuzzX", "", true}, // package testing says nothing
		{fuzzTest, "-fuzz=FuzzX", "", false},
		{oneTest, "-count=1", "", false},
	} {
		run := newProject(t, map[string]string{"a_test.go": tt.source})
		run.Command.Argv = []string{"go", "test", "-json", tt.fuzz}
		s := new(script).start().run("TestA").end("pass", "TestA")
		if tt.source == fuzzTest {
			s = s.run("FuzzX").end("pass", "FuzzX")
		}
		got := parseStream(run, s.out("", tt.text+"PASS\n").died("pass").String(), sdk.Exit{})
		if noted := strings.Contains(strings.Join(got.log, "\n"), "nothing was fuzzed"); noted != tt.want || got.suites[pkg] != sdk.SuitePassed {
			t.Errorf("%s after %q: outcome %v, %v", tt.fuzz, tt.text, got.suites[pkg], got.log)
		}
	}
}

// Most packages have no benchmarks, so what counts is whether any had one.
func TestABenchPatternThatMatchesNothingIsNoted(t *testing.T) {
	for _, tt := range []struct {
		flag, runs string
		exit       int
		want       bool
	}{
		{"-bench=Nope", "TestA", 0, true},
		{"-bench=X", "BenchmarkX", 0, false},
		{"-bench=Nope", "TestA", 1, false},
		{"-bench=", "TestA", 0, false},
		{"-count=1", "TestA", 0, false},
	} {
		run := newProject(t, map[string]string{"a_test.go": oneTest + "\nfunc BenchmarkX(b *testing.B) {}\n"})
		run.Command.Argv = []string{"go", "test", "-json", tt.flag}
		got := parseStream(run, new(script).start().run(tt.runs).end("pass", tt.runs).out("", "PASS\n").died("pass").String(), sdk.Exit{Code: tt.exit})
		if noted := strings.Contains(strings.Join(got.log, "\n"), "no benchmark matches -bench"); noted != tt.want {
			t.Errorf("%s, exit %d: %v", tt.flag, tt.exit, got.log)
		}
	}
}

// The command line of such a rerun selects nothing; the plugin's program does.
func TestASuiteThatARerunIsAboutIsSelected(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": oneTest})
	run.Command.Argv = []string{"go", "test", "-json", "-run", "^PLACEHOLDER$", "-exec", "prog", "."}
	run.Command.Targets = []sdk.TestID{{Suite: pkg, Test: "TestA"}}
	stream := new(script).start().out("", okLine).died("pass").String()
	if got := parseStream(run, stream, sdk.Exit{}); got.suites[pkg] != sdk.SuiteAborted {
		t.Errorf("outcome is %v", got.suites[pkg])
	}
}

func TestASuiteWhoseBenchmarksAFailureKeptFromRunningEndedEarly(t *testing.T) {
	for argument, want := range map[string]sdk.SuiteOutcome{"-bench=.": sdk.SuiteAborted, "-bench=B": sdk.SuiteAborted, "-bench=C": sdk.SuiteFailed, "-v": sdk.SuiteFailed} {
		run := newProject(t, map[string]string{"a_test.go": oneTest + "\nfunc BenchmarkB(b *testing.B) {}\n"})
		run.Command.Argv = []string{"go", "test", "-json", argument}
		stream := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").completed("fail").String()
		if got := parseStream(run, stream, red); got.suites[pkg] != want {
			t.Errorf("%s: outcome is %v, want %v", argument, got.suites[pkg], want)
		}
	}
}

func TestAFailedRerunOfTestsLacksNoBenchmarks(t *testing.T) {
	for name, want := range map[string]sdk.SuiteOutcome{"TestA": sdk.SuiteFailed, "BenchmarkB": sdk.SuiteAborted} {
		run := newProject(t, map[string]string{"a_test.go": oneTest + "\nfunc BenchmarkB(b *testing.B) {}\n"})
		run.Command.Argv = []string{"go", "test", "-json", "-run", "^TestA$", "."}
		run.Command.Targets = []sdk.TestID{{Suite: pkg, Test: "TestA"}, {Suite: pkg, Test: name}}
		stream := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").completed("fail").String()
		if got := parseStream(run, stream, red); got.suites[pkg] != want {
			t.Errorf("%s: outcome is %v, want %v", name, got.suites[pkg], want)
		}
	}
}

func TestARaceAfterTheTestsIsAFailureOfItsOwn(t *testing.T) {
	stream := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").
		out("", "FAIL\n"+raceReport("TestMain.func1 7", "TestMain 8")).died("fail").String()
	got := parseStream(recorded, stream, red)
	got.failure(t, "TestA")
	if f := got.failure(t, ""); f.Kind != sdk.KindRace || len(got.failures) != 2 {
		t.Errorf("%+v", got.failures)
	}
}

// Else a known failure in quarantine, or a flaky one, would hide it.
func TestADeathAfterTheTestsIsAFailureBesideTheirs(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		kind                string // of the failure beside the test's; empty without one
	}{
		{"killed", "", "signal: killed\n", sdk.KindSignal},
		{"crashed", "", "signal: segmentation fault (core dumped)\n", sdk.KindSignal},
		{"too slow, and it handles SIGQUIT", "", "*** Test killed with quit: ran too long (1m1s).\n", sdk.KindTimeout},
		{"killed in the middle of a line", "", "cleaning upsignal: killed\n", sdk.KindExit},
		{"too slow in the middle of a line", "", "cleaning up *** Test killed with quit: ran too long (1m1s).\n", sdk.KindExit},
		{"red, after a log of a process of TestMain", "", "the server ended: signal: killed\nerr=\"signal: killed\"\n", ""},
		{"red, after an error of a process of TestMain", "", "signal: killed\nserver ended\n", ""},
		{"red", "", "", ""},
		{"of a process of TestMain", "signal: killed\n", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := new(script).start().out("", tt.before).run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").
				out("", "FAIL\n"+tt.after).died("fail").String()
			got := parseStream(recorded, stream, red)
			got.failure(t, "TestA")
			if died := len(got.failures) == 2; died != (tt.kind != "") {
				t.Fatalf("%+v", got.failures)
			}
			if tt.kind != "" && got.failure(t, "").Kind != tt.kind {
				t.Errorf("%+v", got.failures)
			}
		})
	}
}

// A process that is busy after its tests, or before them, is ended with the run.
func TestADeathWithTheRunIsNoFailureOfItsOwn(t *testing.T) {
	interrupted, late := sdk.Exit{Code: 1, Cancelled: true}, sdk.Exit{Code: 1, TimedOut: true}
	const fails, passes = "TestA fail", "TestA pass"
	for _, tt := range []struct {
		name, test, after string
		exit              sdk.Exit
		kinds             string
		want              sdk.SuiteOutcome
	}{
		{"interrupted after a pass", passes, "PASS\nsignal: interrupt\n", interrupted, "signal", sdk.SuiteAborted},
		{"interrupted while it says something", passes, "PASS\ncleaning up\nsignal: killed\n", interrupted, "signal", sdk.SuiteAborted},
		{"interrupted before the tests", "", "starting a database\nsignal: interrupt\n", interrupted, "signal", sdk.SuiteAborted},
		{"interrupted after a failure", fails, "FAIL\nsignal: interrupt\n", interrupted, "assertion", sdk.SuiteFailed},
		{"late after a failure", fails, "FAIL\nsignal: killed\n", late, "assertion timeout", sdk.SuiteFailed},
		{"late after a pass", passes, "PASS\ncleaning up\nsignal: killed\n", late, "timeout", sdk.SuiteFailedOutsideTests},
		{"crashed, then interrupted", passes, "PASS\nsignal: segmentation fault\n", interrupted, "signal", sdk.SuiteFailedOutsideTests},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := new(script).start()
			switch tt.test {
			case fails:
				stream.run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA")
			case passes:
				stream.run("TestA").end("pass", "TestA")
			}
			got := &seen{}
			p := New(Config{Run: recorded}, got)
			p.Write(sdk.Stdout, []byte(stream.out("", tt.after).died("fail").String()))
			if told := len(got.failures) > 0; told != (tt.test == fails || strings.Contains(tt.after, "fault")) {
				t.Errorf("before the run ended: %+v", got.failures)
			}
			p.Close(tt.exit)
			var kinds []string
			for _, f := range got.failures {
				kinds = append(kinds, f.Kind)
			}
			if strings.Join(kinds, " ") != tt.kinds || got.suites[pkg] != tt.want {
				t.Errorf("%q, %v: %+v", kinds, got.suites[pkg], got.failures)
			}
		})
	}
}

func TestAPassWithoutTheLastWordNeedsAllTests(t *testing.T) {
	source := oneTest + "\nfunc TestB(t *testing.T) {}\n"
	one := new(script).start().run("TestA").end("pass", "TestA").out("", okLine)
	two := new(script).start().run("TestA").end("pass", "TestA").run("TestB").end("pass", "TestB").out("", okLine)
	for _, tt := range []struct {
		name   string
		stream *script
		argv   []string
		want   sdk.SuiteOutcome
	}{
		{"one of two", one, []string{"go", "test", "-json"}, sdk.SuiteAborted},
		{"the selected one", one, []string{"go", "test", "-json", "-run=TestA"}, sdk.SuitePassed},
		{"both", two, []string{"go", "test", "-json"}, sdk.SuitePassed},
		{"both, and there may be more rounds", two, []string{"go", "test", "-json", "-count=3"}, sdk.SuiteAborted},
		{"command unknown", two, nil, sdk.SuiteAborted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := newProject(t, map[string]string{"a_test.go": source})
			run.Command.Argv = tt.argv
			stream := tt.stream.String() + new(script).died("pass").String()
			if got := parseStream(run, stream, sdk.Exit{}); got.suites[pkg] != tt.want {
				t.Errorf("outcome is %v, want %v", got.suites[pkg], tt.want)
			}
		})
	}
}

// A TestMain may set -test.run: what it leaves out was not tested.
func TestASuiteThatLeavesTestsOutHasNotPassed(t *testing.T) {
	t.Parallel()
	const two = oneTest + "\nfunc TestB(t *testing.T) {}\n"
	only := func(status string) string {
		return new(script).start().run("TestA").end(status, "TestA").completed(status).String()
	}
	both := new(script).start().run("TestA").end("pass", "TestA").run("TestB").end("skip", "TestB").completed("pass").String()
	with := func(words ...string) []string { return append([]string{"go", "test", "-json"}, words...) }
	for _, tt := range []struct {
		name   string
		second string
		argv   []string
		target sdk.TestID
		stream string
		want   sdk.SuiteOutcome
	}{
		{"one of two", "", with("./..."), sdk.TestID{}, only("pass"), sdk.SuiteAborted},
		{"one of two failed", "", with("./..."), sdk.TestID{}, only("fail"), sdk.SuiteAborted},
		{"both", "", with("./..."), sdk.TestID{}, both, sdk.SuitePassed},
		{"the selected one", "", with("-run", "TestA"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"of more that are selected", "", with("-run", "Test[AB]/x"), sdk.TestID{}, only("pass"), sdk.SuiteAborted},
		{"the other is skipped", "", with("-skip=TestB"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"the command is not known", "", nil, sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"with an overlay", "", with("-overlay=x.json"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"with -v, where a start may go unnoticed", "", with("-v"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"behind -args", "", with("-args", "-test.run=TestA"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"of a rerun", "", with("-run=^TestA$"), sdk.TestID{Suite: pkg, Test: "TestA"}, only("pass"), sdk.SuitePassed},
		{"of a rerun by the plugin's program", "", with("-run=^$", "-exec=p"), sdk.TestID{Suite: pkg}, only("pass"), sdk.SuitePassed},
		{"of a whole suite that is run again", "", with(), sdk.TestID{Suite: pkg}, only("pass"), sdk.SuiteAborted},
		{"before Go 1.20", "", with("./..."), sdk.TestID{}, strings.TrimPrefix(only("pass"), new(script).start().String()), sdk.SuitePassed},
		{"an example that is not run", "func Example() {}\n", with("./..."), sdk.TestID{}, both, sdk.SuitePassed},
		{"an example that is", "func Example() {\n\t// Output:\n}\n", with("./..."), sdk.TestID{}, both, sdk.SuiteAborted},
		{"seeds", "func FuzzA(f *testing.F) {}\n", with("./..."), sdk.TestID{}, both, sdk.SuiteAborted},
		{"a benchmark", "func BenchmarkA(b *testing.B) {}\n", with("-bench=."), sdk.TestID{}, both, sdk.SuitePassed},
		{"a function in a text", "const x = `\nfunc TestC(t *testing.T) {}\n`\n", with("./..."), sdk.TestID{}, both, sdk.SuitePassed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := newProject(t, map[string]string{
				"a_test.go": two, "b_test.go": "package m\n\nimport \"testing\"\n\n" + tt.second,
				// These are only in some builds.
				"c_plan9_test.go": "package m\n\nfunc TestC(t *testing.T) {}\n", "d_test.go": "//go:build d\n\npackage m\n\nfunc TestD(t *testing.T) {}\n",
			})
			run.Command.Argv, run.Command.Targets = tt.argv, []sdk.TestID{tt.target}
			got := parseStream(run, tt.stream, sdk.Exit{})
			want := tt.want
			if got.suites[pkg] != want {
				t.Errorf("outcome is %v, want %v\n%v", got.suites[pkg], want, got.log)
			}
			if noted := strings.Contains(strings.Join(got.log, "\n"), "did not run although"); noted != (want == sdk.SuiteAborted) {
				t.Errorf("noted: %v", got.log)
			}
		})
	}
}

func TestTheNameOfAFileIsPartOfWhetherItIsInEveryBuild(t *testing.T) {
	for name, want := range map[string]bool{"a_test.go": true, "a_linux_test.go": false} {
		if got := inEveryBuild(filepath.Join("nowhere", name), []byte("package p\n")); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if inEveryBuild("a_test.go", []byte("//go:build linux\n\npackage p\n")) {
		t.Error("a build constraint was ignored")
	}
}
