package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// maxAffected is how many selected tests are named before a run begins; --json and -v
// have more.
const maxAffected = 10

// maxAffectedFiles is how many changed files are named.
const maxAffectedFiles = 5

// affectedLine says in one line what a run selected because of changes, and what it
// left out; empty if it was not asked to.
func affectedLine(a *api.Affected) string {
	if a == nil {
		return ""
	}
	since := "since " + prose.Line(shownBase(a.Base))
	chosen, built := a.ChosenTests+a.ChosenSuites, len(a.BuildOnly)
	// Outstanding tests are selected whatever changed, and files unknown to version
	// control are compared with the measurement.
	unchanged := a.ChangedTotal == 0
	switch {
	case a.Everything != "":
		return "affected: everything was chosen: " + prose.Line(a.Everything)
	case chosen+built == 0 && unchanged:
		return "affected: nothing was chosen, because no file has changed " + since
	case chosen+built == 0:
		return "affected: nothing was chosen, because nothing that tests are built from or read has changed " + since + changedFiles(a)
	case chosen == 0:
		what := "no test can notice what changed " + since
		if unchanged {
			what = "no file has changed " + since
		}
		return "affected: " + what + "; " + builtOnly(built) + leftOut(a)
	}
	line := "affected: chosen by what changed " + since + ": " + chosenCounts(a)
	if unchanged {
		line = "affected: no file has changed " + since + "; chosen all the same: " + chosenCounts(a) + onlyReason(a)
	}
	if built > 0 {
		line += ", and " + api.Plural(built, "suite") + " only to be built"
	}
	return line + leftOut(a)
}

// affectedAgain is affectedLine at the end of a run. A person at a terminal has read it at the
// beginning, and again needs only what a pass does not cover.
func affectedAgain(a *api.Affected, style Style) string {
	if a == nil || style.Columns == 0 || style.Quiet || a.Everything != "" || a.ChosenTests+a.ChosenSuites == 0 {
		return affectedLine(a)
	}
	if text, found := strings.CutPrefix(leftOut(a), "; left out: "); found {
		return "affected: " + text + " left out"
	}
	return ""
}

// saysAffected reports whether the verdict's sentence already says that a run selected
// nothing because nothing changed.
func saysAffected(run api.Run) bool {
	a := run.Affected
	return a != nil && run.Verdict == api.NothingRan && a.Everything == "" && a.ChangedTotal+a.ChosenTests+a.ChosenSuites+len(a.BuildOnly) == 0
}

// onlyReason returns the only reason for the selection, which is that of each test; empty
// if there are several.
func onlyReason(a *api.Affected) string {
	if len(a.Chosen) == 0 || len(a.Chosen) < a.ChosenTests+a.ChosenSuites {
		return ""
	}
	for _, c := range a.Chosen {
		if c.Why != a.Chosen[0].Why {
			return ""
		}
	}
	because := ", because "
	if len(a.Chosen) > 1 {
		because = ", each because "
	}
	return because + prose.Line(a.Chosen[0].Why)
}

// builtOnly says how many suites are only built, and why.
func builtOnly(n int) string {
	if n == 1 {
		return "1 suite is only built, to check that it still builds"
	}
	return fmt.Sprintf("%d suites are only built, to check that they still build", n)
}

// chosenCounts counts what was selected, single tests and whole suites.
func chosenCounts(a *api.Affected) string {
	var parts []string
	if a.ChosenTests > 0 {
		parts = append(parts, api.Plural(a.ChosenTests, "test"))
	}
	if a.ChosenSuites > 0 {
		parts = append(parts, "all tests of "+api.Plural(a.ChosenSuites, "suite"))
	}
	return strings.Join(parts, " and ")
}

// leftOut says what was left out: it must be clear that a pass does not cover
// everything.
func leftOut(a *api.Affected) string {
	var parts []string
	if a.LeftOutTests > 0 {
		parts = append(parts, api.Plural(a.LeftOutTests, "test"))
	}
	if a.LeftOutSuites > 0 {
		parts = append(parts, api.Plural(a.LeftOutSuites, "suite"))
	}
	if len(parts) == 0 {
		return "; nothing is left out"
	}
	return "; left out: " + strings.Join(parts, " and ")
}

// changedFiles names the first changed files, in parentheses.
func changedFiles(a *api.Affected) string {
	return " (changed: " + prose.Listed(a.Changed, a.ChangedTotal, maxAffectedFiles, prose.Line) + ")"
}

// shownBase shortens a commit's name for a reader; any other name of a state stays
// whole.
func shownBase(base string) string {
	if len(base) < 40 || strings.Trim(base, "0123456789abcdef") != "" {
		return base
	}
	return base[:shownCommit]
}

// Affected says before a run which tests it selected, why, and what it left out. It
// shows the first ones, or all with Style.Verbose.
func Affected(a *api.Affected, style Style) string {
	var b strings.Builder
	b.WriteString(style.InWords(affectedLine(a)) + "\n")
	writeChosen(&b, a, style)
	writeUntold(&b, a, style)
	return b.String()
}

// maxAffectedUntold is how many untracked things are named.
const maxAffectedUntold = 5

// writeUntold names the untracked side effects by which selected and omitted tests may
// affect each other.
func writeUntold(b *strings.Builder, a *api.Affected, style Style) {
	if a == nil {
		return
	}
	var all []string
	for _, u := range a.Untold {
		text := prose.Line(u.What)
		if u.Unit != "" {
			text += " by " + prose.Line(u.Unit)
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return
	}
	most := maxAffectedUntold
	if style.Verbose {
		most = len(all)
	}
	b.WriteString(indent + "not tracked, although chosen tests and those left out may leave it for each other: " + prose.Listed(all, max(a.UntoldTotal, len(all)), most, prose.Line) + "\n")
}

// AffectedChosen is the part of [Affected] that follows [affectedLine]: empty if
// nothing was selected, or everything.
func AffectedChosen(a *api.Affected, style Style) string {
	var b strings.Builder
	writeChosen(&b, a, style)
	writeUntold(&b, a, style)
	return b.String()
}

func writeChosen(b *strings.Builder, a *api.Affected, style Style) {
	if a == nil || a.Everything != "" || a.ChosenTests+a.ChosenSuites+len(a.BuildOnly) == 0 {
		return
	}
	if a.ChangedTotal > 0 {
		b.WriteString(indent + "changed: " + prose.Listed(a.Changed, a.ChangedTotal, maxAffectedFiles, prose.Line) + "\n")
	}
	most := maxAffected
	if style.Verbose {
		most = len(a.Chosen)
	}
	shown := a.Chosen[:min(len(a.Chosen), most)]
	for _, g := range chosenGroups(shown) {
		why := prose.Line(g[0].Why)
		if style.Columns == 0 || style.Verbose {
			why += " (" + prose.Line(string(g[0].Granularity)) + ")"
		}
		b.WriteString(indent + style.InWords(why) + ":\n")
		for _, c := range g {
			b.WriteString(indent + indent + style.name(c.Suite, cmp.Or(c.Test, "(all tests)")) + "\n")
		}
	}
	if left := a.ChosenTests + a.ChosenSuites - len(shown); left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("-v names more, and --json"))
	}
	if len(a.BuildOnly) > 0 {
		b.WriteString(indent + "only built: " + prose.Listed(a.BuildOnly, len(a.BuildOnly), maxAffectedFiles, func(s string) string { return style.name(s, "") }) + "\n")
	}
}

// chosenGroups groups the selected tests by reason, in order of first appearance.
func chosenGroups(chosen []api.ChosenTest) [][]api.ChosenTest {
	at := map[string]int{}
	var groups [][]api.ChosenTest
	for _, c := range chosen {
		key := string(c.Granularity) + "\x00" + c.Why
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}
