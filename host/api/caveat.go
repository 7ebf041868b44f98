package api

import (
	"fmt"
	"strings"
)

// Caveat is something that a pass leaves out or excuses, or, in a red run, something that is
// wrong besides its failures. Programs decide by its code, never by its text.
type Caveat struct {
	Code CaveatCode `json:"code"`
	Text string     `json:"text"`
}

// CaveatCode says what a caveat is about.
type CaveatCode string

// The codes of caveats, as docs/run-object.md lists them.
const (
	CaveatSubtestsSkipped CaveatCode = "subtests_skipped"
	CaveatSuitesSkipped   CaveatCode = "suites_skipped"
	CaveatFlaky           CaveatCode = "flaky"
	CaveatQuarantined     CaveatCode = "quarantined"
	CaveatFrom            CaveatCode = "from"
	CaveatPart            CaveatCode = "part"
	CaveatShards          CaveatCode = "shards"
	CaveatShard           CaveatCode = "shard"
	CaveatFiltered        CaveatCode = "filtered"
	CaveatNarrowed        CaveatCode = "narrowed"
	CaveatRunnerArgs      CaveatCode = "runner_args"
	CaveatConfigured      CaveatCode = "configured"
	CaveatExitUnknown     CaveatCode = "exit_unknown"
	CaveatMisplaced       CaveatCode = "misplaced"
	CaveatUnanswered      CaveatCode = "unanswered"
)

// CaveatText returns what a run says of something that it leaves out, or that is wrong with
// it; empty if it does not.
func (r Run) CaveatText(code CaveatCode) string {
	for _, c := range r.Caveats {
		if c.Code == code {
			return c.Text
		}
	}
	return ""
}

// WithCaveats returns the sentence of a pass: what passed, and on what conditions, of which
// neighbors share their parentheses.
func WithCaveats(passed string, caveats []Caveat) string {
	within := false
	for _, c := range caveats {
		before, after := " (", ")"
		switch c.Code {
		case CaveatQuarantined:
			before, after = ", ", ""
		case CaveatSubtestsSkipped, CaveatSuitesSkipped, CaveatFlaky, CaveatExitUnknown:
			before, after = "; ", ""
		}
		if within && after != "" {
			passed, before = strings.TrimSuffix(passed, after), "; "
		}
		within = after != ""
		if passed == "" {
			before = strings.TrimLeft(before, ",; ")
		}
		passed += before + c.Text + after
	}
	return passed
}

// DescribePasses counts what passed: "3 tests passed, 1 skipped", and with another verb or
// none, what that says. It counts tests, the unit of selections and listings, if they are
// known, and else results.
func (c Counts) DescribePasses(verb string) string {
	if c.TestsPassed+c.TestsSkipped == 0 {
		return Plural(c.Passed, "result") + verb + OfThemCached(c.Passed, c.Cached) + alsoSkipped(c.Skipped)
	}
	text := Plural(c.TestsPassed, "test") + verb + OfThemCached(c.TestsPassed, c.TestsCached) + alsoSkipped(c.TestsSkipped)
	if c.TestsPassed == 0 {
		text = "only subtests passed, of " + Plural(c.TestsSkipped, "skipped test")
	}
	if c.Repeats > 0 {
		text += fmt.Sprintf(", %d times in all", c.TestsPassed+c.TestsSkipped+c.Repeats)
	}
	return text
}

func alsoSkipped(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}
