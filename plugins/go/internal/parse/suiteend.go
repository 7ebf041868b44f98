package parse

import (
	"bytes"
	"fmt"
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// suiteEnder decides how suites ended and reports them.
type suiteEnder struct {
	*reporter
	settler    *settler
	attributor *attributor
	builds     *builds
}

// conclude reports a suite that has ended.
func (e *suiteEnder) conclude(s *suite, exit sdk.Exit) {
	e.endBenchmarks(s)
	var outcome sdk.SuiteOutcome
	switch {
	case s.end.action == testjson.ActionSkip:
		outcome = sdk.SuiteNoTests
	case s.end.action == testjson.ActionPass:
		outcome = e.concludePassed(s)
	case s.started == 0 && (s.buildNote != "" || s.failedBuild != "") && e.builds.wasStopped(s, exit):
		outcome = sdk.SuiteUnfinished
	case s.started == 0 && (s.buildNote != "" || s.failedBuild != ""):
		outcome = sdk.SuiteBuildFailed
		e.builds.addBlocked(s)
	default:
		outcome = e.concludeFailed(s, exit)
	}
	e.finish(s, outcome)
}

// finish reports the rest of a suite.
func (e *suiteEnder) finish(s *suite, outcome sdk.SuiteOutcome) {
	e.settler.settleAll(s)
	e.noteRehearsals(s)
	e.endFailfast(s)
	e.noteImitation(s)
	for _, t := range s.runningTests() {
		e.sink.Test(e.newResult(s, t, sdk.Unfinished))
	}
	result := sdk.SuiteResult{Suite: s.name, Outcome: outcome, Cached: s.cached}
	if s.end != nil {
		result.Elapsed = toDuration(s.end.elapsed)
	}
	if outcome == sdk.SuiteBuildFailed {
		result.Reason = e.builds.firstError(s)
	}
	e.benchmarked = e.benchmarked || s.benchmarked
	if outcome == sdk.SuiteBuildFailed && isPattern(s.name) {
		return // its failure is that of the run
	}
	e.sink.Suite(result)
}

// concludePassed handles a suite that claims to have passed. Its TestMain may have
// swallowed failures, and its process may have ended early with code 0.
func (e *suiteEnder) concludePassed(s *suite) sdk.SuiteOutcome {
	if len(s.tests) > 0 && !s.completed {
		e.attributor.explainDeath(s, sdk.Exit{})
	}
	e.settler.settleAll(s)
	switch {
	case len(s.tests) > 0:
		return sdk.SuiteAborted
	case s.anyFailed:
		return e.outcomeOfFailed(s)
	case s.started == 0:
		return e.outcomeWithoutTests(s)
	case !e.ranToEnd(s), !e.allStarted(s):
		return sdk.SuiteAborted
	}
	if r := s.unclaimed(""); r != nil {
		// GORACE=exitcode=0 keeps races out of the exit status.
		e.attributor.explainOutside(s, sdk.Exit{})
		return sdk.SuiteFailedOutsideTests
	}
	if e.fuzzedNothing(s) {
		e.sink.Note(s.name + ": nothing was fuzzed: no fuzz test matches -fuzz")
	}
	return sdk.SuitePassed
}

// outcomeOfFailed returns the outcome of a suite in which tests failed but none died,
// depending on whether all others had their turn.
func (e *suiteEnder) outcomeOfFailed(s *suite) sdk.SuiteOutcome {
	if s.goexit {
		e.sink.Note(s.name + ": a subtest ended its parent, so the subtests after it did not run")
	}
	if e.selection.failfast {
		e.sink.Note(s.name + ": -failfast kept the tests after the first failure from running")
	}
	if !s.completed || s.goexit || e.selection.failfast || !e.allStarted(s) || e.lacksBenchmarks(s) {
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailed
}

// concludeFailed finds out why a suite failed.
func (e *suiteEnder) concludeFailed(s *suite, exit sdk.Exit) sdk.SuiteOutcome {
	if c := s.dump.crash(); c != nil {
		failed := s.anyFailed
		e.attributor.explainCrash(s, c, exit)
		switch {
		case !s.completed, failed && e.selection.failfast:
			return sdk.SuiteAborted
		case failed:
			return sdk.SuiteFailed
		}
		return sdk.SuiteFailedOutsideTests
	}
	e.endAnnounced(s)
	if c := s.dump.stacklessCrash(); c != nil && !s.completed {
		e.attributor.explainCrash(s, c, exit)
		return sdk.SuiteAborted
	}
	if len(s.tests) > 0 {
		e.attributor.explainDeath(s, exit)
		return sdk.SuiteAborted
	}
	// The held tests decide whether a subtest ended its parent.
	e.settler.settleAll(s)
	if s.anyFailed {
		e.attributor.blameRaces(s)
		if s.completed && (s.unclaimed("") != nil || s.diedAfterTests() && !s.wasInterrupted(exit)) {
			e.attributor.explainOutside(s, exit)
		}
		return e.outcomeOfFailed(s)
	}
	e.attributor.explainOutside(s, exit)
	if !s.completed || s.wasInterrupted(exit) {
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailedOutsideTests
}

// diedAfterTests reports whether a signal or the go command ended the process of a suite
// after its tests: their failures do not explain that. A status the go command does not print
// after output.
func (s *suite) diedAfterTests() bool {
	return strings.HasPrefix(s.exitText, signalEnd) || strings.HasPrefix(s.exitText, killedByGo)
}

// mayHaveBeenStopped reports whether the signal that ended the process is one that the host
// sends.
func (s *suite) mayHaveBeenStopped() bool {
	return s.exitText == signalEnd+"interrupt" || s.exitText == signalEnd+"killed"
}

// wasInterrupted reports whether the process ended because the user ended the run, so that
// nothing has failed by itself.
func (s *suite) wasInterrupted(exit sdk.Exit) bool { return exit.Cancelled && s.mayHaveBeenStopped() }

// endAnnounced ends the tests that announced their failure but whose event was lost.
func (e *suiteEnder) endAnnounced(s *suite) {
	for _, t := range s.runningTests() {
		if !hasVerdictLine(t) {
			continue
		}
		if t.parent != nil {
			t.parent.childFailed = true
		}
		s.drop(t)
		e.counts.add(sdk.Failed)
		s.countAttempt(t, sdk.Failed)
		s.anyFailed = true
		s.held = append(s.held, t)
	}
}

// cutShort reports a suite whose end was not seen.
func (e *suiteEnder) cutShort(s *suite, exit sdk.Exit) {
	if c := s.dump.crash(); c != nil {
		e.attributor.explainCrash(s, c, exit)
	} else if !exit.Unknown && !exit.Cancelled && exit.Code != 0 && len(s.leaves()) > 0 {
		e.attributor.explainDeath(s, exit)
	}
	e.finish(s, sdk.SuiteUnfinished)
}

// noTestsToRun is package testing's warning if nothing was selected.
const noTestsToRun = "testing: warning: no tests to run"

// noFuzzTests is its warning if tests ran, and -fuzz matches none of the fuzz tests.
const noFuzzTests = "testing: warning: no fuzz tests to fuzz"

// fuzzedNothing reports whether -fuzz matches no fuzz test of a suite. If it has none at all,
// package testing does not warn.
func (e *suiteEnder) fuzzedNothing(s *suite) bool {
	if hasLine(s.own.lines(), noFuzzTests) {
		return true
	}
	names := e.tree.source(s).functionNames()
	return e.selection.fuzz != nil && !e.selection.list && len(names) > 0 &&
		!slices.ContainsFunc(names, func(name string) bool { return source.KindOf(name) == source.Fuzz })
}

// outcomeWithoutTests returns the outcome of a suite that claims to have passed without
// announcing any test. That is fine if there are no tests or none are selected. It is
// not if TestMain or an init function ended the process, or if the tests' output went
// elsewhere: then their results are unknown.
func (e *suiteEnder) outcomeWithoutTests(s *suite) sdk.SuiteOutcome {
	lines := s.own.lines()
	if e.selection.list || hasNoTestFiles(s.name, lines) {
		return sdk.SuiteNoTests
	}
	looked := s.completed || hasLine(lines, noTestsToRun) || saysPass(s, lines)
	all, certain, known := e.countSelected(s)
	switch {
	case looked && (certain == 0 || !e.selection.decides(s.name) || s.verbose && e.selection.bench != nil): // with -v benchmarks go unnoticed
		return sdk.SuiteNoTests
	case looked:
		// Package testing looked for tests. If it found none although there are some,
		// something other than the command filters them.
		e.sink.Note(s.name + ": no test ran although the command selects some of its tests: TestMain may set flags")
	case known && all == 0:
		return sdk.SuiteNoTests
	default:
		e.sink.Note(s.name + ": it passed and reported no test: its TestMain or an init function may have ended the process, or the tests' output went elsewhere")
	}
	return sdk.SuiteAborted
}

// ranToEnd reports whether each selected test of a suite that passed had its turn:
// package testing said so, or all declared tests have started. A test may have
// redirected standard output and with it the final words.
func (e *suiteEnder) ranToEnd(s *suite) bool {
	lines := s.own.lines()
	if s.completed || saysPass(s, lines) {
		return true
	}
	// A complete stream contains the go command's own "ok". If nothing is left of the
	// package's own output, something filtered the stream for the events of tests.
	if len(lines) == 0 {
		return true
	}
	all, _, known := e.countSelected(s)
	if known && !s.patient && s.tops >= all {
		return true
	}
	e.sink.Note(s.name + ": it passed without reporting that its tests were done: its process may have ended between two tests")
	return false
}

// saysPass finds the final word of package testing at the end of a line. With the
// user's own -v it may follow text without a line feed.
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

// hasNoTestFiles parses what the go command says about a package without tests: "?
// \tpkg\t[no test files]", or with -cover "\tpkg\t\tcoverage: 0.0%", of which only the
// name is left for a package without functions.
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

// noteStarted records that a top-level test has started.
func (s *suite) noteStarted(name string) {
	if s.startedNames == nil {
		s.startedNames = map[uint64]struct{}{}
	}
	s.startedNames[s.key(name)] = struct{}{}
	s.benchmarked = s.benchmarked || source.KindOf(name) == source.Benchmark
}

// allStarted reports whether every test that a suite declares and the command selects
// has started, in a suite whose tests had their turn. TestMain or an init function may
// set -test.run: what they leave out was not tested, whatever the suite says. If in
// doubt it returns true: it considers only functions that are part of every build.
func (e *suiteEnder) allStarted(s *suite) bool {
	missing := e.notStarted(s, e.tree.source(s).functionNames())
	if len(missing) == 0 || !s.announced || !e.selection.decidesAlone(s.name) {
		return true
	}
	certain, known := namesInEveryBuild(e.tree, s)
	missing = slices.DeleteFunc(missing, func(name string) bool { return !certain[name] })
	if !known || len(missing) == 0 {
		return true
	}
	slices.Sort(missing)
	text := missing[0]
	if more := len(missing) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	e.sink.Note(s.name + ": " + text + " did not run although the command selects them: TestMain or an init function may set flags")
	return false
}

// lacksBenchmarks reports whether package testing ran no benchmarks because a test had
// failed, although the command selects some.
func (e *suiteEnder) lacksBenchmarks(s *suite) bool {
	for _, name := range e.tree.source(s).functionNames() {
		if _, heard := s.startedNames[s.key(name)]; !heard && source.KindOf(name) == source.Benchmark && e.selection.selectsBenchmark(s.name, name) {
			e.sink.Note(s.name + ": " + name + " did not run: go test runs benchmarks only if all tests pass")
			return true
		}
	}
	return false
}

// notStarted returns the names that the command selects and that did not start. It leaves
// out benchmarks, because older versions of go test run none after a failed test.
func (e *suiteEnder) notStarted(s *suite, names []string) []string {
	var missing []string
	for _, name := range names {
		if _, heard := s.startedNames[s.key(name)]; heard || source.KindOf(name) == source.Benchmark || !e.selection.selects(s.name, name) {
			continue
		}
		missing = append(missing, name)
	}
	return missing
}

// namesInEveryBuild returns the functions that go test runs in files that neither a
// constraint nor their name excludes from some builds. known is false if a file cannot
// be read.
func namesInEveryBuild(tree *tree, s *suite) (names map[string]bool, known bool) {
	names = map[string]bool{}
	for _, file := range tree.source(s).files {
		if !isTestFile(file) {
			continue
		}
		src, err := tree.reader.Bytes(file, source.MaxFile)
		if err != nil {
			return nil, false
		}
		if !inEveryBuild(file, src) {
			continue
		}
		for _, f := range source.Scan(src) {
			names[f.Name] = true
		}
	}
	return names, true
}

// functionNames returns the functions that the test files declare.
func (p *packageSource) functionNames() []string {
	names := make([]string, 0, len(p.tests))
	for name := range p.tests {
		names = append(names, name)
	}
	return names
}

// decides reports whether the command alone decides which tests of a suite run, rather than a
// table of the plugin's program or arguments after -args.
func (s *selection) decides(suite string) bool {
	if !s.known || s.obscured || s.list || s.fuzz != nil {
		return false
	}
	return !s.targets[suite] || s.whole[suite] && !s.exec
}

// decidesAlone reports the same, if it can be told from what has started: with the user's own
// -v some tests may have started unnoticed.
func (s *selection) decidesAlone(suite string) bool {
	return !s.verbose && s.decides(suite)
}

// countSelected counts the functions of a suite that the command runs. certain counts
// those in files that are part of every build. known is false if the sources are
// unknown.
func (e *suiteEnder) countSelected(s *suite) (all, certain int, known bool) {
	if !e.selection.known || len(e.tree.source(s).files) == 0 {
		return 0, 0, false
	}
	for _, file := range e.tree.source(s).files {
		if !isTestFile(file) {
			continue
		}
		src, err := e.tree.reader.Bytes(file, source.MaxFile)
		if err != nil {
			return 0, 0, false
		}
		selected := 0
		for _, f := range source.Scan(src) {
			if e.selection.selects(s.name, f.Name) {
				selected++
			}
		}
		all += selected
		if selected > 0 && inEveryBuild(file, src) {
			certain += selected
		}
	}
	return all, certain, true
}

// isTestFile reports whether the go command would consider a file.
func isTestFile(file string) bool {
	base := filepath.Base(file)
	return strings.HasSuffix(base, "_test.go") && base[0] != '_' && base[0] != '.'
}

// inEveryBuild reports whether neither constraints nor its name exclude a file from
// some builds. Only the go command knows which build it was.
func inEveryBuild(file string, src []byte) bool {
	// No platform has this name, so only a file for any platform matches.
	nowhere := build.Context{
		GOOS: "nowhere", GOARCH: "nothing", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil },
	}
	if match, err := nowhere.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil || !match {
		return false
	}
	for l := range strings.Lines(string(src)) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "package ") {
			break
		}
		if constraint.IsGoBuild(l) || constraint.IsPlusBuild(l) {
			return false
		}
	}
	return true
}

// endBenchmarks ends the benchmarks that are still running according to the events: one
// that passes has a result line and no event, and its parents have neither.
func (e *suiteEnder) endBenchmarks(s *suite) {
	crashed := s.dump.crash() != nil
	var ended []*test
	for _, t := range s.runningTests() {
		if !strings.HasPrefix(t.name, "Benchmark") {
			continue
		}
		if s.completed && (s.end.action == testjson.ActionPass || !crashed) || hasResult(t) {
			ended = append(ended, t)
		}
	}
	for _, t := range ended {
		s.drop(t)
		e.counts.add(sdk.Passed)
		e.sink.Test(e.newResult(s, t, sdk.Passed))
		e.settler.forget(t)
	}
}

// hasResult reports whether a benchmark printed its result: "BenchmarkA-2     \t
// 5\t       100.4 ns/op".
func hasResult(t *test) bool {
	for _, l := range t.text.lines() {
		rest, found := strings.CutPrefix(l.text, t.name)
		if found && strings.HasSuffix(strings.TrimRight(rest, " "), "/op") || found && strings.Contains(rest, " ns/op") {
			return true
		}
	}
	return false
}
