package parse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

// Each test binary says the same of it, with all flags that there are.
func TestAFlagThatNobodyKnowsIsOneFailure(t *testing.T) {
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
	got := parse(run, s.String(), red)
	if len(got.failures) != 2 || got.suites["m/a"] != sdk.SuiteAborted || got.suites["m/b"] != sdk.SuiteAborted {
		t.Fatalf("%v", got.log)
	}
	f := got.failures[1]
	if f.ID.Suite != "m/a" || f.Kind != sdk.KindSetup || f.Message != notDefined+"-rce" || strings.Contains(f.Output, "Usage") {
		t.Errorf("%+v", f)
	}
	if diff := cmp.Diff([]string{"m/b"}, f.Blocks); diff != "" {
		t.Errorf("the other suites differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"go", "test", "-short", "m/a", "-rce", "-args", "x y"}, f.Repro.Argv); diff != "" {
		t.Errorf("the command differs (-want +got):\n%s", diff)
	}
}
