package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/record"
)

// Failures is the answer to what failed in the last run: the numbered listing,
// or the sentence that says why there is none. run carries the failures to
// show, FailuresTotal counts all of them.
func Failures(run record.Run, age time.Duration) string {
	text := failuresText(run, age)
	for _, note := range FailureNotes(run) {
		text += note + "\n"
	}
	return text
}

// FailureNotes are what to know beside the failures of a run: what has no result,
// what no longer verifies anything, and what changed since.
func FailureNotes(run record.Run) []string {
	var notes []string
	if line := notWhole(run); line != "" {
		notes = append(notes, line)
	}
	for _, line := range integrityLines(run.Integrity) {
		notes = append(notes, "note: "+line)
	}
	if line := Stale(run.Stale); line != "" {
		notes = append(notes, line)
	}
	return notes
}

// notWhole says of a run with failures what did not get to an end beside them: the
// failures are not all that is wrong.
func notWhole(run record.Run) string {
	if run.FailuresTotal == 0 || run.Counts.Unfinished+run.Counts.NeverStarted == 0 && run.Verdict != record.Incomplete {
		return ""
	}
	var parts []string
	if n := run.Counts.NeverStarted; n > 0 {
		parts = append(parts, plural(n, "test")+" "+undone(run))
	}
	if n := run.Counts.Unfinished; n > 0 {
		parts = append(parts, plural(n, "test")+" did not finish")
	}
	reason, _, _ := strings.Cut(strings.Trim(Plain(run.Reason), "\n"), "\n")
	if len(parts) == 0 {
		return "not all of it ran: " + Line(string(run.Verdict)) + ": " + reason
	}
	return "not all of it ran: " + strings.Join(parts, ", ") + "; " + Line(string(run.Verdict)) + ": " + reason
}

func failuresText(run record.Run, age time.Duration) string {
	switch {
	case run.FailuresTotal > 0:
		way := "pass a larger limit to see them"
		if len(run.Failures) >= record.MaxFailures {
			way = "`proctor show " + run.RunID + "` has them all"
		}
		return Listing(run, age, Page{Rest: way})
	case run.Verdict == record.Passed:
		return NoFailures(run.Counts.Passed, run.Language, age) + "\n"
	}
	return NotAPass(run, "the last run_tests call", age) + "\n"
}

// NotAPass answers for a run that recorded no failure and did not pass: never let
// "no failures" stand for one that proved nothing. what names the run.
func NotAPass(run record.Run, what string, age time.Duration) string {
	first, rest, more := strings.Cut(strings.Trim(Plain(run.Reason), "\n"), "\n")
	text := fmt.Sprintf("%s recorded no failure and is not a pass: %s: %s (%s, %s ago)",
		what, Line(string(run.Verdict)), first, Line(run.Language), Duration(age))
	if more {
		text += "\n" + indent + hanging(rest)
	}
	return text
}

// Page is which of a run's failures a listing shows.
type Page struct {
	// From is how many come before those that the run carries.
	From int
	// Of names the run; empty is the last one.
	Of string
	// Rest says how to see those that follow.
	Rest string
}

// Listing numbers the failures that a run carries. Its first line counts all there
// are.
func Listing(run record.Run, age time.Duration, p Page) string {
	var b strings.Builder
	b.WriteString(FailuresHeader(run, age, p.Of) + "\n\n")
	for i, f := range run.Failures {
		writeBlock(&b, p.From+i+1, f)
	}
	if left := run.FailuresTotal - p.From - len(run.Failures); left > 0 {
		fmt.Fprintf(&b, "(%d more entries truncated; %s)\n", left, p.Rest)
	}
	return b.String()
}

// assertion is the kind of failure that a listing need not name: most are.
const assertion = "assertion"

func writeBlock(b *strings.Builder, n int, f record.Failure) {
	fmt.Fprintf(b, "%d. %s\n", n, Line(QualifiedName(f.Suite, f.Test)))
	if f.File != "" {
		writeIndented(b, Line(place(f.File, f.Line))+remark(f))
	}
	f.Message = withoutMarkers(f)
	if f.Message != "" {
		writeIndented(b, f.Message)
	}
	if text := diffText(f); text != "" {
		writeIndented(b, "--- diff ---\n"+text)
	}
	if f.Kind != "" && f.Kind != assertion {
		writeIndented(b, "kind: "+Line(f.Kind))
	}
	writeAlso(b, f)
	writeAttributes(b, f, 0)
	if line := failureStanding(f); line != "" {
		writeIndented(b, line)
	}
	b.WriteByte('\n')
}

// writeAttributes writes a language's own detail, each of at most so many lines;
// 0 is all.
func writeAttributes(b *strings.Builder, f record.Failure, lines int) {
	for _, key := range slices.Sorted(maps.Keys(f.Attributes)) {
		value := f.Attributes[key]
		if value == "" || strings.HasPrefix(key, "proctor.") {
			continue // the protocol's own
		}
		if lines > 0 {
			value = narrow(Shorten(value, lines))
		}
		separator := " "
		if strings.Contains(value, "\n") {
			separator = "\n"
		}
		writeIndented(b, key+":"+separator+value)
	}
}

// diffText is what was compared: the two values where they are known, else the
// difference as the assertion library printed it. Values that the message has
// word for word are not said twice.
func diffText(f record.Failure) string {
	if f.Diff == nil {
		return ""
	}
	d := *f.Diff
	if d.Got == "" && d.Want == "" {
		return d.Text
	}
	if d.Text == "" && says(f.Message, d.Got) && says(f.Message, d.Want) {
		return ""
	}
	text := "got: " + d.Got + "\nwant: " + d.Want
	if d.Text != "" && strings.Contains(d.Got+d.Want, "\n") {
		text += "\n" + d.Text // long values: the difference is what helps
	}
	return text
}

// says tells whether a short message has a value as a word of its own: "1" is not said by
// "line 12", and of a long message only the beginning is shown.
func says(message, value string) bool {
	if strings.Count(message, "\n") >= shortMessage {
		return false
	}
	for from := 0; value != ""; {
		at := strings.Index(message[from:], value)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(message[:from+at])
		after, _ := utf8.DecodeRuneInString(message[from+at+len(value):])
		if !isWord(before) && !isWord(after) {
			return true
		}
		from += at + 1
	}
	return strings.TrimSpace(message) != ""
}

// shortMessage is how many lines are read at a glance.
const shortMessage = 3

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// withoutMarkers is the message without the lines "got: ..." and "want: ..." that
// are nothing but the values which were compared: the difference says them.
func withoutMarkers(f record.Failure) string {
	if f.Diff == nil || f.Diff.Got == "" || f.Diff.Want == "" {
		return f.Message
	}
	var kept []string
	found := map[string]bool{}
	for _, line := range strings.Split(f.Message, "\n") {
		_, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if ok && !found[value] && (value == f.Diff.Got || value == f.Diff.Want) && isMarker(line) {
			found[value] = true
			continue
		}
		kept = append(kept, line)
	}
	if !found[f.Diff.Got] || !found[f.Diff.Want] {
		return f.Message
	}
	return strings.Join(kept, "\n")
}

// isMarker tells whether a line begins as those do that name a compared value.
func isMarker(line string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(line)), ":")
	return word == "got" || word == "want"
}

// QualifiedName is the display name of a test as the seed tools write it. It is
// for reading only.
func QualifiedName(suite, test string) string { return joined(suite, "/", test) }

// joined names a test, a suite, or the run.
func joined(suite, separator, test string) string {
	switch {
	case suite == "" && test == "":
		return "(the run)"
	case test == "":
		return suite
	case suite == "":
		return test
	}
	return suite + separator + test
}

// maxWidth is how much of a line of detail is shown: arguments of a call can have
// many thousand characters.
const maxWidth = 240

// narrow cuts long lines.
func narrow(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > maxWidth {
			lines[i] = fmt.Sprintf("%s… [%d characters more]", string(runes[:maxWidth]), len(runes)-maxWidth)
		}
	}
	return strings.Join(lines, "\n")
}

// remark says how well a failure's place is known, where that is not well.
func remark(f record.Failure) string {
	if f.Precision == record.Declaration {
		return " (where the test is declared)"
	}
	return ""
}

func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// indent is the seed's indentation of a block's lines.
const indent = "   "

func writeIndented(b *strings.Builder, text string) {
	for _, line := range strings.Split(strings.TrimRight(Plain(text), "\n"), "\n") {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}
