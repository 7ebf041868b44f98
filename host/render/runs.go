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
	p := painter{style.Color}
	rows := make([][]string, len(list.Runs))
	widths := make([]int, 0, 8)
	for i, run := range list.Runs {
		rows[i] = []string{
			prose.Line(run.RunID), prose.Seconds(run.AgeS), prose.Line(string(run.Kind)), prose.Line(run.Language), runEnd(run), runCounts(run),
			runTime(run), "session " + cutName(run.SessionID, maxSessionWidth),
		}
		for n, cell := range rows[i] {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, run := range list.Runs {
		for n, cell := range rows[i] {
			padding := strings.Repeat(" ", widths[n]-utf8.RuneCountInString(cell)+2)
			switch n {
			case 0:
				cell = p.paint(bold, cell[:min(len(run.Prefix), len(cell))]) + cell[min(len(run.Prefix), len(cell)):]
			case 4:
				cell = p.paint(verdictColor(run), cell)
			}
			b.WriteString(cell + padding)
		}
		b.WriteString(p.paint(dim, runState(run)) + "\n")
	}
	if left := list.Total - len(list.Runs); left > 0 {
		fmt.Fprintf(&b, "(%s; raise --limit)\n", api.Plural(left, "more run"))
	}
	return b.String()
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
		return prose.Line(string(run.Verdict)) + " (partial)"
	}
	return prose.Line(string(run.Verdict))
}

// runCounts are the numbers that matter.
func runCounts(run api.RunLine) string {
	if run.State == api.StateRunning || (run.NoEnd || run.Unwritten) && run.Counts == (api.Counts{}) {
		return "-"
	}
	return figures(run.Counts, "never started", "not built")
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

// sourceText says what state of the sources something saw.
func sourceText(s *api.Source, mixed bool) string {
	if s == nil {
		return "state unknown"
	}
	text := "state " + cutName(s.Fingerprint, shortState)
	var at []string
	if s.Commit != "" {
		commit := cutName(s.Commit, shortCommit)
		if s.Branch != "" {
			commit = cutName(s.Branch, maxBranchWidth) + "@" + commit
		}
		at = append(at, commit)
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
	if len(at) > 0 {
		text += " (" + strings.Join(at, ", ") + ")"
	}
	return text
}
