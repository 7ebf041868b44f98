package query

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/linediff"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// maxHunks bounds the hunks of an answer, maxHunkLines the lines of each, and
	// maxAround the unchanged lines on either side that make it unique in its file.
	maxHunks     = 6
	maxHunkLines = 12
	maxAround    = 2
	// maxCompared is how many changed files are compared: a branch switch changes
	// thousands, none of which is more telling than another.
	maxCompared = 20
)

// ChangedLines returns what changed in the sources since the failing tests of a run last
// passed or, without a pass on record, since the commit; nil if nothing is known to have
// changed. Of several passes the latest counts, since usually one edit broke all of the
// tests.
func ChangedLines(ctx context.Context, k *ledger.Keeper, run api.Run) *api.ChangedLines {
	if run.Source == nil || run.Origin != "" || run.MixedState || run.FailuresTotal == 0 {
		return nil
	}
	_, led, err := ledger.Lookup(ctx, k, api.LastRun{Where: api.Where{Dir: run.Workspace, Exact: true}, Ref: run.RunID})
	if err != nil {
		return nil
	}
	now, known, err := led.State(ctx, run.Source.Fingerprint)
	if err != nil || !known {
		return nil
	}
	c := &comparison{ledger: led, now: now, leads: collectLeads(run.Failures)}
	if last := findLastPass(run.Failures); last != nil {
		if c.then, known, err = led.State(ctx, last.Fingerprint); err == nil && known {
			c.SinceRunID = last.RunID
			return c.compare(ctx)
		}
	}
	// That of the run: the same sources may have been recorded before they were committed.
	if c.Commit = run.Source.Commit; c.Commit == "" {
		return nil
	}
	if c.then, err = fingerprint.OfCommit(ctx, led.SourceConfig(ctx), c.Commit); err != nil {
		return nil
	}
	return c.compare(ctx)
}

// findLastPass returns the latest pass of failing tests whose sources are known.
func findLastPass(failures []api.Failure) (last *api.LastPassed) {
	for _, f := range failures {
		if s := f.Standing; s != nil && s.LastPassed != nil && s.LastPassed.Fingerprint != "" && (last == nil || s.LastPassed.At.After(last.At)) {
			last = s.LastPassed
		}
	}
	return last
}

// collectLeads returns the files that failures lead to.
func collectLeads(failures []api.Failure) []string {
	var files []string
	for _, f := range failures {
		files = append(files, f.File, f.TestFrame.File)
		for _, frame := range f.Stack {
			files = append(files, frame.File)
		}
	}
	return files
}

// comparison compares the sources with earlier ones.
type comparison struct {
	api.ChangedLines
	ledger    *ledger.Ledger
	then, now fingerprint.State
	// leads are the files whose changes come first.
	leads []string
}

// compare finds the lines that differ; nil if none is known to.
func (c *comparison) compare(ctx context.Context) *api.ChangedLines {
	if ledger.WhyIncomparable(c.then, c.now) != "" {
		return nil
	}
	root := ledger.RootIn(c.ledger, c.now.Top)
	changes := fingerprint.Diff(c.then, c.now)
	c.sort(changes, root)
	for i, change := range changes {
		name := ledger.RelateToWorkspace(c.now.Top, root, change.Path)
		var hunks []api.Hunk
		compared := false
		if i < maxCompared && ctx.Err() == nil {
			hunks, compared = c.compareFile(ctx, change)
		}
		if !compared {
			if c.FilesTotal++; len(c.Files) < maxHunks {
				c.Files = append(c.Files, name)
			}
			continue
		}
		for _, hunk := range hunks {
			if c.Total++; len(c.Hunks) < maxHunks {
				hunk.File = name
				c.Hunks = append(c.Hunks, hunk)
			}
		}
	}
	if c.Total == 0 {
		return nil
	}
	return &c.ChangedLines
}

// sort puts the files that the failures lead to before others, and those of their
// directories next.
func (c *comparison) sort(changes []fingerprint.Change, root string) {
	files, dirs := map[string]bool{}, map[string]bool{}
	for _, name := range c.leads {
		if name != "" {
			files[name], dirs[path.Dir(name)] = true, true
		}
	}
	rank := func(change fingerprint.Change) int {
		name := ledger.RelateToWorkspace(c.now.Top, root, change.Path)
		switch {
		case files[name]:
			return 0
		case dirs[path.Dir(name)]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(changes, func(a, b fingerprint.Change) int { return cmp.Compare(rank(a), rank(b)) })
}

// compareFile compares the lines of one file; compared is false if one of its versions is
// unknown or not text.
func (c *comparison) compareFile(ctx context.Context, change fingerprint.Change) (hunks []api.Hunk, compared bool) {
	was, wasKnown := c.contentAt(ctx, c.then, change.Path)
	is, _, err := fingerprint.ReadFile(c.now.Top, change.Path, ledger.MaxContent)
	isKnown := err == nil
	if f, listed := c.now.Find(change.Path); !listed {
		is, isKnown = nil, true
	} else if !isKnown || !f.Holds(is) { // edited since
		is, isKnown = ledger.ReadContent(ctx, c.ledger, c.now, f)
	}
	if !wasKnown || !isKnown || bytes.IndexByte(was, 0) >= 0 || bytes.IndexByte(is, 0) >= 0 {
		return nil, false
	}
	return findHunks(was, is), true
}

// contentAt returns what a file held in a state: nothing if it did not exist.
func (c *comparison) contentAt(ctx context.Context, state fingerprint.State, name string) ([]byte, bool) {
	f, listed := state.Find(name)
	if !listed {
		return nil, true
	}
	return ledger.ReadContent(ctx, c.ledger, state, f)
}

// findHunks returns the places where a text differs from an earlier one.
func findHunks(before, after []byte) []api.Hunk {
	was, is := splitLines(before), splitLines(after)
	origin := linediff.Map(coverage.HashLines(before), coverage.HashLines(after))
	var hunks []api.Hunk
	next := 1     // the earlier line that comes next
	since := 0    // the end of the last change
	reached := -1 // the end of what the last hunk shows
	for i := 0; i <= len(is); {
		first := i
		for i < len(is) && origin[i] == 0 {
			i++
		}
		upTo := len(was) + 1
		if i < len(is) {
			upTo = origin[i]
		}
		if first < i || next < upTo {
			h, from, to := newHunk(was[next-1:upTo-1], is, first, i, since, findNextChange(origin, i))
			if len(hunks) == 0 || from > reached || !join(&hunks[len(hunks)-1], h, reached-from) {
				hunks = append(hunks, h)
			}
			since, reached = i, to
		}
		next = upTo + 1
		i++
	}
	return hunks
}

// findNextChange returns the end of the unchanged lines that begin with a line.
func findNextChange(origin []int, line int) int {
	end := line
	for end < len(origin) && origin[end] != 0 && (end == line || origin[end] == origin[end-1]+1) {
		end++
	}
	return end
}

// newHunk describes a place where lines were removed and lines[first:end] were added, with
// as many of the unchanged lines[least:most] around them as it takes to find it. It shows
// lines[from:to].
func newHunk(removed, lines []string, first, end, least, most int) (h api.Hunk, from, to int) {
	h = api.Hunk{Line: first + 1}
	around := 0
	for around < maxAround && (first == end && around == 0 || !isUnique(lines, max(first-around, 0), min(end+around, len(lines)))) {
		around++
	}
	add := func(mark string, lines []string) {
		for _, l := range lines {
			if len(h.Lines) == maxHunkLines {
				h.More++
				continue
			}
			h.Lines = append(h.Lines, mark+prose.Head(l, maxSourceLine))
		}
	}
	from, to = max(first-around, least), min(end+around, most)
	add(" ", lines[from:first])
	add("-", removed)
	add("+", lines[first:end])
	add(" ", lines[end:to])
	return h, from, to
}

// join adds to a hunk the next one, whose first lines it shows already, unless that would be
// too long.
func join(h *api.Hunk, next api.Hunk, shown int) bool {
	if h.More+next.More > 0 || len(h.Lines)+len(next.Lines)-shown > maxHunkLines {
		return false
	}
	h.Lines = append(h.Lines, next.Lines[shown:]...)
	return true
}

// isUnique reports whether some lines of a file occur nowhere else in it.
func isUnique(lines []string, first, end int) bool {
	n := end - first
	for i := 0; n > 0 && i+n <= len(lines); i++ {
		if i != first && slices.Equal(lines[i:i+n], lines[first:end]) {
			return false
		}
	}
	return true
}

// splitLines splits a text as [coverage.HashLines] does.
func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}
