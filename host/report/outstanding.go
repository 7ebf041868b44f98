package report

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// Outstanding lists what is outstanding.
func Outstanding(o record.Outstanding) string {
	var b strings.Builder
	for _, t := range o.Dropped {
		fmt.Fprintf(&b, "taken off: %s\n", Line(QualifiedName(t.Suite, t.Test)))
	}
	if o.Total == 0 {
		b.WriteString("nothing is outstanding\n")
		return b.String()
	}
	for i, t := range o.Tests {
		fmt.Fprintf(&b, "%d. %s\n%s%s", i+1, Line(QualifiedName(t.Suite, t.Test)), indent, reasonText(t))
		if !t.At.IsZero() {
			fmt.Fprintf(&b, ", since run %s of session %s, %s ago", Line(t.RunID), Line(t.SessionID), seconds(t.AgeS))
		}
		if len(t.RunnerArgs) > 0 {
			b.WriteString(", with runner arguments " + Line(ShellLine(t.RunnerArgs)))
		}
		if t.Test == "" && len(t.Environment) > 0 {
			b.WriteString(", with " + Line(ShellLine(t.Environment)))
		}
		b.WriteByte('\n')
	}
	if left := o.Total - len(o.Tests); left > 0 {
		fmt.Fprintf(&b, "(%d more; raise --limit)\n", left)
	}
	fmt.Fprintf(&b, "%d outstanding\n", o.Total)
	return b.String()
}

// reasonText says why something is outstanding.
func reasonText(t record.OutstandingTest) string {
	switch t.Reason {
	case "failed":
		return "failed"
	case "unfinished":
		return "did not finish"
	case "never_started":
		return "never started"
	case "suite":
		return "the suite did not build, failed outside of its tests, or did not come to an end"
	case "run":
		return "a run was red and nothing names what it left undone"
	}
	return Line(t.Reason)
}
