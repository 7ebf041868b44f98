package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/record"
)

// The widths to which cells of a list of runs are cut: an id of a session or the
// name of a branch can be long.
const (
	maxSessionWidth = 24
	maxBranchWidth  = 24
	shortState      = 8
	shortCommit     = 7
)

// Runs lists runs, one a line.
func Runs(list record.Runs, style Style) string {
	if len(list.Runs) == 0 {
		return "no run like that is on record in this workspace\n"
	}
	p := painter{style.Color}
	rows := make([][]string, len(list.Runs))
	widths := make([]int, 0, 8)
	for i, run := range list.Runs {
		rows[i] = []string{
			Line(run.RunID), seconds(run.AgeS), Line(string(run.Kind)), Line(run.Language), runEnd(run), runCounts(run),
			runTime(run), "session " + head(run.SessionID, maxSessionWidth),
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
		fmt.Fprintf(&b, "(%s; raise --limit)\n", record.Plural(left, "more run"))
	}
	return b.String()
}

func verdictColor(run record.RunLine) string {
	switch {
	case run.State == record.StateRunning, run.Verdict == record.NothingRan, run.Verdict == record.Incomplete:
		return yellow
	case run.Verdict == record.Passed:
		return green
	}
	return red
}

// runEnd says how a run ended.
func runEnd(run record.RunLine) string {
	switch {
	case run.NoEnd:
		return "no end on record"
	case run.Unwritten:
		return "end not recorded"
	case run.State == record.StateRunning:
		return "running"
	}
	if run.Partial {
		return Line(string(run.Verdict)) + " (partial)"
	}
	return Line(string(run.Verdict))
}

// runCounts are the figures that matter.
func runCounts(run record.RunLine) string {
	if run.State == record.StateRunning || (run.NoEnd || run.Unwritten) && run.Counts == (record.Counts{}) {
		return "-"
	}
	return figures(run.Counts, "never started", "not built")
}

func runTime(run record.RunLine) string {
	if run.NoEnd || run.Unwritten {
		return "-"
	}
	return fmt.Sprintf("%.2fs", run.DurationS)
}

// runState says what a run saw, and where it was made.
func runState(run record.RunLine) string {
	text := source(run.Source, run.MixedState)
	if run.Origin != "" {
		text += ", from " + Line(run.Origin)
	}
	return text
}

// source says what state of the sources something saw.
func source(s *record.Source, mixed bool) string {
	if s == nil {
		return "state not known"
	}
	text := "state " + head(s.Fingerprint, shortState)
	var at []string
	if s.Commit != "" {
		commit := head(s.Commit, shortCommit)
		if s.Branch != "" {
			commit = head(s.Branch, maxBranchWidth) + "@" + commit
		}
		at = append(at, commit)
	}
	switch {
	case s.Dirty > 0:
		at = append(at, record.Plural(s.Dirty, "dirty file"))
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
