package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

// A suite that a time-out cut did build, and nothing outside of its tests failed.
func TestASuiteIsOutstandingForItsReason(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{
		"":                     "did not build, failed outside of its tests, or did not reach its end",
		"did_not_build":        "did not build:",
		"setup_failed":         "could not be set up:",
		"failed_outside_tests": "failed outside of its tests:",
		"ended_early":          "did not reach its end:",
		"fixture_failed":       "a fixture of it failed:",
	} {
		got := render.Outstanding(api.Outstanding{Total: 1, Tests: []api.OutstandingTest{{Suite: "s", Reason: "suite", Why: why}}}, render.Style{})
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s", why, got)
		}
	}
}

func TestWhatCameInTogetherIsListedTogether(t *testing.T) {
	t.Parallel()
	never := func(name string) api.OutstandingTest {
		return api.OutstandingTest{Suite: "p", Test: name, Reason: "never_started", RunnerArgs: []string{"-race"}}
	}
	got := render.Outstanding(api.Outstanding{Total: 6, Unlisted: 1, Counts: api.OutstandingCounts{Tests: 2, Subtests: 2, Suites: 1, Runs: 1}, Tests: []api.OutstandingTest{
		never("A"), {Suite: "p", Test: "F", Reason: "failed", Environment: []string{"HOME=/x"}, Otherwise: []string{"HOME=/x"}}, never("B"),
		{Suite: "q", Reason: "suite", Why: "did_not_build", Environment: []string{"HOME=/x", "GOOS=plan9"}, Otherwise: []string{"GOOS=plan9"}},
		{Reason: "run", Why: "did_not_build"},
	}}, render.Style{Noun: "package"})
	want := `never started, with runner arguments -race:
   p A
   p B
failed:
   p F
did not build, with GOOS=plan9:
   q
a run did not build:
   (the run)
(1 more of these; raise --limit)
2 tests, 2 subtests, 1 package, 1 run as a whole outstanding
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
