package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// dropGone answers for suspects that do not exist any more, and finds out what others
// were called before: neither is new since because the base does not have it.
func (t *triage) dropGone(ctx context.Context) error {
	run := history.Run{Environment: t.suspects.run.Environment}
	if t.memory.history == nil || run.Environment == "" || run.Setting() != (history.Run{Environment: t.environment}).Setting() {
		return nil // what exists here may be something else than there
	}
	inv, ok := t.host.inventory(ctx, t.project, sdk.ListRequest{RunnerArgs: t.runnerArgs()}, listDeadline)
	if !ok {
		return nil
	}
	t.here = inv
	entries, err := t.memory.unlisted(ctx, t.project.id.Language, t.suspects.tests, inv)
	if err != nil {
		return err
	}
	absent := t.memory.absent(ctx, t.project, entries, inv)
	var gone []rerun.Entry
	for _, e := range entries {
		if _, is := absent[e.Test]; is {
			gone = append(gone, e)
		}
	}
	names, err := t.memory.renames(ctx, t.project.id.Language, gone)
	if err != nil {
		return err
	}
	maps.DeleteFunc(names, func(_, is record.Test) bool { _, listed := inv.Declared[is]; return !listed })
	if err := t.addListed(ctx, names, gone); err != nil {
		return err
	}
	was := map[record.Test]string{}
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

// tellGone answers for a suspect that does not exist any more.
func (t *triage) tellGone(s suspect, names map[record.Test]record.Test) {
	found := record.Triaged{Suite: s.Suite, Test: s.Test.Test, Finding: record.NoMore, Why: "it failed, and does not exist any more"}
	if now, renamed := names[s.Test]; renamed {
		found.Why = fmt.Sprintf("it failed, and is now %s", report.QualifiedName(now.Suite, now.Test))
	}
	t.answer.Gone++
	t.answer.Tests = append(t.answer.Tests, found)
}

// unlisted are suspects, and the tests on record of their files, that an inventory does
// not have, as outstanding ones that were red when they ran last.
func (m *memory) unlisted(ctx context.Context, language string, suspects []suspect, inv rerun.Inventory) ([]rerun.Entry, error) {
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: language})
	if err != nil {
		return nil, err
	}
	failed, files := map[record.Test]bool{}, map[string]bool{}
	for _, s := range suspects {
		failed[s.target()] = true
	}
	for _, t := range tests {
		if failed[t.TestKey.Test] && t.File != "" {
			files[t.File] = true
		}
	}
	var entries []rerun.Entry
	var named []record.Test
	for _, t := range tests {
		if !failed[t.TestKey.Test] && (!files[t.File] || t.Root != "" && t.Root != t.TestKey.Test.Test) {
			continue
		}
		entries = append(entries, rerun.Entry{Test: t.TestKey.Test, Root: t.Root, Reason: rerun.ReasonFailed})
		named = append(named, t.TestKey.Test)
	}
	never := func(record.Test, rerun.Entry) bool { return false }
	absent := inv.Absent(entries, never)
	last := map[record.Test]string{}
	err = m.timelines(ctx, history.TimelineFilter{Language: language, Tests: named, Points: leastPoints}, func(t history.Timeline) {
		for _, p := range t.Points {
			if p.RunKind != record.KindTriage && !p.Foreign() {
				last[t.TestKey.Test] = p.RunID
			}
		}
	})
	var gone []rerun.Entry
	for _, e := range entries {
		if _, is := absent[e.Test]; is {
			e.LastRunID = last[e.Test]
			gone = append(gone, e)
		}
	}
	return gone, err
}

// asBefore is the suspect by the name that it had before.
func (s suspect) asBefore() suspect {
	if s.was == "" {
		return s
	}
	if s.root != "" {
		s.root, _ = strings.CutSuffix(s.was, strings.TrimPrefix(s.Test.Test, s.root))
	}
	s.Test, s.was = record.Test{Suite: s.Suite, Test: s.was}, ""
	return s
}

// formerly is the name that the suspect had, if a listed test was renamed: that test
// itself, or a part of it. It is empty otherwise.
func (s suspect) formerly(was string, is record.Test) string {
	switch {
	case s.Test == is:
		return was
	case s.Suite == is.Suite && s.root == is.Test && s.root != "":
		if rest, ok := strings.CutPrefix(s.Test.Test, s.root); ok {
			return was + rest
		}
	}
	return ""
}

// nameFormerly finds out what suspects are called on the base, by what is listed there
// and here: not every old name is on record.
func (t *triage) nameFormerly(ask []suspect, there rerun.Inventory) {
	var gone, come []classify.Declared
	for _, d := range declaredIn(t.here) {
		if _, both := there.Declared[d.Test]; !both && there.Tests[d.Suite] != nil {
			come = append(come, d)
		}
	}
	for _, d := range declaredIn(there) {
		if _, both := t.here.Declared[d.Test]; !both && t.here.Tests[d.Suite] != nil {
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

// addListed adds the new names of tests that are gone which are listed, and have not run.
func (t *triage) addListed(ctx context.Context, names map[record.Test]record.Test, gone []rerun.Entry) error {
	tests, err := t.memory.history.Tests(ctx, history.TestFilter{Language: t.project.id.Language})
	if err != nil {
		return err
	}
	on := make(map[record.Test]history.Test, len(tests))
	for _, known := range tests {
		on[known.TestKey.Test] = known
	}
	var old, new []classify.Declared
	for _, e := range gone {
		if _, named := names[e.Test]; !named && e.LastRunID != "" { // of others only the base tells
			d := on[e.Test]
			old = append(old, classify.Declared{Test: e.Test, File: d.File, Line: d.Line, Body: d.Body})
		}
	}
	for _, d := range declaredIn(t.here) {
		if _, ran := on[d.Test]; !ran {
			new = append(new, d)
		}
	}
	for was, is := range classify.Renames(classify.Placed(old, old), classify.Placed(new, declaredIn(t.here))) {
		names[was] = is
	}
	return nil
}

// declaredIn are the tests of a listing whose declarations are known.
func declaredIn(inv rerun.Inventory) []classify.Declared {
	list := make([]classify.Declared, 0, len(inv.Declared))
	for t, d := range inv.Declared {
		list = append(list, classify.Declared{Test: t, File: d.File, Line: d.Line, Body: d.Body})
	}
	return list
}
