package report_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

func TestARunErrorIsSaidAlsoWhereSomethingElseDecided(t *testing.T) {
	run := record.Run{
		Verdict: record.BuildFailed, Reason: "1 build or setup failure, and 1 failure in what did run",
		RunError: "Could not find 'gone.test.mjs'\nno such \x1b[31mmodule",
		Failures: []record.Failure{{Suite: "a", Test: "t", Kind: "assertion", Message: "no"}}, FailuresTotal: 1,
	}
	want := "note: the runner reported an error: Could not find 'gone.test.mjs'\n      no such module\nbuild_failed: "
	for name, style := range map[string]report.Style{"ordinary": {}, "quiet": {Quiet: true}, "verbose": {Verbose: true}} {
		if got := report.Summary(run, style); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant in it:\n%s", name, got, want)
		}
	}
	run.RunError = strings.Repeat("line\n", 100) + "last"
	if got := report.Summary(run, report.Style{}); strings.Count(got, "\n      line") > report.MessageLines || !strings.Contains(got, "lines more") {
		t.Errorf("not shortened:\n%s", got)
	}
}

func TestARunErrorIsNotSaidTwice(t *testing.T) {
	reason := record.Run{Verdict: record.Incomplete, Reason: "the runner reported an error: no module\nat all", RunError: "no module\nat all"}
	failure := record.Run{Verdict: record.BuildFailed, Reason: "1 build or setup failure", RunError: "no module", Failures: []record.Failure{{Kind: "setup", Message: "no module"}}}
	for name, run := range map[string]record.Run{"in the reason": reason, "in a failure": failure, "there is none": {Verdict: record.Passed, Reason: "1 test passed"}} {
		if got := report.Summary(run, report.Style{}); strings.Contains(got, "note: the runner") || strings.Count(got, "no module") > 1 {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestSuitesOfALanguageWithoutABuildAreNotLoaded(t *testing.T) {
	for _, tc := range []struct{ kinds, want string }{
		{"", "2 suites not built"}, {"build", "2 suites not built"}, {"vet", "2 suites not built"}, {"assertion", "2 suites not built"},
		{"setup", "2 suites not loaded"}, {"assertion setup", "2 suites not loaded"}, {"setup build", "2 suites not built"},
	} {
		run := record.Run{Verdict: record.BuildFailed, Counts: record.Counts{BuildFailed: 2}}
		for _, kind := range strings.Fields(tc.kinds) {
			run.Failures = append(run.Failures, record.Failure{Kind: kind})
		}
		if got := report.CountsLine(run); !strings.Contains(got, tc.want) {
			t.Errorf("%q: %s", tc.kinds, got)
		}
	}
}
