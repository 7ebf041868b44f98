package render

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Deferred says that a test was deferred, and until when.
func Deferred(d api.Deferral) string {
	until := "until it passes; a change of the file in which it is declared cannot be seen"
	if d.Watched {
		until = "until it passes or " + prose.Line(d.File) + " changes"
	}
	return "set aside: " + prose.Line(name(d.Suite, d.Test)) + " (" + prose.Line(d.Language) + "), " + until + "; verdicts do not change\n"
}

// Lifted says that a test is no longer deferred.
func Lifted(d api.Deferral) string {
	return "no longer set aside: " + prose.Line(name(d.Suite, d.Test)) + " (" + prose.Line(d.Language) + ")\n"
}

// Deferrals lists the deferred tests.
func Deferrals(list api.Deferrals) string {
	if len(list.Deferred) == 0 {
		return "no test is set aside\n"
	}
	var b strings.Builder
	for _, d := range list.Deferred {
		b.WriteString(prose.Line(name(d.Suite, d.Test)))
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
