package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Outstanding lists what is outstanding, grouping what was added together.
func Outstanding(o api.Outstanding, style Style) string {
	var b strings.Builder
	said := map[string]bool{} // in another setting
	for _, t := range o.Dropped {
		if name := style.name(t.Suite, t.Test); !said[name] {
			said[name] = true
			fmt.Fprintf(&b, "taken off: %s\n", name)
		}
	}
	for _, line := range style.goneLines(&api.Integrity{Gone: o.Gone, GoneTotal: o.GoneTotal}) {
		b.WriteString(line + ", as run " + prose.Line(o.GoneRun) + " found\n")
	}
	if o.Total == 0 {
		b.WriteString("nothing is outstanding")
		for _, n := range o.NoPass {
			b.WriteString(", and " + style.InWords(n.Text))
		}
		b.WriteString("\n")
		return b.String()
	}
	var circumstances, languages []string
	names := map[string][]string{}
	for _, t := range o.Tests {
		languages = append(languages, t.Language)
		text := whyOutstanding(t)
		if names[text] == nil {
			circumstances = append(circumstances, text)
		}
		shown := style.name(t.Suite, t.Test)
		if t.Was != "" {
			shown += " (was " + prose.Line(t.Was) + ")"
		}
		if t.Quarantined {
			shown += " (in quarantine)"
		}
		names[text] = append(names[text], shown)
	}
	for _, text := range circumstances {
		b.WriteString(text + ":\n")
		for _, name := range names[text] {
			b.WriteString(indent + name + "\n")
		}
	}
	if o.Unlisted > 0 {
		fmt.Fprintf(&b, "(%d more of these; raise --limit)\n", o.Unlisted)
	}
	b.WriteString(style.Speaking(languages...).InWords(o.Counts.String()) + " outstanding\n")
	return b.String()
}

// whyOutstanding says why something is outstanding, since when, and under what conditions
// it was added, if these have changed.
func whyOutstanding(t api.OutstandingTest) string {
	text := reasonText(t)
	if !t.At.IsZero() {
		text += fmt.Sprintf(", since run %s, %s ago", prose.Line(t.RunID), prose.Seconds(t.AgeS))
	}
	if len(t.RunnerArgs) > 0 {
		text += ", with runner arguments " + prose.Line(prose.ShellLine(t.RunnerArgs))
	}
	if (t.Test == "" || len(t.Way) > 0) && len(t.Otherwise) > 0 {
		text += ", with " + prose.Line(prose.ShellLine(t.Otherwise))
	}
	return text
}

// reasonText says why something is outstanding.
func reasonText(t api.OutstandingTest) string {
	switch t.Reason {
	case "failed":
		return "failed"
	case "unfinished":
		switch t.Why {
		case "parts_unknown":
			return "it may not have run completely: parts of it may never have started"
		case "ended_beside":
			return "did not finish, as something else ended the process"
		}
		return "did not finish"
	case "never_started":
		if t.Why == "no_result" {
			return "without a result"
		}
		return "never started"
	case "suite":
		return suiteText(t.Why)
	case "run":
		return runText(t.Why)
	}
	return prose.Line(t.Reason)
}

func suiteText(why string) string {
	switch why {
	case "did_not_build":
		return "did not build"
	case "setup_failed":
		return "could not be set up"
	case "failed_outside_tests":
		return "failed outside of its tests"
	case "ended_early", "cut_off":
		return "did not reach its end"
	case "fixture_failed":
		return "a fixture of it failed"
	}
	return "did not build, failed outside of its tests, or did not reach its end"
}

func runText(why string) string {
	switch why {
	case "did_not_build":
		return "a run did not build"
	case "setup_failed":
		return "a run could not be set up"
	case "cut_off":
		return "a run was cut off, and not everything that it left undone can be named"
	case "tool_failed":
		return "a run could not be made, or its output not be read"
	case "no_end":
		return "a run has no end on record: proctor was killed, or the end could not be written; what it left undone is unknown"
	case "end_unwritten":
		return "the end of a run could not be recorded, perhaps because the disk is full, and what it left undone is unknown"
	case "record_lost":
		return "some of what was outstanding is no longer on record, so everything is outstanding until a run of everything is green"
	case "misplaced":
		return "a run found a quarantine of a test that does not exist, and only one of everything shows that it is gone"
	}
	return "a run was red, and what it left undone cannot be named"
}

// Deferred says that a test was deferred, and until when.
func Deferred(d api.Deferral, style Style) string {
	until := "until it passes; a change of the file in which it is declared cannot be seen"
	if d.Watched {
		until = "until it passes or " + prose.Line(d.File) + " changes"
	}
	return "set aside: " + style.name(d.Suite, d.Test) + " (" + prose.Line(d.Language) + "), " + until + "; verdicts do not change\n"
}

// Lifted says that a test is no longer deferred.
func Lifted(d api.Deferral, style Style) string {
	return "no longer set aside: " + style.name(d.Suite, d.Test) + " (" + prose.Line(d.Language) + ")\n"
}

// Deferrals lists the deferred tests.
func Deferrals(list api.Deferrals, style Style) string {
	if len(list.Deferred) == 0 {
		return "no test is set aside\n"
	}
	var b strings.Builder
	for _, d := range list.Deferred {
		b.WriteString(style.name(d.Suite, d.Test))
		if d.File != "" {
			b.WriteString("  " + prose.Line(d.File))
		}
		b.WriteString("\n" + indent + prose.Seconds(d.AgeS) + " ago in session " + prose.Line(d.SessionID))
		if d.Reason != "" {
			b.WriteString(": " + prose.Line(d.Reason))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
