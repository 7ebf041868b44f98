package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// maxHeirs is how many tests that have told nothing yet may stand for an outstanding
// one that is not listed any more.
const maxHeirs = MaxRerunLimit

// listAbsent asks which of some outstanding tests do not exist any more. All of them
// came in with these arguments and settings, and in this environment.
func (m *memory) listAbsent(ctx context.Context, p project, entries []rerun.Entry, args []string) rerun.Absences {
	if m == nil || m.history == nil || len(entries) == 0 {
		return nil
	}
	inv, ok := m.host.inventory(ctx, p, sdk.ListRequest{RunnerArgs: args}, listDeadline)
	if !ok {
		return nil
	}
	return m.absent(ctx, p, entries, inv)
}

// absent are those of some outstanding tests that an inventory of everything does not
// have, and whose names the sources beside their files do not have either: a test that
// a build tag hides is not gone.
func (m *memory) absent(ctx context.Context, p project, entries []rerun.Entry, inv rerun.Inventory) rerun.Absences {
	none := func(record.Test, rerun.Entry) bool { return false }
	gone := inv.Absent(entries, none)
	if len(gone) == 0 {
		return nil
	}
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: p.id.Language})
	if err != nil {
		return nil
	}
	on := make(map[record.Test]history.Test, len(tests))
	for _, t := range tests {
		on[t.TestKey.Test] = t
	}
	near := neighbours{root: p.root.Path, texts: map[string][]byte{}}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e rerun.Entry) bool {
		_, is := gone[e.Test]
		return !is || near.declares(on[e.Test].File, rootOf(e))
	})
	told, err := m.told(ctx, p.id.Language, inv)
	if err != nil {
		return nil
	}
	since := map[string]int64{}
	absent := inv.Absent(entries, func(t record.Test, e rerun.Entry) bool {
		order, asked := since[e.LastRunID]
		if !asked {
			if run, err := m.history.Run(ctx, e.LastRunID); err == nil && run.ID == e.LastRunID {
				order = run.Order
			}
			since[e.LastRunID] = order
		}
		seen, known := told[t]
		return !known || !seen.conclusive && seen.first > order
	})
	for t, heirs := range absent {
		if len(heirs) > maxHeirs {
			delete(absent, t)
		}
	}
	return absent
}

// sight of a test in our own runs.
type toldTest struct {
	first      int64 // the order of the first run that had it
	conclusive bool
}

// told says which listed tests our own runs have on record.
func (m *memory) told(ctx context.Context, language string, inv rerun.Inventory) (map[record.Test]toldTest, error) {
	var tests []record.Test
	for suite, names := range inv.Tests {
		for _, name := range names {
			tests = append(tests, record.Test{Suite: suite, Test: name})
		}
	}
	told := map[record.Test]toldTest{}
	filter := history.TimelineFilter{Language: language, Tests: tests, Points: leastPoints}
	err := m.timelines(ctx, filter, func(t history.Timeline) {
		own, _ := apart(t.Points)
		own = slices.DeleteFunc(own, func(p history.Point) bool { return p.RunKind == record.KindTriage })
		if len(own) == 0 {
			return
		}
		seen := toldTest{first: own[0].Order}
		if t.Cut {
			seen.first = 0
		}
		for _, p := range own {
			seen.conclusive = seen.conclusive || p.Outcome.Conclusive()
		}
		told[t.TestKey.Test] = seen
	})
	return told, err
}

// rootOf is the listed test of an entry.
func rootOf(e rerun.Entry) string {
	if e.Root != "" {
		return e.Root
	}
	return e.Test.Test
}

// declares tells whether a line of the files beside a test's file, other than a
// comment, has the test's name, or whether that cannot be known.
func (n neighbours) declares(file, test string) bool {
	test = plainTestName(test)
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
		if !isComment(line) && hasWord(line, test) {
			return true
		}
	}
	return false
}

// isComment tells whether a line is nothing but a comment, as most languages have them.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "#", "/*", "*", "--"}, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// hasWord tells whether a line has a word.
func hasWord(line, word string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(word):])
		if !isOfName(before) && !isOfName(after) {
			return true
		}
		at += len(word)
	}
}

// plainTestName is a test's name without the parameters that some languages write
// behind it.
func plainTestName(test string) string {
	if end := strings.IndexFunc(test, func(r rune) bool { return !isOfName(r) }); end >= 0 {
		return test[:end]
	}
	return test
}

func isOfName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
