package parse

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// A test that prints framing lines of package testing speaks for another test. That
// test must not be blamed, and no failure may get lost.
func TestImitatedFramingBlamesNoOtherTest(t *testing.T) {
	passed := func() *script { return new(script).start().run("TestA").end("pass", "TestA").run("TestB") }
	for _, tt := range []struct {
		name   string
		stream *script
		blamed string
	}{
		{"a name", passed().out("TestA", "=== NAME  TestA\n    a_test.go:4: real\n").end("fail", "TestB").completed("fail"), "TestB"},
		{"a start", passed().run("TestA").out("TestA", "    a_test.go:4: real\n").end("fail", "TestB").completed("fail"), "TestB"},
		{"a pause", passed().pause("TestA").out("TestA", "    a_test.go:4: real\n").end("fail", "TestB").completed("fail"), "TestB"},
		{"and then it dies", passed().out("TestA", "=== NAME  TestA\n"+formatPanic("real", frameInM("TestB", 4))).died("fail"), "TestB"},
		{"and then it exits", passed().out("TestA", "=== NAME  TestA\nreal\n").died("fail"), "TestB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(recorded, tt.stream.String(), red)
			got.failure(t, tt.blamed)
			for _, r := range got.tests {
				if r.Test == "TestA" && r.Status != sdk.Passed {
					t.Errorf("TestA is %v", r.Status)
				}
			}
			if len(got.failures) != 1 {
				t.Errorf("failures are %+v", got.failures)
			}
		})
	}
}

// Ends are still believed; the final line of package testing is believed only if no test
// is still running.
func TestImitatedFramingHidesNothing(t *testing.T) {
	ended := parseStream(recorded, new(script).start().run("TestA").end("pass", "TestA").run("TestB").end("fail", "TestA").end("pass", "TestB").completed("pass").String(), sdk.Exit{})
	if ended.suites[pkg] == sdk.SuitePassed {
		t.Error("a fail event is lost")
	}
	early := parseStream(recorded, new(script).start().run("TestA").run("TestA/x").out("TestA/x", "    a_test.go:5: bad\n").out("", "PASS\n").
		end("fail", "TestA/x").out("TestA", formatPanic("boom", frameInM("TestA.func1", 5))).ended("fail", "TestA").died("fail").String(), red)
	for _, r := range early.tests {
		if r.Test == "TestA" && r.Ended {
			t.Error("a test that prints PASS and dies counts as ended")
		}
	}
	if early.suites[pkg] == sdk.SuitePassed || early.suites[pkg] == sdk.SuiteNoTests {
		t.Errorf("the suite is %v", early.suites[pkg])
	}
}

// No test can print what starts after all tests had their turn: TestMain calls m.Run again.
func TestTestsThatRunAgainAreNotImitated(t *testing.T) {
	once := func(a, b string) *script {
		return new(script).start().run("TestA").end(a, "TestA").run("TestB").end(b, "TestB").out("", strings.ToUpper(b)+"\n")
	}
	again := func(s *script, a, b string) *script {
		return s.run("TestA").end(a, "TestA").run("TestB").end(b, "TestB")
	}
	for name, tt := range map[string]struct {
		stream *script
		suite  sdk.SuiteOutcome
		says   string
	}{
		"both pass":         {again(once("pass", "pass"), "pass", "pass").completed("pass"), sdk.SuitePassed, "m.Run more than once"},
		"the first fails":   {again(once("pass", "fail"), "pass", "pass").completed("pass"), sdk.SuiteFailed, "m.Run more than once"},
		"the second fails":  {again(once("pass", "pass"), "fail", "pass").completed("pass"), sdk.SuiteFailed, "m.Run more than once"},
		"the second exits":  {once("pass", "pass").run("TestA").out("TestA", okLine).ended("pass", "TestA"), sdk.SuiteAborted, "m.Run more than once"},
		"a test says so":    {new(script).start().run("TestA").end("pass", "TestA").run("TestB").out("", "PASS\n").run("TestA").end("pass", "TestB").completed("pass"), sdk.SuitePassed, "look like those"},
		"it ends, and says": {new(script).start().run("TestA").end("pass", "TestA").run("TestB").out("", "PASS\n").end("pass", "TestB").run("TestA").completed("pass"), sdk.SuitePassed, "look like those"},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseStream(recorded, tt.stream.String(), sdk.Exit{})
			if log := strings.Join(got.log, "\n"); got.suites[pkg] != tt.suite || strings.Count(log, "note ") != 1 || !strings.Contains(log, tt.says) {
				t.Errorf("%v:\n%s", got.suites[pkg], log)
			}
		})
	}
}

const okLine = "ok  \t" + pkg + "\t0.01s\n"

func TestAProcessThatExitsWithZeroInATestIsNotAPass(t *testing.T) {
	for _, tt := range []struct {
		name, action, line string
		before             *script
		blamed             string
	}{
		{"alone", "pass", okLine, new(script).start().run("TestA"), "TestA"},
		{"after another", "pass", okLine, new(script).start().run("TestB").end("pass", "TestB").run("TestA"), "TestA"},
		{"coverage", "pass", "ok  \t" + pkg + "\t0.01s\tcoverage: 3.0% of statements\n", new(script).start().run("TestA"), "TestA"},
		{"subtest", "pass", okLine, new(script).start().run("TestC").run("TestA"), ""},
		{"after its own text", "pass", okLine, new(script).start().run("TestA").out("TestA", "hello\n"), "TestA"},
		{"benchmark", "pass", okLine, new(script).start().run("BenchmarkA").out("BenchmarkA", "BenchmarkA\n"), "BenchmarkA"},
		{"failed", "fail", "FAIL\t" + pkg + "\t0.01s\n", new(script).start().run("TestA"), "TestA"},
		{"skipped", "skip", "?   \t" + pkg + "\t[no test files]\n", new(script).start().run("TestA"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := "TestA"
			if tt.blamed == "BenchmarkA" {
				last = tt.blamed
			}
			got := parseStream(recorded, tt.before.out(last, tt.line).ended(tt.action, last).String(), sdk.Exit{})
			if status := got.status(last); status != sdk.Failed && status != sdk.Unfinished {
				t.Errorf("%s is %v", last, status)
			}
			if tt.action == "skip" {
				return // no go command does this; only a pass would be wrong
			}
			if got.suites[pkg] != sdk.SuiteAborted {
				t.Errorf("the suite is %v", got.suites[pkg])
			}
			f := got.failure(t, tt.blamed)
			if f.Kind != sdk.KindExit || strings.Contains(f.Message, "ok  ") {
				t.Errorf("failure is %+v", f)
			}
		})
	}
}

func TestTheParallelTestThatReplacesItsProcessIsBlamed(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": "package m\n\nfunc TestA(t *testing.T) { syscall.Exec(\"true\", nil, nil) }\n\nfunc TestB(t *testing.T) {}\n"})
	stream := new(script).start().run("TestA").run("TestB").out("TestB", "hello\n"+okLine).ended("pass", "TestB").String()
	parseStream(run, stream, sdk.Exit{}).failure(t, "TestA")
}

func TestATestThatPrintsTheEndOfAPackagePasses(t *testing.T) {
	for _, line := range []string{okLine, "FAIL\t" + pkg + "\t0.01s\n"} {
		stream := new(script).start().run("TestA").out("TestA", line).end("pass", "TestA").completed("pass").String()
		if got := parseStream(recorded, stream, sdk.Exit{}); got.status("TestA") != sdk.Passed || got.suites[pkg] != sdk.SuitePassed {
			t.Errorf("after %q: %v", line, got.log)
		}
	}
	// Of another package, and without an event of its own, as other tools print it.
	stream := new(script).start().run("TestA").out("TestA", "ok  \t"+pkg+"/other\t0.01s\n").ended("pass", "TestA").completed("pass").String()
	if got := parseStream(recorded, stream, sdk.Exit{}); got.status("TestA") != sdk.Passed {
		t.Errorf("another package: %v", got.log)
	}
}
