package parse

import (
	"reflect"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// coveringRun returns a run that measures coverage.
func coveringRun(args ...string) sdk.RunInfo {
	return sdk.RunInfo{Command: sdk.Command{Argv: append([]string{"go", "test", "-json"}, args...)}}
}

func TestBuildErrorsHaveNoColumnOfTheFileWithCounters(t *testing.T) {
	for _, test := range []struct {
		run    sdk.RunInfo
		text   string
		column int
	}{
		{coveringRun(), "./a.go:3:23: undefined: x\n", 23},
		{coveringRun("-cover=false"), "./a.go:3:23: undefined: x\n", 23},
		{coveringRun("-coverprofile=x"), "./a.go:3:174: undefined: x\n", 0},
		{coveringRun("-cover"), "./a_test.go:3:23: undefined: x\n", 23},
		{coveringRun("-cover"), "# [" + pkg + "]\nvet: ./a.go:3:22: format %d has arg x\n", 22},
	} {
		stream := new(script).build(pkg, "# "+pkg+"\n"+test.text).buildFail(pkg).notBuilt(pkg, noteBuildFailed, pkg)
		got := parseStream(test.run, stream.String(), sdk.Exit{Code: 1}).failure(t, "")
		if got.Location.Line != 3 || got.Location.Column != test.column {
			t.Errorf("%v %q: place is %+v, want column %d", test.run.Command.Argv, test.text, got.Location, test.column)
		}
	}
}

func TestLastOutputIsThatOfTheTestAndNotOfItsCoverage(t *testing.T) {
	for _, test := range []struct {
		run        sdk.RunInfo
		text, want string
	}{
		{coveringRun("-cover"), "giving up\nprogram not built with -cover\n", "giving up"},
		{coveringRun("-cover"), "giving upprogram not built with -cover\n", "giving up"},
		{coveringRun(), "giving up\nprogram not built with -cover\n", "program not built with -cover"},
	} {
		stream := new(script).start().run("TestA").out("TestA", test.text).out("", "FAIL\t"+pkg+"\t0.01s\n").died("fail")
		if got := parseStream(test.run, stream.String(), sdk.Exit{Code: 1}).failure(t, "TestA"); got.Message != "the test ended its process; its last output: "+test.want && got.Message != test.want {
			t.Errorf("%q: message is %q", test.text, got.Message)
		}
	}
}

func TestSuiteThatFailsOnlyBecauseItIsMeasuredSaysSo(t *testing.T) {
	const report = "error generating coverage report: write |1: file already closed"
	for _, test := range []struct {
		run  sdk.RunInfo
		want string
	}{
		{coveringRun("-coverprofile=x"), report + "\n" + byCoverage},
		{coveringRun(), report},
	} {
		stream := new(script).start().run("TestA").end("pass", "TestA").out("", report+"\n").died("fail")
		if got := parseStream(test.run, stream.String(), sdk.Exit{Code: 1}).failure(t, ""); got.Message != test.want {
			t.Errorf("%v: message is %q, want %q", test.run.Command.Argv, got.Message, test.want)
		}
	}
}

func TestFlagsAreReadUpToTheArgumentsOfTheTests(t *testing.T) {
	for _, test := range []struct {
		args []string
		want flags
	}{
		{[]string{"-v", "-fullpath", "-count=3"}, flags{verbose: true, fullpath: true}},
		{[]string{"--test.v", "-v=false", "-fullpath=false", "-count", "1"}, flags{}},
		{[]string{"-count", "2", "-cpu=1"}, flags{kept: []string{"-cpu=1"}}},
		{[]string{"-cpu", "1,2"}, flags{kept: []string{"-cpu", "1,2"}}},
		{[]string{"-run", "v", "count", "race"}, flags{}},
		{[]string{"-tags", "x", "-race", "-run=Y", "-mod=mod", "./..."}, flags{kept: []string{"-tags", "x", "-race", "-mod=mod"}}},
		{[]string{"-tags"}, flags{kept: []string{"-tags"}}},
		{[]string{"-args", "-v", "-race", "-count=2"}, flags{}},
	} {
		if got := readFlags(test.args); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %+v, want %+v", test.args, got, test.want)
		}
	}
}

func TestTestsRepeatByCountOrByProcessors(t *testing.T) {
	for _, test := range []struct {
		variable string
		args     []string
		want     bool
	}{
		{"", nil, false}, {"", []string{"-count=1", "-cpu=4"}, false}, {"", []string{"-count", "3"}, true}, {"", []string{"-test.count=3"}, true},
		{"", []string{"-count=1", "-cpu=1,2"}, true}, {"", []string{"-cpu", "1,2", "-count=1"}, true}, {"", []string{"-cpu=1,2", "-cpu=1"}, false},
		{"-cpu=1,2", []string{"-count=1"}, true}, {"-count=2", nil, true}, {"-count=2", []string{"-count=1"}, false},
		{"", []string{"-args", "-count=2", "-cpu=1,2"}, false},
	} {
		run := coveringRun(test.args...)
		run.Workspace.Env = map[string]string{"GOFLAGS": test.variable}
		if s := readSelection(run); !s.known || s.repeats() != test.want {
			t.Errorf("GOFLAGS=%s %q: %v", test.variable, test.args, !test.want)
		}
	}
}
