package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// History renders an answer about the history.
func History(h api.History, style Style) string {
	var b strings.Builder
	for _, w := range h.Warnings {
		b.WriteString("note: " + style.InWords(prose.Line(style.note(w))) + "\n")
	}
	switch {
	case len(h.Timeline) > 0 && len(h.Tests) == 1:
		writeTimeline(&b, h, style)
	case len(h.Durations) > 0:
		writeDurations(&b, h, style)
	case len(h.Rates) > 0:
		writeRates(&b, h, style)
	case len(h.Measures) > 0:
		writeMeasures(&b, h, style)
	default:
		if h.File != "" {
			writeEntries(&b, h, style)
		}
		writeTests(&b, h, style)
	}
	if h.Message != "" {
		b.WriteString(style.InWords(prose.Line(h.Message)) + "\n")
	}
	if h.Span.Runs > 0 {
		b.WriteString("on record: " + spanText(h.Span) + "\n")
	}
	return b.String()
}

func spanText(s api.HistorySpan) string {
	text := api.Plural(s.Runs, "run") + " in " + api.Plural(s.Sessions, "session")
	if s.Since != nil {
		text += fmt.Sprintf(" since %s (%s ago)", s.Since.UTC().Format("2006-01-02 15:04 UTC"), prose.Seconds(s.AgeS))
	}
	return text
}

// writeTests lists tests: a line with the name, and one with the standing.
func writeTests(b *strings.Builder, h api.History, style Style) {
	for i, t := range h.Tests {
		fmt.Fprintf(b, "%d. %s", i+1, style.name(t.Suite, t.Test))
		if t.File != "" {
			b.WriteString("  " + prose.Line(concise.Place(t.File, t.Line)))
		}
		b.WriteString("\n" + indent)
		if t.Pattern != "" {
			b.WriteString(t.Pattern + "  ")
		}
		b.WriteString(testStanding(t) + "\n")
		if l := t.Last; l != nil {
			b.WriteString(indent + lastResult(*l, style) + "\n")
		}
	}
	writeMore(b, h.TestsTotal-len(h.Tests), "more test", style)
	if len(h.Tests) > 0 {
		b.WriteByte('\n')
	}
}

// testStanding says how a test stands, whether it fails or not.
func testStanding(t api.TestHistory) string {
	s := t.Standing
	switch s.Resolution {
	case api.StatusUnresolved, api.StatusDeferred:
		return Standing(&s)
	case "":
		return "nothing on record proves anything about it"
	}
	parts := []string{string(s.Classification)}
	switch s.Classification {
	case api.Gap:
		if parts[0] = "no failure on record"; s.Otherwise != nil {
			parts = nil // that says it
		}
	case api.Unsteady:
		if s.Flaky != nil {
			parts[0] = flakyText(*s.Flaky)
		}
	}
	if text := otherwiseText(s.Otherwise); text != "" {
		parts = append(parts, text)
	}
	switch {
	case s.Recurring:
		parts = append(parts, fmt.Sprintf("recurring: failed in %d sessions", s.FailedSessions))
	case s.FailedSessions > 0:
		parts = append(parts, "failed in "+api.Plural(s.FailedSessions, "session"))
	}
	if s.Classification != api.Unsteady && s.IsFlaky() {
		parts = append(parts, flakyText(*s.Flaky))
	}
	return strings.Join(parts, "; ")
}

// flakyText names the two runs that contradict each other.
func flakyText(f api.Flaky) string {
	text := fmt.Sprintf("flaky: passed in run %s and failed in run %s on the same sources", prose.Line(f.PassedRun), prose.Line(f.FailedRun))
	if len(f.Seeds) > 0 {
		text += ", with seeds " + prose.Line(strings.Join(f.Seeds, " and "))
	}
	return text
}

// lastResult says how and when something last ended.
func lastResult(p api.TimelinePoint, style Style) string {
	text := fmt.Sprintf("%s %s ago in run %s", statusWord(p.Status), prose.Seconds(p.AgeS), prose.Line(p.RunID))
	if p.SessionID != "" && style.namesSessions() {
		text += " of session " + prose.Line(p.SessionID)
	}
	if e := concise.Narrow(prose.Line(firstLine(p.Excerpt))); e != "" {
		text += ": " + e
	}
	return text
}

// statusWord spells a status.
func statusWord(s sdk.Status) string {
	switch s {
	case sdk.Unfinished:
		return "did not finish"
	case api.TestNeverStarted:
		return "never started"
	}
	return string(s)
}

// entryWord says how a file stood beside earlier sessions.
func entryWord(c api.Classification) string {
	if c == api.Gap {
		return "first seen"
	}
	return prose.Line(string(c))
}

// writeEntries says how a file stood at the end of sessions.
func writeEntries(b *strings.Builder, h api.History, style Style) {
	b.WriteString(prose.Line(h.File) + "\n")
	for _, e := range h.Entries {
		session := ""
		if style.namesSessions() {
			session = " session " + prose.Line(e.SessionID)
		}
		line := fmt.Sprintf("%s%s  %-10s %-10s%s", indent,
			e.Timestamp.UTC().Format("2006-01-02 15:04 UTC"), entryWord(e.Classification), prose.Line(string(e.Status)), session)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	writeMore(b, h.EntriesTotal-len(h.Entries), "more session", style)
	b.WriteByte('\n')
}

func writeDurations(b *strings.Builder, h api.History, style Style) {
	b.WriteString("    mean      last  runs\n")
	for _, d := range h.Durations {
		fmt.Fprintf(b, "%7.3fs  %7.3fs  %4d  %s", d.MeanS, d.LastS, d.Runs, style.name(d.Suite, d.Test))
		if d.File != "" {
			b.WriteString("  " + prose.Line(concise.Place(d.File, d.Line)))
		}
		b.WriteByte('\n')
	}
	writeMore(b, h.DurationsTotal-len(h.Durations), "more test", style)
	b.WriteByte('\n')
}

func writeRates(b *strings.Builder, h api.History, style Style) {
	b.WriteString("failed  of runs\n")
	for _, r := range h.Rates {
		fmt.Fprintf(b, "%5.1f%%  %3d of %-3d  %s", 100*float64(r.Failed)/float64(r.Runs), r.Failed, r.Runs, style.name(r.Suite, r.Test))
		if r.File != "" {
			b.WriteString("  " + prose.Line(concise.Place(r.File, r.Line)))
		}
		b.WriteByte('\n')
	}
	writeMore(b, h.RatesTotal-len(h.Rates), "more test", style)
	b.WriteByte('\n')
}

// writeMeasures lists measures, newest value first.
func writeMeasures(b *strings.Builder, h api.History, style Style) {
	for _, m := range h.Measures {
		fmt.Fprintf(b, "%s  %s\n%s", style.name(m.Suite, m.Test), prose.Line(m.Name), indent)
		for i, v := range m.Values {
			if i > 0 {
				b.WriteString(" ← ")
			}
			fmt.Fprintf(b, "%d", v.Value)
		}
		fmt.Fprintf(b, "  (run %s, %s ago", prose.Line(m.Values[0].RunID), prose.Seconds(m.Values[0].AgeS))
		if first := m.Values[len(m.Values)-1]; len(m.Values) > 1 {
			fmt.Fprintf(b, "; %+d since run %s, %s ago", m.Values[0].Value-first.Value, prose.Line(first.RunID), prose.Seconds(first.AgeS))
		}
		b.WriteString(")\n")
	}
	writeMore(b, h.MeasuresTotal-len(h.Measures), "more measure", style)
	b.WriteByte('\n')
}

// raiseLimit says how to see more of a list on the command line.
const raiseLimit = "raise --limit"

// writeMore says that a list continues.
func writeMore(b *strings.Builder, left int, noun string, style Style) {
	if left > 0 {
		fmt.Fprintf(b, "(%s; %s)\n", api.Plural(left, noun), style.more(raiseLimit))
	}
}
