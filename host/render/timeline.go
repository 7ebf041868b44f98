package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// Lengths of shown parts of long names: enough to distinguish them.
const (
	stateLength     = 10
	commitLength    = 8
	signatureLength = 6
)

// writeTimeline lists the results of one test, newest first. Of results in a row that failed
// alike, the newest says how.
func writeTimeline(b *strings.Builder, h api.History, style Style) {
	t := h.Tests[0]
	b.WriteString(style.name(t.Suite, t.Test))
	if t.File != "" {
		b.WriteString("  " + prose.Line(concise.Place(t.File, t.Line)))
	}
	fmt.Fprintf(b, " (%s)\n%s%s  %s\n", prose.Line(t.Language), indent, t.Pattern, testStanding(t))
	if t.FirstRun != "" {
		fmt.Fprintf(b, "%sfirst seen in run %s, %s\n", indent, prose.Line(t.FirstRun), t.FirstAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	b.WriteByte('\n')
	for i, p := range h.Timeline {
		if i > 0 && p.Signature != "" && p.Signature == h.Timeline[i-1].Signature {
			p.Signature, p.Excerpt = "", "" // the line above says how
		}
		writePoint(b, p, style)
	}
	if h.TimelineCut {
		b.WriteString("(there are older ones; " + style.more(raiseLimit) + ")\n")
	}
	b.WriteByte('\n')
}

// writePoint writes one result; how it failed is on a line of its own.
func writePoint(b *strings.Builder, p api.TimelinePoint, style Style) {
	form := "%-10s  %4s ago  %-14s  %7.2fs  %s\n"
	if !style.namesSessions() {
		form = "%-10s  %4s ago  %-8s  %6.2fs  %s\n" // as narrow as most words allow
	}
	fmt.Fprintf(b, form, prose.Line(p.RunID), prose.Seconds(p.AgeS), statusWord(p.Status), p.DurationS, circumstances(p, style))
	excerpt := concise.Narrow(prose.Line(firstLine(p.Excerpt)))
	if p.Signature == "" && excerpt == "" {
		return
	}
	line := indent
	if p.FailureKind != "" && (p.FailureKind != assertion || style.namesSessions()) {
		line += "[" + prose.Line(p.FailureKind) + "] "
	}
	line += excerpt
	if p.Signature != "" {
		line += "  (failure " + cutName(p.Signature, signatureLength) + ")"
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// circumstances says under which circumstances a result was made.
func circumstances(p api.TimelinePoint, style Style) string {
	var parts []string
	if p.Kind != api.KindRun && p.Kind != "" {
		parts = append(parts, prose.Line(string(p.Kind)))
	}
	if style.namesSessions() {
		state := "state unknown"
		if p.Fingerprint != "" {
			state = "state " + cutName(p.Fingerprint, stateLength)
		}
		if p.MixedState {
			state += " (files changed during the run)"
		}
		parts = append(parts, state)
	} else if p.MixedState {
		parts = append(parts, "files changed during the run")
	}
	if p.Commit != "" && !style.namesSessions() {
		parts = append(parts, branchAndCommit(p.Branch, p.Commit))
	} else if p.Commit != "" {
		commit := "commit " + cutName(p.Commit, commitLength)
		if p.Branch != "" {
			commit += " on " + prose.Line(p.Branch)
		}
		parts = append(parts, commit)
	}
	if p.Seed != "" {
		parts = append(parts, "seed "+cutName(p.Seed, maxSeed))
	}
	if p.Derived {
		parts = append(parts, "failed with tests inside it")
	}
	if style.namesSessions() {
		parts = append(parts, "session "+prose.Line(p.SessionID))
	}
	return strings.Join(parts, ", ")
}

// maxSeed is how much of a seed is shown.
const maxSeed = 24

// cutName returns the beginning of a name, on one line.
func cutName(text string, most int) string {
	runes := []rune(prose.Line(text))
	return string(runes[:min(len(runes), most)])
}
