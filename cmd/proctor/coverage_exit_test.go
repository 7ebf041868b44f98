package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// The tables of exit codes in docs/coverage.md.
func TestAnAnswerThatNobodyKnowsIsNotExitedWithAsOne(t *testing.T) {
	for _, c := range []struct {
		granularity record.Granularity
		total, code int
	}{
		{record.GranularityTest, 0, exitPassed}, {record.GranularityTest, 3, exitPassed}, {record.GranularitySuite, 0, exitPassed},
		{record.GranularityImport, 2, exitPassed}, {record.GranularityUnknown, 0, exitNothingRan}, {record.GranularityUnknown, 2, exitIncomplete},
	} {
		if got := coveringExit(record.Covering{Granularity: c.granularity, Total: c.total}); got != c.code {
			t.Errorf("%s, %d tests: %d, want %d", c.granularity, c.total, got, c.code)
		}
	}
	known, unknown := record.Covering{Granularity: record.GranularityTest}, record.Covering{Granularity: record.GranularityUnknown}
	for _, c := range []struct {
		files []record.Covering
		total int
		code  int
	}{
		{nil, 0, exitPassed}, {[]record.Covering{unknown}, 0, exitNothingRan}, {[]record.Covering{known, unknown}, 0, exitIncomplete}, {[]record.Covering{unknown}, 1, exitIncomplete},
	} {
		d := record.CoveringDiff{Granularity: record.GranularityUnknown, Files: c.files, FilesTotal: len(c.files), Total: c.total}
		if got := coveringDiffExit(d); got != c.code {
			t.Errorf("%d files, %d tests: %d, want %d", len(c.files), c.total, got, c.code)
		}
	}
}

func TestAnIndexIsOnlyExitedWith0WhereItIsComplete(t *testing.T) {
	suites, failed := []record.IndexedSuite{{Suite: "s"}}, []record.Failure{{}}
	for _, c := range []struct {
		ix   record.Index
		code int
	}{
		{record.Index{Complete: true, Suites: suites}, exitPassed},
		{record.Index{Suites: suites}, exitIncomplete},
		{record.Index{Suites: suites, Failures: failed}, exitFailed},
		{record.Index{Complete: true}, exitNothingRan},
		{record.Index{}, exitIncomplete},
		{record.Index{Failures: failed}, exitFailed},
		{record.Index{Complete: true, Suites: suites, RunError: "x"}, exitTool},
	} {
		if got := indexExit(c.ix); got != c.code {
			t.Errorf("%+v: %d, want %d", c.ix, got, c.code)
		}
	}
}

func TestAnIndexSaysHowMuchThereIsToDo(t *testing.T) {
	var stderr bytes.Buffer
	ix := record.Index{Language: "go\n", Workspace: "/w", BudgetS: 600, Suites: []record.IndexedSuite{{Suite: "a"}, {Suite: "b", State: record.IndexFresh}, {Suite: "c", State: record.IndexEmpty}}}
	v := &view{app: &app{env: environment{Stderr: &stderr}}}
	v.indexing(ix)
	if got, want := stderr.String(), "proctor: go\\n in /w: 1 of 3 suites have to be measured, in at most 600s\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	stderr.Reset()
	(&view{app: &app{env: environment{Stderr: &stderr}, quiet: true}}).indexing(ix)
	if stderr.Len() > 0 {
		t.Errorf("quiet says %q", stderr.String())
	}
}

func TestTheStatusOfAnIndexShowsSuitesAndNoTest(t *testing.T) {
	running := []sdk.RunningTest{{ID: sdk.TestID{Suite: "m/a", Name: "TestA"}}, {ID: sdk.TestID{Suite: "m/a", Name: "TestB"}}, {ID: sdk.TestID{Suite: "m/b\n", Name: "TestC"}}}
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
	var stderr bytes.Buffer
	v := &view{app: &app{env: environment{Stderr: &stderr}}}
	v.started(record.Run{Language: "go", Workspace: "/w", Affected: &record.Affected{
		Base: "HEAD", Changed: []string{"a.go"}, ChangedTotal: 1, ChosenTests: 1, LeftOutTests: 2,
		Chosen: []record.ChosenTest{{Suite: "m/a", Test: "TestA", Granularity: record.GranularityTest, Why: "it executes A, which changed"}},
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
	var stderr bytes.Buffer
	v := &view{app: &app{env: environment{Stderr: &stderr}}}
	v.started(record.Run{Language: "go", Workspace: "/w", Affected: &record.Affected{Base: "HEAD"}})
	if stderr.Len() > 0 {
		t.Errorf("its end says it too, and here stands %q", stderr.String())
	}
}
