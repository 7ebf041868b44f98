package standing

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// GoneTests converts entries that no longer exist, as many as a Run object carries.
func GoneTests(entries []outstanding.Entry) []api.Gone {
	var gone []api.Gone
	for _, e := range entries[:min(len(entries), api.MaxNames)] {
		gone = append(gone, api.Gone{TestID: e.TestID, Was: string(e.Reason)})
	}
	return gone
}

// Formerly returns how a renamed test last ended under its old name; nil if that is not
// on record.
func Formerly(ctx context.Context, led *ledger.Ledger, language string, old sdk.TestID) (found *api.Formerly, err error) {
	filter := history.TimelineFilter{Language: language, Tests: []sdk.TestID{old}, Points: LeastPoints}
	err = Timelines(ctx, led, filter, func(t history.Timeline) {
		if p, ok := classify.Latest(t.Points); ok {
			found = &api.Formerly{Test: old.Test, RunID: p.RunID, Ended: ledger.OutcomeWord(p.Outcome)}
		}
	})
	return found, err
}

// addFormerNames adds the earlier names of outstanding tests to their standings.
func addFormerNames(ctx context.Context, led *ledger.Ledger, language string, standings map[sdk.TestID]api.Standing) error {
	set, err := led.Outstanding(ctx, language)
	for _, e := range set.Entries {
		s, ok := standings[e.TestID]
		if err != nil || !ok || e.Was == "" || s.Classification != api.Gap {
			continue
		}
		s.Formerly, err = Formerly(ctx, led, language, sdk.TestID{Suite: e.Suite, Test: e.Was})
		standings[e.TestID] = s
	}
	return err
}

// FindRenames returns the known new names of outstanding tests that are gone, among
// tests first seen after the old ones were last red. One with the same name in another
// suite was moved. One of the same suite with the same body was renamed, as was one of
// the same file at the same place or with the same failure. Ambiguous cases are
// skipped.
func FindRenames(ctx context.Context, led *ledger.Ledger, language string, gone []outstanding.Entry) (map[sdk.TestID]sdk.TestID, error) {
	tests, err := led.History.Tests(ctx, history.TestFilter{Language: language})
	if err != nil {
		return nil, err
	}
	since, earliest := redLast(ctx, led, gone)
	fresh := outstanding.Inventory{Tests: map[string][]string{}}
	for _, t := range tests {
		if !earliest.IsZero() && t.FirstAt.After(earliest) {
			fresh.Tests[t.Suite] = append(fresh.Tests[t.Suite], t.TestKey.Test)
		}
	}
	if len(fresh.Tests) == 0 {
		return map[sdk.TestID]sdk.TestID{}, nil
	}
	// A test that only a triage has seen exists on its base, but perhaps not here.
	told, err := ReadTold(ctx, led, language, fresh, 0)
	if err != nil {
		return nil, err
	}
	known := indexNames(tests, func(t sdk.TestID) bool { _, ran := told[t]; return ran })
	renamed, taken := make(map[sdk.TestID]sdk.TestID, len(gone)), map[sdk.TestID]int{}
	for _, e := range gone {
		old, isKnown := known.byID[e.TestID]
		if !isKnown || e.Test == "" {
			continue
		}
		rest := ""
		if e.Root != "" && e.Root != e.Test {
			// In most languages, the name of a part contains that of its test.
			var inside bool
			old, isKnown = known.byID[sdk.TestID{Suite: e.Suite, Test: e.Root}]
			if rest, inside = strings.CutPrefix(e.Test, e.Root); !isKnown || !inside {
				continue
			}
		}
		to, ok, err := known.findNewName(ctx, led, old, since[e.LastRunID])
		if err != nil {
			return nil, err
		}
		if to.Test += rest; ok && (rest == "" || known.byID[to].Root != "") {
			renamed[e.TestID] = to
			taken[to]++
		}
	}
	for was, is := range renamed {
		if taken[is] > 1 {
			delete(renamed, was)
		}
	}
	return renamed, nil
}

// redLast returns the start times of the runs in which entries were last red, and the
// earliest of them.
func redLast(ctx context.Context, led *ledger.Ledger, entries []outstanding.Entry) (at map[string]time.Time, earliest time.Time) {
	at = map[string]time.Time{}
	for _, e := range entries {
		if _, asked := at[e.LastRunID]; asked {
			continue
		}
		run, err := led.History.Run(ctx, e.LastRunID)
		if err != nil {
			at[e.LastRunID] = time.Time{}
			continue
		}
		at[e.LastRunID] = run.StartedAt
		if earliest.IsZero() || run.StartedAt.Before(earliest) {
			earliest = run.StartedAt
		}
	}
	return at, earliest
}

// names are the tests on record by what a renamed or moved test keeps. All but byID have only
// tests that no other test contains, and all but byID and byLine only those that may exist.
type names struct {
	byID                   map[sdk.TestID]history.Test
	byLine                 map[sourceLine][]sdk.TestID
	byFile, byName, byBody map[string][]history.Test
}

// sourceLine is where a test is declared.
type sourceLine struct {
	file string
	line int
}

// indexNames indexes tests; mayExist reports whether one may exist here.
func indexNames(tests []history.Test, mayExist func(sdk.TestID) bool) names {
	n := names{
		byID: make(map[sdk.TestID]history.Test, len(tests)), byLine: map[sourceLine][]sdk.TestID{},
		byFile: map[string][]history.Test{}, byName: map[string][]history.Test{}, byBody: map[string][]history.Test{},
	}
	for _, t := range tests {
		id := t.TestKey.TestID
		n.byID[id] = t
		if id.Test == "" || t.Root != "" && t.Root != id.Test {
			continue
		}
		at := sourceLine{t.File, t.Line}
		n.byLine[at] = append(n.byLine[at], id)
		if mayExist(id) {
			n.byFile[t.File] = append(n.byFile[t.File], t)
			n.byBody[t.Body] = append(n.byBody[t.Body], t)
			n.byName[id.Test] = append(n.byName[id.Test], t)
		}
	}
	return n
}

// findNewName returns the new name of a test that was last red at since, if exactly one
// newer test has its body, its place, its failure or its name.
func (n names) findNewName(ctx context.Context, led *ledger.Ledger, old history.Test, since time.Time) (to sdk.TestID, ok bool, err error) {
	pick := func(tests []history.Test, fits func(history.Test) bool) []sdk.TestID {
		var found []sdk.TestID
		for _, t := range tests {
			if t.TestKey != old.TestKey && !since.IsZero() && t.FirstAt.After(since) && fits(t) {
				found = append(found, t.TestKey.TestID)
			}
		}
		return found
	}
	embodied := pick(n.byBody[old.Body], func(t history.Test) bool { return old.Body != "" && t.Suite == old.Suite })
	if len(embodied) == 1 {
		return embodied[0], true, nil
	}
	inFile := func(t history.Test) bool { return old.File != "" && t.Suite == old.Suite }
	placed := pick(n.byFile[old.File], func(t history.Test) bool { return inFile(t) && t.Line == old.Line && t.Line > 0 })
	if len(placed) == 1 {
		beside := slices.DeleteFunc(slices.Clone(n.byLine[sourceLine{old.File, old.Line}]), func(t sdk.TestID) bool { return t == old.TestKey.TestID || t == placed[0] })
		shared, err := anyRan(ctx, led, old.Language, beside, since)
		if err != nil {
			return to, false, err
		}
		if !shared {
			return placed[0], true, nil
		}
		placed = nil // several tests share the line
	}
	if others := pick(n.byFile[old.File], inFile); len(placed) == 0 && len(others) > 0 {
		failures, err := readLastFailures(ctx, led, old, others)
		if err != nil {
			return to, false, err
		}
		alike := slices.DeleteFunc(others, func(t sdk.TestID) bool {
			f, failed := failures[t]
			return !failed || f.excerpt == "" || f != failures[old.TestKey.TestID]
		})
		if len(alike) == 1 {
			return alike[0], true, nil
		}
	}
	moved := pick(n.byName[old.TestKey.Test], func(t history.Test) bool { return t.Suite != old.Suite })
	if len(moved) == 1 {
		return moved[0], true, nil
	}
	return to, false, nil
}

// anyRan reports whether one of these tests ran in a run that began at since or later.
func anyRan(ctx context.Context, led *ledger.Ledger, language string, tests []sdk.TestID, since time.Time) (ran bool, err error) {
	if len(tests) == 0 {
		return false, nil
	}
	filter := history.TimelineFilter{Language: language, Tests: tests, Points: LeastPoints}
	err = Timelines(ctx, led, filter, func(t history.Timeline) {
		ran = ran || slices.ContainsFunc(t.Points, func(p history.Point) bool {
			return p.RunKind != api.KindTriage && !p.Foreign() && !p.At.Before(since)
		})
	})
	return ran, err
}

// toldFailure is the text of a failure, regardless of its test.
type toldFailure struct{ kind, excerpt string }

// readLastFailures returns the last failures of a test and others.
func readLastFailures(ctx context.Context, led *ledger.Ledger, old history.Test, others []sdk.TestID) (map[sdk.TestID]toldFailure, error) {
	failures := map[sdk.TestID]toldFailure{}
	filter := history.TimelineFilter{Language: old.Language, Tests: append([]sdk.TestID{old.TestKey.TestID}, others...), Points: LeastPoints}
	err := Timelines(ctx, led, filter, func(t history.Timeline) {
		if p, ok := classify.Latest(t.Points); ok && p.Outcome.Bad() {
			failures[t.TestKey.TestID] = toldFailure{p.Kind, p.Excerpt}
		}
	})
	return failures, err
}

// ToldTest is a test as seen in our own runs.
type ToldTest struct {
	First      int64 // the order of the first run that had it; if Cut, of the first that was read
	Conclusive bool
	Cut        bool
}

// ReadTold returns the listed tests that our own runs have on record, of runs before an order
// unless it is 0.
func ReadTold(ctx context.Context, led *ledger.Ledger, language string, inv outstanding.Inventory, before int64) (map[sdk.TestID]ToldTest, error) {
	var tests []sdk.TestID
	for suite, names := range inv.Tests {
		for _, name := range names {
			tests = append(tests, sdk.TestID{Suite: suite, Test: name})
		}
	}
	told := map[sdk.TestID]ToldTest{}
	filter := history.TimelineFilter{Language: language, Tests: tests, Before: before, Points: LeastPoints}
	err := Timelines(ctx, led, filter, func(t history.Timeline) {
		own, _ := splitForeign(t.Points)
		own = slices.DeleteFunc(own, func(p history.Point) bool { return p.RunKind == api.KindTriage })
		if len(own) == 0 {
			return
		}
		seen := ToldTest{First: own[0].Order, Cut: t.Cut}
		for _, p := range own {
			seen.Conclusive = seen.Conclusive || p.Outcome.Conclusive()
		}
		told[t.TestKey.TestID] = seen
	})
	return told, err
}
