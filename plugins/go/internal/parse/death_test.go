package parse

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestTimeoutsNameEveryRunningLeaf(t *testing.T) {
	stream := new(script).start().run("TestDone").end("pass", "TestDone").
		run("TestA").run("TestA/x").run("TestB").pause("TestB").run("TestC").
		out("TestC", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\t\tTestA/x (1s)\n\t\tTestC (0s)\n\n"+
			formatStack(17, "running", "testing.(*M).startAlarm.func1 /usr/local/go/src/testing/testing.go:2682")+
			formatStack(1, "chan receive", waiting)+
			formatStack(6, "chan receive", waiting, frameInM("TestA", 4), runner)+
			formatStack(8, "chan receive", "testing.(*T).Parallel /usr/local/go/src/testing/testing.go:1", frameInM("TestB", 20), runner)+
			formatStack(9, "sleep", "time.Sleep /usr/local/go/src/runtime/time.go:363", frameInM("TestC", 30), runner)+
			formatStack(7, "sleep", "time.Sleep /usr/local/go/src/runtime/time.go:363", frameInM("wait", 3), frameInM("TestA.func1", 5), runner)).died("fail")
	got := parseStream(recorded, stream.String(), red)
	if len(got.failures) != 2 {
		t.Fatalf("%d failures, want one for each running leaf", len(got.failures))
	}
	for name, line := range map[string]int{"TestA/x": 3, "TestC": 30} {
		f := got.failure(t, name)
		if f.Kind != sdk.KindTimeout || f.Message != "test timed out after 1s" || f.Location.Line != line {
			t.Errorf("%s: %s %q at %v, want line %d", name, f.Kind, f.Message, f.Location, line)
		}
	}
	if f := got.failure(t, "TestA/x"); f.TestFrame.Line != 5 || len(f.Stack) != 2 {
		t.Errorf("test frame %v, stack %v", f.TestFrame, f.Stack)
	}
	for _, name := range []string{"TestA", "TestA/x", "TestB", "TestC"} {
		if got.status(name) != sdk.Unfinished {
			t.Errorf("%s is %v, want unfinished", name, got.status(name))
		}
	}
}

func TestTimeoutsOfSubtestsOfOneFunction(t *testing.T) {
	stream := new(script).start().run("TestA").run("TestA/x").run("TestA/y").
		out("TestA/y", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestA/x (1s)\n\t\tTestA/y (1s)\n\n"+
			formatStack(7, "sleep", frameInM("TestA.func1", 5), runner)+formatStack(8, "sleep", frameInM("TestA.func1", 6), runner)).died("fail")
	got := parseStream(recorded, stream.String(), red)
	if x, y := got.failure(t, "TestA/x"), got.failure(t, "TestA/y"); x.Location.Line+y.Location.Line != 11 {
		t.Errorf("the goroutines are not shared out: %v and %v", x.Location, y.Location)
	}
}

func TestTimeoutInsideSubtestsOfSubtests(t *testing.T) {
	stream := new(script).start().run("TestA").run("TestA/x").run("TestA/x/y").
		out("TestA/x/y", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\t\tTestA/x (1s)\n\t\tTestA/x/y (1s)\n\n"+
			formatStack(6, "chan receive", waiting, frameInM("TestA.func1", 4), runner)+formatStack(7, "sleep", frameInM("TestA.func1.1", 5), runner)).died("fail")
	if f := parseStream(recorded, stream.String(), red).failure(t, "TestA/x/y"); f.Location.Line != 5 {
		t.Errorf("place is %v, not where the innermost hangs", f.Location)
	}
}

func TestTimeoutKeepsWhatTheTestSaidBefore(t *testing.T) {
	stream := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\npanic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\n"+formatStack(6, "sleep", frameInM("TestA", 9), runner)).died("fail")
	if f := parseStream(recorded, stream.String(), red).failure(t, "TestA"); len(f.Also) != 1 || f.Also[0].Message != "bad" {
		t.Errorf("also %v", f.Also)
	}
}

func TestTimeoutOfASuiteMethod(t *testing.T) {
	stream := new(script).start().run("TestAll").run("TestAll/TestHang").
		out("TestAll/TestHang", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestAll/TestHang (1s)\n\n"+
			formatStack(6, "chan receive", waiting, frameInM("TestAll", 17), runner)+formatStack(7, "sleep", frameInM("(*S).TestHang", 14), runner)).died("fail")
	if f := parseStream(recorded, stream.String(), red).failure(t, "TestAll/TestHang"); f.Location.Line != 14 {
		t.Errorf("place is %v, want that in the method", f.Location)
	}
}

func TestProcessesThatEndInTheMiddle(t *testing.T) {
	source := "package m\n\nimport (\"os\"; \"testing\")\n\nfunc TestA(t *testing.T) {\n}\n\nfunc TestExit(t *testing.T) {\n\tos.Exit(3)\n}\n"
	running := func() *script { return new(script).start().run("TestA") }
	for _, tt := range []struct {
		name   string
		stream *script
		exit   sdk.Exit
		blamed string
		kind   string
		says   string
		line   int
		status sdk.Status
		suite  sdk.SuiteOutcome
	}{
		{"silent exit", running().died("fail"), red, "TestA", sdk.KindExit, "ended its process", 5, sdk.Failed, sdk.SuiteAborted},
		{"exit status", running().out("", "exit status 7\n").died("fail"), red, "TestA", sdk.KindExit, "exit status 7", 5, sdk.Failed, sdk.SuiteAborted},
		{"log.Fatal", running().out("TestA", "2026/11/21 10:49:08 no database\n").died("fail"), red, "TestA", sdk.KindExit, "no database", 5, sdk.Failed, sdk.SuiteAborted},
		{"log.Fatal with a place", running().out("TestA", "a_test.go:6: no database\n").died("fail"), red, "TestA", sdk.KindExit, "no database", 6, sdk.Failed, sdk.SuiteAborted},
		{"one of two, by its source", running().run("TestExit").out("TestA", "tick\n").died("fail"), red, "TestExit", sdk.KindExit, "ended its process", 8, sdk.Failed, sdk.SuiteAborted},
		{"killed", running().out("TestA", "signal: killed\n").died("fail"), red, "TestA", sdk.KindSignal, "signal: killed", 5, sdk.Unfinished, sdk.SuiteAborted},
		{"killed for its time by go", running().out("TestA", "*** Test killed with quit: ran too long (11m0s).\n").died("fail"), red, "TestA", sdk.KindTimeout, "ran too long", 5, sdk.Unfinished, sdk.SuiteAborted},
		{"killed for its time by the host", running().out("TestA", "signal: killed\n").died("fail"), sdk.Exit{Code: 1, TimedOut: true}, "TestA", sdk.KindTimeout, "time ran out", 5, sdk.Unfinished, sdk.SuiteAborted},
		{"interrupted by the user", running().died("fail"), sdk.Exit{Code: 1, Cancelled: true}, "TestA", sdk.KindSignal, "interrupted", 5, sdk.Unfinished, sdk.SuiteAborted},
		{"SIGQUIT of the host", running().out("TestA", "SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n"+formatStack(6, "sleep", frameInM("TestA", 6), runner)).died("fail"), sdk.Exit{Code: 1, TimedOut: true}, "TestA", sdk.KindTimeout, "time ran out", 6, sdk.Unfinished, sdk.SuiteAborted},
		{"SIGQUIT of somebody", running().out("TestA", "SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n"+formatStack(6, "sleep", frameInM("TestA", 6), runner)).died("fail"), red, "TestA", sdk.KindSignal, "SIGQUIT", 6, sdk.Unfinished, sdk.SuiteAborted},
		{"cut, go killed", running(), sdk.Exit{Code: -1, Signal: "SIGKILL"}, "TestA", sdk.KindSignal, "SIGKILL", 5, sdk.Unfinished, sdk.SuiteUnfinished},
		{"cut, time-out", running(), sdk.Exit{Code: -1, Signal: "SIGKILL", TimedOut: true}, "TestA", sdk.KindTimeout, "time ran out", 5, sdk.Unfinished, sdk.SuiteUnfinished},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(newProject(t, map[string]string{"a_test.go": source}), tt.stream.String(), tt.exit)
			f := got.failure(t, tt.blamed)
			if f.Kind != tt.kind || !strings.Contains(f.Message, tt.says) || f.Location.Line != tt.line {
				t.Errorf("failure is %s %q at %v", f.Kind, f.Message, f.Location)
			}
			if len(got.failures) != 1 {
				t.Errorf("%d failures", len(got.failures))
			}
			if got.status(tt.blamed) != tt.status || got.suites[pkg] != tt.suite {
				t.Errorf("test is %v, suite %v", got.status(tt.blamed), got.suites[pkg])
			}
		})
	}
}

func TestACutRecordingIsUnfinishedOnly(t *testing.T) {
	got := parseStream(recorded, new(script).start().run("TestA").String(), sdk.Exit{Unknown: true})
	if len(got.failures) != 0 || got.status("TestA") != sdk.Unfinished || got.suites[pkg] != sdk.SuiteUnfinished {
		t.Errorf("got %v", got.log)
	}
}

func TestALostFailEventIsSeenInTheText(t *testing.T) {
	got := parseStream(recorded, new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n--- FAIL: TestA (0.00s)\n").completed("fail").String(), red)
	if f := got.failure(t, "TestA"); f.Message != "bad" || got.status("TestA") != sdk.Failed {
		t.Errorf("failure %q, test %v", f.Message, got.status("TestA"))
	}
}

func TestSuitesThatFailOutsideOfTests(t *testing.T) {
	source := "package m\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {\n}\n"
	passed := func() *script { return new(script).start().run("TestA").end("pass", "TestA").out("", "PASS\n") }
	for _, tt := range []struct {
		name   string
		stream *script
		kind   string
		says   string
		line   int
		suite  sdk.SuiteOutcome
	}{
		{"red after the tests", passed().out("", "leaked a thing\n"), sdk.KindExit, "leaked a thing", 5, sdk.SuiteFailedOutsideTests},
		{"silent after the tests", passed(), sdk.KindExit, "after its tests had passed", 5, sdk.SuiteFailedOutsideTests},
		{"red before the tests", new(script).start().out("", "setup failed: no database\n"), sdk.KindSetup, "setup failed: no database", 5, sdk.SuiteAborted},
		{"silent before the tests", new(script).start().out("", "exit status 7\n"), sdk.KindSetup, "exit status 7", 5, sdk.SuiteAborted},
		{"goleak", passed().out("", "goleak: found unexpected goroutines:\n[Goroutine 19 in state sleep\ntime.Sleep(0x1)\n\t/usr/local/go/src/runtime/time.go:363 +0x1\n"+
			"example.com/m.TestA.func1()\n\t/src/m/a_test.go:9 +0x1d\n]\n"), sdk.KindExit, "goleak", 9, sdk.SuiteFailedOutsideTests},
		{"coverage is no reason", passed().out("", "coverage: 10.0% of statements\n"), sdk.KindExit, "after its tests had passed", 5, sdk.SuiteFailedOutsideTests},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(newProject(t, map[string]string{"a_test.go": source}), tt.stream.died("fail").String(), red)
			f := got.failure(t, "")
			if f.Kind != tt.kind || !strings.Contains(f.Message, tt.says) || f.Location.Line != tt.line || f.Suite != pkg {
				t.Errorf("failure is %s %q at %v", f.Kind, f.Message, f.Location)
			}
			if got.suites[pkg] != tt.suite {
				t.Errorf("suite is %v, want %v", got.suites[pkg], tt.suite)
			}
		})
	}
}

func TestATestThatHangsSaysWhatItWaitsFor(t *testing.T) {
	for state, want := range map[string]string{"chan receive, 2 minutes": "chan receive, 2 minutes", "sleep": "sleep", "running": "", "runnable, locked to thread": "", "syscall": ""} {
		stream := new(script).start().run("TestA").
			out("TestA", "panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\n"+formatStack(6, state, frameInM("TestA", 9), runner)).died("fail")
		if f := parseStream(recorded, stream.String(), red).failure(t, "TestA"); f.BlockedOn != want {
			t.Errorf("%s: blocked on %q", state, f.BlockedOn)
		}
	}
}
