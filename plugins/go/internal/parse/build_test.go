package parse

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func (s *script) build(importPath, text string) *script {
	for line := range strings.Lines(text) {
		s.event("ImportPath", importPath, "Action", "build-output", "Output", line)
	}
	return s
}

func (s *script) buildFail(importPath string) *script {
	return s.event("ImportPath", importPath, "Action", "build-fail")
}

func (s *script) notBuilt(name, note, failedBuild string) *script {
	s.event("Action", "start", "Package", name)
	s.event("Action", "output", "Package", name, "Output", "FAIL\t"+name+" ["+note+"]\n")
	return s.event("Action", "fail", "Package", name, "Elapsed", 0, "FailedBuild", failedBuild)
}

const importCycleText = "package " + pkg + "\n\timports " + pkg + "/b from a.go\n\timports " + pkg + " from b.go: import cycle not allowed\n"

func TestBuildFailures(t *testing.T) {
	const test = pkg + " [" + pkg + ".test]"
	for _, tt := range []struct {
		name      string
		stream    *script
		owner     string
		kind      string
		message   string
		line, col int
		also      int
		blocks    []string
	}{
		{"compile error that blocks others", new(script).build(pkg, "# "+pkg+"\n./a.go:3:23: undefined: x\n").buildFail(pkg).
			notBuilt(pkg, noteBuildFailed, pkg).notBuilt(pkg+"/dep", noteBuildFailed, pkg),
			pkg, sdk.KindBuild, "undefined: x", 3, 23, 0, []string{pkg + "/dep"}},
		{"the same error twice", new(script).build(pkg, "# "+pkg+"\n./a.go:3:23: undefined: x\n").buildFail(pkg).
			build(test, "# "+test+"\n./a.go:3:23: undefined: x\n").buildFail(test).notBuilt(pkg, noteBuildFailed, test),
			pkg, sdk.KindBuild, "undefined: x", 3, 23, 0, nil},
		{"an import cycle, repeated for each package", new(script).build(pkg, "# "+pkg+"\n"+importCycleText).buildFail(pkg).notBuilt(pkg, noteSetupFailed, pkg).
			build(pkg, "# "+pkg+"/b\n"+importCycleText).buildFail(pkg).notBuilt(pkg+"/b", noteSetupFailed, pkg).
			build(pkg, "# "+pkg+"/importer\n"+importCycleText).buildFail(pkg).notBuilt(pkg+"/importer", noteSetupFailed, pkg),
			pkg, sdk.KindSetup, "import cycle not allowed\npackage " + pkg + "\n\timports " + pkg + "/b from a.go\n\timports " + pkg + " from b.go", 0, 0, 0, []string{pkg + "/b", pkg + "/importer"}},
		{"several errors", new(script).build(test, "# "+test+"\n./a.go:3:2: one\n\thave (int)\n./a.go:4:2: two\n./a.go:4:2: too many errors\n").buildFail(test).
			notBuilt(pkg, noteBuildFailed, test),
			pkg, sdk.KindBuild, "one\n\thave (int)", 3, 2, 1, nil},
		{"external test package", new(script).build(pkg+"_test ["+pkg+".test]", "# "+pkg+"_test ["+pkg+".test]\n./a_test.go:5:2: undefined: x\n").
			buildFail(pkg+"_test ["+pkg+".test]").notBuilt(pkg, noteBuildFailed, pkg+"_test ["+pkg+".test]"),
			pkg, sdk.KindBuild, "undefined: x", 5, 2, 0, nil},
		{"vet", new(script).build(test, "# "+pkg+"\n# ["+pkg+"]\n./a_test.go:6:14: Printf format %d has arg x of wrong type\n").buildFail(test).notBuilt(pkg, noteBuildFailed, test),
			pkg, sdk.KindVet, "Printf format %d has arg x of wrong type", 6, 14, 0, nil},
		{"vet of the external test package", new(script).build(pkg+"_test ["+pkg+".test]", "# "+pkg+"_test\n# ["+pkg+"_test]\n./a_test.go:6:14: bad\n").
			buildFail(pkg+"_test ["+pkg+".test]").notBuilt(pkg, noteBuildFailed, pkg+"_test ["+pkg+".test]"),
			pkg, sdk.KindVet, "bad", 6, 14, 0, nil},
		{"vet cannot compile", new(script).build(test, "# "+pkg+"\nvet: ./a_test.go:6:14: undefined: x\n").buildFail(test).notBuilt(pkg, noteBuildFailed, test),
			pkg, sdk.KindBuild, "undefined: x", 6, 14, 0, nil},
		{"cgo looks like vet", new(script).build(pkg, "# "+pkg+"\n# ["+pkg+"]\n./a.go:6:14: error: expected ';'\n").buildFail(pkg).notBuilt(pkg, noteBuildFailed, pkg),
			pkg, sdk.KindBuild, "error: expected ';'", 6, 14, 0, nil},
		{"wrong signature, absolute path", new(script).build(pkg+".test", "# "+pkg+"\n/nowhere/a_test.go:5:1: wrong signature for TestA\n").buildFail(pkg+".test").notBuilt(pkg, noteSetupFailed, pkg+".test"),
			pkg, sdk.KindBuild, "wrong signature for TestA", 5, 1, 0, nil},
		{"missing package: FailedBuild names another", new(script).build("example.com/gone", "# "+pkg+"\n./a_test.go:3:8: no required module provides package example.com/gone\n").buildFail("example.com/gone").notBuilt(pkg, noteSetupFailed, "example.com/gone"),
			pkg, sdk.KindSetup, "no required module provides package example.com/gone", 3, 8, 0, nil},
		{"import error without a place", new(script).build(pkg+"/x", "# "+pkg+"\npackage "+pkg+"\n\timports "+pkg+"/x: build constraints exclude all Go files in /x\n").buildFail(pkg+"/x").notBuilt(pkg, noteSetupFailed, pkg+"/x"),
			pkg, sdk.KindSetup, "build constraints exclude all Go files in /x\npackage " + pkg + "\n\timports " + pkg + "/x", 4, 0, 0, nil},
		{"linker", new(script).build(pkg+".test", "# "+pkg+".test\n/usr/bin/ld: cannot find -lnothing\n").buildFail(pkg+".test").notBuilt(pkg, noteBuildFailed, pkg+".test"),
			pkg, sdk.KindBuild, "/usr/bin/ld: cannot find -lnothing", 0, 0, 0, nil},
		{"no output at all", new(script).notBuilt(pkg, noteBuildFailed, ""), pkg, sdk.KindBuild, "build failed", 0, 0, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := newProject(t, map[string]string{"a.go": "package m\n\nimport (\n\t_ \"example.com/m/x\"\n)\n"})
			got := parseStream(run, tt.stream.String(), red)
			if len(got.failures) != 1 {
				t.Fatalf("%d failures: %v", len(got.failures), got.log)
			}
			f := got.failures[0]
			if f.TestID != (sdk.TestID{Suite: tt.owner}) || f.Kind != tt.kind || f.Message != tt.message {
				t.Errorf("failure of %v: %s %q, want %s %q", f.TestID, f.Kind, f.Message, tt.kind, tt.message)
			}
			if f.Location.Line != tt.line || f.Location.Column != tt.col || len(f.Also) != tt.also {
				t.Errorf("place is %v, also %v", f.Location, f.Also)
			}
			if !slices.Equal(f.Blocks, tt.blocks) {
				t.Errorf("blocks %v, want %v", f.Blocks, tt.blocks)
			}
			for name, outcome := range got.suites {
				if outcome != sdk.SuiteBuildFailed {
					t.Errorf("suite %s is %v", name, outcome)
				}
			}
		})
	}
}

func TestBuildWarningsAreNoFailures(t *testing.T) {
	stream := new(script).build(pkg+".test", "# "+pkg+".test\nld: warning: something\n").start().run("TestA").end("pass", "TestA").completed("pass")
	if got := parseStream(recorded, stream.String(), sdk.Exit{}); len(got.failures) != 0 {
		t.Errorf("got %v", got.log)
	}
}

// Before Go 1.24 build errors are text on standard error.
func TestBuildErrorsOnStandardError(t *testing.T) {
	run := newProject(t, map[string]string{
		"x/x.go": "package x\n", "y/y.go": "package y\n",
		"ux/u.go":  "package ux\n\nimport _ \"example.com/m/x\"\n",
		"uux/u.go": "package uux\n\nimport _ \"example.com/m/ux\"\n",
	})
	sink := &seen{}
	p := New(Config{Run: run}, sink)
	p.Write(sdk.Stderr, []byte("go: downloading example.com/z v1.0.0\n# example.com/m/x\nx/x.go:1:9: broken x\n# example.com/m/y\nvet: y/y.go:1:9: broken y\n"))
	p.Write(sdk.Stdout, []byte("FAIL\texample.com/m/x [build failed]\nFAIL\texample.com/m/uux [build failed]\n"))
	p.Write(sdk.Stdout, []byte(new(script).notBuilt(pkg+"/y", noteBuildFailed, "").start().run("TestA").end("pass", "TestA").completed("pass").String()))
	p.Close(red)
	if len(sink.failures) != 2 {
		t.Fatalf("got %v", sink.log)
	}
	x := sink.failures[0]
	if x.Suite != pkg+"/x" || x.Location.File != "x/x.go" || x.Message != "broken x" || !slices.Equal(x.Blocks, []string{pkg + "/uux"}) {
		t.Errorf("first failure is %+v", x)
	}
	if sink.suites[pkg+"/uux"] != sdk.SuiteBuildFailed || sink.suites[pkg] != sdk.SuitePassed {
		t.Errorf("suites are %v", sink.suites)
	}
	if len(sink.errors) != 0 || len(sink.unread) != 0 {
		t.Errorf("run errors %q, unread %v", sink.errors, sink.unread)
	}
}

func TestVetErrorsOfExternalTestsOnStandardError(t *testing.T) {
	sink := &seen{}
	p := New(Config{Run: recorded}, sink)
	p.Write(sdk.Stderr, []byte("# "+pkg+"_test\n./a_test.go:5:28: Printf format %d has arg x of wrong type\n"))
	p.Write(sdk.Stdout, []byte(new(script).notBuilt(pkg, noteBuildFailed, "").String()))
	p.Close(red)
	if f := sink.failure(t, ""); f.Suite != pkg || f.Kind != sdk.KindVet || len(f.Blocks) != 0 {
		t.Errorf("failure is %+v", f)
	}
}

func TestBuildPathsAreRelativeToWhereTheCommandRan(t *testing.T) {
	run := newProject(t, map[string]string{"go.mod": "module example.com/top\n", "sub/go.mod": "module " + pkg + "\n", "sub/a.go": "package m\n"})
	run.Command.Dir = "sub"
	got := parseStream(run, new(script).build(pkg, "# "+pkg+"\n./a.go:1:1: bad\n").buildFail(pkg).notBuilt(pkg, noteBuildFailed, pkg).String(), red)
	if f := got.failure(t, ""); f.Location.File != "sub/a.go" || f.Repro.Dir != "sub" {
		t.Errorf("place is %v, reproduced in %q", f.Location, f.Repro.Dir)
	}
}

func TestBuildOutputIsBounded(t *testing.T) {
	s := new(script)
	for range 100 {
		s.build(pkg, "# "+pkg+"\n"+strings.Repeat("./a.go:1:1: "+strings.Repeat("x", 8000)+"\n./a.go:2:1: y\n", 5))
	}
	got := parseStream(recorded, s.buildFail(pkg).notBuilt(pkg, noteBuildFailed, pkg).String(), red)
	if f := got.failure(t, ""); len(f.Message) > maxMessage || len(f.Output) > 200<<10 {
		t.Errorf("message of %d bytes, excerpt of %d", len(f.Message), len(f.Output))
	}
}

func TestAnInterruptedBuildHasNotFailed(t *testing.T) {
	t.Parallel()
	const stopped = pkg + ".test: /go/pkg/tool/linux_amd64/link: signal: interrupt\n"
	stream := func(said ...string) string {
		s := new(script)
		for _, text := range said {
			s.event("ImportPath", pkg+".test", "Action", "build-output", "Output", text)
		}
		s.event("ImportPath", pkg+".test", "Action", "build-fail").start()
		s.out("", "FAIL\t"+pkg+" [build failed]\n")
		return s.event("Action", "fail", "Package", pkg, "Elapsed", 0, "FailedBuild", pkg+".test").String()
	}
	// A tool written in Go dumps its stacks, which name files.
	dump := []string{"SIGQUIT: quit\n", "PC=0x49feb7 m=1 sigcode=0\n", "\n", "goroutine 1 [runnable]:\n", "cmd/compile/internal/gc.Main(0xc0000)\n", "\t./a.go:38 +0x45\n"}
	interrupted := sdk.Exit{Code: 1, Cancelled: true}
	for _, tt := range []struct {
		name    string
		stream  string
		exit    sdk.Exit
		want    sdk.SuiteOutcome
		reports int
	}{
		{"by the user", stream(stopped), interrupted, sdk.SuiteUnfinished, 0},
		{"by the time-out", stream(stopped), sdk.Exit{Code: 1, TimedOut: true}, sdk.SuiteUnfinished, 0},
		{"with a dump", stream(dump...), sdk.Exit{Code: 1, TimedOut: true}, sdk.SuiteUnfinished, 0},
		{"with a dump for nobody", stream(dump...), red, sdk.SuiteBuildFailed, 1},
		{"with an error behind the dump", stream(append(dump, "./a.go:3:1: undefined: x\n")...), sdk.Exit{Code: 1, TimedOut: true}, sdk.SuiteBuildFailed, 1},
		{"of a tool that is not Go's", stream(pkg + ": /usr/bin/gcc: signal: quit (core dumped)\n"), sdk.Exit{Code: 1, TimedOut: true}, sdk.SuiteUnfinished, 0},
		{"by nobody that is known", stream(stopped), red, sdk.SuiteBuildFailed, 1},
		{"of a recording", stream(stopped), sdk.Exit{Unknown: true}, sdk.SuiteBuildFailed, 1},
		{"beside an error", stream("./a.go:3:1: undefined: x\n", stopped), interrupted, sdk.SuiteBuildFailed, 1},
		{"an error before the interrupt", stream("./a.go:3:1: undefined: x\n"), interrupted, sdk.SuiteBuildFailed, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := parseStream(recorded, tt.stream, tt.exit)
			builds := 0
			for _, f := range got.failures {
				if f.Kind == sdk.KindBuild {
					builds++
				}
			}
			if got.suites[pkg] != tt.want || builds != tt.reports {
				t.Errorf("the suite is %v, want %v; %d build failures, want %d\n%v", got.suites[pkg], tt.want, builds, tt.reports, got.log)
			}
		})
	}
}

// A recording may lack what was printed about a build, or its last line's end.
func TestAFailedBuildWithoutWordsIsReported(t *testing.T) {
	t.Parallel()
	for name, output := range map[string]string{
		"nothing": "", "no whole line": "a.go:3:1: undefined: x", "no whole heading": "# " + pkg, "a heading": "# " + pkg + "\n",
		"a heading and no whole line": "# " + pkg + "\na.go:3:1: undefined: x",
	} {
		s := new(script)
		if output != "" {
			s.build(pkg, output)
		}
		s.buildFail(pkg).buildFail("\x00stderr")
		for _, exit := range []sdk.Exit{{Code: 1}, {Unknown: true}} {
			got := parseStream(recorded, s.String(), exit)
			if len(got.failures) != 1 || got.failures[0].Suite != pkg || got.failures[0].Kind != sdk.KindBuild {
				t.Errorf("%s: %v", name, got.log)
			}
		}
	}
}

// A package that cannot be built is reported, even if another one was still being built
// at the timeout.
func TestATimeoutHidesNoFailedBuild(t *testing.T) {
	t.Parallel()
	s := new(script)
	s.event("ImportPath", "example.com/m/bad", "Action", "build-output", "Output", "bad/a.go:3:1: undefined: x\n")
	s.event("ImportPath", "example.com/m/bad", "Action", "build-fail")
	s.event("ImportPath", "example.com/m/slow", "Action", "build-output", "Output", "SIGQUIT: quit\n")
	s.event("ImportPath", "example.com/m/slow", "Action", "build-output", "Output", "PC=0x49feb7 m=1 sigcode=0\n")
	s.event("ImportPath", "example.com/m/slow", "Action", "build-fail")
	for _, name := range []string{"bad", "slow"} {
		s.event("Action", "fail", "Package", "example.com/m/"+name, "Elapsed", 0, "FailedBuild", "example.com/m/"+name)
	}
	got := parseStream(recorded, s.String(), sdk.Exit{Code: 1, TimedOut: true})
	if got.suites["example.com/m/bad"] != sdk.SuiteBuildFailed || got.suites["example.com/m/slow"] != sdk.SuiteUnfinished ||
		len(got.failures) != 1 || got.failures[0].Suite != "example.com/m/bad" {
		t.Errorf("%v", got.log)
	}
}

// Packages that no test of the run belongs to are built for tests, too.
func TestABuildEndedByTheTimeoutIsATimeout(t *testing.T) {
	t.Parallel()
	s := new(script)
	s.event("ImportPath", pkg, "Action", "build-output", "Output", "SIGQUIT: quit\n")
	s.event("ImportPath", pkg, "Action", "build-output", "Output", "PC=0x49feb7 m=1 sigcode=0\n")
	s.event("ImportPath", pkg, "Action", "build-fail")
	got := parseStream(recorded, s.String(), sdk.Exit{Code: 1, TimedOut: true})
	if len(got.failures) != 1 || got.failures[0].Kind != sdk.KindTimeout || len(got.failures[0].Repro.Argv) > 0 {
		t.Errorf("%v", got.log)
	}
}

// Whoever waits for the run is told the first error at once: the failure comes at the end.
func TestASuiteThatIsNotBuiltSaysWhy(t *testing.T) {
	t.Parallel()
	const test = pkg + " [" + pkg + ".test]"
	events := new(script).
		build(test, "# "+test+"\n./a_test.go:3:5: undefined: x\n./a_test.go:9:5: undefined: y\n").buildFail(test).
		notBuilt(pkg, "build failed", test).notBuilt(pkg+"/b", "build failed", test).notBuilt(pkg+"/c", "setup failed", "")
	got := parseStream(recorded, events.String(), sdk.Exit{Code: 1}).reasons
	const want = "./a_test.go:3:5: undefined: x"
	if got[pkg] != want || got[pkg+"/b"] != want || got[pkg+"/c"] != "" {
		t.Errorf("%q", got)
	}
	cycle := new(script).build(pkg, "# "+pkg+"\n"+importCycleText).buildFail(pkg).notBuilt(pkg, noteSetupFailed, pkg)
	if got := parseStream(recorded, cycle.String(), sdk.Exit{Code: 1}).reasons[pkg]; got != "import cycle not allowed" {
		t.Errorf("of a cycle it says %q", got)
	}
}
