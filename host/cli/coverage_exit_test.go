package cli

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// The tables of exit codes in docs/coverage.md.
func TestAnUnknownAnswerAboutCoverageDoesNotExitWith0(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		granularity api.Granularity
		total, code int
	}{
		{api.GranularityTest, 0, exitPassed}, {api.GranularityTest, 3, exitPassed}, {api.GranularitySuite, 0, exitPassed},
		{api.GranularityImport, 2, exitPassed}, {api.GranularityUnknown, 0, exitNothingRan}, {api.GranularityUnknown, 2, exitIncomplete},
	} {
		if got := coveringExit(api.Covering{Granularity: c.granularity, Total: c.total}); got != c.code {
			t.Errorf("%s, %d tests: %d, want %d", c.granularity, c.total, got, c.code)
		}
	}
	known, unknown := api.Covering{Granularity: api.GranularityTest}, api.Covering{Granularity: api.GranularityUnknown}
	for _, c := range []struct {
		files []api.Covering
		total int
		code  int
	}{
		{nil, 0, exitPassed}, {[]api.Covering{unknown}, 0, exitNothingRan}, {[]api.Covering{known, unknown}, 0, exitIncomplete}, {[]api.Covering{unknown}, 1, exitIncomplete},
	} {
		d := api.CoveringDiff{Granularity: api.GranularityUnknown, Files: c.files, FilesTotal: len(c.files), Total: c.total}
		if got := coveringDiffExit(d); got != c.code {
			t.Errorf("%d files, %d tests: %d, want %d", len(c.files), c.total, got, c.code)
		}
	}
}

func TestOnlyACompleteIndexExitsWith0(t *testing.T) {
	t.Parallel()
	suites, failed := []api.IndexedSuite{{Suite: "s"}}, []api.Failure{{}}
	for _, c := range []struct {
		ix   api.Index
		code int
	}{
		{api.Index{Complete: true, Suites: suites}, exitPassed},
		{api.Index{Suites: suites}, exitIncomplete},
		{api.Index{Suites: suites, Failures: failed}, exitFailed},
		{api.Index{Complete: true}, exitNothingRan},
		{api.Index{}, exitIncomplete},
		{api.Index{Failures: failed}, exitFailed},
		{api.Index{Complete: true, Suites: suites, RunError: "x"}, exitTool},
	} {
		if got := indexExit(c.ix); got != c.code {
			t.Errorf("%+v: %d, want %d", c.ix, got, c.code)
		}
	}
}
