package report

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// History renders an answer about the history.
func History(h record.History, style Style) string {
	var b strings.Builder
	for _, w := range h.Warnings {
		b.WriteString("note: " + Line(w) + "\n")
	}
	switch {
	case len(h.Timeline) > 0 && len(h.Tests) == 1:
		writeTimeline(&b, h, style)
	case len(h.Durations) > 0:
		writeDurations(&b, h, style)
	case len(h.Measures) > 0:
		writeMeasures(&b, h, style)
	default:
		if h.File != "" {
			writeEntries(&b, h, style)
		}
		writeTests(&b, h, style)
	}
	if h.Message != "" {
		b.WriteString(Line(h.Message) + "\n")
	}
	if h.Span.Runs > 0 {
		b.WriteString("on record: " + span(h.Span) + "\n")
	}
	return b.String()
}

func span(s record.HistorySpan) string {
	text := record.Plural(s.Runs, "run") + " in " + record.Plural(s.Sessions, "session")
	if s.Since != nil {
		text += fmt.Sprintf(" since %s (%s ago)", s.Since.UTC().Format("2006-01-02 15:04 UTC"), seconds(s.AgeS))
	}
	return text
}

// writeTests lists tests: a line with the name, one with how it stands.
func writeTests(b *strings.Builder, h record.History, style Style) {
	for i, t := range h.Tests {
		fmt.Fprintf(b, "%d. %s", i+1, Line(name(t.Suite, t.Test)))
		if t.File != "" {
			b.WriteString("  " + Line(place(t.File, t.Line)))
		}
		b.WriteString("\n" + indent)
		if t.Pattern != "" {
			b.WriteString(t.Pattern + "  ")
		}
		b.WriteString(testStanding(t) + "\n")
		if l := t.Last; l != nil {
			b.WriteString(indent + lastResult(*l) + "\n")
		}
	}
	writeMore(b, h.TestsTotal-len(h.Tests), "more test", style)
	if len(h.Tests) > 0 {
		b.WriteByte('\n')
	}
}

// testStanding says how a test stands, whether it fails or not.
func testStanding(t record.TestHistory) string {
	s := t.Standing
	switch s.Resolution {
	case record.StatusUnresolved, record.StatusDeferred:
		return Standing(&s)
	case "":
		return "nothing on record proves anything about it"
	}
	parts := []string{string(s.Classification)}
	switch s.Classification {
	case record.Gap:
		if parts[0] += ": nothing on record before its last session"; s.Otherwise != nil {
			parts = nil // that says it
		}
	case record.Fixed:
		parts[0] += ": was failing"
	case record.Unsteady:
		if s.Flaky != nil {
			parts[0] = flakyText(*s.Flaky)
		}
	}
	if text := otherwise(s.Otherwise); text != "" {
		parts = append(parts, text)
	}
	switch {
	case s.Recurring:
		parts = append(parts, fmt.Sprintf("recurring: failed in %d sessions", s.FailedSessions))
	case s.FailedSessions > 0:
		parts = append(parts, "failed in "+record.Plural(s.FailedSessions, "session"))
	}
	if s.Classification != record.Unsteady && s.IsFlaky() {
		parts = append(parts, flakyText(*s.Flaky))
	}
	return strings.Join(parts, "; ")
}

// flakyText names the two runs that contradict each other.
func flakyText(f record.Flaky) string {
	text := fmt.Sprintf("flaky: passed in run %s and failed in run %s on the same sources", Line(f.PassedRun), Line(f.FailedRun))
	if len(f.Seeds) > 0 {
		text += ", with seeds " + Line(strings.Join(f.Seeds, " and "))
	}
	return text
}

// lastResult says how and when something ended last.
func lastResult(p record.TimelinePoint) string {
	text := fmt.Sprintf("%s %s ago in run %s", statusWord(p.Status), seconds(p.AgeS), Line(p.RunID))
	if p.SessionID != "" {
		text += " of session " + Line(p.SessionID)
	}
	if e := narrow(Line(firstLine(p.Excerpt))); e != "" {
		text += ": " + e
	}
	return text
}

// statusWord is a status as one says it.
func statusWord(s record.Status) string {
	switch s {
	case record.TestUnfinished:
		return "did not finish"
	case record.TestNeverStarted:
		return "never started"
	}
	return string(s)
}

// writeEntries says how a file stood at the end of sessions.
func writeEntries(b *strings.Builder, h record.History, style Style) {
	b.WriteString(Line(h.File) + "\n")
	for _, e := range h.Entries {
		fmt.Fprintf(b, "%s%s  %-10s %-10s session %s\n", indent,
			e.Timestamp.UTC().Format("2006-01-02 15:04 UTC"), Line(string(e.Classification)), Line(string(e.Status)), Line(e.SessionID))
	}
	writeMore(b, h.EntriesTotal-len(h.Entries), "more session", style)
	b.WriteByte('\n')
}

func writeDurations(b *strings.Builder, h record.History, style Style) {
	b.WriteString("    mean      last  runs\n")
	for _, d := range h.Durations {
		fmt.Fprintf(b, "%7.3fs  %7.3fs  %4d  %s", d.MeanS, d.LastS, d.Runs, Line(name(d.Suite, d.Test)))
		if d.File != "" {
			b.WriteString("  " + Line(place(d.File, d.Line)))
		}
		b.WriteByte('\n')
	}
	writeMore(b, h.DurationsTotal-len(h.Durations), "more test", style)
	b.WriteByte('\n')
}

// writeMeasures lists what was measured, the newest value first.
func writeMeasures(b *strings.Builder, h record.History, style Style) {
	for _, m := range h.Measures {
		fmt.Fprintf(b, "%s  %s\n%s", Line(name(m.Suite, m.Test)), Line(m.Name), indent)
		for i, v := range m.Values {
			if i > 0 {
				b.WriteString(" ← ")
			}
			fmt.Fprintf(b, "%d", v.Value)
		}
		fmt.Fprintf(b, "  (run %s, %s ago", Line(m.Values[0].RunID), seconds(m.Values[0].AgeS))
		if first := m.Values[len(m.Values)-1]; len(m.Values) > 1 {
			fmt.Fprintf(b, "; %+d since run %s, %s ago", m.Values[0].Value-first.Value, Line(first.RunID), seconds(first.AgeS))
		}
		b.WriteString(")\n")
	}
	writeMore(b, h.MeasuresTotal-len(h.Measures), "more measure", style)
	b.WriteByte('\n')
}

// raiseLimit is how to see more of a list on the command line.
const raiseLimit = "raise --limit"

// writeMore says that a list goes on.
func writeMore(b *strings.Builder, left int, noun string, style Style) {
	if left > 0 {
		fmt.Fprintf(b, "(%s; %s)\n", record.Plural(left, noun), style.more(raiseLimit))
	}
}
