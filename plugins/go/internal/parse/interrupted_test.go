package parse

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestAnInterruptedBuildIsNoFailedOne(t *testing.T) {
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
	// A tool that is written in Go dumps its stacks, which name files.
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
			got := parse(recorded, tt.stream, tt.exit)
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

// What is not built yet when the time is up says nothing of another package, which
// cannot be built.
func TestATimeOutHidesNoFailedBuild(t *testing.T) {
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
	got := parse(recorded, s.String(), sdk.Exit{Code: 1, TimedOut: true})
	if got.suites["example.com/m/bad"] != sdk.SuiteBuildFailed || got.suites["example.com/m/slow"] != sdk.SuiteUnfinished ||
		len(got.failures) != 1 || got.failures[0].Suite != "example.com/m/bad" {
		t.Errorf("%v", got.log)
	}
}

// A package that no test of the run belongs to is built for one, too.
func TestABuildThatTheTimeOutEndedIsATimeOut(t *testing.T) {
	t.Parallel()
	s := new(script)
	s.event("ImportPath", pkg, "Action", "build-output", "Output", "SIGQUIT: quit\n")
	s.event("ImportPath", pkg, "Action", "build-output", "Output", "PC=0x49feb7 m=1 sigcode=0\n")
	s.event("ImportPath", pkg, "Action", "build-fail")
	got := parse(recorded, s.String(), sdk.Exit{Code: 1, TimedOut: true})
	if len(got.failures) != 1 || got.failures[0].Kind != sdk.KindTimeout || len(got.failures[0].Repro.Argv) > 0 {
		t.Errorf("%v", got.log)
	}
}
