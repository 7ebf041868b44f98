package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

func TestSuiteOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stream *script
		want   sdk.SuiteOutcome
	}{
		{"passed", new(script).start().run("TestA").end("pass", "TestA").completed("pass"), sdk.SuitePassed},
		{"all skipped", new(script).start().run("TestA").end("skip", "TestA").completed("pass"), sdk.SuitePassed},
		{"failed", new(script).start().run("TestA").end("fail", "TestA").completed("fail"), sdk.SuiteFailed},
		{"failed, the code is swallowed", new(script).start().run("TestA").end("fail", "TestA").completed("pass"), sdk.SuiteFailed},
		{"no test files", new(script).start().out("", "?   \texample.com/m\t[no test files]\n").died("skip"), sdk.SuiteNoTests},
		{"no tests to run", new(script).start().out("", "testing: warning: no tests to run\n").completed("pass"), sdk.SuiteNoTests},
		{"TestMain without m.Run", new(script).start().out("", "ok  \texample.com/m\t0.01s\n").died("pass"), sdk.SuiteAborted},
		{"no test files, with -cover", new(script).start().out("", "\texample.com/m\t\tcoverage: 0.0% of statements\n").died("pass"), sdk.SuiteNoTests},
		{"no test files and no functions, with -cover", new(script).start().out("", "\texample.com/m\t\t").died("pass"), sdk.SuiteNoTests},
		{"what another package is said to cover", new(script).start().out("", "\texample.com/other\t\tcoverage: 0.0% of statements\n").died("pass"), sdk.SuiteAborted},
		{"benchmarks were selected and there are none", new(script).start().completed("pass"), sdk.SuiteNoTests},
		{"ended between tests with code 0", new(script).start().run("TestA").end("pass", "TestA").out("", "ok  \texample.com/m\t0.1s\n").died("pass"), sdk.SuiteAborted},
		{"events of tests alone, of a reader before us", new(script).start().run("TestA").end("pass", "TestA").died("pass"), sdk.SuitePassed},
		{"ended early with code 0", new(script).start().run("TestA").died("pass"), sdk.SuiteAborted},
		{"between tests", new(script).start().run("TestA").end("pass", "TestA").died("fail"), sdk.SuiteAborted},
		{"cut", new(script).start(), sdk.SuiteUnfinished},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseStream(recorded, tt.stream.String(), sdk.Exit{Unknown: true}); got.suites[pkg] != tt.want {
				t.Errorf("outcome is %v, want %v", got.suites[pkg], tt.want)
			}
		})
	}
}

func TestSwallowedFailuresAreReported(t *testing.T) {
	got := parseStream(recorded, new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").completed("pass").String(), sdk.Exit{})
	got.failure(t, "TestA")
}

func TestAttemptsAreOneFailure(t *testing.T) {
	attempt := func(s *script, action string) {
		s.run("TestA")
		if action == "fail" {
			s.out("TestA", "    a_test.go:5: bad\n")
		}
		s.end(action, "TestA")
	}
	for _, order := range []string{"pass fail pass", "fail pass pass", "pass pass fail", "fail fail pass"} {
		t.Run(order, func(t *testing.T) {
			run := recorded
			run.Command.Argv = []string{"go", "test", "-json", "-count=3", "./..."}
			s := new(script).start()
			for _, action := range strings.Fields(order) {
				attempt(s, action)
			}
			got := parseStream(run, s.completed("fail").String(), red)
			want := fmt.Sprintf("failed %d of 3", strings.Count(order, "fail"))
			if f := got.failure(t, "TestA"); f.Attributes["attempts"] != want {
				t.Errorf("attempts are %q, want %q", f.Attributes["attempts"], want)
			}
			if f := got.failure(t, "TestA"); (f.Attributes[sdk.TruncatedAttribute] != "") != strings.Contains(want, "failed 2") {
				t.Errorf("a failure without kept output is not reported: %v", f.Attributes)
			}
			if got.status("TestA") != sdk.Failed {
				t.Errorf("the last status is %v", got.status("TestA"))
			}
		})
	}
}

// A test may run again without a flag that says so: a child process may have a test of
// the same name.
func TestAnotherAttemptDoesNotUndoAFailure(t *testing.T) {
	s := new(script).start()
	for _, action := range []string{"fail", "fail", "pass"} {
		s.run("TestA").out("TestA", "    a_test.go:5: bad\n").end(action, "TestA")
		for i := range 2 * settledAfter {
			name := fmt.Sprintf("TestB%d", i)
			s.run(name).end("pass", name)
		}
	}
	got := parseStream(recorded, s.completed("fail").String(), red)
	got.failure(t, "TestA")
	if got.status("TestA") != sdk.Failed {
		t.Errorf("the last status is %v", got.status("TestA"))
	}
}

// Users wait for failures: these must not be held back until the suite ends.
func TestFailuresAreReportedWhileTheSuiteRuns(t *testing.T) {
	sink := &seen{}
	p := New(Config{Run: recorded}, sink)
	p.Write(sdk.Stdout, []byte(new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").String()))
	for i := range settledAfter {
		name := fmt.Sprintf("TestB%d", i)
		p.Write(sdk.Stdout, []byte(new(script).run(name).end("pass", name).String()))
	}
	sink.failure(t, "TestA")
}

func TestHeldFailuresAreBounded(t *testing.T) {
	s := new(script).start().run("TestP")
	for i := range 5000 {
		name := fmt.Sprintf("TestP/%d", i)
		s.run(name).out(name, "    a_test.go:5: bad\n").end("fail", name)
	}
	sink := &seen{}
	p := New(Config{}, sink) // nothing is known about the command, so failures are held longer
	p.Write(sdk.Stdout, []byte(s.String()))
	if held := len(p.suites.running[pkg].held); held > maxHeld {
		t.Errorf("%d failed tests are held", held)
	}
	p.Write(sdk.Stdout, []byte(new(script).end("fail", "TestP").completed("fail").String()))
	p.Close(red)
	if len(sink.failures) != 5000 {
		t.Errorf("%d failures, want 5000", len(sink.failures))
	}
}

func TestStateIsDroppedWithTheTest(t *testing.T) {
	p := New(Config{Run: recorded}, &discard{})
	for i := range 10_000 {
		name := fmt.Sprintf("Test%d", i)
		p.Write(sdk.Stdout, []byte(new(script).start().run(name).out(name, "text\n").end("pass", name).String()))
	}
	s := p.suites.running[pkg]
	if len(s.tests) != 0 || len(s.attempts) != 0 || len(p.settler.idle) > maxIdle {
		t.Errorf("%d tests, %d attempts, %d buffers are held", len(s.tests), len(s.attempts), len(p.settler.idle))
	}
	p.Write(sdk.Stdout, []byte(new(script).completed("pass").String()))
	if len(p.suites.running) != 0 {
		t.Errorf("%d suites are held", len(p.suites.running))
	}
}

func TestAttributesOfATestAreKept(t *testing.T) {
	s := new(script).start().run("TestA").
		event("Action", "attr", "Package", pkg, "Test", "TestA", "Key", "issue", "Value", "17").
		event("Action", "artifacts", "Package", pkg, "Test", "TestA", "Path", "/x").
		end("fail", "TestA").run("TestB").out("TestB", "    b_test.go:5: bad\n").end("fail", "TestB").completed("fail")
	got := parseStream(recorded, s.String(), red)
	if f := got.failure(t, "TestA"); f.Attributes["issue"] != "17" || f.Attributes["artifacts"] != "/x" {
		t.Errorf("attributes are %v", f.Attributes)
	}
	if f := got.failure(t, "TestB"); len(f.Attributes) != 0 {
		t.Errorf("another test has them too: %v", f.Attributes)
	}
}

func TestSkipReasonsAreKept(t *testing.T) {
	s := new(script).start().run("TestA").out("TestA", "    a_test.go:3: looked around\n").out("TestA", "    a_test.go:4: needs a database:\n").
		out("TestA", "        set DB_URL\n").out("TestA", "--- SKIP: TestA (0.00s)\n").end("skip", "TestA").
		run("TestB").out("TestB", "--- SKIP: TestB (0.00s)\n").end("skip", "TestB").
		run("TestC").out("TestC", "    a_test.go:9: no reason\n").out("TestC", "--- PASS: TestC (0.00s)\n").end("pass", "TestC").completed("pass")
	for name, want := range map[string]string{"TestA": "needs a database:\nset DB_URL", "TestB": "", "TestC": ""} {
		for _, r := range parseStream(recorded, s.String(), sdk.Exit{}).tests {
			if r.Test == name && r.Attributes["reason"] != want {
				t.Errorf("%s: %q, want %q", name, r.Attributes["reason"], want)
			}
		}
	}
}

func TestUnknownEventsAreIgnored(t *testing.T) {
	s := new(script).start().run("TestA").
		event("Action", "attr", "Package", pkg, "Test", "TestA", "Key", "k", "Value", "v").
		event("Action", "frobnicate", "Package", pkg, "Test", "TestGhost").
		end("pass", "TestA").completed("pass").
		event("Action", "output", "Package", pkg, "Output", "late\n")
	got := parseStream(recorded, s.String(), sdk.Exit{})
	if len(got.tests) != 1 || len(got.suites) != 1 || got.suites[pkg] != sdk.SuitePassed || len(got.unread) != 0 {
		t.Errorf("got %v", got.log)
	}
}

func TestBenchmarksEndWithTheirResult(t *testing.T) {
	bench := func(s *script, name string) *script {
		return s.run(name).out(name, name+"\n").event("Action", "output", "Package", pkg, "Test", name, "Output", name+"-2 \t").
			event("Action", "output", "Package", pkg, "Test", name, "Output", "       5\t        35.40 ns/op\n")
	}
	passing := bench(bench(new(script).start(), "BenchmarkA").run("BenchmarkP"), "BenchmarkP/x").completed("pass").String()
	got := parseStream(recorded, passing, sdk.Exit{})
	for _, name := range []string{"BenchmarkA", "BenchmarkP", "BenchmarkP/x"} {
		if got.status(name) != sdk.Passed {
			t.Errorf("%s is %v", name, got.status(name))
		}
	}
	if got.suites[pkg] != sdk.SuitePassed {
		t.Errorf("suite is %v", got.suites[pkg])
	}
	failing := bench(new(script).start(), "BenchmarkA").run("BenchmarkB").out("BenchmarkB", "panic: boom\n\n"+formatStack(5, "running", frameInM("BenchmarkB", 6))).died("fail").String()
	got = parseStream(recorded, failing, red)
	if got.status("BenchmarkA") != sdk.Passed || got.status("BenchmarkB") != sdk.Failed {
		t.Errorf("A is %v, B is %v", got.status("BenchmarkA"), got.status("BenchmarkB"))
	}
	if f := got.failure(t, "BenchmarkB"); strings.Join(f.Repro.Argv, " ") != "go test -run ^$ -bench ^BenchmarkB$ example.com/m" {
		t.Errorf("reproduced by %q", f.Repro.Argv)
	}
}

func TestAFailureBeforeALongTestIsReportedInTime(t *testing.T) {
	now := time.Unix(100, 0)
	sink := &seen{}
	p := New(Config{Run: recorded, Now: func() time.Time { return now }}, sink)
	stream := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").run("TestLong")
	p.Write(sdk.Stdout, []byte(stream.String()))
	now = now.Add(settledIn - time.Millisecond)
	if p.Progress(); len(sink.failures) != 0 {
		t.Error("a failure was reported before the process could have panicked")
	}
	now = now.Add(time.Millisecond)
	p.Progress()
	sink.failure(t, "TestA")
	p.Write(sdk.Stdout, []byte(new(script).end("pass", "TestLong").completed("fail").String()))
	p.Close(red)
	sink.failure(t, "TestA")
}

func TestAFailureThatMayBeRepeatedIsHeld(t *testing.T) {
	now := time.Unix(100, 0)
	run := recorded
	run.Command.Argv = []string{"go", "test", "-json", "-count=2", "./..."}
	sink := &seen{}
	p := New(Config{Run: run, Now: func() time.Time { return now }}, sink)
	p.Write(sdk.Stdout, []byte(new(script).start().run("TestA").end("fail", "TestA").run("TestLong").String()))
	now = now.Add(time.Hour)
	if p.Progress(); len(sink.failures) != 0 {
		t.Error("how often it failed is not known yet")
	}
}

func TestASuiteCutShortByFailfastIsNotWhole(t *testing.T) {
	stream := new(script).start().run("TestA").run("TestA/s").out("TestA/s", "    a_test.go:5: bad\n").end("fail", "TestA/s").end("fail", "TestA").completed("fail").String()
	for _, tt := range []struct {
		name   string
		change func(*sdk.RunInfo)
		whole  bool
	}{
		{"without", func(*sdk.RunInfo) {}, true},
		{"off", func(r *sdk.RunInfo) { r.Command.Argv = []string{"go", "test", "-failfast=false"} }, true},
		{"on", func(r *sdk.RunInfo) { r.Command.Argv = []string{"go", "test", "-failfast"} }, false},
		{"on, as the tests know it", func(r *sdk.RunInfo) { r.Command.Argv = []string{"go", "test", "-test.failfast=true"} }, false},
		{"environment", func(r *sdk.RunInfo) { r.Workspace.Env = map[string]string{"GOFLAGS": "-v '-failfast'"} }, false},
		{"overruled environment", func(r *sdk.RunInfo) {
			r.Workspace.Env = map[string]string{"GOFLAGS": "-failfast"}
			r.Command.Argv = []string{"go", "test", "-failfast=0"}
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := recorded
			tt.change(&run)
			got := parseStream(run, stream, red)
			want := sdk.SuiteFailed
			if !tt.whole {
				want = sdk.SuiteAborted
			}
			if got.suites[pkg] != want {
				t.Errorf("outcome is %v, want %v", got.suites[pkg], want)
			}
			if len(got.failures) != 1 {
				t.Errorf("failures are %v", got.failures)
			}
			for _, r := range got.tests {
				if r.Test == "TestA" && r.Ended != tt.whole {
					t.Errorf("ended is %v", r.Ended)
				}
			}
		})
	}
}

func TestFailfastBeforeAPanicInTestMain(t *testing.T) {
	stream := new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA").
		out("", "FAIL\npanic: late\n\ngoroutine 1 [running]:\nexample.com/m.TestMain(0x1)\n\t/x/a_test.go:9 +0x1\n").died("fail").String()
	run := recorded
	run.Command.Argv = []string{"go", "test", "-failfast"}
	for want, r := range map[sdk.SuiteOutcome]sdk.RunInfo{sdk.SuiteFailed: recorded, sdk.SuiteAborted: run} {
		if got := parseStream(r, stream, red); got.suites[pkg] != want {
			t.Errorf("outcome is %v, want %v", got.suites[pkg], want)
		}
	}
}

func TestProgress(t *testing.T) {
	now := time.Unix(100, 0)
	p := New(Config{Run: recorded, Now: func() time.Time { return now }}, &discard{})
	write := func(s *script) { p.Write(sdk.Stdout, []byte(s.String())) }
	write(new(script).start().run("TestDone").end("pass", "TestDone").run("TestSkip").end("skip", "TestSkip").run("TestP").run("TestP/slow"))
	now = now.Add(3 * time.Second)
	write(new(script).run("TestPaused").pause("TestPaused").run("TestQuick"))
	now = now.Add(time.Second)
	got := p.Progress()
	want := []sdk.RunningTest{
		{ID: sdk.TestID{Suite: pkg, Test: "TestP/slow"}, Elapsed: 4 * time.Second},
		{ID: sdk.TestID{Suite: pkg, Test: "TestQuick"}, Elapsed: time.Second},
	}
	if fmt.Sprint(got.Running) != fmt.Sprint(want) || got.RunningTotal != 2 || got.Passed != 1 || got.Skipped != 1 || got.Failed != 0 || got.SuitesDone != 0 || !slices.Equal(got.SuitesRunning, []string{pkg}) {
		t.Errorf("progress is %+v", got)
	}
	for i := range 40 {
		write(new(script).run(fmt.Sprintf("TestMany%d", i)))
	}
	if got = p.Progress(); got.RunningTotal != 42 || len(got.Running) != maxShown {
		t.Errorf("%d of %d running tests are shown", len(got.Running), got.RunningTotal)
	}
	write(new(script).completed("fail"))
	if got = p.Progress(); got.RunningTotal != 0 || got.SuitesDone != 1 || len(got.SuitesRunning) > 0 {
		t.Errorf("after the suite: %+v", got)
	}
}

func TestOutputOfATest(t *testing.T) {
	stream := new(script).start().out("", "setup\n").run("TestA").out("TestA", "a <1>\n").run("TestA/x").out("TestA/x", "x\n").end("pass", "TestA/x").
		out("TestA", "a 2\n").end("pass", "TestA").run("TestAB").out("TestAB", "other\n").end("pass", "TestAB").completed("pass").String()
	for _, tt := range []struct {
		id   sdk.TestID
		want string
	}{
		{sdk.TestID{}, ""},
		{sdk.TestID{Suite: pkg, Test: "TestA/x"}, "=== RUN   TestA/x\nx\n--- PASS: TestA/x (0.00s)\n"},
		{sdk.TestID{Suite: pkg, Test: "TestA"}, "=== RUN   TestA\na <1>\n=== RUN   TestA/x\nx\n--- PASS: TestA/x (0.00s)\na 2\n--- PASS: TestA (0.00s)\n"},
		{sdk.TestID{Suite: "other", Test: "TestA"}, ""},
	} {
		run := recorded
		run.OutputOf = tt.id
		if got := parseStream(run, stream, sdk.Exit{}).output.String(); got != tt.want {
			t.Errorf("output of %v is %q, want %q", tt.id, got, tt.want)
		}
	}
	run := recorded
	run.OutputOf = sdk.TestID{Suite: pkg}
	if got := parseStream(run, stream, sdk.Exit{}).output.String(); !strings.HasPrefix(got, "setup\n=== RUN   TestA\n") || !strings.HasSuffix(got, "PASS\n") {
		t.Errorf("output of the suite is %q", got)
	}
	built := new(script).build(pkg, "# "+pkg+"\n./a.go:1:1: bad\n").build("other", "# other\nx\n").buildFail(pkg).notBuilt(pkg, noteBuildFailed, pkg).String()
	if got := parseStream(run, built, red).output.String(); got != "# example.com/m\n./a.go:1:1: bad\nFAIL\texample.com/m [build failed]\n" {
		t.Errorf("output of a suite that was not built is %q", got)
	}
}

func TestReproductionKeepsTheFlagsThatMatter(t *testing.T) {
	for _, tt := range []struct{ argv, want string }{
		{"go test -json -count=1 -fullpath ./...", "go test -run ^TestA$/^x$ example.com/m"},
		{"go test -json -race -tags=a,b -timeout 5s ./...", "go test -race -tags=a,b -run ^TestA$/^x$ example.com/m"},
		{"go test -tags a,b -short -run Foo ./... -args -race", "go test -tags a,b -short -run ^TestA$/^x$ example.com/m -args -race"},
		{"", "go test -run ^TestA$/^x$ example.com/m"},
	} {
		run := recorded
		run.Command.Argv = strings.Fields(tt.argv)
		got := parseStream(run, new(script).start().run("TestA").run("TestA/x").end("fail", "TestA/x").end("fail", "TestA").completed("fail").String(), red)
		if f := got.failure(t, "TestA/x"); strings.Join(f.Repro.Argv, " ") != tt.want {
			t.Errorf("%q is reproduced by %q, want %q", tt.argv, f.Repro.Argv, tt.want)
		}
	}
}

func TestGluedMarkersOfVerboseRuns(t *testing.T) {
	run := recorded
	run.Command.Argv = []string{"go", "test", "-json", "-v", "./..."}
	s := new(script).start().run("TestA").pause("TestA").run("TestB").pause("TestB").cont("TestA").
		out("TestA", "one === CONT  TestB\n").out("TestA", "two one again === NAME  TestA\n").
		out("TestA", "    a_test.go:14: one is wrong\n--- FAIL: TestA (0.03s)\n").
		out("TestA", "two again === NAME  TestB\n").out("TestA", "    a_test.go:22: two is wrong\n").ended("fail", "TestA").end("fail", "TestB").completed("fail")
	got := parseStream(run, s.String(), red)
	for name, want := range map[string]string{"TestA": "one is wrong", "TestB": "two is wrong"} {
		if f := got.failure(t, name); f.Message != want || len(f.Also) != 0 {
			t.Errorf("%s: %q, also %v", name, f.Message, f.Also)
		}
	}
}

// A test that failed because of a subtest has ended only if something shows that its
// other subtests had their turn. Its own "fail" event does not.
func TestATestFailedByASubtestHasEndedOnlyWithProof(t *testing.T) {
	failed := func() *script {
		return new(script).start().run("TestA").run("TestA/x").out("TestA/x", "    a_test.go:5: bad\n").end("fail", "TestA/x").end("fail", "TestA")
	}
	died := "--- FAIL: TestA (0.00s)\n" + formatPanic("boom", frameInM("TestA.func1", 5))
	failfast := recorded
	failfast.Command.Argv = []string{"go", "test", "-json", "-failfast", "./..."}
	for _, tt := range []struct {
		name   string
		run    sdk.RunInfo
		stream *script
		ended  bool
	}{
		{"every test had its turn", recorded, failed().completed("fail"), true},
		{"another started after it and died", recorded, failed().run("TestB").out("TestB", formatPanic("boom", frameInM("TestB", 5))).ended("fail", "TestB").died("fail"), true},
		{"the process died in the part", recorded, new(script).start().run("TestA").run("TestA/x").end("fail", "TestA/x").out("TestA", died).ended("fail", "TestA").died("fail"), false},
		{"and printed no stacks", recorded, failed().died("fail"), false},
		{"the stream ends with it", recorded, failed(), false},
		{"others run beside it", recorded, new(script).start().run("TestA").pause("TestA").run("TestB").pause("TestB").cont("TestA").cont("TestB").
			run("TestA/x").end("fail", "TestA/x").end("fail", "TestA").out("TestB", formatPanic("boom", frameInM("TestA.func1", 5))).died("fail"), false},
		{"the part ended the test around it", recorded, new(script).start().run("TestA").run("TestA/x").
			out("TestA/x", "    testing.go:1712: test executed panic(nil) or runtime.Goexit: subtest may have called FailNow on a parent test\n").
			end("fail", "TestA/x").end("fail", "TestA").run("TestB").end("pass", "TestB").completed("fail"), false},
		{"-failfast", failfast, failed().completed("fail"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range parseStream(tt.run, tt.stream.String(), red).tests {
				if r.Test == "TestA" && r.Ended != tt.ended {
					t.Errorf("ended is %v, derived %v", r.Ended, r.Derived)
				}
			}
		})
	}
}

// A test that looks at how its parts end may have parts that were never announced.
func TestATestThatChecksItsSubtestsIsUnfinishedIfOneFails(t *testing.T) {
	stream := new(script).start().run("TestA").run("TestA/x").run("TestA/x/y").out("TestA/x/y", "    a_test.go:5: bad\n").
		end("fail", "TestA/x/y").end("fail", "TestA/x").end("fail", "TestA").completed("fail").String()
	const heeding = "package m\n\nfunc steps(t *testing.T) { if t.Failed() { return } }\n\nfunc (s *S) TestX() { if !s.Run(\"y\", f) { return } }\n"
	for name, tt := range map[string]struct {
		body string
		want sdk.Status
	}{
		"itself":                {`if !t.Run("x", f) { return }`, sdk.Unfinished},
		"a part":                {`t.Run("x", func(t *testing.T) { if !t.Run("y", f) { return } })`, sdk.Unfinished},
		"a helper in a file":    {`t.Run("x", f); steps(t)`, sdk.Unfinished},
		"a method of its suite": {`suite.Run(t, new(S))`, sdk.Unfinished},
		"a helper elsewhere":    {`help.Steps(t, f)`, sdk.Unfinished},
		"one behind another":    {`help.Through(t, f)`, sdk.Unfinished},
		"one beside the tests":  {`beside(t, f)`, sdk.Unfinished},
		"what is no test":       {`t.Run("x", f); help.Tool()`, sdk.Failed},
		"nothing":               {`t.Run("x", f); t.Run("z", f)`, sdk.Failed},
		"unreadable":            {`if !t.Run("x", f) {`, sdk.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			run := newProject(t, map[string]string{
				"a_test.go": "package m\n\nimport \"example.com/m/help\"\n\nfunc TestA(t *testing.T) { " + tt.body + " }\n", "b_test.go": heeding,
				"beside.go":         "package m\n\nimport \"testing\"\n\nfunc beside(t *testing.T, f func(*testing.T)) { if t.Run(\"x\", f) { t.Run(\"z\", f) } }\n",
				"help/help.go":      "package help\n\nimport (\n\"testing\"\n\"example.com/m/help/more\"\n)\n\nfunc Steps(t *testing.T, f func(*testing.T)) { if t.Run(\"x\", f) { t.Run(\"z\", f) } }\n\nfunc Through(t *testing.T, f func(*testing.T)) { more.Deep(t, f) }\n",
				"help/more/more.go": "package more\n\nimport \"testing\"\n\nfunc Deep(t *testing.T, f func(*testing.T)) { _ = t.Run(\"x\", f) && t.Run(\"z\", f) }\n",
				"help/tool.go":      "package help\n\nfunc Tool() { if err := app.Run(ctx, nil); err != nil { return } }\n",
			})
			for _, r := range parseStream(run, stream, red).tests {
				want := sdk.Failed
				if r.Test == "TestA" {
					want = tt.want
				}
				if r.Status != want || want == sdk.Unfinished && (r.Derived || r.Ended || !r.Container) {
					t.Errorf("%s: %+v, want %v", r.Test, r, want)
				}
			}
		})
	}
}

// With -failfast no subtest starts after a failure, and a test that would have started
// some passes.
func TestAPassBesideAFailureProvesLittleWithFailfast(t *testing.T) {
	stream := new(script).start().run("TestBefore").end("pass", "TestBefore").
		run("TestA").pause("TestA").run("TestB").pause("TestB").run("TestC").pause("TestC").
		cont("TestC").end("pass", "TestC").cont("TestA").cont("TestB").end("fail", "TestB").end("pass", "TestA").completed("fail").String()
	run := recorded
	run.Command.Argv = []string{"go", "test", "-json", "-failfast", "./..."}
	unfinished := map[string]bool{}
	for _, r := range parseStream(run, stream, red).tests {
		unfinished[r.Test] = unfinished[r.Test] || r.Status == sdk.Unfinished
	}
	if !unfinished["TestA"] || unfinished["TestBefore"] || unfinished["TestC"] {
		t.Errorf("unfinished are %v, want TestA, which ran beside TestB", unfinished)
	}
	for _, r := range parseStream(recorded, stream, red).tests {
		if r.Status == sdk.Unfinished {
			t.Errorf("without -failfast %s is unfinished", r.Test)
		}
	}
}
