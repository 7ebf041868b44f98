package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// The tables of exit codes in docs/coverage.md.
func TestAnAnswerThatNobodyKnowsIsNotExitedWithAsOne(t *testing.T) {
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

func TestAnIndexIsOnlyExitedWith0WhereItIsComplete(t *testing.T) {
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

func TestAnIndexSaysHowMuchThereIsToDo(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	ix := api.Index{Language: "go\n", Workspace: "/w", BudgetS: 600, Suites: []api.IndexedSuite{{Suite: "a"}, {Suite: "b", State: api.IndexFresh}, {Suite: "c", State: api.IndexEmpty}}}
	v := &view{app: &app{env: environment{Stderr: &stderr}}}
	v.showIndexing(ix)
	if got, want := stderr.String(), "proctor: go\\n in /w: 1 of 3 suites have to be measured, in at most 600s\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	stderr.Reset()
	(&view{app: &app{env: environment{Stderr: &stderr}, quiet: true}}).showIndexing(ix)
	if stderr.Len() > 0 {
		t.Errorf("quiet says %q", stderr.String())
	}
}

func TestTheStatusOfAnIndexShowsSuitesAndNoTest(t *testing.T) {
	t.Parallel()
	running := []sdk.RunningTest{{ID: sdk.TestID{Suite: "m/a", Test: "TestA"}}, {ID: sdk.TestID{Suite: "m/a", Test: "TestB"}}, {ID: sdk.TestID{Suite: "m/b\n", Test: "TestC"}}}
	s := newStatus(&bytes.Buffer{})
	s.awaits(indexing{suites: 12, budget: 600})
	for _, c := range []struct {
		progress sdk.Progress
		want     string
	}{
		{sdk.Progress{}, "  0.0s of at most 600s  suites done: 0 of 12, no test is running: building"},
		{sdk.Progress{SuitesDone: 12}, "  0.0s of at most 600s  suites done: 12 of 12: keeping what was measured"},
		{sdk.Progress{SuitesDone: 2, Running: running, RunningTotal: 3}, "  0.0s of at most 600s  suites done: 2 of 12\n" +
			"        m/a: its tests run together, then one by one\n        m/b\\n: its tests run together, then one by one"},
	} {
		s.update(c.progress)
		if got := strings.Join(s.lines(s.began), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestARunBeginsWithWhatChangesChose(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	v := &view{app: &app{env: environment{Stderr: &stderr}}}
	v.showStart(api.Run{Language: "go", Workspace: "/w", Affected: &api.Affected{
		Base: "HEAD", Changed: []string{"a.go"}, ChangedTotal: 1, ChosenTests: 1, LeftOutTests: 2,
		Chosen: []api.ChosenTest{{Suite: "m/a", Test: "TestA", Granularity: api.GranularityTest, Why: "it executes A, which changed"}},
	}})
	want := `proctor: affected: chosen by what changed since HEAD: 1 test; left out: 2 tests
   changed: a.go
   it executes A, which changed (test):
      m/a TestA
proctor: go in /w: there is no command to run
`
	if got := stderr.String(); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestARunOfNothingThatChangedBeginsSilently(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	v := &view{app: &app{env: environment{Stderr: &stderr}}}
	v.showStart(api.Run{Language: "go", Workspace: "/w", Affected: &api.Affected{Base: "HEAD"}})
	if stderr.Len() > 0 {
		t.Errorf("its end says it too, and here stands %q", stderr.String())
	}
}
