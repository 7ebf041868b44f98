package rerun_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

func result(suite, test string, status record.Status) record.Result {
	return record.Result{Suite: suite, Test: test, Status: status}
}

// inside is the result of a test within another.
func inside(suite, root, test string, status record.Status) record.Result {
	return record.Result{Suite: suite, Test: test, Root: root, Status: status}
}

func container(r record.Result, derived bool) record.Result {
	r.Container, r.Derived = true, derived
	return r
}

func entry(suite, test, root string, reason rerun.Reason) rerun.Entry {
	return rerun.Entry{Test: record.Test{Suite: suite, Test: test}, Root: root, Reason: reason, RunID: "before"}
}

func set(entries ...rerun.Entry) rerun.Set { return rerun.Set{Entries: entries} }

// names lists the outstanding tests as "suite test".
func names(s rerun.Set) []string {
	list := []string{}
	for _, e := range s.Entries {
		list = append(list, e.Suite+" "+e.Test.Test)
	}
	return list
}

// The table is that of docs/rerun.md: what a run does to the outstanding set.
func TestAfter(t *testing.T) {
	failedA := entry("p", "A", "", rerun.ReasonFailed)
	once := entry("p", "A", "", rerun.ReasonNeverStarted)
	beside, parts := entry("p", "A", "", rerun.ReasonUnfinished), entry("p", "A", "", rerun.ReasonUnfinished)
	beside.Why, parts.Why = rerun.WhyBeside, rerun.WhyParts
	failedAx := entry("p", "A/x", "A", rerun.ReasonFailed)
	allOfIt := entry("", "", "", rerun.ReasonRun)
	brokenP := entry("p", "", "", rerun.ReasonSuite)
	ask := func(ids ...rerun.Target) rerun.Scope { return rerun.Scope{Tests: ids} }
	target := func(suite, test, root string) rerun.Target {
		return rerun.Target{Test: record.Test{Suite: suite, Test: test}, Root: root}
	}
	for _, tc := range []struct {
		name   string
		before rerun.Set
		scope  rerun.Scope
		run    func(*rerun.Fold)
		reach  rerun.Reach
		want   []string
	}{
		{"a failed test comes in", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestFailed))
			f.Result(result("p", "B", record.TestPassed))
			f.Suite("p", rerun.SuiteFailed)
		}, rerun.Partial, []string{"p A"}},
		{"an unfinished test comes in", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestUnfinished))
		}, rerun.Partial, []string{"p A"}},
		{"a test that never started comes in", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.NeverStarted(record.Test{Suite: "p", Test: "Z"}, "")
		}, rerun.Partial, []string{"p Z"}},
		{"the parent of a failed test does not", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestFailed))
			f.Result(container(result("p", "A", record.TestFailed), true))
		}, rerun.Partial, []string{"p A/x"}},
		{"a suite that does not build comes in whole", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Suite("p", rerun.SuiteBroken)
		}, rerun.Partial, []string{"p "}},
		{"an aborted suite with unknown tests comes in whole", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Suite("p", rerun.SuiteAborted)
			f.TestsUnknown("p", "")
		}, rerun.Partial, []string{"p "}},
		{"passing leaves", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Partial, []string{}},
		{"one failing attempt of several keeps", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Result(result("p", "A", record.TestFailed))
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Partial, []string{"p A"}},
		{"being skipped keeps", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{"p A"}},
		{"being skipped lets go what only never started", set(once), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{}},
		{"and what something else kept from its end", set(beside), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{}},
		{"but not what ended its process itself", set(entry("p", "A", "", rerun.ReasonUnfinished)), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{"p A"}},
		{"nor that of which parts may never have started", set(parts), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{"p A"}},
		{"which leaves by a pass of all of it", set(parts, failedAx), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Green, []string{}},
		{"not by one of a part", set(parts, failedAx), ask(target("p", "A/x", "A")), func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{"p A"}},
		{"nor by one of a part that is not there", set(parts), ask(target("p", "A/x", "A")), func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Partial, []string{"p A"}},
		{"nor where a selection enters it", set(parts), rerun.Scope{SomeTests: true, InsideTests: true}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Partial, []string{"p A"}},
		{"to be cut short again does not make less of a failure", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.NeverStarted(record.Test{Suite: "p", Test: "A"}, "")
			after := f.After(set(failedA), rerun.Partial)
			*f = *rerun.NewFold("later", after, rerun.Scope{})
			f.Result(result("p", "A", record.TestSkipped))
		}, rerun.Partial, []string{"p A"}},
		{"an interrupt leaves what had started", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestUnfinished))
			f.Result(result("p", "B", record.TestPassed))
			f.Failure(record.Test{Suite: "p"}, rerun.WhyCut)
			f.Failure(record.Test{}, rerun.WhyCut)
			f.Interrupted(func(string) bool { return true })
		}, rerun.Partial, []string{"p A"}},
		{"a suite where its tests have no names", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "B", record.TestPassed))
			f.TestsUnknown("p", rerun.WhyCut)
			f.TestsUnknown("q", rerun.WhyCut)
			f.Interrupted(func(string) bool { return false })
		}, rerun.Partial, []string{"p "}},
		{"and what failed", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Suite("q", rerun.SuiteBroken)
			f.Interrupted(func(string) bool { return true })
		}, rerun.Partial, []string{"p A", "q "}},
		{"nor what skips itself with other arguments", set(once), rerun.Scope{Args: "-short"}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{"p A"}},
		{"nor what an attempt finds red", set(once), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Result(result("p", "A", record.TestFailed))
		}, rerun.Partial, []string{"p A"}},
		{"not being run keeps", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("q", "B", record.TestPassed))
			f.Suite("q", rerun.SuitePassed)
		}, rerun.Partial, []string{"p A"}},
		{"a complete green run drops what no longer exists", set(failedA, brokenP), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("q", "B", record.TestPassed))
			f.Suite("q", rerun.SuitePassed)
		}, rerun.Green, []string{}},
		{"but not what exists and did not run", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}})
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{"p A"}},
		{"what the sources no longer have is gone", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			lists(f, failedA, "B")
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{}},
		{"also when something else is red", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			lists(f, failedA, "B")
			f.Result(result("p", "B", record.TestFailed))
			f.Suite("p", rerun.SuiteFailed)
		}, rerun.Ended, []string{"p B"}},
		{"and after a rerun", set(failedA), ask(target("q", "B", "")), func(f *rerun.Fold) {
			lists(f, failedA, "B")
			f.Result(result("q", "B", record.TestPassed))
		}, rerun.Partial, []string{}},
		{"but not before what may be it has run", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			lists(f, failedA, "B", "New")
			f.Result(result("p", "B", record.TestPassed))
		}, rerun.Green, []string{"p A"}},
		{"nor when that skips itself", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			lists(f, failedA, "B", "New")
			f.Result(result("p", "New", record.TestSkipped))
		}, rerun.Green, []string{"p A"}},
		{"nor when it has a part that does", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			lists(f, failedA, "B", "New")
			f.Result(inside("p", "New", "New/x", record.TestSkipped))
			f.Result(result("p", "New", record.TestSkipped))
		}, rerun.Green, []string{"p A"}},
		{"but when it tells something", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			lists(f, failedA, "B", "New")
			f.Result(inside("p", "New", "New/x", record.TestSkipped))
			f.Result(result("p", "New", record.TestFailed))
		}, rerun.Ended, []string{"p New"}},
		{"an incomplete listing tells nothing", set(failedA), rerun.Scope{}, func(f *rerun.Fold) {
			f.Absent(rerun.Inventory{Tests: map[string][]string{"p": {"B"}}}.Absent(set(failedA).Entries, isNew))
		}, rerun.Ended, []string{"p A"}},
		{"a part is gone when its whole passed alone without it", set(failedAx), ask(target("p", "A", "")), func(f *rerun.Fold) {
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{}},
		{"but not when only other parts of it ran", set(failedAx), ask(target("p", "A/y", "A")), func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/y", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{"p A/x"}},
		{"nor with other arguments", set(failedAx), rerun.Scope{Args: "-short"}, func(f *rerun.Fold) {
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{"p A/x"}},
		{"a part is gone when its whole passed without it", set(failedAx), rerun.Scope{}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}})
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Green, []string{}},
		{"but not when its whole was skipped", set(failedAx), rerun.Scope{}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}})
			f.Result(result("p", "A", record.TestSkipped))
		}, rerun.Green, []string{"p A/x"}},
		{"a suite leaves when it ran whole", set(brokenP), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "B", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Partial, []string{}},
		{"a suite that builds again leaves its failures behind", set(brokenP), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "B", record.TestFailed))
			f.Suite("p", rerun.SuiteFailed)
		}, rerun.Partial, []string{"p B"}},
		{"a suite of which only some tests ran stays", set(brokenP), rerun.Scope{SomeTests: true}, func(f *rerun.Fold) {
			f.Result(result("p", "B", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Partial, []string{"p "}},
		{"a suite stays when it ran with other runner arguments", set(brokenP), rerun.Scope{Args: "-tags x"}, func(f *rerun.Fold) {
			f.Result(result("p", "B", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Partial, []string{"p "}},
		{"and so does a test that these may have left out", set(failedA), rerun.Scope{Args: "-run B"}, func(f *rerun.Fold) {
			f.Result(result("p", "B", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Green, []string{"p A"}},
		{"but not one whose file is gone", set(failedA), rerun.Scope{Args: "now"}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"B"}}})
			f.Removed(map[record.Test]bool{failedA.Test: true})
			f.Result(result("p", "B", record.TestPassed))
		}, rerun.Green, []string{}},
		{"unless it is in another file now", set(failedA), rerun.Scope{Args: "now"}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, OnRequest: map[string][]string{"p": {"A"}}, Tests: map[string][]string{"p": {"B"}}})
			f.Removed(map[record.Test]bool{failedA.Test: true})
			f.Result(result("p", "B", record.TestPassed))
		}, rerun.Green, []string{"p A"}},
		{"or its whole is", set(failedAx), rerun.Scope{Args: "now"}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}})
			f.Removed(map[record.Test]bool{failedAx.Test: true})
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Green, []string{"p A/x"}},
		{"or the run is not green", set(failedA), rerun.Scope{Args: "now"}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"B"}}})
			f.Removed(map[record.Test]bool{failedA.Test: true})
		}, rerun.Ended, []string{"p A"}},
		{"or it ran", set(failedA), rerun.Scope{Args: "now"}, func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"B"}}})
			f.Removed(map[record.Test]bool{failedA.Test: true})
			f.Result(result("p", "A", record.TestSkipped))
		}, rerun.Green, []string{"p A"}},
		{"a run of which nobody knows what it left undone", set(), rerun.Scope{}, func(f *rerun.Fold) {
			f.RunUnknown("")
		}, rerun.Partial, []string{" "}},
		{"leaves when a run of everything got to its end", set(allOfIt), rerun.Scope{}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestFailed))
		}, rerun.Ended, []string{"p A"}},
		{"but not with some tests", set(allOfIt), rerun.Scope{SomeTests: true}, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
		}, rerun.Partial, []string{" "}},
		{"a rerun of everything proves what it ran", set(allOfIt, failedA, brokenP), ask(target("", "", "")), func(f *rerun.Fold) {
			f.Result(container(result("p", "A", record.TestPassed), false))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Ended, []string{}},
		{"a suite without tests stays", set(brokenP), rerun.Scope{}, func(f *rerun.Fold) {
			f.Suite("p", rerun.SuiteEmpty)
		}, rerun.Partial, []string{"p "}},
		{"a part of a test proves nothing about the whole", set(failedA), rerun.Scope{SomeTests: true, InsideTests: true}, func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{"p A"}},
		{"but about the part", set(failedAx), rerun.Scope{SomeTests: true, InsideTests: true}, func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{}},
		{"a rerun of a part keeps the outstanding whole", set(failedA, failedAx), ask(target("p", "A/x", "A")), func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{"p A"}},
		{"a rerun of the whole takes the part with it", set(failedA, failedAx), ask(target("p", "A", "")), func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestPassed))
			f.Result(container(result("p", "A", record.TestPassed), false))
		}, rerun.Partial, []string{}},
		{"a rerun of a whole suite", set(brokenP, failedA), ask(target("p", "", "")), func(f *rerun.Fold) {
			f.Result(container(result("p", "A", record.TestPassed), false))
			f.Suite("p", rerun.SuitePassed)
		}, rerun.Partial, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := rerun.NewFold("now", tc.before, tc.scope)
			tc.run(f)
			if got := names(f.After(tc.before, tc.reach)); !slices.Equal(got, tc.want) {
				t.Errorf("outstanding = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAfterKeepsWhatAnotherProcessAdded(t *testing.T) {
	f := rerun.NewFold("now", set(), rerun.Scope{})
	f.Result(result("p", "A", record.TestPassed))
	f.Suite("p", rerun.SuitePassed)
	current := set(entry("q", "B", "", rerun.ReasonFailed))
	if got := names(f.After(current, rerun.Green)); !slices.Equal(got, []string{"q B"}) {
		t.Errorf("outstanding = %q, want what came in meanwhile", got)
	}
}

func TestAfterKeepsTheFirstRunOfAFailure(t *testing.T) {
	before := set(entry("p", "A", "", rerun.ReasonUnfinished))
	f := rerun.NewFold("now", before, rerun.Scope{})
	f.Result(result("p", "A", record.TestFailed))
	after := f.After(before, rerun.Partial)
	if e := after.Entries[0]; e.RunID != "before" || e.Reason != rerun.ReasonFailed {
		t.Errorf("entry = %+v, want the first run and the newest reason", e)
	}
}

func TestOverruledFailuresDoNotComeIn(t *testing.T) {
	f := rerun.NewFold("now", set(), rerun.Scope{Tests: []rerun.Target{{Test: record.Test{Suite: "p", Test: "A/x"}, Root: "A"}}})
	f.Result(inside("p", "A", "A/x", record.TestFailed))
	f.Result(result("p", "B", record.TestFailed))
	f.Overrule(func(id record.Test) bool { return id.Test == "A/x" })
	if got := names(f.After(set(), rerun.Partial)); !slices.Equal(got, []string{"p B"}) {
		t.Errorf("outstanding = %q, want only what was not overruled", got)
	}
}

// lists says that a complete listing has these tests of p beside an outstanding one.
func lists(f *rerun.Fold, e rerun.Entry, names ...string) {
	inv := rerun.Inventory{Complete: true, Tests: map[string][]string{"p": names}}
	f.Exists(inv)
	f.Absent(inv.Absent([]rerun.Entry{e}, isNew))
}

// isNew: the test New is one.
func isNew(t record.Test, _ rerun.Entry) bool { return t.Test == "New" }
