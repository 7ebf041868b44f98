package render

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Account is the content of an [Ending], part by part, for other layouts, such as a page.
// All of its texts are safe to show.
type Account struct{ e *ending }

// NewAccount returns the account of a run. heard may be nil.
func NewAccount(run api.Run, heard *Asides, style Style) *Account {
	return &Account{newEnding(run, heard, style)}
}

// Tone says whether a verdict or a cause is good or bad.
type Tone string

// The tones.
const (
	Good     Tone = "good"
	Bad      Tone = "bad"
	Doubtful Tone = "doubtful" // neither
)

// Conclusion is the end of a run: a word such as PASSED, and its details, most important
// first.
type Conclusion struct {
	Word  string
	Tone  Tone
	Parts []string
}

// Sentence returns the word with the first detail.
func (c Conclusion) Sentence() string { return strings.TrimSpace(c.Word + "  " + c.Parts[0]) }

// Conclusion returns how the run ended.
func (a *Account) Conclusion() Conclusion {
	e := closing{a.e}
	if e.run.State == api.StateRunning {
		return Conclusion{"RUNNING", Doubtful, []string{"run " + e.run.RunID + " goes on"}}
	}
	word, color, parts := e.verdict()
	first, _, _ := strings.Cut(strings.Trim(prose.Plain(parts[0]), "\n"), "\n")
	parts[0] = strings.TrimSpace(first)
	v := Conclusion{Word: word, Tone: Bad}
	switch color {
	case green:
		v.Tone = Good
		v.Word += e.flaky()
	case yellow:
		v.Tone = Doubtful
	}
	v.Parts = slices.DeleteFunc(append(parts, e.tallies(word)...), func(p string) bool { return p == "" })
	if len(v.Parts) == 0 {
		v.Parts = []string{""}
	}
	return v
}

// Cause is a group of failures with one cause.
type Cause struct {
	// Failures are those that the run carries, of Total.
	Failures []api.Failure
	Total    int
	// Name is that of the test, or of what the failures have in common; Rest counts
	// them, if there are several.
	Name, Rest string
	// Standing says how its tests stand.
	Standing string
	Tone     Tone
	// Mark is the symbol of its tone.
	Mark string
	// Flaky reports whether its tests passed when they were retried, and CutOff whether
	// its test was only running when the run was ended.
	Flaky, CutOff bool
}

// Causes returns what failed, in the order of an [Ending].
func (a *Account) Causes() []Cause { return a.describe(a.e.causes) }

// Quarantined returns the failures that did not decide.
func (a *Account) Quarantined() []Cause {
	var causes []cause
	for _, f := range a.e.quarantined {
		causes = append(causes, cause{[]api.Failure{f}, 1})
	}
	return a.describe(causes)
}

func (a *Account) describe(causes []cause) []Cause {
	described := make([]Cause, len(causes))
	for i, c := range causes {
		b := block{a.e, c}
		name, rest := b.names()
		described[i] = Cause{
			Failures: c.failures, Total: c.total, Name: name, Rest: rest, Standing: b.standings(), Tone: Bad, Mark: "✗",
			Flaky: areFlaky(a.e.run, c.failures), CutOff: cutOff(a.e.run, c.failures[0]),
		}
		switch {
		case described[i].CutOff:
			described[i].Tone, described[i].Mark = Doubtful, "…"
		case described[i].Flaky:
			described[i].Tone, described[i].Mark = Doubtful, "~"
		}
	}
	return described
}

// UntoldFailures counts the failures that the Run object does not carry.
func (a *Account) UntoldFailures() int {
	told := 0
	for _, c := range a.e.causes {
		told += c.total
	}
	return max(a.e.run.FailuresTotal-max(told, len(a.e.run.Failures)), 0)
}

// Standing says how the test of a failure stands; empty if it failed for the first time.
func (a *Account) Standing(f api.Failure) string { return a.e.standing(f) }

// Place returns where a failure happened, and from where the test got there.
func (a *Account) Place(f api.Failure) string {
	return failurePlace(f, unpainted)
}

// Excerpt returns the source around a failure, as it is laid out; nil if it is not known.
func (a *Account) Excerpt(f api.Failure) *api.Excerpt {
	shown := a.e.style.excerptOf(f)
	if shown == nil {
		return nil
	}
	laid := *shown
	laid.Lines = layOut(shown.Lines)
	return &laid
}

// Message returns the message of a failure, and the lines that differ: "-" marks what was
// wanted, "+" what the test got.
func (a *Account) Message(f api.Failure) (message string, difference []string) {
	message, difference = a.e.compareValues(f)
	return prose.Plain(a.e.withKind(f, message)), difference
}

// Remarks are what else is known of a failure, a line each.
func (a *Account) Remarks(f api.Failure) []string {
	var lines []string
	for _, text := range failureDetails(f, a.e.style, a.OutputCommand(f)) {
		lines = slices.AppendSeq(lines, strings.SplitSeq(text, "\n"))
	}
	if len(f.Blocks) > 0 {
		lines = append(lines, "keeps from running: "+prose.Listed(slices.Sorted(slices.Values(f.Blocks)), len(f.Blocks), api.MaxNames, a.e.suite))
	}
	return lines
}

// OutputCommand returns the command that shows all that the test of a failure printed.
func (a *Account) OutputCommand(f api.Failure) string { return a.e.whole(f) }

// Name returns the short name of a test with its suite.
func (a *Account) Name(t sdk.TestID) string { return a.e.testName(t.Suite, t.Test) }

// Suite returns the short name of a suite.
func (a *Account) Suite(suite string) string { return a.e.suite(suite) }

// Notes returns what qualifies the verdict.
func (a *Account) Notes() []string {
	return append(runNotes(a.e.run, a.e.style), runRemarks(a.e.run, a.e.style)...)
}

// Undone returns the tests that did not end and are not failures, one line for each
// explanation.
func (a *Account) Undone() []string {
	e := &ending{page: page{style: a.e.style}, run: a.e.run, aside: a.e.aside}
	e.writeUnfinished()
	e.writeNeverStarted()
	e.writeRequested()
	return strings.FieldsFunc(e.b.String(), func(r rune) bool { return r == '\n' })
}

// Skip is a reason for which tests were skipped, empty if they gave none, and the tests
// as far as they are known, of Total.
type Skip struct {
	Reason string
	Tests  []sdk.TestID
	Total  int
}

// Skips returns why tests were skipped, the most frequent reason first.
func (a *Account) Skips() []Skip {
	var skips []Skip
	for _, s := range a.e.aside.skips {
		skips = append(skips, Skip{prose.Line(s.reason), s.tests, s.total})
	}
	slices.SortStableFunc(skips, func(x, y Skip) int { return y.Total - x.Total })
	return skips
}

// Took formats how long something took.
func Took(s float64) string { return seconds(s) }
