package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// findings are in the order in which a triage is shown, each with its words and color.
var findings = [...]struct {
	finding     api.Finding
	word, color string
}{
	{api.Introduced, "introduced", red},
	{api.PreExisting, "pre-existing", yellow},
	{api.Undecided, "unknown", ""},
	{api.NoMore, "gone", ""},
}

// shownCommit is how much of a commit's name is shown.
const shownCommit = 12

// Triage renders a triage: a line that counts, and one for each test.
func Triage(t api.Triage, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	style = style.Speaking(t.Language)
	if len(t.Tests) == 0 {
		b.WriteString(style.InWords(prose.Plain(t.Message)) + "\n")
	} else {
		b.WriteString(triageLine(t, p))
		for _, f := range findings {
			writeTriaged(&b, t.Tests, f.finding, p.paint(f.color, f.word), style)
		}
		if left := countTriaged(t) - len(t.Tests); left > 0 {
			fmt.Fprintf(&b, "(%d more; %s)\n", left, style.more("--json names them"))
		}
	}
	if t.RunError != "" {
		b.WriteString("the tests could not be run there: " + hangIndent(concise.Shorten(prose.Plain(t.RunError), concise.Lines, "--json has them")) + "\n")
	}
	if !style.Quiet {
		writeNotes(&b, t.Warnings, style)
	}
	return b.String()
}

// countTriaged counts the tests that were asked about.
func countTriaged(t api.Triage) int { return t.Introduced + t.PreExisting + t.Unknown + t.Gone }

func triageLine(t api.Triage, p painter) string {
	var counts []string
	for i, n := range []int{t.Introduced, t.PreExisting, t.Unknown, t.Gone} {
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, findings[i].word))
		}
	}
	noun := "failing test"
	if len(t.Tests) == countTriaged(t) && !slices.ContainsFunc(t.Tests, func(t api.Triaged) bool { return t.Test != "" }) {
		noun = "failure" // of suites, or of a build
	}
	how := "run on a clean checkout of"
	if t.RunID == "" { // all is gone here, or was known of the base
		how = "against"
	}
	line := fmt.Sprintf("%s: %s, %s %s", p.paint(bold, strings.Join(counts, ", ")), api.Plural(max(countTriaged(t), len(t.Tests)), noun), how, prose.Line(t.Base.Revision))
	if commit := t.Base.Commit; commit != "" {
		line += " (" + prose.Line(commit[:min(len(commit), shownCommit)]) + ")"
	}
	line += ", " + prose.Line(t.Language)
	if t.RunID != "" {
		line += ", run " + prose.Line(t.RunID)
	}
	return line + "\n"
}

// triageWords says how a test stands. Why says that it is flaky.
func triageWords(t api.Triaged) string {
	if t.Standing == nil {
		return ""
	}
	s := *t.Standing
	if s.Flaky = nil; s.Classification == api.Unsteady {
		s.Classification = ""
	}
	return standingWords(&s, "")
}

func writeTriaged(b *strings.Builder, tests []api.Triaged, finding api.Finding, word string, style Style) {
	for _, t := range tests {
		if t.Finding != finding {
			continue
		}
		fmt.Fprintf(b, "%s: %s: %s", word, style.name(t.Suite, t.Test), style.InWords(prose.Line(t.Why)))
		if words := triageWords(t); words != "" {
			fmt.Fprintf(b, " (%s)", words)
		}
		if t.Cached {
			fmt.Fprintf(b, " (seen %s ago)", prose.Duration(time.Duration(t.AgeS*float64(time.Second))))
		}
		b.WriteByte('\n')
		if t.Excerpt != "" && t.Likeness != api.SameFailureAgain && !style.Quiet {
			writeIndented(b, "there: "+t.Excerpt)
		}
	}
}
