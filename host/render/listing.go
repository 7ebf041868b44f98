package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// FailureNotes returns what to know besides the failures of a run: which tests no longer
// verify anything, and what has changed since.
func FailureNotes(run api.Run) []string {
	var notes []string
	for _, line := range (Style{}).integrityLines(run.Integrity) {
		notes = append(notes, "note: "+line)
	}
	if line := api.StaleSentence(run.Stale); line != "" {
		notes = append(notes, line)
	}
	return notes
}

// NotAPass answers for a run without failures that did not pass: "no failures" must
// never stand for a run that proved nothing. what names the run.
func NotAPass(run api.Run, what string, age time.Duration) string {
	first, rest, more := strings.Cut(strings.Trim(prose.Plain(run.Reason), "\n"), "\n")
	text := fmt.Sprintf("%s recorded no failure and is not a pass: %s: %s (%s, %s ago)",
		what, prose.Line(string(run.Verdict)), first, prose.Line(run.Language), prose.Duration(age))
	if more {
		text += "\n" + indent + hangIndent(rest)
	}
	return text
}

// Page is the part of a run's failures that a listing shows.
type Page struct {
	// From is how many precede those that the run carries.
	From int
	// Of names the run; empty means the last one.
	Of string
	// Rest says how to see those that follow.
	Rest string
}

// Listing numbers the failures that a run carries. Its first line has their total.
func Listing(run api.Run, age time.Duration, p Page) string {
	var b strings.Builder
	b.WriteString(FailuresHeader(run, age, p.Of) + "\n\n")
	first := FirstOfCauses(run.Causes, run.Failures)
	for i, f := range run.Failures {
		cause := first[i]
		if cause > 0 {
			cause += p.From
		}
		writeBlock(&b, p.From+i+1, cause, f)
	}
	if left := run.FailuresTotal - p.From - len(run.Failures); left > 0 {
		fmt.Fprintf(&b, "(%d more entries truncated; %s)\n", left, p.Rest)
	}
	return b.String()
}

// diffTitle is the seed's line above what was compared.
const diffTitle = "--- diff ---"

// titleDiff puts the title above what was compared, unless the test has printed it.
func titleDiff(message, difference string) string {
	if strings.Contains(message, diffTitle) || strings.HasPrefix(difference, diffTitle) {
		return difference
	}
	return diffTitle + "\n" + difference
}

// assertion is the kind of failure that a listing need not name: most are.
const assertion = "assertion"

// writeBlock writes a failure of a listing. cause is the number of an earlier one with the
// same cause, and so with its message; 0 means none.
func writeBlock(b *strings.Builder, n, cause int, f api.Failure) {
	fmt.Fprintf(b, "%d. %s\n", n, prose.Line(prose.QualifiedName(f.Suite, f.Test)))
	writeQuarantine(b, f)
	if f.File != "" {
		writeIndented(b, prose.Line(concise.Place(f.File, f.Line))+remark(f))
	}
	f = concise.Failure(f)
	if cause > 0 {
		writeIndented(b, fmt.Sprintf("same cause as %d", cause))
		f.Message, f.Diff, f.Also, f.Attributes = "", sdk.Diff{}, nil, nil
	}
	if f.Message != "" {
		writeIndented(b, f.Message)
	}
	if text := concise.Comparison(f); text != "" {
		writeIndented(b, titleDiff(f.Message, text))
	}
	if f.Kind != "" && f.Kind != assertion {
		writeIndented(b, "kind: "+prose.Line(f.Kind))
	}
	for _, text := range failureDetails(f, Style{Verbose: true}, "") {
		writeIndented(b, text)
	}
	if line := failureStanding(f, ""); line != "" {
		writeIndented(b, line)
	}
	b.WriteByte('\n')
}

// indent is the seed's indentation of a block's lines.
const indent = "   "

func writeIndented(b *strings.Builder, text string) {
	for _, line := range strings.Split(strings.TrimRight(prose.Plain(text), "\n"), "\n") {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}
