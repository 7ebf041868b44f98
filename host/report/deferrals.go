package report

import (
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// Deferred says that a test was set aside, and until when.
func Deferred(d record.Deferral) string {
	until := "until it passes; a change of the file in which it is declared cannot be seen"
	if d.Watched {
		until = "until it passes or " + Line(d.File) + " changes"
	}
	return "set aside: " + Line(name(d.Suite, d.Test)) + " (" + Line(d.Language) + "), " + until + "; verdicts do not change\n"
}

// Lifted says that a test is not set aside any more.
func Lifted(d record.Deferral) string {
	return "no longer set aside: " + Line(name(d.Suite, d.Test)) + " (" + Line(d.Language) + ")\n"
}

// Deferrals lists the tests that are set aside.
func Deferrals(list record.Deferrals) string {
	if len(list.Deferred) == 0 {
		return "no test is set aside\n"
	}
	var b strings.Builder
	for _, d := range list.Deferred {
		b.WriteString(Line(name(d.Suite, d.Test)))
		if d.File != "" {
			b.WriteString("  " + Line(d.File))
		}
		b.WriteString("\n" + indent + seconds(d.AgeS) + " ago in session " + Line(d.SessionID))
		if d.Reason != "" {
			b.WriteString(": " + Line(d.Reason))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
