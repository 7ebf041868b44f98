package cargotest

import (
	"slices"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"github.com/proctorhq/proctor/sdk"
)

// conclude reports the suite whose output has ended.
func (p *parser) conclude(exit sdk.Exit) {
	switch {
	case prepares(p.run.Command), len(p.finished) == 0 && !p.build.ok && !(isRecorded(p.run.Command) && p.suite != ""):
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
		p.runError("the time was up while cargo was building")
	case exit.Cancelled, exit.Signal != "":
		p.runError("cargo was ended while it was building")
	case p.build.errors > 0:
	case failed && p.told.error() != "":
		p.red = true
		f := sdk.Failure{TestID: sdk.TestID{Suite: p.suite}, Kind: sdk.KindSetup, Message: p.told.error(), Blocks: planned(p.run.Command, p.project, p.suite)}
		for _, x := range p.told.scriptPanics() {
			f.Location = p.location(x.Place.File, x.Place.Line, x.Place.Column)
		}
		p.sink.Failure(f)
	case failed: // said at the end
	case !p.build.ok:
		p.runError("cargo did not say that it has built anything, and no test ran")
	}
	if p.build.ok && !failed {
		return
	}
	if p.suite != "" {
		p.sink.Suite(sdk.SuiteResult{Suite: p.suite, Outcome: sdk.SuiteBuildFailed})
	}
	// Those that could not run are outstanding like the one that did not compile.
	for _, suite := range planned(p.run.Command, p.project, "") {
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteBuildFailed})
	}
}

// concludeMain is for a target with a main function of its own: as for cargo, it
// is one test.
func (p *parser) concludeMain(exit sdk.Exit) {
	id := sdk.TestID{Suite: p.suite, Test: mainTest}
	at := p.location(p.target.Source, 0, 0)
	test := sdk.TestResult{TestID: id, Status: sdk.Passed, Location: at}
	outcome := sdk.SuitePassed
	switch kind, why := p.told.ending(exit); {
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

// concludeTests is for a binary of libtest. That a test passed is believed when
// the binary's own counts confirm it: until then the line may have come from
// another test.
func (p *parser) concludeTests(exit sdk.Exit) {
	ended, sound := len(p.finished) > 0, true
	var tests, failed int
	for _, b := range p.finished {
		b, why := b.Settle(p.exists)
		ended, sound = ended && b.Ended, sound && why == ""
		for _, r := range b.Results {
			tests++
			if r.Status == libtest.Failed {
				failed++
			}
			p.result(r, b.Ended && why == "")
		}
		if why != "" {
			p.contradiction(why)
		}
	}
	if failed > 0 && exit.Code == 0 && !exit.Unknown {
		p.runError(prefix(p.suite) + "libtest reports failed tests, and cargo test ended with 0")
	}
	outcome := sdk.SuitePassed
	switch {
	case !ended:
		outcome = p.abort(exit)
	case p.broken(exit):
		outcome = sdk.SuiteFailedOutsideTests
		if failed > 0 {
			outcome = sdk.SuiteAborted
		}
		kind, why := p.told.ending(exit)
		p.blame(sdk.TestID{Suite: p.suite}, sdk.Location{}, kind, "after its tests, "+why)
	case !sound: // what its tests did is not known: all of them are to be run again
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

// contradiction reports that a binary's lines and its counts do not agree.
func (p *parser) contradiction(why string) {
	p.sink.Unread(sdk.Unread{Bytes: int64(len(why)), Damaged: true, Sample: why})
	p.runError(prefix(p.suite) + why + "; a test that prints past libtest's capture can do that: let it print less, or run with `-- -- --test-threads=1`")
}

// result reports a test, and its failure where libtest printed nothing of it.
func (p *parser) result(r libtest.Result, confirmed bool) {
	at, _ := p.declared(r.Name)
	test := sdk.TestResult{TestID: sdk.TestID{Suite: p.suite, Test: r.Name}, Status: sdk.Passed, Location: at}
	switch r.Status {
	case libtest.Passed:
		if !confirmed {
			return
		}
		p.before.Passed++
	case libtest.Failed:
		p.before.Failed++
		test.Status = sdk.Failed
		if !p.reported[r.Name] {
			p.fail(r.Name, "", false, p.told.panicsOf(r.Name))
		}
	case libtest.Ignored:
		p.before.Ignored++
		test.Status = sdk.Skipped
		if r.Reason != "" {
			test.Attributes = map[string]string{"reason": r.Reason}
		}
	}
	p.sink.Test(test)
}

// broken reports whether the binary came to a bad end that failed tests do not explain.
func (p *parser) broken(exit sdk.Exit) bool {
	if p.told.process != "" {
		return true
	}
	if exit.Unknown {
		return false
	}
	anyFailed := slices.ContainsFunc(p.finished, func(b libtest.Block) bool { return b.Counts.Failed > 0 })
	return exit.Signal != "" || exit.TimedOut || exit.Cancelled || (exit.Code != 0 && !anyFailed)
}

// prefix names a suite, if there is one, before what is said of it.
func prefix(suite string) string {
	if suite == "" {
		return ""
	}
	return suite + ": "
}
