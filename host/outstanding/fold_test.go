package outstanding_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func result(suite, test string, status sdk.Status) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Status: status}}
}

// inside is the result of a test within another.
func inside(suite, root, test string, status sdk.Status) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Root: root, Status: status}}
}

func container(r api.Result, derived bool) api.Result {
	r.Container, r.Derived = true, derived
	return r
}

func entry(suite, test, root string, reason outstanding.Reason) outstanding.Entry {
	return outstanding.Entry{TestID: sdk.TestID{Suite: suite, Test: test}, Root: root, Reason: reason, RunID: "before"}
}

func set(entries ...outstanding.Entry) outstanding.Set { return outstanding.Set{Entries: entries} }

// names lists the outstanding tests as "suite test".
func names(s outstanding.Set) []string {
	list := []string{}
	for _, e := range s.Entries {
		list = append(list, e.Suite+" "+e.Test)
	}
	return list
}

// The table is that of docs/rerun.md: what a run does to the outstanding set.
func TestAfter(t *testing.T) {
	failedA := entry("p", "A", "", outstanding.ReasonFailed)
	once := entry("p", "A", "", outstanding.ReasonNeverStarted)
	beside, parts := entry("p", "A", "", outstanding.ReasonUnfinished), entry("p", "A", "", outstanding.ReasonUnfinished)
	beside.Why, parts.Why = outstanding.WhyBeside, outstanding.WhyParts
	failedAx := entry("p", "A/x", "A", outstanding.ReasonFailed)
	allOfIt := entry("", "", "", outstanding.ReasonRun)
	brokenP := entry("p", "", "", outstanding.ReasonSuite)
	ask := func(ids ...outstanding.Target) outstanding.Scope { return outstanding.Scope{Tests: ids} }
	target := func(suite, test, root string) outstanding.Target {
		return outstanding.Target{TestID: sdk.TestID{Suite: suite, Test: test}, Root: root}
	}
	for _, tc := range []struct {
		name   string
		before outstanding.Set
		scope  outstanding.Scope
		run    func(*outstanding.Fold)
		reach  outstanding.Reach
		want   []string
	}{
		{"a failed test comes in", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuiteFailed))
		}, outstanding.Partial, []string{"p A"}},
		{"an unfinished test comes in", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Unfinished)})
		}, outstanding.Partial, []string{"p A"}},
		{"a test that never started comes in", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.AddNeverStarted(sdk.TestID{Suite: "p", Test: "Z"}, "")
		}, outstanding.Partial, []string{"p Z"}},
		{"the parent of a failed test does not", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Failed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Failed), true)})
		}, outstanding.Partial, []string{"p A/x"}},
		{"a suite that does not build comes in whole", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteBuildFailed))
		}, outstanding.Partial, []string{"p "}},
		{"an aborted suite with unknown tests comes in whole", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
			f.MarkTestsUnknown("p", "")
		}, outstanding.Partial, []string{"p "}},
		{"passing leaves", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Partial, []string{}},
		{"one failing attempt of several keeps", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Partial, []string{"p A"}},
		{"being skipped keeps", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"being skipped beside a pass keeps", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"a whole suite without it keeps, unless all is green", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Ended, []string{"p A"}},
		{"being skipped lets go what only never started", set(once), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{}},
		{"and what something else kept from its end", set(beside), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{}},
		{"but not what ended its process itself", set(entry("p", "A", "", outstanding.ReasonUnfinished)), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"nor a suite with parts that may never have started", set(parts), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"which leaves by a pass of all of it", set(parts, failedAx), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Green, []string{}},
		{"not by one of a part", set(parts, failedAx), ask(target("p", "A/x", "A")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{"p A"}},
		{"nor by one of a part that is not there", set(parts), ask(target("p", "A/x", "A")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Partial, []string{"p A"}},
		{"nor where a selection enters it", set(parts), outstanding.Scope{SomeTests: true, InsideTests: true}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Partial, []string{"p A"}},
		{"to be cut short again does not make less of a failure", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.AddNeverStarted(sdk.TestID{Suite: "p", Test: "A"}, "")
			after := f.After(set(failedA), outstanding.Partial)
			*f = *outstanding.NewFold("later", after, outstanding.Scope{})
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
		}, outstanding.Partial, []string{"p A"}},
		{"an interrupt leaves what had started", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Unfinished)})
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(failed(sdk.TestID{Suite: "p"}, sdk.KindTimeout))
			f.Listen(failed(sdk.TestID{}, sdk.KindTimeout))
			f.MarkInterrupted(func(string) bool { return true })
		}, outstanding.Partial, []string{"p A"}},
		{"a suite where its tests have no names", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.MarkTestsUnknown("p", outstanding.WhyCut)
			f.MarkTestsUnknown("q", outstanding.WhyCut)
			f.MarkInterrupted(func(string) bool { return false })
		}, outstanding.Partial, []string{"p "}},
		{"and what failed", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("q", sdk.SuiteBuildFailed))
			f.MarkInterrupted(func(string) bool { return true })
		}, outstanding.Partial, []string{"p A", "q "}},
		{"nor what skips itself with other arguments", set(once), outstanding.Scope{Args: "-short"}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"nor what an attempt finds red", set(once), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
		}, outstanding.Partial, []string{"p A"}},
		{"not being run keeps", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("q", "B", sdk.Passed)})
			f.Listen(suiteEnded("q", sdk.SuitePassed))
		}, outstanding.Partial, []string{"p A"}},
		{"a complete green run drops what no longer exists", set(failedA, brokenP), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("q", "B", sdk.Passed)})
			f.Listen(suiteEnded("q", sdk.SuitePassed))
		}, outstanding.Green, []string{}},
		{"but not what exists and did not run", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}}
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"what the sources no longer have is gone", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			lists(f, failedA, "B")
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{}},
		{"also when something else is red", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			lists(f, failedA, "B")
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Failed)})
			f.Listen(suiteEnded("p", sdk.SuiteFailed))
		}, outstanding.Ended, []string{"p B"}},
		{"and after a rerun", set(failedA), ask(target("q", "B", "")), func(f *outstanding.Fold) {
			lists(f, failedA, "B")
			f.Listen(&api.TestEnded{Result: result("q", "B", sdk.Passed)})
		}, outstanding.Partial, []string{}},
		{"but not before what may be it has run", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			lists(f, failedA, "B", "New")
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
		}, outstanding.Green, []string{"p A"}},
		{"nor when that skips itself", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			lists(f, failedA, "B", "New")
			f.Listen(&api.TestEnded{Result: result("p", "New", sdk.Skipped)})
		}, outstanding.Green, []string{"p A"}},
		{"nor when it has a part that does", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			lists(f, failedA, "B", "New")
			f.Listen(&api.TestEnded{Result: inside("p", "New", "New/x", sdk.Skipped)})
			f.Listen(&api.TestEnded{Result: result("p", "New", sdk.Skipped)})
		}, outstanding.Green, []string{"p A"}},
		{"but when it tells something", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			lists(f, failedA, "B", "New")
			f.Listen(&api.TestEnded{Result: inside("p", "New", "New/x", sdk.Skipped)})
			f.Listen(&api.TestEnded{Result: result("p", "New", sdk.Failed)})
		}, outstanding.Ended, []string{"p New"}},
		{"an incomplete listing tells nothing", set(failedA), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Knows.Absent = outstanding.Inventory{Tests: map[string][]string{"p": {"B"}}}.Absent(set(failedA).Entries, isNew)
		}, outstanding.Ended, []string{"p A"}},
		{"a part is gone when its whole passed alone without it", set(failedAx), ask(target("p", "A", "")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{}},
		{"but not when only other parts of it ran", set(failedAx), ask(target("p", "A/y", "A")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/y", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{"p A/x"}},
		{"nor with other arguments", set(failedAx), outstanding.Scope{Args: "-short"}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{"p A/x"}},
		{"a part is gone when its whole passed without it", set(failedAx), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}}
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Green, []string{}},
		{"but not when its whole was skipped", set(failedAx), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}}
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
		}, outstanding.Green, []string{"p A/x"}},
		{"a suite leaves when it ran whole", set(brokenP), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Partial, []string{}},
		{"a suite that builds again leaves its failures behind", set(brokenP), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Failed)})
			f.Listen(suiteEnded("p", sdk.SuiteFailed))
		}, outstanding.Partial, []string{"p B"}},
		{"a suite stays if only some of its tests ran", set(brokenP), outstanding.Scope{SomeTests: true}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Partial, []string{"p "}},
		{"a suite stays when it ran with other runner arguments", set(brokenP), outstanding.Scope{Args: "-tags x"}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Partial, []string{"p "}},
		{"and so does a test that these may have left out", set(failedA), outstanding.Scope{Args: "-run B"}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A"}},
		{"but not one whose file is gone", set(failedA), outstanding.Scope{Args: "now"}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"B"}}}
			f.Knows.Removed = map[sdk.TestID]bool{failedA.TestID: true}
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
		}, outstanding.Green, []string{}},
		{"unless it is in another file now", set(failedA), outstanding.Scope{Args: "now"}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, OnRequest: map[string][]string{"p": {"A"}}, Tests: map[string][]string{"p": {"B"}}}
			f.Knows.Removed = map[sdk.TestID]bool{failedA.TestID: true}
			f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
		}, outstanding.Green, []string{"p A"}},
		{"or its whole is", set(failedAx), outstanding.Scope{Args: "now"}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}}
			f.Knows.Removed = map[sdk.TestID]bool{failedAx.TestID: true}
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Green, []string{"p A/x"}},
		{"or the run is not green", set(failedA), outstanding.Scope{Args: "now"}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"B"}}}
			f.Knows.Removed = map[sdk.TestID]bool{failedA.TestID: true}
		}, outstanding.Ended, []string{"p A"}},
		{"or it ran", set(failedA), outstanding.Scope{Args: "now"}, func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"B"}}}
			f.Knows.Removed = map[sdk.TestID]bool{failedA.TestID: true}
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
		}, outstanding.Green, []string{"p A"}},
		{"a run that may have left anything undone", set(), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.MarkRunUnknown("")
		}, outstanding.Partial, []string{" "}},
		{"leaves when a run of everything got to its end", set(allOfIt), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
		}, outstanding.Ended, []string{"p A"}},
		{"but not with some tests", set(allOfIt), outstanding.Scope{SomeTests: true}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		}, outstanding.Partial, []string{" "}},
		{"a rerun of everything proves what it ran", set(allOfIt, failedA, brokenP), ask(target("", "", "")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Ended, []string{}},
		{"a suite without tests stays", set(brokenP), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteNoTests))
		}, outstanding.Partial, []string{"p "}},
		{"a part of a test proves nothing about the whole", set(failedA), outstanding.Scope{SomeTests: true, InsideTests: true}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{"p A"}},
		{"but about the part", set(failedAx), outstanding.Scope{SomeTests: true, InsideTests: true}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{}},
		{"a rerun of a part keeps the outstanding whole", set(failedA, failedAx), ask(target("p", "A/x", "A")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{"p A"}},
		{"a rerun of the whole takes the part with it", set(failedA, failedAx), ask(target("p", "A", "")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
		}, outstanding.Partial, []string{}},
		{"a rerun of a test leaves what is outstanding of its suite", set(brokenP), ask(target("p", "A", "")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Partial, []string{"p "}},
		{"nor are all parts of a test that it did not ask for known to have run", set(entry("p", "B", "", outstanding.ReasonFailed)), ask(target("p", "A", "")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: inside("p", "B", "B/x", sdk.Passed)})
			f.Listen(&api.TestEnded{Result: container(result("p", "B", sdk.Passed), false)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Partial, []string{"p B"}},
		{"a part of a test that skipped itself is not gone", set(failedAx), outstanding.Scope{}, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Green, []string{"p A/x"}},
		{"a rerun of a whole suite", set(brokenP, failedA), ask(target("p", "", "")), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: container(result("p", "A", sdk.Passed), false)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, outstanding.Partial, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := outstanding.NewFold("now", tc.before, tc.scope)
			tc.run(f)
			if got := names(f.After(tc.before, tc.reach)); !slices.Equal(got, tc.want) {
				t.Errorf("outstanding = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAfterKeepsWhatAnotherProcessAdded(t *testing.T) {
	f := outstanding.NewFold("now", set(), outstanding.Scope{})
	f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
	f.Listen(suiteEnded("p", sdk.SuitePassed))
	current := set(entry("q", "B", "", outstanding.ReasonFailed))
	if got := names(f.After(current, outstanding.Green)); !slices.Equal(got, []string{"q B"}) {
		t.Errorf("outstanding = %q, want what came in meanwhile", got)
	}
}

func TestAfterKeepsTheFirstRunOfAFailure(t *testing.T) {
	before := set(entry("p", "A", "", outstanding.ReasonUnfinished))
	f := outstanding.NewFold("now", before, outstanding.Scope{})
	f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
	after := f.After(before, outstanding.Partial)
	if e := after.Entries[0]; e.RunID != "before" || e.Reason != outstanding.ReasonFailed {
		t.Errorf("entry = %+v, want the first run and the newest reason", e)
	}
}

func BenchmarkManyFailuresOfASuite(b *testing.B) {
	const tests = 8000
	f := outstanding.NewFold("now", set(), outstanding.Scope{})
	for i := range tests {
		f.Listen(&api.TestEnded{Result: result("p", fmt.Sprint("T", i), sdk.Failed)})
	}
	f.Listen(suiteEnded("p", sdk.SuiteFailed))
	for b.Loop() {
		if after := f.After(set(), outstanding.Partial); len(after.Entries) != tests || len(after.Known["p"]) != tests {
			b.Fatalf("%d entries, %d known", len(after.Entries), len(after.Known["p"]))
		}
	}
}

func TestOverruledFailuresAreNotAdded(t *testing.T) {
	f := outstanding.NewFold("now", set(), outstanding.Scope{Tests: []outstanding.Target{{TestID: sdk.TestID{Suite: "p", Test: "A/x"}, Root: "A"}}})
	f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Failed)})
	f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Failed)})
	f.Overrule(func(id sdk.TestID) bool { return id.Test == "A/x" })
	if got := names(f.After(set(), outstanding.Partial)); !slices.Equal(got, []string{"p B"}) {
		t.Errorf("outstanding = %q, want only what was not overruled", got)
	}
}

// lists says that a complete listing has these tests of p beside an outstanding one.
func lists(f *outstanding.Fold, e outstanding.Entry, names ...string) {
	inv := outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": names}}
	f.Knows.Exists = &inv
	f.Knows.Absent = inv.Absent([]outstanding.Entry{e}, isNew)
}

// isNew: the test New is one.
func isNew(t sdk.TestID, _ outstanding.Entry) bool { return t.Test == "New" }

func suiteEnded(suite string, end sdk.SuiteOutcome) api.Event {
	return &api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: suite, Outcome: end}}
}

func failed(id sdk.TestID, kind string) api.Event {
	return &api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: id, Kind: kind}}}
}

// Several commands may run one suite: what is outstanding of it leaves only if none of them
// ended badly.
func TestASuiteLeavesOnlyIfEachCommandEndedIt(t *testing.T) {
	before := set(entry("p", "", "", outstanding.ReasonSuite))
	for _, bad := range []sdk.SuiteOutcome{sdk.SuiteAborted, sdk.SuiteUnfinished, sdk.SuiteBuildFailed, sdk.SuiteFailedOutsideTests} {
		for _, ends := range [][]sdk.SuiteOutcome{{bad}, {bad, sdk.SuitePassed}, {sdk.SuitePassed, bad}} {
			f := outstanding.NewFold("now", before, outstanding.Scope{})
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			for _, end := range ends {
				f.Listen(suiteEnded("p", end))
			}
			if got := names(f.After(before, outstanding.Ended)); !slices.Equal(got, []string{"p "}) {
				t.Errorf("after %v: outstanding %q", ends, got)
			}
		}
	}
}
