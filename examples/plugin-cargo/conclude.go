package cargotest

import (
	"slices"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"github.com/proctorhq/proctor/sdk"
)

// conclude reports the suite whose output has ended.
func (p *parser) conclude(exit sdk.Exit) {
	switch {
	case isPreparing(p.run.Command), len(p.finished) == 0 && !p.build.succeeded && !(isRecorded(p.run.Command) && p.suite != ""):
		p.concludeBuild(exit)
	case len(p.finished) == 0 && !p.target.Harness:
		p.concludeMain(exit)
	default:
		p.concludeTests(exit)
	}
}

// concludeBuild is for a command that ran no test binary.
func (p *parser) concludeBuild(exit sdk.Exit) {
	failed := exit.Code != 0 && !exit.Unknown
	switch {
	case exit.TimedOut:
		p.runError("the time limit was reached while cargo was building")
	case exit.Cancelled, exit.Signal != "":
		p.runError("cargo was stopped while it was building")
	case p.build.errors > 0:
	case failed && p.stderr.error() != "":
		p.explained = true
		f := sdk.Failure{TestID: sdk.TestID{Suite: p.suite}, Kind: sdk.KindSetup, Message: p.stderr.error(), Blocks: plannedSuites(p.run.Command, p.project, p.suite)}
		for _, x := range p.stderr.scriptPanics() {
			f.Location = p.location(x.Place.File, x.Place.Line, x.Place.Column)
		}
		p.sink.Failure(f)
	case failed: // Close reports it
	case !p.build.succeeded:
		p.runError("cargo did not report the end of its build, and no test ran")
	}
	if p.build.succeeded && !failed {
		return
	}
	if p.suite != "" {
		p.sink.Suite(sdk.SuiteResult{Suite: p.suite, Outcome: sdk.SuiteBuildFailed})
	}
	// The suites that could not run are as outstanding as the one that did not compile.
	for _, suite := range plannedSuites(p.run.Command, p.project, "") {
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteBuildFailed})
	}
}

// concludeMain is for a target with a main function of its own, which is one test, as in
// cargo.
func (p *parser) concludeMain(exit sdk.Exit) {
	id := sdk.TestID{Suite: p.suite, Test: mainTest}
	at := p.location(p.target.Source, 0, 0)
	test := sdk.TestResult{TestID: id, Status: sdk.Passed, Location: at}
	outcome := sdk.SuitePassed
	switch kind, why := p.stderr.ending(exit); {
	case exit.TimedOut, exit.Cancelled, exit.Unknown:
		test.Status, outcome = sdk.Unfinished, sdk.SuiteUnfinished
		p.blame(id, at, kind, why)
	case exit.Code != 0 || exit.Signal != "":
		test.Status, outcome = sdk.Failed, sdk.SuiteFailed
		p.blame(id, at, kind, why)
	}
	p.sink.Test(test)
	p.sink.Suite(sdk.SuiteResult{Suite: p.suite, Outcome: outcome})
}

// concludeTests is for a binary of libtest. A test counts as passed only if the binary's
// own counts confirm it: the line could have been printed by another test.
func (p *parser) concludeTests(exit sdk.Exit) {
	ended, sound := len(p.finished) > 0, true
	var tests, failed int
	for _, b := range p.finished {
		b, why := b.Settle(p.isDeclared)
		ended, sound = ended && b.Ended, sound && why == ""
		for _, r := range b.Results {
			tests++
			if r.Status == libtest.Failed {
				failed++
			}
			p.reportResult(r, b.Ended && why == "")
		}
		if why != "" {
			p.reportContradiction(why)
		}
	}
	if failed > 0 && exit.Code == 0 && !exit.Unknown {
		p.runError(suitePrefix(p.suite) + "libtest reports failed tests, but cargo test exited with 0")
	}
	outcome := sdk.SuitePassed
	switch {
	case !ended:
		outcome = p.concludeAborted(exit)
	case p.endedBadly(exit):
		outcome = sdk.SuiteFailedOutsideTests
		if failed > 0 {
			outcome = sdk.SuiteAborted
		}
		kind, why := p.stderr.ending(exit)
		p.blame(sdk.TestID{Suite: p.suite}, sdk.Location{}, kind, "after its tests had ended, "+why)
	case !sound: // how its tests ended is unknown: all of them must be run again
		outcome = sdk.SuiteAborted
	case failed > 0:
		outcome = sdk.SuiteFailed
	case tests == 0:
		outcome = sdk.SuiteNoTests
	}
	if p.suite != "" {
		p.sink.Suite(sdk.SuiteResult{Suite: p.suite, Outcome: outcome})
	}
}

// reportContradiction reports that a binary's lines and its counts do not agree.
func (p *parser) reportContradiction(why string) {
	p.sink.Unread(sdk.Unread{Bytes: int64(len(why)), Damaged: true, Sample: why})
	p.runError(suitePrefix(p.suite) + why + "; a test that bypasses libtest's capture can cause this: make it print less, or run with `-- -- --test-threads=1`")
}

// reportResult reports a test, and its failure if libtest printed no output of it.
func (p *parser) reportResult(r libtest.Result, confirmed bool) {
	at, _ := p.findDeclaration(r.Name)
	test := sdk.TestResult{TestID: sdk.TestID{Suite: p.suite, Test: r.Name}, Status: sdk.Passed, Location: at}
	switch r.Status {
	case libtest.Passed:
		if !confirmed {
			return
		}
		p.earlierCounts.Passed++
	case libtest.Failed:
		p.earlierCounts.Failed++
		test.Status = sdk.Failed
		if !p.reported[r.Name] {
			p.fail(r.Name, "", false, p.stderr.panicsOf(r.Name))
		}
	case libtest.Ignored:
		p.earlierCounts.Ignored++
		test.Status = sdk.Skipped
		if r.Reason != "" {
			test.Attributes = map[string]string{"reason": r.Reason}
		}
	}
	p.sink.Test(test)
}

// endedBadly reports whether the binary ended in a way that failed tests do not explain.
func (p *parser) endedBadly(exit sdk.Exit) bool {
	if p.stderr.process != "" {
		return true
	}
	if exit.Unknown {
		return false
	}
	anyFailed := slices.ContainsFunc(p.finished, func(b libtest.Block) bool { return b.Counts.Failed > 0 })
	return exit.Signal != "" || exit.TimedOut || exit.Cancelled || (exit.Code != 0 && !anyFailed)
}

// suitePrefix returns the beginning of a message about a suite, or "" without a suite.
func suitePrefix(suite string) string {
	if suite == "" {
		return ""
	}
	return suite + ": "
}
