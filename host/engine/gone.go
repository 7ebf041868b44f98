package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// findGone finds out which outstanding tests no longer exist.
func (c settlement) findGone(ctx context.Context, reach outstanding.Reach) {
	if reach == outstanding.Green && c.first.fold.HasUnproven() {
		if inv, ok := project.ReadInventory(ctx, c.keeper.Host, c.plan.Project, sdk.ListRequest{RunnerArgs: c.plan.runnerArgs()}, project.ListDeadline); ok {
			c.first.fold.Knows.Exists = &inv
			c.first.fold.Knows.Removed = c.findRemoved(ctx)
		}
	}
	c.findAbsent(ctx)
	c.first.fold.Knows.Skipped = c.findSkipped(ctx, c.first.fold)
	if c.fallback != nil {
		c.fallback.fold.Knows.Skipped = c.findSkipped(ctx, c.fallback.fold)
	}
}

// findSkipped returns the outstanding parts of tests that may go on under the name of a part
// that skipped itself: none has a result from before the outstanding one was last red, as far
// as is known.
func (c settlement) findSkipped(ctx context.Context, fold *outstanding.Fold) map[sdk.TestID]bool {
	parts, skipped := outstanding.Inventory{Tests: map[string][]string{}}, map[sdk.TestID]bool{}
	for _, e := range c.plan.before.Entries {
		beside, isAll := outstanding.SkippedBeside(fold, e)
		skipped[e.TestID] = skipped[e.TestID] || len(beside) > 0
		for _, t := range beside {
			if isAll {
				parts.Tests[t.Suite] = append(parts.Tests[t.Suite], t.Test)
			}
		}
	}
	if len(parts.Tests) == 0 || c.plan.Ledger == nil || c.plan.Ledger.History == nil {
		return skipped
	}
	told, err := standing.ReadTold(ctx, c.plan.Ledger, c.run.Language, parts, 0)
	if err != nil {
		return skipped
	}
	isHeir := findHeirs(ctx, c.plan.Ledger, c.run.Language, told)
	for _, e := range c.plan.before.Entries {
		if beside, isAll := outstanding.SkippedBeside(fold, e); isAll {
			skipped[e.TestID] = slices.ContainsFunc(beside, func(t sdk.TestID) bool { return isHeir(t, e) })
		}
	}
	return skipped
}

// findAbsent finds out which outstanding tests without a result no longer exist. It asks
// for a listing only after a run that ended properly and ran its suites whole: that a
// selection or an early end left a test out proves nothing.
func (c settlement) findAbsent(ctx context.Context) {
	if c.plan.Chosen != nil { // the choice has asked already
		c.first.fold.Knows.Absent = c.plan.absent
		if c.fallback != nil {
			c.fallback.fold.Knows.Absent = c.plan.absent
		}
		return
	}
	ended := c.run.Verdict == api.Passed || c.run.Verdict == api.Failed || c.run.Verdict == api.BuildFailed
	if c.err != nil || !ended || c.run.Cancelled || c.run.TimedOut || !c.first.fold.RanWhole() {
		return
	}
	c.first.fold.Knows.Absent = listAbsent(ctx, c.plan.Ledger, c.plan.Project, c.first.fold.FindUnprovenAlike(), c.plan.runnerArgs())
}

// leftWithoutPass returns the tests that leave the set without having passed.
func (x *execution) leftWithoutPass(before, after outstanding.Set) []outstanding.Entry {
	if x.fallback == nil {
		return x.first.fold.FindGone(before, after)
	}
	var gone []outstanding.Entry
	for _, e := range x.first.fold.FindGone(before, after) {
		if slices.Contains(x.fallback.fold.FindGone(before, after), e) {
			gone = append(gone, e)
		}
	}
	return gone
}

// maxHeirs is how many unreported tests may be the new names of an outstanding one that is
// no longer listed; with more, it does not count as gone.
const maxHeirs = api.MaxRerunLimit

// listAbsent asks which of some outstanding tests no longer exist. All of them came in
// with these arguments and settings, and in this environment.
func listAbsent(ctx context.Context, led *ledger.Ledger, p project.Project, entries []outstanding.Entry, args []string) outstanding.Absences {
	if led == nil || led.History == nil || len(entries) == 0 {
		return nil
	}
	inv, ok := project.ReadInventory(ctx, led.Keeper.Host, p, sdk.ListRequest{RunnerArgs: args}, project.ListDeadline)
	if !ok {
		return nil
	}
	return FindAbsences(ctx, led, p, entries, inv)
}

// FindAbsences returns the outstanding tests that are missing both from an inventory of
// everything and from the sources beside their files: a test hidden by a build tag is not
// gone. A file that the inventory has for a test of that name hides no other.
func FindAbsences(ctx context.Context, led *ledger.Ledger, p project.Project, entries []outstanding.Entry, inv outstanding.Inventory) outstanding.Absences {
	none := func(sdk.TestID, outstanding.Entry) bool { return false }
	gone := inv.Absent(entries, none)
	if len(gone) == 0 {
		return nil
	}
	// Not all tests on record, of which there may be hundreds of thousands.
	files := map[sdk.TestID]string{}
	filter := history.TimelineFilter{Language: p.ID.Language, Tests: slices.Collect(maps.Keys(gone)), Points: 1}
	err := led.History.Timeline(ctx, filter, func(t history.Timeline) bool { files[t.TestKey.TestID] = t.File; return true })
	if err != nil {
		return nil
	}
	near := newNeighbors(p.Root.Path)
	for id, d := range inv.Declared {
		near.listed[d.File+" "+ledger.PlainTestName(id.Test)] = true
	}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e outstanding.Entry) bool {
		_, is := gone[e.TestID]
		return !is || near.mayBeDeclared(files[e.TestID], ledger.RootOf(e))
	})
	told, err := standing.ReadTold(ctx, led, p.ID.Language, inv, 0)
	if err != nil {
		return nil
	}
	absent := inv.Absent(entries, findHeirs(ctx, led, p.ID.Language, told))
	for t, heirs := range absent {
		if len(heirs) > maxHeirs {
			delete(absent, t)
		}
	}
	return absent
}

// findHeirs returns a function that reports whether a test may be an outstanding one under
// another name. told are those on record.
func findHeirs(ctx context.Context, led *ledger.Ledger, language string, told map[sdk.TestID]standing.ToldTest) func(sdk.TestID, outstanding.Entry) bool {
	since := map[string]int64{}
	// What has more results than told has is asked for again: a part may have been skipped since.
	cut, earlier := outstanding.Inventory{Tests: map[string][]string{}}, map[int64]map[sdk.TestID]standing.ToldTest{}
	for t, seen := range told {
		if seen.Cut {
			cut.Tests[t.Suite] = append(cut.Tests[t.Suite], t.Test)
		}
	}
	return func(t sdk.TestID, e outstanding.Entry) bool {
		order, asked := since[e.LastRunID]
		if !asked {
			if run, err := led.History.Run(ctx, e.LastRunID); err == nil && run.ID == e.LastRunID {
				order = run.Order
			}
			since[e.LastRunID] = order
			if earlier[order] == nil {
				earlier[order], _ = standing.ReadTold(ctx, led, language, cut, order+1) // without it, each is new
			}
		}
		seen, known := told[t]
		_, isOld := earlier[order][t]
		// Whatever a test proved before, a part of it may only have been skipped.
		return !known || (!seen.Conclusive || e.Root != "") && seen.First > order && !isOld
	}
}

// maxRemoved bounds how many outstanding tests are looked up by their files.
const maxRemoved = 500

// findRemoved returns the outstanding tests whose files are gone. Without it, entries from
// another environment would stay forever: this environment cannot prove that they do not
// exist in that one. A run with arguments proves nothing of the kind.
func (c settlement) findRemoved(ctx context.Context) map[sdk.TestID]bool {
	if c.plan.Ledger == nil || len(c.plan.settings()) > 0 {
		return nil
	}
	var tests []sdk.TestID
	roots := map[sdk.TestID]string{}
	for _, e := range c.plan.before.Entries {
		if e.Test != "" && e.Args != c.plan.argsKey() && len(tests) < maxRemoved {
			tests = append(tests, e.TestID)
			roots[e.TestID] = e.Root
		}
	}
	if len(tests) == 0 {
		return nil
	}
	removed := map[sdk.TestID]bool{}
	near := newNeighbors(c.plan.Project.Root.Path)
	filter := history.TimelineFilter{Language: c.plan.Project.ID.Language, Tests: tests, Points: 1}
	err := c.plan.Ledger.History.Timeline(ctx, filter, func(t history.Timeline) bool {
		id := t.TestKey.TestID
		name := roots[id]
		if name == "" {
			name = id.Test
		}
		removed[id] = near.hasLost(t.File, name)
		return ctx.Err() == nil
	})
	if err != nil || ctx.Err() != nil {
		return nil
	}
	return removed
}

// neighbors looks for names in the files beside a file. It reads each directory once.
type neighbors struct {
	root   string
	texts  map[string]map[string][]byte // of a directory's files, by their names; nil if unknown
	listed map[string]bool              // "FILE NAME" of tests that are known to exist
}

func newNeighbors(root string) neighbors {
	return neighbors{root: root, texts: map[string]map[string][]byte{}, listed: map[string]bool{}}
}

// maxNeighbors bounds how many bytes of a directory's files are read.
const maxNeighbors = 8 << 20

// hasLost reports whether a test's file is gone and no file beside it mentions the test: a
// renamed file took its tests along.
func (n neighbors) hasLost(file, test string) bool {
	if file == "" || !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	if _, err := os.Lstat(filepath.Join(n.root, filepath.FromSlash(file))); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	test = ledger.PlainTestName(test)
	texts := n.readOnce(path.Dir(file))
	for _, text := range texts {
		if bytes.Contains(text, []byte(test)) {
			return false
		}
	}
	return test != "" && texts != nil
}

// mayBeDeclared reports whether any line but a comment in the files beside a test's file
// has the test's name, or whether that is unknown.
func (n neighbors) mayBeDeclared(file, test string) bool {
	test = ledger.PlainTestName(test)
	if file == "" || test == "" || !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	dir := path.Dir(file)
	if _, err := os.Lstat(filepath.Join(n.root, filepath.FromSlash(dir))); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	texts := n.readOnce(dir)
	for name, text := range texts {
		if n.listed[path.Join(dir, name)+" "+test] {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if !isComment(line) && ledger.HasWord(line, test) {
				return true
			}
		}
	}
	return texts == nil
}

// isComment reports whether a line is only a comment, by most languages' syntax.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "#", "/*", "*", "--"}, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// readOnce returns the contents of a directory's files; nil if unknown.
func (n neighbors) readOnce(dir string) map[string][]byte {
	text, known := n.texts[dir]
	if !known {
		text = n.readDir(filepath.Join(n.root, filepath.FromSlash(dir)))
		n.texts[dir] = text
	}
	return text
}

// readDir returns the contents of a directory's files; nil if it is too much or cannot be
// read.
func (n neighbors) readDir(dir string) map[string][]byte {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string][]byte{}
	}
	if err != nil {
		return nil
	}
	texts, size := map[string][]byte{}, 0
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			if entry.IsDir() {
				continue
			}
			return nil // a link may lead to the file
		}
		f, err := os.Open(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil
		}
		part, err := io.ReadAll(io.LimitReader(f, int64(maxNeighbors-size)))
		if f.Close(); err != nil {
			return nil
		}
		if size += len(part); size >= maxNeighbors {
			return nil
		}
		texts[entry.Name()] = part
	}
	return texts
}

// tellGone reports what is no longer outstanding without having passed.
func (c settlement) tellGone(ctx context.Context, gone []outstanding.Entry) {
	if c.plan.sparesOutstanding() {
		return
	}
	if len(gone) > 0 {
		if c.run.Integrity == nil {
			c.run.Integrity = &api.Integrity{}
		}
		seen := map[sdk.TestID]bool{} // a test may have been red in several ways
		once := slices.DeleteFunc(slices.Clone(gone), func(e outstanding.Entry) bool {
			again := seen[e.TestID]
			seen[e.TestID] = true
			return again
		})
		c.run.Integrity.Gone, c.run.Integrity.GoneTotal = standing.GoneTests(once), len(once)
		for i, r := range c.run.Requested {
			left := slices.ContainsFunc(gone, func(e outstanding.Entry) bool { return e.TestID == r.TestID })
			if left && r.Outcome == api.OutcomeDidNotRun {
				c.run.Requested[i].Why = "it no longer exists"
			}
		}
	}
	c.tellRenamed(ctx, gone)
}

// tellRenamed finds the new names of tests that are gone. If one failed under its new
// name, it counts as outstanding since the old one was, and keeps the original name.
func (c settlement) tellRenamed(ctx context.Context, gone []outstanding.Entry) {
	if c.run.Integrity == nil || c.plan.Ledger == nil || c.plan.Ledger.History == nil {
		return
	}
	names, err := standing.FindRenames(ctx, c.plan.Ledger, c.run.Language, gone)
	if err != nil {
		noteUnrecorded(c.run, err)
		return
	}
	c.run.Integrity.Rename(names)
	was := map[sdk.TestID]outstanding.Entry{}
	for _, r := range c.run.Integrity.Renamed {
		was[r.To] = outstanding.Entry{TestID: r.TestID, RunID: c.run.RunID}
	}
	for _, e := range gone {
		if to, ok := names[e.TestID]; ok {
			was[to] = e
		}
	}
	if len(was) == 0 {
		return
	}
	_, err = c.replaceSet(ctx, func(current outstanding.Set) outstanding.Set {
		for i, e := range current.Entries {
			if old, ok := was[e.TestID]; ok && e.LastRunID == c.run.RunID {
				current.Entries[i].RunID, current.Entries[i].Was = old.RunID, formerName(old.TestID, e.TestID)
			}
		}
		return current
	})
	for i := range c.run.Failures {
		failure := &c.run.Failures[i]
		old, ok := was[failure.TestID]
		if s := failure.Standing; ok && s != nil && err == nil {
			if s.Formerly, err = standing.Formerly(ctx, c.plan.Ledger, c.run.Language, old.TestID); s.Formerly != nil {
				s.Formerly.Test = formerName(old.TestID, failure.TestID)
			}
		}
	}
	if err != nil {
		noteUnrecorded(c.run, err)
	}
}

// formerName names a test as it was called: with its suite, if it was moved.
func formerName(old, now sdk.TestID) string {
	if old.Suite == now.Suite {
		return old.Test
	}
	return old.Suite + " " + old.Test
}
