package engine

import (
	"context"
	"errors"
	"io/fs"
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

// maxHeirs is how many tests that have told nothing yet may stand for an outstanding
// one that is not listed any more.
const maxHeirs = api.MaxRerunLimit

// listAbsent asks which of some outstanding tests do not exist any more. All of them
// came in with these arguments and settings, and in this environment.
func listAbsent(ctx context.Context, m *ledger.Ledger, p project.Project, entries []outstanding.Entry, args []string) outstanding.Absences {
	if m == nil || m.History == nil || len(entries) == 0 {
		return nil
	}
	inv, ok := m.Keeper.Inventory(ctx, p, sdk.ListRequest{RunnerArgs: args}, project.ListDeadline)
	if !ok {
		return nil
	}
	return FindAbsences(ctx, m, p, entries, inv)
}

// FindAbsences are those of some outstanding tests that an inventory of everything does not
// have, and whose names the sources beside their files do not have either: a test that
// a build tag hides is not gone.
func FindAbsences(ctx context.Context, m *ledger.Ledger, p project.Project, entries []outstanding.Entry, inv outstanding.Inventory) outstanding.Absences {
	none := func(api.Test, outstanding.Entry) bool { return false }
	gone := inv.Absent(entries, none)
	if len(gone) == 0 {
		return nil
	}
	tests, err := m.History.Tests(ctx, history.TestFilter{Language: p.ID.Language})
	if err != nil {
		return nil
	}
	on := make(map[api.Test]history.Test, len(tests))
	for _, t := range tests {
		on[t.TestKey.Test] = t
	}
	near := neighbours{root: p.Root.Path, texts: map[string][]byte{}}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e outstanding.Entry) bool {
		_, is := gone[e.Test]
		return !is || near.declares(on[e.Test].File, ledger.RootOf(e))
	})
	told, err := standing.ReadTold(ctx, m, p.ID.Language, inv)
	if err != nil {
		return nil
	}
	since := map[string]int64{}
	absent := inv.Absent(entries, func(t api.Test, e outstanding.Entry) bool {
		order, asked := since[e.LastRunID]
		if !asked {
			if run, err := m.History.Run(ctx, e.LastRunID); err == nil && run.ID == e.LastRunID {
				order = run.Order
			}
			since[e.LastRunID] = order
		}
		seen, known := told[t]
		return !known || !seen.Conclusive && seen.First > order
	})
	for t, heirs := range absent {
		if len(heirs) > maxHeirs {
			delete(absent, t)
		}
	}
	return absent
}

// declares reports whether a line of the files beside a test's file, other than a
// comment, has the test's name, or whether that cannot be known.
func (n neighbours) declares(file, test string) bool {
	test = ledger.PlainTestName(test)
	if file == "" || test == "" || !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	dir := path.Dir(file)
	if _, err := os.Lstat(filepath.Join(n.root, filepath.FromSlash(dir))); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	text := n.text(dir)
	if text == nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if !isComment(line) && ledger.HasWord(line, test) {
			return true
		}
	}
	return false
}

// isComment reports whether a line is nothing but a comment, as most languages have them.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "#", "/*", "*", "--"}, func(begin string) bool { return strings.HasPrefix(line, begin) })
}
