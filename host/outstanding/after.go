package outstanding

import (
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// After computes the outstanding set after the run. current is the set as stored now:
// another process may have changed it since the run began.
func (f *Fold) After(current Set, reach Reach) Set {
	if len(f.cached) > 0 {
		reach = min(reach, Ended) // not everything ran
	}
	u := update{f, reach}
	after := Set{Known: map[string][]string{}}
	have := map[identity]bool{}
	keep := func(e Entry) {
		if id := e.identity(); !have[id] {
			have[id] = true
			after.Entries = append(after.Entries, e)
		}
	}
	for _, e := range current.Entries {
		red, ok := f.red[e.TestID]
		switch {
		case ok && !u.isMine(e):
			keep(e) // red in another way, too
		case ok:
			keep(u.renew(e, red))
		case !u.isCleared(e):
			keep(e)
		}
	}
	// Packages run in parallel and report in any order: sorted, the same run leads to
	// the same rerun, and a limit takes one suite after the other.
	added := slices.Clone(f.order)
	slices.SortStableFunc(added, func(a, b sdk.TestID) int { return strings.Compare(a.Suite, b.Suite) })
	for _, id := range added {
		keep(u.explain(f.red[id]))
	}
	listed := map[string]bool{}
	for _, e := range after.Entries {
		if listed[e.Suite] {
			continue
		}
		listed[e.Suite] = true
		if known := u.listKnown(e.Suite, current.Known[e.Suite]); known != nil {
			after.Known[e.Suite] = known
		}
	}
	return after
}

// FindGone returns the entries that are missing from the set after the run although no result
// of the run explains that: they no longer exist.
func (f *Fold) FindGone(before, after Set) []Entry {
	left := after.index()
	u := update{Fold: f}
	var gone []Entry
	for _, e := range before.Entries {
		if _, still := left[e.identity()]; still || e.TestID == everything {
			continue
		}
		if e.Test == "" && !f.hasRun(e.Suite) || e.Test != "" && !f.passed[e.TestID] && !u.handsOver(e) && !u.neededNoRun(e) {
			gone = append(gone, e)
		}
	}
	return gone
}

// update computes what a run makes of the set, entry by entry.
type update struct {
	*Fold
	reach Reach
}

// isMine reports whether an outstanding test is the one that this run would add by
// being red: it was red in the same way, or the way is unknown.
func (u update) isMine(e Entry) bool {
	return e.Way == nil || u.scope.Way == nil || e.Way.key() == u.scope.Way.key()
}

// explain adds what is known of a red test at the end of the run. If nothing is reported of
// one that did not finish, something else kept it from finishing.
func (u update) explain(e Entry) Entry {
	blamed := u.blamed[e.TestID] || u.signalled[e.TestID] && !u.interrupted
	if e.Reason == ReasonUnfinished && e.Why == "" && !blamed {
		e.Why = WhyBeside
	}
	return e
}

// renew returns the entry of an outstanding test that is red again: it is outstanding
// since the earlier run. If all that is known now is that the run ended first, the
// earlier reason stays.
func (u update) renew(before, red Entry) Entry {
	red = u.explain(red)
	if red.wasOnlyCutShort() && !before.wasOnlyCutShort() {
		red.Reason, red.Why = before.Reason, before.Why
	}
	red.RunID, red.Was = before.RunID, before.Was
	if before.Way != nil || red.Way == nil {
		if now, _, _ := strings.Cut(red.Args, EnvMark); now != "" || red.Test != "" {
			red.Args = before.Args // unless a suite or run is now red even without arguments
		}
		red.Way = before.Way
	}
	return red
}

// isCleared reports whether an outstanding test that is not red in this run has left
// the set.
func (u update) isCleared(e Entry) bool {
	if !u.decides(e) || u.cached[e.Suite] || e.TestID == everything && len(u.cached) > 0 {
		return false
	}
	if !u.scope.Way.Proves(e.Way) {
		// A test that no longer exists cannot pass in any way.
		return e.Test != "" && u.reach == Green && u.wasRemoved(e) && u.seen[e.TestID] == "" && u.isGone(e)
	}
	if u.passed[e.TestID] || u.handsOver(e) || u.neededNoRun(e) || u.isAbsent(e) {
		return true
	}
	if e.TestID == everything {
		// The arguments of a killed run are unknown.
		return u.reach >= Ended && (e.Args == "" || u.sameArgs(e))
	}
	// If tests can be listed, a listing in the same setting has decided; see isAbsent.
	unlisted := e.Args == u.scope.Args && (u.Knows.Exists == nil || e.Test == "")
	if u.reach == Green && (unlisted || u.wasRemoved(e)) && u.seen[e.TestID] == "" && u.isGone(e) {
		return true // everything that exists passed, and this is not among it
	}
	if e.Test != "" {
		return false
	}
	// A suite leaves when it ran whole, was not skipped entirely, and its own end is
	// not red: what is red in it is now in the set by name.
	whole := u.askedAll || u.askedSuites[e.Suite] || (u.scope.Tests == nil && !u.scope.SomeTests && u.sameArgs(e))
	end := u.suites[e.Suite]
	return whole && (u.ran[e.Suite] && (end == sdk.SuitePassed || end == sdk.SuiteFailed) || end == sdk.SuiteNoTests && u.before.hadNoTests(e.Suite))
}

// decides reports whether this run's result is the latest about an outstanding test:
// another process may have seen it fail since this run began.
func (u update) decides(e Entry) bool {
	i, was := u.index[e.identity()]
	return e.LastRunID == u.runID || was && e.LastRunID == u.before.Entries[i].LastRunID
}

// sameArgs reports whether this run can clear a suite or run that is outstanding as a
// whole. It can if it had the same arguments, or, since those may have been mistyped, if
// it is a green run of everything without any arguments, in the same environment.
func (u update) sameArgs(e Entry) bool {
	if e.Args == u.scope.Args {
		return true
	}
	args, env, _ := strings.Cut(u.scope.Args, EnvMark)
	_, before, marked := strings.Cut(e.Args, EnvMark)
	return u.reach == Green && args == "" && marked && env == before
}

// isGone reports whether a test without a result in a green run of everything no longer
// exists. A part of a test is gone if the whole passed without it. What is listed
// without a result did not run, for whatever reason. If tests cannot be listed, the run
// itself is the only inventory.
func (u update) isGone(e Entry) bool {
	root := sdk.TestID{Suite: e.Suite, Test: e.listed()}
	if u.seen[root] != "" {
		return u.seen[root] == sdk.Passed && !u.Knows.Skipped[e.TestID]
	}
	if u.Knows.Exists == nil {
		return true
	}
	tests, suiteListed := u.Knows.Exists.Tests[e.Suite]
	switch {
	case !suiteListed:
		return u.Knows.Exists.Complete
	case e.Test == "":
		return len(tests) == 0
	}
	return !hasName(tests, e.listed()) && !hasName(u.Knows.Exists.OnRequest[e.Suite], e.listed())
}

// isAbsent reports whether an outstanding test is known not to exist any more. A
// listing decides about what has a name. Parts of a test are not listed: one is gone if
// all of its test ran in the same setting, and passed without it or a part that may be it
// and skipped itself.
func (u update) isAbsent(e Entry) bool {
	if u.seen[e.TestID] != "" {
		return false
	}
	root := sdk.TestID{Suite: e.Suite, Test: e.listed()}
	if u.seen[root] != "" {
		return u.seen[root] == sdk.Passed && e.Args == u.scope.Args && !u.Knows.Skipped[e.TestID] && u.provesWhole(root, root.Test, true)
	}
	heirs, absent := u.Knows.Absent[e.TestID]
	for _, heir := range heirs {
		absent = absent && u.roots[heir.Suite][heir.Test] && !u.skipped[heir] && !u.cached[heir.Suite]
		if e.Root != "" && len(u.skippedParts[heir]) > 0 {
			absent = absent && heir.Test == e.listed() && u.namesakes[sdk.TestID{Suite: heir.Suite, Test: e.Test}]
		}
	}
	return absent
}

// wasRemoved reports whether a test is gone with its file: it would not exist with
// other arguments or in another environment either. One whose whole still runs has
// moved to another file.
func (u update) wasRemoved(e Entry) bool {
	return u.Knows.Removed[e.TestID] && u.seen[sdk.TestID{Suite: e.Suite, Test: e.listed()}] == ""
}

// handsOver reports whether a test that had not ended before now failed only because of
// tests inside it, which are in the set instead.
func (u update) handsOver(e Entry) bool {
	if !u.inner[e.TestID] || e.Reason != ReasonUnfinished && e.Reason != ReasonNeverStarted {
		return false
	}
	for id, inner := range u.red {
		if id.Suite == e.Suite && inner.Root == e.listed() && (e.Root == "" || api.IsInside(id.Test, e.Test, e.Root)) {
			return true
		}
	}
	return false
}

// neededNoRun reports whether a test skipped itself and is only outstanding because an
// earlier run ended before it: it was never red itself, and would wait for a pass
// forever. Others than the same arguments may be the reason why it skips itself, such as
// -short, or a -timeout that leaves it too little time; only those that a green run of
// everything in the same way does without, such as -failfast, are not.
func (u update) neededNoRun(e Entry) bool {
	same := e.Args == u.scope.Args || u.sameArgs(e) && e.Way != nil && u.scope.Way != nil && e.Way.key() == u.scope.Way.key()
	return e.wasOnlyCutShort() && same && u.seen[e.TestID] == sdk.Skipped && u.provesWhole(e.TestID, e.listed(), true)
}

// listKnown returns the tests of a suite if it just ran whole, or else those known before
// with those seen in this run.
func (u update) listKnown(suite string, before []string) []string {
	whole := u.askedAll || u.askedSuites[suite] || (u.scope.Tests == nil && !u.scope.SomeTests)
	end := u.suites[suite]
	if whole && (end == sdk.SuitePassed || end == sdk.SuiteFailed || end == sdk.SuiteAborted) {
		return sorted(u.roots[suite])
	}
	if tests, ok := u.Knows.Sources[suite]; ok && isBroken(end) {
		return sorted(toSet(tests))
	}
	if before == nil {
		return nil
	}
	merged := toSet(before)
	for name := range u.roots[suite] {
		merged[name] = true
	}
	return sorted(merged)
}

// sorted returns the names in a set. It is never nil, which would mean unknown.
func sorted(names map[string]bool) []string {
	list := slices.AppendSeq([]string{}, maps.Keys(names))
	slices.Sort(list)
	return list
}
