package forge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxSuiteNotes bounds the notes about suites.
	maxSuiteNotes = 100
	// maxSkipReason bounds a reason in one.
	maxSkipReason = 1 << 10
)

// reportResults reports everything that the documents said.
func (p *parser) reportResults() {
	p.places.load(p.ctx, p.results.suites)
	p.inputs = cmp.Or(p.drawn.String(), p.seed)
	notes := noter{sink: p.sink, limit: maxSuiteNotes}
	var gone removedTests
	early := p.stoppedEarly()
	for _, s := range p.results.suites {
		removed, unknown := 0, sdk.Unread{Damaged: true}
		for i := range s.tests {
			t := &s.tests[i]
			if why, ok := explainUntried(t); ok {
				t.Status, t.Reason = testjson.Skipped, why
			}
			if text := remarkOnCampaign(s.key, t); text != "" {
				notes.add(text)
			}
			if isFixture(t.Name) {
				switch t.Status {
				case testjson.Success:
					continue // not a test; its tests are reported themselves
				case testjson.Skipped:
					notes.add(fmt.Sprintf("%s: %s was skipped, and with it every test of the contract: %s", s.key, t.Name, clip(makeVisible(t.Reason), maxSkipReason)))
				}
			}
			p.reportTest(s.key, t)
			if isRemoved(t) {
				removed++
			}
			if t.Status == 0 {
				countText(&unknown, testjson.Text{Head: fmt.Appendf(nil, "%q: %s", t.Name, t.Said), Bytes: int64(len(t.Name) + len(t.Said))})
			}
		}
		gone.add(s.key, removed)
		if unknown.Bytes > 0 {
			p.sink.Unread(unknown)
			notes.add(s.key + ": some entries have no known status, and their tests count as unfinished")
		}
		for _, w := range s.warnings {
			notes.add(s.key + ": " + makeVisible(w))
		}
		p.sink.Suite(sdk.SuiteResult{Suite: s.key, Outcome: s.outcomeOf(early), Elapsed: s.elapsed})
	}
	gone.report(&notes)
	p.reportStrangers(&notes)
	p.reportPermissions(&notes)
	notes.close()
}

// stoppedEarly reports whether the command stopped at a failure. With --fail-fast that
// keeps tests of every suite from starting, and forge does not name them.
func (p *parser) stoppedEarly() bool {
	return p.options.Count("fail-fast") > 0 && slices.ContainsFunc(p.results.suites, func(s *suite) bool { return s.outcome() == sdk.SuiteFailed })
}

// outcomeOf returns how the suite ended, in a command that may have stopped early.
func (s *suite) outcomeOf(early bool) sdk.SuiteOutcome {
	outcome := s.outcome()
	if early && (outcome == sdk.SuitePassed || outcome == sdk.SuiteFailed || outcome == sdk.SuiteNoTests) {
		return sdk.SuiteAborted
	}
	return outcome
}

func (p *parser) reportTest(suite string, t *testjson.Test) {
	id := sdk.TestID{Suite: suite, Test: t.Name}
	location := p.places.locate(p.ctx, id, t.Status == testjson.Failure || isFixture(t.Name))
	attributes := p.attributes(t)
	if t.Status == testjson.Failure {
		if p.replays.wasReplayed(id, t) {
			attributes["replayed"] = "true"
		}
		failure := p.failure(id, t, attributes)
		if failure.Location = location; location != (sdk.Location{}) {
			failure.Precision = precisionOf(t)
		}
		p.sink.Failure(failure)
		p.outputFailure(t, id, attributes)
	}
	p.sink.Test(sdk.TestResult{
		TestID: id, Status: statusOf(t.Status), Elapsed: t.Elapsed, Location: location, Body: p.places.bodies[id],
		Fixture: isFixture(t.Name), Measures: p.measures(t), Attributes: p.resultAttributes(t, attributes),
	})
}

// outputFailure ends the output of a failed test, if that is asked for, as forge does: a test
// that logged nothing has no other output, and what a list shows of a reason may be cut.
func (p *parser) outputFailure(t *testjson.Test, id sdk.TestID, attributes map[string]string) {
	if of := p.run.OutputOf; of.Suite != id.Suite || of.Test != "" && of.Test != id.Test {
		return
	}
	text := strings.TrimSuffix("[FAIL: "+t.Reason, ": ")
	if input := cmp.Or(attributes["counterexample"], attributes["sequence"]); input != "" {
		text += "; counterexample: " + input
	}
	p.sink.Output([]byte(text + "] " + id.Test + "\n"))
}

// maxTraced is the gas up to which a test's trace is small enough to read: about a
// million steps.
const maxTraced = 5_000_000

// precisionOf says whether a trace could find the line of a failure. That of a test that
// runs out of gas has hundreds of millions of steps, and fixtures have none.
func precisionOf(t *testjson.Test) sdk.Precision {
	gas, _ := strconv.ParseUint(t.Kind.Gas, 10, 64)
	endless := strings.Contains(t.Reason, "OutOfGas") || strings.Contains(t.Reason, "OOG")
	// An invalid opcode uses up all gas at once.
	if isFixture(t.Name) || isRemoved(t) || endless || gas > maxTraced && !strings.Contains(t.Reason, "InvalidFEOpcode") {
		return sdk.PrecisionDeclarationOnly
	}
	return sdk.PrecisionDeclaration
}

func statusOf(s testjson.Status) sdk.Status {
	switch s {
	case testjson.Success:
		return sdk.Passed
	case testjson.Failure:
		return sdk.Failed
	case testjson.Skipped:
		return sdk.Skipped
	}
	return sdk.Unfinished
}

// measures returns those of a test that passed. What a failed or skipped test used
// means nothing.
func (p *parser) measures(t *testjson.Test) []sdk.Measure {
	if t.Status != testjson.Success || isFixture(t.Name) {
		return nil
	}
	var all []sdk.Measure
	add := func(value, kind string, runs int64, seed string) {
		if value != "" {
			all = append(all, sdk.Measure{Name: "gas", Value: json.Number(value), Kind: kind, Runs: runs, Seed: seed})
		}
	}
	switch k := t.Kind; k.Name {
	case "Unit":
		add(k.Gas, "unit", 0, "")
	case "Fuzz":
		add(k.Mean, "fuzz_mean", k.Runs, p.inputs)
		add(k.Median, "fuzz_median", k.Runs, p.inputs)
	case "Table":
		add(k.Mean, "table", k.Runs, "")
		add(k.Median, "table_median", k.Runs, "")
	}
	for _, s := range t.Snapshots {
		all = append(all, sdk.Measure{Name: "gas_snapshot", Section: makeVisible(s.Group) + "/" + makeVisible(s.Name), Value: json.Number(s.Value)})
	}
	return all
}

// reportConditions records what gas depends on.
func (p *parser) reportConditions(all map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p.sink.Condition(name, all[name])
	}
}

func countNoun(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
