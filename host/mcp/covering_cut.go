package mcp

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// cutCovering returns an answer with the first n tests and the first ranges of lines of
// each kind, in the words of the tools.
func cutCovering(c api.Covering, n, ranges int) api.Covering {
	c.File, c.Lines = cutName(c.File), cutListed(c.Lines)
	c.Message = coveringSentence(c.Message)
	c.Uncovered, c.NoCode, c.Unmapped = cutRanges(c.Uncovered, ranges), cutRanges(c.NoCode, ranges), cutRanges(c.Unmapped, ranges)
	c.Tests, c.Warnings, c.Untold = cutCoveringTests(c.Tests, n), cutNotes(c.Warnings), limit(c.Untold[:min(len(c.Untold), cutTestNames)])
	c.State = limit(c.State[:min(len(c.State), cutTestNames)])
	for i, s := range c.State {
		c.State[i].Tests = s.Tests[:min(len(s.Tests), shownChosen)]
	}
	return c
}

// coveringSentence returns what is known, on one line.
func coveringSentence(text string) string {
	return cutText(text, cutDetailBytes, prose.Line)
}

// coveringMore says how to learn more, on one line.
func coveringMore(g api.Granularity, a api.Advice) string {
	more := Advice(a)
	switch {
	case g != api.GranularityUnknown:
		return more
	case more == "":
		return coveringAdvice
	}
	return more + ". " + coveringAdvice
}

// testRanges is how many ranges of lines an answer has for each test.
const testRanges = 5

func cutCoveringTests(tests []api.CoveringTest, n int) []api.CoveringTest {
	var cut []api.CoveringTest
	for _, t := range tests[:min(len(tests), n)] {
		t.Language, t.Suite, t.Test, t.Why = "", cutListed(t.Suite), cutListed(t.Test), cutListed(t.Why)
		t.Lines, t.MeasuredAt = cutRanges(t.Lines, testRanges), nil
		cut = append(cut, t)
	}
	return cut
}

// cutRanges are the first of some ranges of lines.
func cutRanges(ranges []string, most int) []string {
	var cut []string
	for _, r := range ranges[:min(len(ranges), most)] {
		cut = append(cut, cutText(r, cutWordBytes, prose.Line))
	}
	if left := len(ranges) - len(cut); left > 0 {
		cut = append(cut, moreOf(left))
	}
	return cut
}

// afterSentence returns what follows a sentence at the beginning of a text.
func afterSentence(text, sentence string) string {
	return strings.TrimSpace(strings.TrimPrefix(text, sentence))
}

// cutAffected returns what a run selected, with the first names of each list; the
// counts are exact.
func cutAffected(a *api.Affected) *api.Affected {
	if a == nil {
		return nil
	}
	cut := *a
	cut.Changed, cut.Chosen, cut.Untold = a.Changed[:min(len(a.Changed), shownChosen)], a.Chosen[:min(len(a.Chosen), cutTestNames)], a.Untold[:min(len(a.Untold), cutTestNames)]
	cut.BuildOnly = a.BuildOnly[:min(len(a.BuildOnly), shownChosen)]
	cut = limit(cut)
	if left := len(a.BuildOnly) - len(cut.BuildOnly); left > 0 {
		cut.BuildOnly = append(cut.BuildOnly, moreOf(left))
	}
	return &cut
}

// shownChosen is how many changed files and suites the answer to a run has.
const shownChosen = 10

// runCoverage is the same in an object, with the first suites.
type runCoverage struct {
	Percent     float64             `json:"percent"`
	Statements  int                 `json:"statements"`
	Covered     int                 `json:"covered"`
	Indexed     bool                `json:"indexed"`
	NotIndexed  string              `json:"not_indexed,omitempty"`
	Suites      []api.SuiteCoverage `json:"suites,omitempty"`
	SuitesTotal int                 `json:"suites_total"`
}

func coverageOf(c *api.Coverage) *runCoverage {
	if c == nil {
		return nil
	}
	return &runCoverage{
		Percent: c.Percent, Statements: c.Statements, Covered: c.Covered, Indexed: c.Indexed, NotIndexed: c.NotIndexed,
		Suites: c.Suites[:min(len(c.Suites), shownChosen)], SuitesTotal: len(c.Suites),
	}
}
