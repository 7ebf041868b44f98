package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
)

// findings are in the order in which a triage is shown, each with its words and
// colour.
var findings = [...]struct {
	finding     record.Finding
	word, color string
}{
	{record.Introduced, "introduced", red},
	{record.PreExisting, "pre-existing", yellow},
	{record.Undecided, "unknown", ""},
	{record.NoMore, "gone", ""},
}

// shownCommit is how much of a commit's name is shown.
const shownCommit = 12

// Triage renders a triage: a line that counts, and one for each test.
func Triage(t record.Triage, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	if len(t.Tests) == 0 {
		b.WriteString(Plain(t.Message) + "\n")
	} else {
		b.WriteString(triageLine(t, p))
		for _, f := range findings {
			writeTriaged(&b, t.Tests, f.finding, p.paint(f.color, f.word), style)
		}
		if left := triaged(t) - len(t.Tests); left > 0 {
			fmt.Fprintf(&b, "(%d more; %s)\n", left, style.more("--json names them"))
		}
	}
	if t.RunError != "" {
		b.WriteString("the tests could not be run there: " + hanging(Shorten(Plain(t.RunError), MessageLines, "--json has them")) + "\n")
	}
	if !style.Quiet {
		for _, w := range t.Warnings {
			b.WriteString(p.paint(yellow, "note: ") + strings.ReplaceAll(Plain(w), "\n", "\n      ") + "\n")
		}
	}
	return b.String()
}

// triaged counts the tests that were asked about.
func triaged(t record.Triage) int { return t.Introduced + t.PreExisting + t.Unknown + t.Gone }

func triageLine(t record.Triage, p painter) string {
	counts := fmt.Sprintf("%d introduced, %d pre-existing, %d unknown", t.Introduced, t.PreExisting, t.Unknown)
	if t.Gone > 0 {
		counts += fmt.Sprintf(", %d gone", t.Gone)
	}
	noun := "failing test"
	if len(t.Tests) == triaged(t) && !slices.ContainsFunc(t.Tests, func(t record.Triaged) bool { return t.Test != "" }) {
		noun = "failure" // of suites, or of a build
	}
	line := fmt.Sprintf("%s: %s on a clean checkout of %s", p.paint(bold, counts), record.Plural(max(triaged(t), len(t.Tests)), noun), Line(t.Base.Revision))
	if commit := t.Base.Commit; commit != "" {
		line += " (" + Line(commit[:min(len(commit), shownCommit)]) + ")"
	}
	line += ", " + Line(t.Language)
	if t.RunID != "" {
		line += ", run " + Line(t.RunID)
	}
	return line + "\n"
}

// triageWords say how a test stands. That it is flaky stands in why.
func triageWords(t record.Triaged) string {
	if t.Standing == nil {
		return ""
	}
	s := *t.Standing
	if s.Flaky = nil; s.Classification == record.Unsteady {
		s.Classification = ""
	}
	return standingWords(&s, "")
}

// Likeness says how alike two failures of a test are; empty is not known.
func Likeness(l record.Likeness) string {
	switch l {
	case record.SameFailureAgain:
		return "same failure"
	case record.SimilarFailure:
		return "similar failure"
	case record.OtherMessage:
		return "with another message"
	case record.OtherPlace:
		return "at another place"
	case record.OtherKind:
		return "another kind of failure"
	}
	return ""
}

func writeTriaged(b *strings.Builder, tests []record.Triaged, finding record.Finding, word string, style Style) {
	for _, t := range tests {
		if t.Finding != finding {
			continue
		}
		fmt.Fprintf(b, "%s: %s: %s", word, Line(name(t.Suite, t.Test)), Line(t.Why))
		if words := triageWords(t); words != "" {
			fmt.Fprintf(b, " (%s)", words)
		}
		if t.Cached {
			fmt.Fprintf(b, " (seen %s ago)", Duration(time.Duration(t.AgeS*float64(time.Second))))
		}
		b.WriteByte('\n')
		if t.Excerpt != "" && t.Likeness != record.SameFailureAgain && !style.Quiet {
			writeIndented(b, "there: "+t.Excerpt)
		}
	}
}
