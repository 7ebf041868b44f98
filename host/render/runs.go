package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// The maximal widths of cells in a list of runs: the id of a session or the name of a
// branch can be long.
const (
	maxSessionWidth = 26
	maxBranchWidth  = 24
	shortState      = 8
	shortCommit     = 7
)

// Runs lists runs, one a line.
func Runs(list api.Runs, style Style) string {
	if len(list.Runs) == 0 {
		return "no such run is on record in this workspace\n"
	}
	var b strings.Builder
	writeRows(&b, list.Runs, style)
	if left := list.Total - len(list.Runs); left > 0 {
		fmt.Fprintf(&b, "(%s; raise --limit)\n", api.Plural(left, "more run"))
	}
	return b.String()
}

// runCells returns the cells of a run's line: its id first, how it ended at endCell, and
// from firstSpare on what a narrow terminal has no room for.
func runCells(run api.RunLine, languages int, style Style) (cells []string, endCell, firstSpare int) {
	if style.namesSessions() {
		return []string{
			prose.Line(run.RunID), prose.Seconds(run.AgeS), prose.Line(string(run.Kind)), prose.Line(run.Language), runEnd(run), runCounts(run, style),
			runTime(run), "session " + cutName(run.SessionID, maxSessionWidth), runState(run),
		}, 4, 9
	}
	id := prose.Line(run.RunID)
	if style.Columns < wideTerminal && run.Prefix != "" {
		id = prose.Line(run.Prefix)
	}
	end := strings.ReplaceAll(runEnd(run), "_", " ")
	if run.Kind != api.KindRun {
		end = prose.Line(string(run.Kind)) + " " + end
	}
	if languages > 1 {
		end = prose.Line(run.Language) + " " + end
	}
	return []string{id, prose.Seconds(run.AgeS), end, shortCounts(run), runTime(run), runWhere(run)}, 2, 4
}

// maxAligned is the widest cell for which the others of its column have room: more leaves
// none for the next column in a terminal of a usual width.
const maxAligned = 34

// leastSpare is the least room for a cell that is cut: a branch, or a commit.
const leastSpare = 12

// wideTerminal is the least number of columns for more than what matters.
const wideTerminal = 80

// shortCounts are the numbers that matter to a person.
func shortCounts(run api.RunLine) string {
	if text := runCounts(run, Style{}); text == "-" {
		return text
	}
	return nonZero(run.Counts)
}

// nonZero counts the tests that ended in each way, unless there are none.
func nonZero(c api.Counts) string {
	passed, failed, skipped := c.Passed, c.Failed, c.Skipped
	if c.Tests > 0 {
		passed, skipped = c.TestsPassed, c.TestsSkipped
		failed = max(c.Tests-passed-skipped-(c.Unfinished-c.SubtestsUnfinished)-c.Flaky, 0)
	}
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{
		{failed, "failed"}, {c.Flaky, "flaky"}, {c.BuildFailed, "not built"}, {c.Unfinished, "unfinished"}, {c.NeverStarted, "never started"},
		{passed, "passed"}, {skipped, "skipped"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	if len(parts) == 0 {
		return "no test"
	}
	return strings.Join(parts, ", ")
}

// runWhere says which commit a run saw, and where it was made.
func runWhere(run api.RunLine) string {
	at := sourceWords(run.Source, run.MixedState)
	if run.Origin != "" {
		at = append(at, "from "+prose.Line(run.Origin))
	}
	return strings.Join(at, ", ")
}

// writeRows writes the cells of runs in columns.
func writeRows(b *strings.Builder, runs []api.RunLine, style Style) {
	p := painter{style.Color}
	rows := make([][]string, len(runs))
	var widths []int
	endCell, spare := 0, 0
	languages := map[string]bool{}
	for _, run := range runs {
		languages[run.Language] = true
	}
	for i, run := range runs {
		rows[i], endCell, spare = runCells(run, len(languages), style)
		for n, cell := range rows[i] {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			if width := utf8.RuneCountInString(cell); style.namesSessions() || width <= maxAligned {
				widths[n] = max(widths[n], width)
			}
		}
	}
	for i, run := range runs {
		var line strings.Builder
		used, last := 0, len(rows[i])-1
		for n, cell := range rows[i] {
			if room := style.Columns - used; n == last && n >= spare && room >= leastSpare {
				cell = style.Cut(cell, room)
			}
			width := utf8.RuneCountInString(cell)
			if n >= spare && used+width > style.Columns {
				break
			}
			padding := strings.Repeat(" ", max(widths[n]-width, 0)+2)
			switch used += width + len(padding); n {
			case 0:
				bolded := min(len(run.Prefix), len(cell))
				cell = p.paint(bold, cell[:bolded]) + cell[bolded:]
			case endCell:
				cell = p.paint(verdictColor(run), cell)
			case last:
				cell, padding = p.paint(dim, cell), ""
			}
			line.WriteString(cell + padding)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func verdictColor(run api.RunLine) string {
	switch {
	case run.State == api.StateRunning, run.Verdict == api.NothingRan, run.Verdict == api.Incomplete:
		return yellow
	case run.Verdict == api.Passed:
		return green
	}
	return red
}

// runEnd says how a run ended.
func runEnd(run api.RunLine) string {
	switch {
	case run.NoEnd:
		return "no end on record"
	case run.Unwritten:
		return "end not recorded"
	case run.State == api.StateRunning:
		return "running"
	}
	if run.Partial {
		return prose.Line(run.Verdict.Words()) + " (partial)"
	}
	return prose.Line(run.Verdict.Words())
}

// runCounts are the numbers that matter.
func runCounts(run api.RunLine, style Style) string {
	if run.State == api.StateRunning || (run.NoEnd || run.Unwritten) && run.Counts == (api.Counts{}) {
		return "-"
	}
	return style.Speaking(run.Language).InWords(figures(run.Counts, "never started", "not built"))
}

func runTime(run api.RunLine) string {
	if run.NoEnd || run.Unwritten {
		return "-"
	}
	return fmt.Sprintf("%.2fs", run.DurationS)
}

// runState says what state a run saw, and where it was made.
func runState(run api.RunLine) string {
	text := sourceText(run.Source, run.MixedState)
	if run.Origin != "" {
		text += ", from " + prose.Line(run.Origin)
	}
	return text
}

// branchAndCommit names a commit with the branch that was checked out.
func branchAndCommit(branch, commit string) string {
	commit = cutName(commit, shortCommit)
	if branch == "" {
		return commit
	}
	return cutName(branch, maxBranchWidth) + "@" + commit
}

// sourceText says what state of the sources something saw.
func sourceText(s *api.Source, mixed bool) string {
	if s == nil {
		return "state unknown"
	}
	text := "state " + cutName(s.Fingerprint, shortState)
	if at := sourceWords(s, mixed); len(at) > 0 {
		text += " (" + strings.Join(at, ", ") + ")"
	}
	return text
}

// sourceWords says which commit something saw, and whether files differed from it.
func sourceWords(s *api.Source, mixed bool) (at []string) {
	if s == nil {
		return nil
	}
	if s.Commit != "" {
		at = append(at, branchAndCommit(s.Branch, s.Commit))
	}
	switch {
	case s.Dirty > 0:
		at = append(at, api.Plural(s.Dirty, "dirty file"))
	case s.Dirty == 0 && s.Commit != "":
		at = append(at, "clean")
	}
	if mixed {
		at = append(at, "changed while it ran")
	}
	return at
}
