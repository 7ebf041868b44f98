package render

import (
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Quarantine lists tests in quarantine, or says what became of some.
func Quarantine(q api.Quarantine, style Style) string {
	var b strings.Builder
	for _, e := range q.Removed {
		b.WriteString("no longer in quarantine: " + style.name(e.Suite, e.TestID.Test) + " (" + prose.Line(e.Language) + ")\n")
	}
	if len(q.Entries) == 0 && len(q.Removed) == 0 {
		return "no test is in quarantine\n"
	}
	p := painter{style.Color}
	for _, e := range q.Entries {
		b.WriteString(style.name(e.Suite, e.TestID.Test) + " (" + prose.Line(e.Language) + ")  " + quarantineStatus(e))
		switch {
		case e.Expired:
			b.WriteString("  " + p.paint(red, "expired on "+prose.Line(e.Expires)+": its failure counts"))
		case e.Expires != "":
			b.WriteString("  until " + prose.Line(e.Expires))
		}
		b.WriteString("\n" + indent + prose.Line(e.Reason))
		if e.Link != "" {
			b.WriteString("  " + prose.Line(e.Link))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// InQuarantine says where the tests stand that were put in quarantine.
func InQuarantine(q api.Quarantine, style Style) string {
	var b strings.Builder
	for _, e := range q.Entries {
		b.WriteString("in quarantine: " + style.name(e.Suite, e.TestID.Test) + " (" + prose.Line(filepath.Base(q.File)) + "; commit it)\n")
	}
	return b.String()
}

// quarantineStatus says how a test in quarantine ended last.
func quarantineStatus(e api.QuarantineEntry) string {
	ago := ", " + prose.Seconds(e.AgeS) + " ago"
	switch e.Status {
	case api.QuarantineKnown:
		return "fails as known" + ago
	case api.QuarantineOther:
		return "fails differently than known" + ago
	case api.QuarantinePassed:
		return "passed" + ago
	}
	return "no result on record"
}
