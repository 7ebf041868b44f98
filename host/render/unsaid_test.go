package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

func TestARunErrorIsReportedEvenIfSomethingElseDecided(t *testing.T) {
	run := api.Run{
		Verdict: api.BuildFailed, Reason: "1 build or setup failure, and 1 failure in what did run",
		RunError: "Could not find 'gone.test.mjs'\nno such \x1b[31mmodule",
		Failures: []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a", Test: "t"}, Kind: "assertion", Message: "no"}}}, FailuresTotal: 1,
	}
	want := "note: the runner reported an error: Could not find 'gone.test.mjs'\n      no such module\nbuild_failed: "
	for name, style := range map[string]render.Style{"ordinary": {}, "quiet": {Quiet: true}, "verbose": {Verbose: true}} {
		if got := render.Summary(run, style); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant in it:\n%s", name, got, want)
		}
	}
	run.RunError = strings.Repeat("line\n", 100) + "last"
	if got := render.Summary(run, render.Style{}); strings.Count(got, "\n      line") > concise.Lines || !strings.Contains(got, "lines more") {
		t.Errorf("not shortened:\n%s", got)
	}
}

func TestARunErrorIsNotReportedTwice(t *testing.T) {
	reason := api.Run{Verdict: api.Incomplete, Reason: "the runner reported an error: no module\nat all", RunError: "no module\nat all"}
	failure := api.Run{Verdict: api.BuildFailed, Reason: "1 build or setup failure", RunError: "no module", Failures: []api.Failure{{Failure: sdk.Failure{Kind: "setup", Message: "no module"}}}}
	placed := failure
	placed.RunError = "go: errors parsing go.mod:\ngo.mod:6: no module"
	placed.Failures = []api.Failure{{Failure: sdk.Failure{Kind: "setup", Location: sdk.Location{File: "go.mod", Line: 6}, Message: "no module"}}}
	for name, run := range map[string]api.Run{"in the reason": reason, "in a failure": failure, "with the place of a failure": placed, "there is none": {Verdict: api.Passed, Reason: "1 test passed"}} {
		if got := render.Summary(run, render.Style{}); strings.Contains(got, "note: the runner") || strings.Count(got, "no module") > 1 {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestSuitesOfALanguageWithoutABuildAreNotLoaded(t *testing.T) {
	for _, tc := range []struct{ kinds, want string }{
		{"", "2 suites not built"}, {"build", "2 suites not built"}, {"vet", "2 suites not built"}, {"assertion", "2 suites not built"},
		{"setup", "2 suites not loaded"}, {"assertion setup", "2 suites not loaded"}, {"setup build", "2 suites not built"},
	} {
		run := api.Run{Verdict: api.BuildFailed, Counts: api.Counts{BuildFailed: 2}}
		for _, kind := range strings.Fields(tc.kinds) {
			run.Failures = append(run.Failures, api.Failure{Failure: sdk.Failure{Kind: kind}})
		}
		if got := render.CountsLine(run); !strings.Contains(got, tc.want) {
			t.Errorf("%q: %s", tc.kinds, got)
		}
	}
}
