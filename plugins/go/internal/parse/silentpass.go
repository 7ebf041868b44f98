package parse

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// noTestsToRun is what package testing says when nothing was selected.
const noTestsToRun = "testing: warning: no tests to run"

// outcomeOfNothing is for a suite that says it passed and of which not one test
// was heard. That is as it should be where there are no tests or none are
// selected. It is not where TestMain or an init function ended the process, or
// where the output of the tests went elsewhere: then nobody knows what the tests
// would say.
func (e *suiteEnder) outcomeOfNothing(s *suite) sdk.SuiteOutcome {
	lines := s.own.lines()
	if e.selection.list || hasNoTestFiles(s.name, lines) {
		return sdk.SuiteNoTests
	}
	looked := s.completed || hasLine(lines, noTestsToRun) || saysPass(s, lines)
	if looked && e.selection.narrowed {
		return sdk.SuiteNoTests
	}
	all, certain, known := e.countSelected(s)
	switch {
	case looked && certain == 0:
		return sdk.SuiteNoTests
	case looked:
		// Package testing has looked for tests. Where it found none although
		// there are some, something filters that is not the command.
		e.sink.Note(s.name + ": no test ran although there are some and the command selects them: TestMain may set flags")
	case known && all == 0:
		return sdk.SuiteNoTests
	default:
		e.sink.Note(s.name + ": it passed and no test was heard of: its TestMain or an init function may have ended the process, or the tests' output went elsewhere")
	}
	return sdk.SuiteAborted
}

// hasHadTurns reports whether each selected test of a suite that passed had its
// turn: package testing said so, or all that are declared have started. A test
// may have redirected the standard output, and with it what is said at the end.
func (e *suiteEnder) hasHadTurns(s *suite) bool {
	lines := s.own.lines()
	if s.completed || saysPass(s, lines) {
		return true
	}
	// The go command's own "ok" stands in every stream that is whole. Without a
	// word of the package, a reader before us kept only the events of tests.
	if len(lines) == 0 {
		return true
	}
	all, _, known := e.countSelected(s)
	if known && !s.patient && s.tops >= all {
		return true
	}
	e.sink.Note(s.name + ": it passed without saying that its tests are done: its process may have ended between two tests")
	return false
}

// saysPass finds the last word of package testing at the end of a line. With -v
// of the user it may follow what was printed without a line feed.
func saysPass(s *suite, lines []line) bool {
	if !s.verbose {
		return false
	}
	for _, l := range lines {
		if strings.HasSuffix(l.text, "PASS") {
			return true
		}
	}
	return false
}

// hasNoTestFiles reads what the go command says of a package that it did not
// test: "?   \tpkg\t[no test files]", or with -cover "\tpkg\t\tcoverage: 0.0%", in which
// what follows the name is missing for a package without functions.
func hasNoTestFiles(name string, lines []line) bool {
	for _, l := range lines {
		if strings.HasPrefix(l.text, "?   \t") || strings.HasPrefix(l.text, "\t"+name+"\t\t") {
			return true
		}
	}
	return false
}

func hasLine(lines []line, end string) bool {
	for _, l := range lines {
		if strings.HasSuffix(l.text, end) {
			return true
		}
	}
	return false
}
