package report

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// Lengths of what is shown of long names: enough to tell them apart.
const (
	stateLength     = 10
	commitLength    = 8
	signatureLength = 6
)

// writeTimeline lists the results of one test, the newest first.
func writeTimeline(b *strings.Builder, h record.History, style Style) {
	t := h.Tests[0]
	b.WriteString(Line(name(t.Suite, t.Test)))
	if t.File != "" {
		b.WriteString("  " + Line(place(t.File, t.Line)))
	}
	fmt.Fprintf(b, " (%s)\n%s%s  %s\n", Line(t.Language), indent, t.Pattern, testStanding(t))
	if t.FirstRun != "" {
		fmt.Fprintf(b, "%sfirst seen in run %s, %s\n", indent, Line(t.FirstRun), t.FirstAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	b.WriteByte('\n')
	for _, p := range h.Timeline {
		writePoint(b, p)
	}
	if h.TimelineCut {
		b.WriteString("(there are older ones; " + style.more(raiseLimit) + ")\n")
	}
	b.WriteByte('\n')
}

// writePoint writes one result; what it failed of stands on a line of its own.
func writePoint(b *strings.Builder, p record.TimelinePoint) {
	fmt.Fprintf(b, "%-10s  %4s ago  %-14s  %7.2fs  %s\n", Line(p.RunID), seconds(p.AgeS), statusWord(p.Status), p.DurationS, circumstances(p))
	excerpt := narrow(Line(firstLine(p.Excerpt)))
	if p.Signature == "" && excerpt == "" {
		return
	}
	line := indent
	if p.FailureKind != "" {
		line += "[" + Line(p.FailureKind) + "] "
	}
	line += excerpt
	if p.Signature != "" {
		line += "  (failure " + head(p.Signature, signatureLength) + ")"
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// circumstances say on what a result was made.
func circumstances(p record.TimelinePoint) string {
	var parts []string
	if p.Kind != record.KindRun && p.Kind != "" {
		parts = append(parts, Line(string(p.Kind)))
	}
	state := "state not known"
	if p.Fingerprint != "" {
		state = "state " + head(p.Fingerprint, stateLength)
	}
	if p.MixedState {
		state += " (files changed during the run)"
	}
	parts = append(parts, state)
	if p.Commit != "" {
		commit := "commit " + head(p.Commit, commitLength)
		if p.Branch != "" {
			commit += " on " + Line(p.Branch)
		}
		parts = append(parts, commit)
	}
	if p.Seed != "" {
		parts = append(parts, "seed "+head(p.Seed, maxSeed))
	}
	if p.Derived {
		parts = append(parts, "failed with tests inside it")
	}
	return strings.Join(append(parts, "session "+Line(p.SessionID)), ", ")
}

// maxSeed is how much of a seed is shown.
const maxSeed = 24

// head is the beginning of a name, on its line.
func head(text string, most int) string {
	runes := []rune(Line(text))
	return string(runes[:min(len(runes), most)])
}
