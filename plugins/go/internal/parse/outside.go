package parse

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// explainOutside reports a suite that failed although no test did: its
// TestMain, something it checks after the tests, or a race that no test
// noticed.
func (a *attributor) explainOutside(s *suite) {
	f := finding{kind: sdk.KindExit, own: true, lines: withoutNoise(s.own.lines())}
	if r := s.unclaimed(""); r != nil {
		describeRace(a.tree, s, r, "", &f)
		a.report(a.failure(s.id(""), f))
		return
	}
	if s.started == 0 && !s.completed {
		f.kind = sdk.KindSetup
		a.tellRefusal(s)
		if a.hasUnknownFlag(s) {
			return
		}
	}
	texts := make([]string, len(f.lines))
	for i, l := range f.lines {
		texts[i] = l.text
	}
	f.message = tidy(texts)
	switch {
	case f.message != "":
		f.location = mentionedPlace(a.tree, s, f.lines)
	case strings.HasPrefix(s.exitText, "signal: "):
		f.kind, f.message = sdk.KindSignal, "the test process was ended by "+s.exitText
	case s.completed:
		f.message = "the package failed after its tests had passed"
	case s.started == 0:
		f.message = "the package failed before any test ran"
	default:
		f.message = "the test process ended between tests"
	}
	if s.exitText != "" && f.kind != sdk.KindSignal {
		f.message += "\n" + s.exitText
	}
	if a.selection.failedByCoverage(f.lines) {
		f.message += "\n" + byCoverage
	}
	a.report(a.failure(s.id(""), f))
}

// withoutNoise drops what cmd/go and package testing add around a suite's own
// words.
func withoutNoise(lines []line) []line {
	var kept []line
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.text, "coverage: "), strings.HasPrefix(l.text, "goos: "), strings.HasPrefix(l.text, "goarch: "),
			strings.HasPrefix(l.text, "pkg: "), strings.HasPrefix(l.text, "cpu: "), strings.HasPrefix(l.text, "ok  \t"),
			l.text == "testing: warning: no tests to run":
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// mentionedPlace is the first place in the project's code that a text mentions,
// in a stack or at the start of a line.
func mentionedPlace(tree *tree, s *suite, lines []line) sdk.Location {
	var g goroutine
	for _, l := range lines {
		g.read(l.text)
	}
	if len(g.frames) > 0 {
		return tree.locate(s, g.frames[0].file, g.frames[0].line)
	}
	for _, l := range lines {
		if at := tree.printedPlace(s, l.text); at.Line > 0 {
			return at
		}
	}
	return sdk.Location{}
}
