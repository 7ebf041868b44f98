package triage

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// dropGone answers for suspects that no longer exist, and finds the earlier names of
// others: a test is not new merely because the base lacks its name.
func (t *triage) dropGone(ctx context.Context) error {
	run := history.Run{Environment: t.suspects.run.Environment}
	if t.ledger.History == nil || run.Environment == "" || run.Setting() != (history.Run{Environment: t.environment}).Setting() {
		return nil // in another environment, other tests may exist
	}
	inv, ok := project.ReadInventory(ctx, t.keeper.Host, t.project, sdk.ListRequest{RunnerArgs: t.runnerArgs()}, project.ListDeadline)
	if !ok {
		return nil
	}
	t.here = inv
	entries, err := findUnlisted(ctx, t.ledger, t.project.ID.Language, t.suspects.tests, inv)
	if err != nil {
		return err
	}
	absent := engine.FindAbsences(ctx, t.ledger, t.project, entries, inv)
	var gone []outstanding.Entry
	for _, e := range entries {
		if _, is := absent[e.TestID]; is {
			gone = append(gone, e)
		}
	}
	names, err := standing.FindRenames(ctx, t.ledger, t.project.ID.Language, gone)
	if err != nil {
		return err
	}
	maps.DeleteFunc(names, func(_, is sdk.TestID) bool { _, listed := inv.Declared[is]; return !listed })
	if err := t.addListed(ctx, names, gone); err != nil {
		return err
	}
	was := map[sdk.TestID]string{}
	for old, now := range names {
		if old.Suite == now.Suite {
			was[now] = old.Test
		}
	}
	var left []suspect
	for _, s := range t.suspects.tests {
		if _, is := absent[s.target()]; is && !s.fixture {
			t.tellGone(s, names)
			continue
		}
		for is, name := range was {
			s.was = cmp.Or(s.formerly(name, is), s.was)
		}
		left = append(left, s)
	}
	t.suspects.tests = left
	return nil
}

// tellGone answers for a suspect that no longer exists.
func (t *triage) tellGone(s suspect, names map[sdk.TestID]sdk.TestID) {
	found := api.Triaged{Suite: s.Suite, Test: s.Test, Finding: api.NoMore, Why: "it failed, and no longer exists"}
	if now, renamed := names[s.TestID]; renamed {
		found.Why = fmt.Sprintf("it failed, and is now %s", prose.QualifiedName(now.Suite, now.Test))
	}
	t.answer.Gone++
	t.answer.Tests = append(t.answer.Tests, found)
}

// findUnlisted returns suspects, and recorded tests of their files, that an inventory
// lacks, as outstanding entries of the run in which they were last red.
func findUnlisted(ctx context.Context, led *ledger.Ledger, language string, suspects []suspect, inv outstanding.Inventory) ([]outstanding.Entry, error) {
	tests, err := led.History.Tests(ctx, history.TestFilter{Language: language})
	if err != nil {
		return nil, err
	}
	failed, files := map[sdk.TestID]bool{}, map[string]bool{}
	for _, s := range suspects {
		failed[s.target()] = true
	}
	for _, t := range tests {
		if failed[t.TestKey.TestID] && t.File != "" {
			files[t.File] = true
		}
	}
	var entries []outstanding.Entry
	var named []sdk.TestID
	for _, t := range tests {
		if !failed[t.TestKey.TestID] && (!files[t.File] || t.Root != "" && t.Root != t.TestKey.Test) {
			continue
		}
		entries = append(entries, outstanding.Entry{TestID: t.TestKey.TestID, Root: t.Root, Reason: outstanding.ReasonFailed})
		named = append(named, t.TestKey.TestID)
	}
	never := func(sdk.TestID, outstanding.Entry) bool { return false }
	absent := inv.Absent(entries, never)
	last := map[sdk.TestID]string{}
	err = standing.Timelines(ctx, led, history.TimelineFilter{Language: language, Tests: named, Points: standing.LeastPoints}, func(t history.Timeline) {
		for _, p := range t.Points {
			if p.RunKind != api.KindTriage && !p.Foreign() {
				last[t.TestKey.TestID] = p.RunID
			}
		}
	})
	var gone []outstanding.Entry
	for _, e := range entries {
		if _, is := absent[e.TestID]; is {
			e.LastRunID = last[e.TestID]
			gone = append(gone, e)
		}
	}
	return gone, err
}

// asBefore returns the suspect under its earlier name.
func (s suspect) asBefore() suspect {
	if s.was == "" {
		return s
	}
	if s.root != "" {
		s.root, _ = strings.CutSuffix(s.was, strings.TrimPrefix(s.Test, s.root))
	}
	s.TestID, s.was = sdk.TestID{Suite: s.Suite, Test: s.was}, ""
	return s
}

// formerly returns the suspect's earlier name, if a listed test was renamed that is the
// suspect or contains it; otherwise "".
func (s suspect) formerly(was string, is sdk.TestID) string {
	switch {
	case s.TestID == is:
		return was
	case s.Suite == is.Suite && s.root == is.Test && s.root != "":
		if rest, ok := strings.CutPrefix(s.Test, s.root); ok {
			return was + rest
		}
	}
	return ""
}

// nameFormerly finds what suspects are called on the base from the listings there and
// here, since not every old name is on record.
func (t *triage) nameFormerly(ask []suspect, there outstanding.Inventory) {
	var gone, come []classify.Declared
	for _, d := range declaredIn(t.here) {
		if _, both := there.Declared[d.TestID]; !both && there.Tests[d.Suite] != nil {
			come = append(come, d)
		}
	}
	for _, d := range declaredIn(there) {
		if _, both := t.here.Declared[d.TestID]; !both && t.here.Tests[d.Suite] != nil {
			gone = append(gone, d)
		}
	}
	for was, is := range classify.Renames(classify.Placed(gone, declaredIn(there)), classify.Placed(come, declaredIn(t.here))) {
		for _, list := range [][]suspect{ask, t.suspects.tests} {
			for i := range list {
				if name := list[i].formerly(was.Test, is); name != "" && list[i].was == "" {
					list[i].was = name
				}
			}
		}
	}
}

// addListed adds the new names of gone tests that are listed but have not run.
func (t *triage) addListed(ctx context.Context, names map[sdk.TestID]sdk.TestID, gone []outstanding.Entry) error {
	tests, err := t.ledger.History.Tests(ctx, history.TestFilter{Language: t.project.ID.Language})
	if err != nil {
		return err
	}
	on := make(map[sdk.TestID]history.Test, len(tests))
	for _, known := range tests {
		on[known.TestKey.TestID] = known
	}
	var old, new []classify.Declared
	for _, e := range gone {
		if _, named := names[e.TestID]; !named && e.LastRunID != "" { // for others only the base tells
			d := on[e.TestID]
			old = append(old, classify.Declared{TestID: e.TestID, File: d.File, Line: d.Line, Body: d.Body})
		}
	}
	for _, d := range declaredIn(t.here) {
		if _, ran := on[d.TestID]; !ran {
			new = append(new, d)
		}
	}
	for was, is := range classify.Renames(classify.Placed(old, old), classify.Placed(new, declaredIn(t.here))) {
		names[was] = is
	}
	return nil
}

// declaredIn returns the tests of a listing with known declarations.
func declaredIn(inv outstanding.Inventory) []classify.Declared {
	list := make([]classify.Declared, 0, len(inv.Declared))
	for t, d := range inv.Declared {
		list = append(list, classify.Declared{TestID: t, File: d.File, Line: d.Line, Body: d.Body})
	}
	return list
}
