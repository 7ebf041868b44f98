package triage

import (
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// behavior is what a suspect does on the base.
type behavior string

// The behaviors. A hidden one could not be observed.
const (
	doesPass behavior = "passes"
	doesFail behavior = "fails"
	isNew    behavior = "new"
	isHidden behavior = ""
)

// observation is what was seen of a suspect on the base.
type observation struct {
	Behavior behavior `json:"behavior"`
	// Why explains it; if the behavior is hidden, it says why.
	Why string `json:"why"`
	// Kind, Signature and Excerpt describe its failure there.
	Kind      string `json:"kind,omitempty"`
	Signature string `json:"signature,omitempty"`
	Excerpt   string `json:"excerpt,omitempty"`
	// Lacks says what the checkout lacked.
	Lacks string    `json:"lacks,omitempty"`
	RunID string    `json:"run_id,omitempty"`
	At    time.Time `json:"at"`
}

// isDefinite reports whether the test is going to behave like this again.
func (o observation) isDefinite() bool {
	return o.Behavior != isHidden && o.Kind != sdk.KindTimeout
}

// triaged returns what an observation says about a suspect.
func (o observation) triaged(s suspect) api.Triaged {
	t := api.Triaged{
		Suite: s.Suite, Test: s.Test, Why: o.Why, Kind: o.Kind, Excerpt: o.Excerpt, RunID: o.RunID,
		Finding: api.Undecided,
	}
	switch o.Behavior {
	case doesPass, isNew:
		t.Finding = api.Introduced
	case doesFail:
		t.Finding = api.PreExisting
		t.Likeness = classify.Compare(classify.Trace{Signature: o.Signature, Kind: o.Kind, Excerpt: o.Excerpt}, s.trace)
		switch {
		case t.Likeness == api.SameFailureAgain:
			t.Why += ", in the same way"
		case o.Lacks != "":
			// It may fail there because of what is missing.
			t.Finding = api.Undecided
			t.Why += ", but the checkout lacks " + o.Lacks
		case o.Kind == sdk.KindTimeout && s.trace.Kind != sdk.KindTimeout:
			t.Finding, t.Why = api.Undecided, "it timed out there"
		case t.Likeness == api.SimilarFailure:
			t.Why += ", in a similar way"
		case t.Likeness != api.LikenessUnknown:
			t.Why += ", " + api.LikenessSentence(t.Likeness)
		}
	}
	return t
}

// doubt marks a test that is on record as flaky: its single pass on the base is no
// evidence that the failure is new.
func (o observation) doubt(t *api.Triaged) {
	if t.Standing == nil || t.Flaky == nil {
		return
	}
	t.Why += "; "
	if t.Standing.IsFlaky() {
		t.Why += "it is flaky: "
	}
	t.Why += fmt.Sprintf("it passed in run %s and failed in run %s on the same sources", t.Flaky.PassedRun, t.Flaky.FailedRun)
	if o.Behavior == doesPass {
		t.Finding = api.Undecided
		t.Why += ", so one pass proves nothing"
	}
}

// baseResult is the result of a run on the base.
type baseResult struct {
	results  map[sdk.TestID]api.Result
	failures map[sdk.TestID]api.Failure
	suites   map[string]sdk.SuiteOutcome
	// ran holds the suites with a test that passed or failed.
	ran map[string]bool
	// gone are suspects that do not exist there.
	gone map[sdk.TestID]bool
	// stopped says why not everything ran: a timeout, an interrupt, an error.
	stopped string
	lacks   string
	runID   string
	at      time.Time
}

// newBaseResult indexes results and failures. It replaces the directory of the checkout by
// that of the workspace, so that messages can be compared.
func newBaseResult(results []api.Result, failures []api.Failure, checkout, workspace string) baseResult {
	g := baseResult{
		results: map[sdk.TestID]api.Result{}, failures: map[sdk.TestID]api.Failure{},
		suites: map[string]sdk.SuiteOutcome{}, ran: map[string]bool{}, gone: map[sdk.TestID]bool{},
	}
	for _, r := range results {
		id := r.TestID
		if before, ok := g.results[id]; !ok || isWorse(r, before) {
			g.results[id] = r
		}
		g.ran[r.Suite] = g.ran[r.Suite] || r.Status == sdk.Passed || r.Status == sdk.Failed && !r.Fixture
	}
	for _, f := range failures {
		f.Message = strings.ReplaceAll(f.Message, checkout, workspace)
		if id := f.TestID; g.failures[id].Kind == "" {
			g.failures[id] = f
		}
	}
	return g
}

// isWorse reports whether r counts instead of another result of the test: its own
// results come before derived ones.
func isWorse(r, than api.Result) bool {
	a, b := ledger.ToHistoryResult(r).Outcome, ledger.ToHistoryResult(than).Outcome
	return a.Worse(b) || a == b && than.Derived && !r.Derived
}

// of returns what was observed of a suspect.
func (g baseResult) of(s suspect) observation {
	o := observation{RunID: g.runID, At: g.at, Lacks: g.lacks}
	if s.was != "" && g.gone[s.target()] && !g.gone[s.asBefore().target()] {
		o = g.of(s.asBefore())
		o.Why = "as " + s.was + ": " + o.Why
		return o
	}
	switch {
	case g.gone[s.target()] && s.target().Test == "":
		o.Behavior, o.Why, o.RunID = isNew, "the suite is new since", ""
	case g.gone[s.target()]:
		o.Behavior, o.Why, o.RunID = isNew, "the test is new since", ""
	case s.TestID == sdk.TestID{}:
		g.ofRun(&o, s)
	case !s.isBuilt():
		g.ofBuild(&o, s)
	case s.fixture:
		g.ofFixture(&o, s)
	case s.Test == "":
		g.ofSuite(&o, s)
	default:
		g.ofTest(&o, s)
	}
	return o
}

func (g baseResult) ofTest(o *observation, s suspect) {
	r, ok := g.results[s.TestID]
	if !ok {
		if f, failed := g.failures[s.TestID]; failed {
			o.fail(f, "it fails there too")
			return
		}
		g.ofAbsent(o, s)
		return
	}
	switch r.Status {
	case sdk.Passed:
		o.Behavior, o.Why = doesPass, "it passes there"
	case sdk.Skipped:
		o.Why = "it is skipped there"
	case sdk.Failed:
		if r.Derived {
			o.Behavior, o.Why = doesFail, "it fails there too, because of its subtests"
			return
		}
		o.fail(g.failures[s.TestID], "it fails there too")
	default:
		o.Why = "it started there and did not finish"
		if f := g.failures[s.TestID]; f.Kind == sdk.KindTimeout {
			o.fail(f, "it times out there")
		} else if g.stopped != "" {
			o.Why += ": " + g.stopped
		}
	}
}

// ofAbsent handles a test that was requested and has no result.
func (g baseResult) ofAbsent(o *observation, s suspect) {
	broken, isBroken := g.broken(s.Suite)
	root, hasRoot := g.results[sdk.TestID{Suite: s.Suite, Test: s.root}]
	switch {
	case isBroken:
		o.Why = "its suite does not build there: " + ledger.Headline(broken)
	case g.stopped != "":
		o.Why = "it did not run there: " + g.stopped
	case s.root != "" && hasRoot && root.Status == sdk.Passed:
		o.Behavior, o.Why = isNew, fmt.Sprintf("%s passes there without it: the test is new since", s.root)
	case s.root != "" && hasRoot:
		o.Why = fmt.Sprintf("%s ended there without it: %s", s.root, root.Status)
	default:
		o.Why = "it did not run there"
	}
}

// broken returns what prevented a suite from being built.
func (g baseResult) broken(suite string) (api.Failure, bool) {
	for _, id := range []sdk.TestID{{Suite: suite}, {}} {
		if f, ok := g.failures[id]; ok && api.IsBuildKind(f.Kind) {
			return f, true
		}
	}
	return api.Failure{}, g.suites[suite] == sdk.SuiteBuildFailed
}

func (g baseResult) ofBuild(o *observation, s suspect) {
	f, broken := g.broken(s.Suite)
	switch outcome := g.suites[s.Suite]; {
	case broken:
		o.fail(f, "it does not build there either")
	case g.ran[s.Suite] || outcome == sdk.SuitePassed || outcome == sdk.SuiteFailed || outcome == sdk.SuiteNoTests:
		o.Behavior, o.Why = doesPass, "it builds there"
	default:
		o.hide(g)
	}
}

func (g baseResult) ofFixture(o *observation, s suspect) {
	f, failed := g.failures[s.TestID]
	broken, isBroken := g.broken(s.Suite)
	switch {
	case failed || g.results[s.TestID].Status == sdk.Failed:
		o.fail(f, "it fails there too")
	case isBroken:
		o.Why = "its suite does not build there: " + ledger.Headline(broken)
	case g.ran[s.Suite]:
		o.Behavior, o.Why = doesPass, "the tests that need it run there"
	default:
		o.hide(g)
	}
}

func (g baseResult) ofSuite(o *observation, s suspect) {
	f, failed := g.failures[s.TestID]
	broken, isBroken := g.broken(s.Suite)
	switch outcome := g.suites[s.Suite]; {
	case isBroken:
		o.Why = "it does not build there: " + ledger.Headline(broken)
	case failed:
		o.fail(f, "it fails there too")
	case outcome == sdk.SuitePassed && g.ran[s.Suite]:
		o.Behavior, o.Why = doesPass, "it passes there"
	case outcome == sdk.SuiteFailed:
		o.Behavior, o.Why = doesPass, "it comes to its end there, although tests in it fail"
	default:
		o.hide(g)
	}
}

// ofRun handles a failure that belongs to no suite.
func (g baseResult) ofRun(o *observation, s suspect) {
	f, failed := g.failures[sdk.TestID{}]
	switch {
	case failed && api.IsBuildKind(f.Kind) == !s.isBuilt():
		o.fail(f, "it fails there too")
	case failed:
		o.Why = "the run fails there for another reason: " + ledger.Headline(f)
	case g.stopped != "":
		o.hide(g)
	case len(g.ran) > 0:
		o.Behavior, o.Why = doesPass, "the tests run there"
	default:
		o.hide(g)
	}
}

func (o *observation) fail(f api.Failure, why string) {
	o.Behavior, o.Why, o.Kind, o.Excerpt = doesFail, why, f.Kind, ledger.Headline(f)
	if f.Kind != "" {
		o.Signature = classify.Signature(f)
	}
}

func (o *observation) hide(g baseResult) {
	if o.Why = "it did not run there"; g.stopped != "" {
		o.Why += ": " + g.stopped
	}
}
