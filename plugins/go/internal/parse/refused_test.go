package parse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

// Each test binary prints the same message, with all known flags.
func TestAnUnknownFlagIsOneFailure(t *testing.T) {
	t.Parallel()
	run := recorded
	run.Command.Argv = []string{"go", "test", "-json", "-short", "./...", "-rce", "-args", "x y"}
	s := new(script)
	for _, name := range []string{"m/a", "m/b", "m/c"} {
		said := []string{notDefined + "-rce\n", "Usage of /tmp/go-build1/b001/x.test:\n", "  -test.v\n", "    \tverbose\n", "exit status 2\n", "FAIL\t" + name + "\t0.01s\n"}
		if name == "m/c" {
			said = []string{notDefined + "-rce, says a TestMain\n", "exit status 2\n", "FAIL\t" + name + "\t0.01s\n"}
		}
		s.event("Action", "start", "Package", name)
		for _, text := range said {
			s.event("Action", "output", "Package", name, "Output", text)
		}
		s.event("Action", "fail", "Package", name, "Elapsed", 0.01)
	}
	got := parseStream(run, s.String(), red)
	if len(got.failures) != 2 || got.suites["m/a"] != sdk.SuiteAborted || got.suites["m/b"] != sdk.SuiteAborted {
		t.Fatalf("%v", got.log)
	}
	f := got.failures[1]
	if f.Suite != "m/a" || f.Kind != sdk.KindSetup || f.Message != notDefined+"-rce" || strings.Contains(f.Output, "Usage") {
		t.Errorf("%+v", f)
	}
	if diff := cmp.Diff([]string{"m/b"}, f.Blocks); diff != "" {
		t.Errorf("the other suites differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"go", "test", "-short", "m/a", "-rce", "-args", "x y"}, f.Repro.Argv); diff != "" {
		t.Errorf("the command differs (-want +got):\n%s", diff)
	}
}

// Messages of go and of test binaries about the user's arguments are rejections; those
// about the project are not.
func TestARefusalIsAboutTheArgumentsOfTheCommand(t *testing.T) {
	t.Parallel()
	event := func(name, action, output string) string {
		s := new(script)
		s.event("Action", action, "Package", name, "Output", output)
		return s.String()
	}
	binary := func(words ...string) string {
		text := event("m/a", "start", "")
		for _, w := range append(words, "FAIL\tm/a\t0.01s\n") {
			text += event("m/a", "output", w)
		}
		return text + event("m/a", "fail", "")
	}
	unloaded := func(name, words string) string {
		s := new(script)
		s.event("ImportPath", name, "Action", "build-output", "Output", "# "+name+"\n")
		s.event("ImportPath", name, "Action", "build-output", "Output", words+"\n")
		s.event("ImportPath", name, "Action", "build-fail")
		s.event("Action", "start", "Package", name)
		s.event("Action", "output", "Package", name, "Output", "FAIL\t"+name+" [setup failed]\n")
		s.event("Action", "fail", "Package", name, "FailedBuild", name)
		return s.String()
	}
	for name, c := range map[string]struct {
		args           []string
		stdout, stderr string
		want           string
	}{
		"value":              {args: []string{"-count=x"}, stderr: "invalid value \"x\" for flag -count: parse error\nusage: go test [x]\nRun 'go help'\n", want: "invalid value \"x\" for flag -count: parse error"},
		"sentence":           {args: []string{"-p", "0"}, stderr: "go: -p must be a positive integer: 0\n", want: "go: -p must be a positive integer: 0"},
		"mode":               {args: []string{"-mod=x"}, stderr: "-mod=x not supported (can be '', 'mod', 'readonly', or 'vendor')\n", want: "-mod=x not supported (can be '', 'mod', 'readonly', or 'vendor')"},
		"no cgo":             {args: []string{"-race"}, stderr: "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1\n", want: "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1"},
		"not the user's":     {stderr: "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1\n"},
		"GOFLAGS":            {args: []string{"-short"}, stderr: "go: parsing $GOFLAGS: unknown flag -nosuch\n"},
		"go.mod and a flag":  {args: []string{"-mod=readonly"}, stderr: "go: updates to go.mod needed, disabled by -mod=readonly\n"},
		"vendor and a flag":  {args: []string{"-mod=vendor"}, stderr: "go: inconsistent vendoring in /m: -mod=vendor\n"},
		"broken go.mod":      {args: []string{"-race"}, stderr: "go: errors parsing go.mod:\ngo.mod:5: unknown directive: requirre\n"},
		"no file":            {args: []string{"-modfile=no.mod"}, stderr: "go: open no.mod: no such file or directory\n", want: "go: open no.mod: no such file or directory"},
		"pattern":            {args: []string{"x.org/..."}, stderr: "go: warning: \"x.org/...\" matched no packages\nno packages to test\n", want: "go: warning: \"x.org/...\" matched no packages\nno packages to test"},
		"every package":      {args: []string{"-race", "./..."}, stderr: "go: warning: \"./...\" matched no packages\nno packages to test\n"},
		"package":            {args: []string{"x.org/p"}, stdout: unloaded("x.org/p", "no required module provides package x.org/p; to add it:"), want: "no required module provides package x.org/p; to add it:"},
		"dependency":         {args: []string{"m/a"}, stdout: unloaded("m/a", "a.go:3:8: no required module provides package x.org/p; to add it:")},
		"test binary":        {args: []string{"./...", "-rce"}, stdout: binary(notDefined+"-rce\n", "Usage of x.test:\n"), want: notDefined + "-rce"},
		"behind -args":       {args: []string{"./...", "-args", "-rce"}, stdout: binary(notDefined+"-rce\n", "Usage of x.test:\n"), want: notDefined + "-rce"},
		"flags read early":   {args: []string{"./...", "-race"}, stdout: binary(notDefined+"-test.paniconexit0\n", "Usage of x.test:\n")},
		"testing":            {args: []string{"-cpu=0", "./..."}, stdout: binary("testing: invalid value \"0\" for -test.cpu\n"), want: "testing: invalid value \"0\" for -test.cpu"},
		"TestMain":           {args: []string{"./...", "-args", "-x"}, stdout: binary("no database\n")},
		"no program":         {args: []string{"-exec", "no such"}, stdout: binary("exec: \"no\": executable file not found in $PATH\n"), want: "exec: \"no\": executable file not found in $PATH"},
		"another's program":  {args: []string{"-exec", "wrap"}, stdout: binary("exec: \"docker\": executable file not found in $PATH\n")},
		"a recording's flag": {stderr: "invalid value \"x\" for flag -count: parse error\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := recorded
			run.Command.Argv = append([]string{"go", "test", "-json", "-fullpath"}, c.args...)
			sink := &refusalSink{}
			p := New(Config{Run: run}, sink)
			p.Write(sdk.Stdout, []byte(c.stdout))
			p.Write(sdk.Stderr, []byte(c.stderr))
			p.Close(red)
			if got := strings.Join(sink.refusals, "|"); got != c.want {
				t.Errorf("refused is %q, want %q", got, c.want)
			}
			if len(sink.failures)+len(sink.errors) == 0 {
				t.Error("a red run has no failure")
			}
		})
	}
}

type refusalSink struct {
	seen
	refusals []string
}

func (s *refusalSink) Refused(r sdk.Refusal) { s.refusals = append(s.refusals, r.Words) }
