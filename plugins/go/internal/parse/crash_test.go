package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// formatStack returns a goroutine of a dump. frames are "function file:line"; one that
// starts with "created by" has no arguments.
func formatStack(id int, state string, frames ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "goroutine %d [%s]:\n", id, state)
	for _, f := range frames {
		function, place, _ := cutLast(f, " ")
		if !strings.HasPrefix(f, "created by ") {
			function += "(0x1, {0x2, 0x3})"
		}
		fmt.Fprintf(&b, "%s\n\t%s +0x1d\n", function, place)
	}
	return b.String() + "\n"
}

// Frames found in most dumps.
const (
	runner    = "testing.tRunner /usr/local/go/src/testing/testing.go:2036"
	byRunner  = "created by testing.(*T).Run in goroutine 1 /usr/local/go/src/testing/testing.go:2101"
	inPanic   = "panic /usr/local/go/src/runtime/panic.go:860"
	repanic   = "testing.tRunner.func1 /usr/local/go/src/testing/testing.go:1977"
	waiting   = "testing.(*T).Run /usr/local/go/src/testing/testing.go:2109"
	inCleanup = "testing.(*common).runCleanup /usr/local/go/src/testing/testing.go:1667"
)

// formatPanic returns the text of a panic in a test or subtest.
func formatPanic(message string, frames ...string) string {
	all := append([]string{repanic, inPanic}, frames...)
	return "panic: " + message + " [recovered, repanicked]\n\n" + formatStack(7, "running", append(all, runner, byRunner)...)
}

func frameInM(function string, line int) string {
	return fmt.Sprintf("%s.%s /src/m/a_test.go:%d", pkg, function, line)
}

func TestCrashesAreBlamedOnTheTestThatCrashed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stream *script
		// blamed is the test, or "" for the suite.
		blamed, kind, message string
		line                  int
		from                  string
		unfinished            string
	}{
		{"panic in a test", new(script).start().run("TestA").out("TestA", "--- FAIL: TestA (0.00s)\n"+formatPanic("boom", frameInM("helper", 3), frameInM("TestA", 9))).ended("fail", "TestA"),
			"TestA", sdk.KindPanic, "boom", 3, "", ""},
		{"panic in a subtest, text under the parent", new(script).start().run("TestA").run("TestA/x").run("TestA/x/y").
			end("fail", "TestA/x/y").end("fail", "TestA/x").out("TestA", "--- FAIL: TestA (0.00s)\n"+formatPanic("boom", frameInM("TestA.func1.1", 5))).ended("fail", "TestA"),
			"TestA/x/y", sdk.KindPanic, "boom", 5, "TestA", ""},
		{"panic in a subtest with -v of the user", new(script).start().run("TestA").run("TestA/x").
			out("TestA", "--- FAIL: TestA (0.00s)\n").out("TestA/x", "    --- FAIL: TestA/x (0.00s)\n"+formatPanic("boom", frameInM("TestA.func1", 5))).
			ended("fail", "TestA/x").ended("fail", "TestA"),
			"TestA/x", sdk.KindPanic, "boom", 5, "", ""},
		{"panic of the parent after a subtest failed", new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "    a_test.go:4: sub\n").end("fail", "TestA/x").out("TestA", "--- FAIL: TestA (0.00s)\n"+formatPanic("boom", frameInM("TestA", 7))).ended("fail", "TestA"),
			"TestA", sdk.KindPanic, "boom", 7, "", ""},
		{"panic in the parent's cleanup after a subtest failed", new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "    a_test.go:4: sub\n").end("fail", "TestA/x").out("TestA", "--- FAIL: TestA (0.00s)\n"+formatPanic("boom", frameInM("TestA.func1", 6), inCleanup)).ended("fail", "TestA"),
			"TestA", sdk.KindPanic, "boom", 6, "", ""},
		{"panic in a subtest with a function of its own", new(script).start().run("TestA").run("TestA/x").
			end("fail", "TestA/x").out("TestA", "--- FAIL: TestA (0.00s)\n"+formatPanic("boom", frameInM("check", 6))).ended("fail", "TestA"),
			"TestA/x", sdk.KindPanic, "boom", 6, "TestA", ""},
		{"goroutine of a test that passed", new(script).start().run("TestA").end("pass", "TestA").run("TestB").
			out("TestB", "panic: late\n\n"+formatStack(9, "running", frameInM("TestA.func1", 8), "created by "+frameInM("TestA in goroutine 6", 6))),
			"TestA", sdk.KindPanic, "late", 8, "TestB", "TestB"},
		{"goroutine of a test, a subtest running", new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "panic: late\n\n"+formatStack(9, "running", frameInM("TestA.func1", 8), "created by "+frameInM("TestA in goroutine 6", 6))),
			"TestA", sdk.KindPanic, "late", 8, "TestA/x", "TestA/x"},
		{"goroutine of TestMain", new(script).start().run("TestB").
			out("TestB", "panic: late\n\n"+formatStack(9, "running", frameInM("TestMain.func1", 8), "created by "+frameInM("TestMain in goroutine 1", 6))),
			"", sdk.KindPanic, "late", 8, "TestB", "TestB"},
		{"goroutine of a helper, one test running", new(script).start().run("TestB").
			out("TestB", "panic: late\n\n"+formatStack(9, "running", frameInM("(*worker).run", 8), "created by "+frameInM("start in goroutine 6", 6))),
			"TestB", sdk.KindPanic, "late", 8, "", ""},
		{"after completion", new(script).start().run("TestA").run("TestA/x").end("pass", "TestA/x").end("pass", "TestA").run("TestB").
			out("TestB", "panic: Fail in goroutine after TestA/x has completed\n\n"+formatStack(9, "running", "testing.(*common).Fail /usr/local/go/src/testing/testing.go:969", frameInM("TestA.func1.1", 8))),
			"TestA/x", sdk.KindPanic, "Fail in goroutine after TestA/x has completed", 8, "TestB", "TestB"},
		{"init", new(script).start().out("", "panic: bad\n\n"+formatStack(1, "running", frameInM("init.0", 5))),
			"", sdk.KindPanic, "bad", 5, "", ""},
		{"TestMain", new(script).start().out("", "panic: bad\n\n"+formatStack(1, "running", frameInM("TestMain", 5))),
			"", sdk.KindPanic, "bad", 5, "", ""},
		{"fatal error in a subtest", new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "fatal error: sync: unlock of unlocked mutex\n\n"+formatStack(9, "running", "internal/sync.fatal /usr/local/go/src/runtime/panic.go:1191", frameInM("TestA.func1", 8), runner)),
			"TestA/x", sdk.KindFatal, "sync: unlock of unlocked mutex", 8, "", ""},
		{"stack overflow", new(script).start().run("TestA").
			out("TestA", "runtime: goroutine stack exceeds 1000000000-byte limit\nruntime: sp=0x1 stack=[0x2]\nfatal error: stack overflow\n\nruntime stack:\nruntime.throw({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:1 +0x1\n\n"+formatStack(9, "running", frameInM("rec", 5), frameInM("rec", 5), frameInM("rec", 5), frameInM("TestA", 8), runner)),
			"TestA", sdk.KindFatal, "stack overflow", 5, "", ""},
		{"deadlock in a subtest", new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "fatal error: all goroutines are asleep - deadlock!\n\n"+formatStack(1, "chan receive", waiting)+
				formatStack(6, "chan receive", waiting, frameInM("TestA", 4), runner)+formatStack(7, "chan receive", frameInM("TestA.func1", 5), runner)),
			"TestA/x", sdk.KindFatal, "all goroutines are asleep - deadlock!", 5, "", ""},
		{"fault", new(script).start().run("TestA").
			out("TestA", "unexpected fault address 0xdead\nfatal error: fault\n[signal SIGSEGV: segmentation violation code=0x1 addr=0xdead pc=0x4]\n\n"+formatStack(9, "running", frameInM("TestA", 8), runner)),
			"TestA", sdk.KindFatal, "fault: unexpected fault address 0xdead\n[signal SIGSEGV: segmentation violation code=0x1 addr=0xdead]", 8, "", ""},
		{"os.Exit(0)", new(script).start().run("TestA").out("TestA", "--- FAIL: TestA (0.00s)\n"+formatPanic("unexpected call to os.Exit(0) during test", "os.Exit /usr/local/go/src/os/proc.go:67", frameInM("TestA", 8))).ended("fail", "TestA"),
			"TestA", sdk.KindExit, "unexpected call to os.Exit(0) during test", 8, "", ""},
		{"glued to other text", new(script).start().run("TestA").
			out("TestA", "progress 50%panic: boom\n\n"+formatStack(9, "running", frameInM("TestA.func1", 8), "created by "+frameInM("TestA in goroutine 6", 6))),
			"TestA", sdk.KindPanic, "boom", 8, "", ""},
		{"without stacks", new(script).start().run("TestA").out("TestA", "panic: boom\nexit status 2\n"),
			"TestA", sdk.KindPanic, "boom", 0, "", ""},
		{"example", new(script).start().run("ExampleF").out("ExampleF", "--- FAIL: ExampleF (0.00s)\n"+"panic: boom [recovered, repanicked]\n\n"+formatStack(1, "running", inPanic, frameInM("ExampleF", 8))).ended("fail", "ExampleF"),
			"ExampleF", sdk.KindPanic, "boom", 8, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(recorded, tt.stream.died("fail").String(), red)
			f := got.failure(t, tt.blamed)
			if f.Kind != tt.kind || f.Message != tt.message || f.Location.Line != tt.line {
				t.Errorf("failure is %s %q at %v, want %s %q at line %d", f.Kind, f.Message, f.Location, tt.kind, tt.message, tt.line)
			}
			from := ""
			for _, id := range f.DerivedFrom {
				from += id.Test
			}
			if from != tt.from {
				t.Errorf("derived from %q, want %q", from, tt.from)
			}
			if got.suites[pkg] != sdk.SuiteAborted {
				t.Errorf("suite is %v", got.suites[pkg])
			}
			if tt.blamed != "" && got.status(tt.blamed) != sdk.Failed {
				t.Errorf("%s is %v", tt.blamed, got.status(tt.blamed))
			}
			for _, r := range got.tests {
				if (r.Status == sdk.Unfinished) != (r.Test == tt.unfinished) {
					t.Errorf("%s is %v", r.Test, r.Status)
				}
			}
		})
	}
}

func TestMessagesOfPanics(t *testing.T) {
	for _, tt := range []struct {
		name string
		head []string
		want string
	}{
		{"plain", []string{"panic: boom"}, "boom"},
		{"raised again", []string{"panic: boom [recovered, repanicked]"}, "boom"},
		{"raised again until Go 1.22", []string{"panic: boom [recovered]", "\tpanic: boom"}, "boom"},
		{"lines, raised again until Go 1.22", []string{"panic: a", "\tb [recovered]", "\tpanic: a", "\tb"}, "a\nb"},
		{"nested", []string{"panic: first", "\tpanic: second [recovered, repanicked]"}, "first\npanic: second"},
		{"nested until Go 1.22", []string{"panic: first", "\tpanic: second [recovered]", "\tpanic: second"}, "first\npanic: second"},
		{"signal", []string{"panic: runtime error: nil [recovered, repanicked]", "[signal SIGSEGV: code=0x1 addr=0x0 pc=0x52e47c]"}, "runtime error: nil\n[signal SIGSEGV: code=0x1 addr=0x0]"},
		{"empty", []string{"panic: "}, "panic without a message"},
		{"none", nil, "panic without a message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := crash{head: tt.head}
			if kind, got := c.message(); got != tt.want || kind != sdk.KindPanic {
				t.Errorf("%s %q, want %q", kind, got, tt.want)
			}
		})
	}
}

// A test may print what looks like a crash, such as the output of a child process.
func TestPrintedDumpsAreNoCrashes(t *testing.T) {
	dump := "panic: of a child\n\n" + formatStack(1, "running", "main.main /elsewhere/main.go:5") + "exit status 2\n"
	for _, tt := range []struct {
		name   string
		stream *script
		suite  sdk.SuiteOutcome
		kinds  string
	}{
		{"and passes", new(script).start().run("TestA").out("TestA", dump).end("pass", "TestA").completed("pass"), sdk.SuitePassed, ""},
		{"and fails otherwise", new(script).start().run("TestA").out("TestA", dump+"    a_test.go:5: bad\n").end("fail", "TestA").completed("fail"), sdk.SuiteFailed, "assertion"},
		{"and a later test exits", new(script).start().run("TestA").out("TestA", dump).end("pass", "TestA").run("TestB").died("fail"), sdk.SuiteAborted, "exit"},
		{"and a later test panics", new(script).start().run("TestA").out("TestA", dump).end("pass", "TestA").run("TestB").
			out("TestB", "--- FAIL: TestB (0.00s)\n"+formatPanic("boom", frameInM("TestB", 9))).ended("fail", "TestB").died("fail"), sdk.SuiteAborted, "panic"},
		{"before the tests", new(script).start().out("", dump).run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").completed("fail"), sdk.SuiteFailed, "assertion"},
		{"before a test exits", new(script).start().out("", dump).run("TestA").died("fail"), sdk.SuiteAborted, "exit"},
		{"before PASS", new(script).start().run("TestA").end("pass", "TestA").out("", dump+"PASS\nleaked\n").died("fail"), sdk.SuiteFailedOutsideTests, "exit"},
		{"and a race", new(script).start().run("TestA").out("TestA", raceReport("TestX 1", "TestX 2")+"    a_test.go:5: bad\n").end("fail", "TestA").completed("fail"), sdk.SuiteFailed, "assertion"},
		{"only its first line", new(script).start().run("TestA").out("TestA", "fatal error: not really\npanic: not really\nbecause\n").died("fail"), sdk.SuiteAborted, "exit"},
		{"and what only looks like a race", new(script).start().run("TestA").out("TestA", "WARNING: DATA RACE\n==================\n    a_test.go:5: bad\n").end("fail", "TestA").completed("fail"), sdk.SuiteFailed, "assertion"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(recorded, tt.stream.String(), red)
			var kinds []string
			for _, f := range got.failures {
				kinds = append(kinds, f.Kind)
				if strings.HasPrefix(f.Message, "of a child") {
					t.Errorf("the child's crash is blamed on the test: %q", f.Message)
				}
			}
			if tt.kinds == "" && got.suites[pkg] == sdk.SuitePassed {
				return // nothing explains the exit code, and that is reported
			}
			if strings.Join(kinds, " ") != tt.kinds || got.suites[pkg] != tt.suite {
				t.Errorf("failures %v, suite %v; want %q, %v", kinds, got.suites[pkg], tt.kinds, tt.suite)
			}
		})
	}
}

func TestDumpsAreBounded(t *testing.T) {
	s := new(script).start().run("TestA").out("TestA", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\n")
	for i := range 5000 {
		s.out("TestA", formatStack(i+10, "sleep", frameInM("worker", 3), "created by "+frameInM("start in goroutine 6", 6)))
	}
	s.out("TestA", formatStack(6, "sleep", frameInM("TestA", 77), runner))
	f := parseStream(recorded, s.died("fail").String(), red).failure(t, "TestA")
	if f.Location.Line != 77 {
		t.Errorf("the test's own goroutine, the last of many, is lost: place is %v", f.Location)
	}
}

func TestCrashAfterTheTestsIsOutsideOfThem(t *testing.T) {
	got := parseStream(recorded, new(script).start().run("TestA").end("pass", "TestA").out("", "PASS\n").
		out("", "panic: after\n\n"+formatStack(1, "running", frameInM("TestMain", 9))).died("fail").String(), red)
	if f := got.failure(t, ""); f.Message != "after" || got.suites[pkg] != sdk.SuiteFailedOutsideTests {
		t.Errorf("failure %q, suite %v", f.Message, got.suites[pkg])
	}
}
