package engine

import (
	"errors"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// passedWhole is the conclusion of a run of everything in which all went well.
func passedWhole() *conclusion {
	p := &Plan{Run: api.Run{Kind: api.KindRun, Verdict: api.Passed}}
	return &conclusion{execution: &execution{plan: p, run: &p.Run, first: &Batch{Done: []endedCommand{{}}}}}
}

// What a run clears, and whether a test that it did not show is gone, depends on how far it got.
func TestHowFarARunGot(t *testing.T) {
	t.Parallel()
	everything, some := &outstanding.Selection{Everything: true}, &outstanding.Selection{}
	merged := func(everything bool, problems ...string) *Merged {
		return &Merged{Merge: shard.Merge{Problems: problems, Last: []shard.Report{{Run: api.Run{Shard: &api.Shard{Everything: everything}}}}}}
	}
	for name, tc := range map[string]struct {
		change         func(*conclusion, *verdict.Evidence)
		reach          outstanding.Reach
		whole, showAll bool
	}{
		"all passed":           {func(*conclusion, *verdict.Evidence) {}, outstanding.Green, true, true},
		"failed":               {func(c *conclusion, _ *verdict.Evidence) { c.run.Verdict = api.Failed }, outstanding.Ended, true, true},
		"nothing ran":          {func(c *conclusion, _ *verdict.Evidence) { c.run.Verdict = api.NothingRan }, outstanding.Ended, true, true},
		"incomplete":           {func(c *conclusion, _ *verdict.Evidence) { c.run.Verdict = api.Incomplete }, outstanding.Partial, false, true},
		"a tool failed":        {func(c *conclusion, _ *verdict.Evidence) { c.run.Verdict, c.err = api.ToolError, errors.New("x") }, outstanding.Partial, false, false},
		"nothing was tried":    {func(c *conclusion, _ *verdict.Evidence) { c.first.Done = nil }, outstanding.Partial, false, true},
		"a known failure":      {func(c *conclusion, _ *verdict.Evidence) { c.run.Quarantined = 1 }, outstanding.Ended, true, true},
		"narrowed":             {func(c *conclusion, _ *verdict.Evidence) { c.run.Selection.Filter = "A" }, outstanding.Partial, false, false},
		"narrowed by settings": {func(c *conclusion, _ *verdict.Evidence) { c.run.Selection.Configured = []string{"skip = x"} }, outstanding.Green, true, false},
		"with arguments":       {func(c *conclusion, _ *verdict.Evidence) { c.run.Selection.RunnerArgs = []string{"-x"} }, outstanding.Green, false, false},
		"with those of every run": {func(c *conclusion, _ *verdict.Evidence) {
			c.run.Selection.RunnerArgs, c.plan.defaults = []string{"-x"}, 1
		}, outstanding.Green, true, true},
		"which leave tests out":  {func(c *conclusion, _ *verdict.Evidence) { c.plan.narrowed = true }, outstanding.Green, false, true},
		"a rerun of everything":  {func(c *conclusion, _ *verdict.Evidence) { c.plan.Chosen, c.run.Kind = everything, api.KindRerun }, outstanding.Ended, false, true},
		"a rerun":                {func(c *conclusion, _ *verdict.Evidence) { c.plan.Chosen, c.run.Kind = some, api.KindRerun }, outstanding.Partial, false, false},
		"what changes can break": {func(c *conclusion, _ *verdict.Evidence) { c.plan.Chosen = everything }, outstanding.Ended, false, false},
		"recorded output":        {func(c *conclusion, _ *verdict.Evidence) { c.run.Kind = api.KindIngest }, outstanding.Green, true, false},
		"all shards":             {func(c *conclusion, _ *verdict.Evidence) { c.plan.merged, c.run.Kind = merged(true), api.KindMerge }, outstanding.Green, true, true},
		"all shards, with args": {func(c *conclusion, _ *verdict.Evidence) {
			c.plan.merged, c.run.Selection.RunnerArgs = merged(true), []string{"-x"}
		}, outstanding.Green, true, true},
		"all shards, incomplete": {func(c *conclusion, _ *verdict.Evidence) { c.plan.merged, c.run.Verdict = merged(true), api.Incomplete }, outstanding.Partial, false, true},
		"not all shards": {func(c *conclusion, _ *verdict.Evidence) {
			c.plan.merged, c.run.Kind = merged(true, "one is missing"), api.KindMerge
		}, outstanding.Partial, false, false},
		"shards of a part":         {func(c *conclusion, _ *verdict.Evidence) { c.plan.merged, c.run.Kind = merged(false), api.KindMerge }, outstanding.Partial, false, false},
		"a test without an end":    {func(_ *conclusion, e *verdict.Evidence) { e.Unfinished = 1 }, outstanding.Green, true, false},
		"a test that did not run":  {func(_ *conclusion, e *verdict.Evidence) { e.NeverStarted = 1 }, outstanding.Green, true, false},
		"a suite without an end":   {func(_ *conclusion, e *verdict.Evidence) { e.SuitesUnfinished = 1 }, outstanding.Green, true, false},
		"a suite that ended early": {func(_ *conclusion, e *verdict.Evidence) { e.SuitesAborted = 1 }, outstanding.Green, true, false},
		"a suite that is unbuilt":  {func(_ *conclusion, e *verdict.Evidence) { e.BuildFailures = 1 }, outstanding.Green, true, false},
		"a process was killed":     {func(_ *conclusion, e *verdict.Evidence) { e.Interruptions = 1 }, outstanding.Green, true, false},
		"damage":                   {func(_ *conclusion, e *verdict.Evidence) { e.DamagedBytes = 1 }, outstanding.Green, true, false},
		"interrupted":              {func(_ *conclusion, e *verdict.Evidence) { e.Cancelled = true }, outstanding.Green, true, false},
		"out of time":              {func(_ *conclusion, e *verdict.Evidence) { e.TimedOut = true }, outstanding.Green, true, false},
		"the runner was killed":    {func(_ *conclusion, e *verdict.Evidence) { e.Signal = "SIGKILL" }, outstanding.Green, true, false},
		"the runner has an error":  {func(_ *conclusion, e *verdict.Evidence) { e.RunError = "x" }, outstanding.Green, true, false},
	} {
		c, e := passedWhole(), verdict.Evidence{}
		tc.change(c, &e)
		if reach, whole, all := c.findReach(), c.isWhole(), c.showsAll(e); reach != tc.reach || whole != tc.whole || all != tc.showAll {
			t.Errorf("%s: reach %v, whole %v, shows all %v", name, reach, whole, all)
		}
	}
}

func TestOnlyAnExitOfFailedTestsSaysThatTestsFailed(t *testing.T) {
	t.Parallel()
	p := passedWhole().plan.Project
	own := p
	own.ID.FailedExits = []int{101}
	for exit, want := range map[sdk.Exit][2]bool{
		{Code: 1}: {true, false}, {Code: 101}: {false, true}, {}: {},
		{Code: 1, Signal: "SIGKILL"}: {}, {Code: 1, TimedOut: true}: {}, {Code: 1, Cancelled: true}: {}, {Code: 1, Unknown: true}: {},
	} {
		if got := [2]bool{saysTestsFailed(p, exit), saysTestsFailed(own, exit)}; got != want {
			t.Errorf("%+v: %v", exit, got)
		}
	}
}

func TestOnlyAShardToWhichThePlanGivesNoTestPassesEmpty(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*conclusion)
		want   bool
	}{
		"nothing planned":      {func(*conclusion) {}, true},
		"suites without tests": {func(c *conclusion) { c.run.Shard.Planned = []api.PlannedSuite{{Ended: api.SuiteEndNoTests}} }, true},
		"a suite":              {func(c *conclusion) { c.run.Shard.Planned = []api.PlannedSuite{{Ended: api.SuiteEndPassed}} }, false},
		"a part of a suite": {func(c *conclusion) {
			c.run.Shard.Planned = []api.PlannedSuite{{Tests: []string{"A"}, Ended: api.SuiteEndNoTests}}
		}, false},
		"it failed":             {func(c *conclusion) { c.run.Verdict = api.Failed }, false},
		"no shard":              {func(c *conclusion) { c.run.Shard = nil }, false},
		"nothing for any shard": {func(c *conclusion) { c.plan.total = 0 }, false},
		"a tool failed":         {func(c *conclusion) { c.err = errors.New("x") }, false},
		"interrupted":           {func(c *conclusion) { c.exit.Cancelled = true }, false},
		"out of time":           {func(c *conclusion) { c.exit.TimedOut = true }, false},
	} {
		c := passedWhole()
		c.run.Verdict, c.run.Shard, c.plan.total = api.NothingRan, &api.Shard{}, 3
		tc.change(c)
		if got := c.passesEmpty(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestARunIsOnlyFlakyIfAllElsePassed(t *testing.T) {
	t.Parallel()
	end := func(suite string, o sdk.SuiteOutcome) func(*conclusion) {
		return func(c *conclusion) { c.first.Col.Suite(sdk.SuiteResult{Suite: suite, Outcome: o}) }
	}
	for name, tc := range map[string]struct {
		change func(*conclusion)
		want   bool
	}{
		"nothing else":             {func(*conclusion) {}, true},
		"others that passed":       {end("q", sdk.SuitePassed), true},
		"others without tests":     {end("q", sdk.SuiteNoTests), true},
		"another suite failed":     {end("q", sdk.SuiteFailed), false},
		"its suite failed outside": {end("p", sdk.SuiteFailedOutsideTests), false},
		"its suite ended early":    {end("p", sdk.SuiteAborted), false},
		"another test failed, too": {func(c *conclusion) {
			c.first.Col.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "B"}, Status: sdk.Failed})
		}, false},
		"none is flaky": {func(c *conclusion) { c.flaky = nil }, false},
		"nothing failed": {func(c *conclusion) {
			c.flaky, c.tally, c.first.fold = nil, tally.NewTally(), outstanding.NewFold("r", outstanding.Set{}, outstanding.Scope{})
		}, false},
		"a rerun that ran wider again": {func(c *conclusion) { c.fallback = &Batch{} }, false},
	} {
		c, id := passedWhole(), sdk.TestID{Suite: "p", Test: "A"}
		c.first.fold = outstanding.NewFold("r", outstanding.Set{}, outstanding.Scope{})
		c.first.Col, c.flaky = tally.NewCollector(c.first.fold), map[sdk.TestID]bool{id: true}
		c.tally = c.first.Col.Tally
		c.first.Col.Test(sdk.TestResult{TestID: id, Status: sdk.Failed})
		c.first.Col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
		tc.change(c)
		if got := c.isOnlyFlaky(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A red run that names nothing leaves everything outstanding.
func TestARedRunThatNamesNothingLeavesEverythingOutstanding(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "A"}
	asked := &outstanding.Selection{Requested: []outstanding.Target{{TestID: id}}}
	fail := func(b *Batch) {
		b.Col.Test(sdk.TestResult{TestID: id, Status: sdk.Failed})
		b.Col.EndCommand()
	}
	for name, tc := range map[string]struct {
		change func(*conclusion)
		left   []outstanding.Entry
		want   bool
	}{
		"a failed run":                      {func(*conclusion) {}, nil, true},
		"an incomplete one":                 {func(c *conclusion) { c.run.Verdict = api.Incomplete }, nil, true},
		"a pass":                            {func(c *conclusion) { c.run.Verdict = api.Passed }, nil, false},
		"a test is named":                   {func(c *conclusion) { fail(c.first) }, nil, false},
		"the wider commands name one":       {func(c *conclusion) { c.fallback = newBatch(); fail(c.fallback) }, nil, false},
		"the wider commands name none":      {func(c *conclusion) { c.fallback = newBatch() }, nil, true},
		"it is of what was red elsewhere":   {func(c *conclusion) { c.run.From = &api.From{} }, nil, false},
		"a refusal explains it":             {func(c *conclusion) { refuse(c) }, nil, false},
		"a refusal, and a tool failed":      {func(c *conclusion) { refuse(c); c.err = errors.New("x") }, nil, true},
		"a refusal, and no tests to list":   {func(c *conclusion) { refuse(c); c.first.Project.ID.List = false }, nil, true},
		"the user broke it off":             {func(c *conclusion) { c.run.Verdict, c.run.Cancelled = api.Incomplete, true }, nil, false},
		"it failed before that":             {func(c *conclusion) { c.run.Cancelled = true }, nil, true},
		"a rerun that leaves its tests red": {func(c *conclusion) { c.plan.Chosen = asked }, []outstanding.Entry{{TestID: id}}, false},
		"a rerun that clears them":          {func(c *conclusion) { c.plan.Chosen = asked }, nil, true},
		"a run, and something was red":      {func(*conclusion) {}, []outstanding.Entry{{TestID: id}}, true},
	} {
		c := passedWhole()
		c.run.Verdict, c.first = api.Failed, newBatch()
		tc.change(c)
		if got := (settlement{c}).isRedWithoutName(outstanding.Set{Entries: tc.left}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// newBatch is a batch of a runner that can list tests, with one command that failed.
func newBatch() *Batch {
	fold := outstanding.NewFold("r", outstanding.Set{}, outstanding.Scope{})
	b := &Batch{Done: []endedCommand{{exit: sdk.Exit{Code: 1}}}, fold: fold, Col: tally.NewCollector(fold)}
	b.Project.ID.List = true
	return b
}

func refuse(c *conclusion) { c.first.Col.Refused(sdk.Refusal{Words: "no such flag"}) }

// A run that the runner refused is the user's mistake; of whatever else happened there is a verdict.
func TestOnlyARefusalOfWhatTheUserAskedForIsNoRun(t *testing.T) {
	t.Parallel()
	exit := func(change func(*sdk.Exit)) func(*conclusion) {
		return func(c *conclusion) { change(&c.first.Done[0].exit) }
	}
	for name, tc := range map[string]struct {
		change func(*conclusion)
		want   bool
	}{
		"arguments":           {func(*conclusion) {}, true},
		"a selection":         {func(c *conclusion) { c.run.Selection.RunnerArgs, c.run.Selection.Filter = nil, "A" }, true},
		"a seed":              {func(c *conclusion) { c.run.Selection.RunnerArgs, c.run.Seed = nil, "1" }, true},
		"other arguments":     {func(c *conclusion) { c.run.Selection.RunnerArgs, c.plan.neutral = nil, []string{"-v"} }, true},
		"nothing asked":       {func(c *conclusion) { c.run.Selection.RunnerArgs = nil }, false},
		"a rerun":             {func(c *conclusion) { c.run.Kind = api.KindRerun }, false},
		"a tool failed":       {func(c *conclusion) { c.err = errors.New("x") }, false},
		"an exit without red": {exit(func(e *sdk.Exit) { e.Code = 0 }), false},
		"an unknown exit":     {exit(func(e *sdk.Exit) { e.Unknown = true }), false},
		"out of time":         {exit(func(e *sdk.Exit) { e.TimedOut = true }), false},
		"interrupted":         {exit(func(e *sdk.Exit) { e.Cancelled = true }), false},
		"a test ran": {func(c *conclusion) {
			c.first.Col.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Passed, Fixture: true})
		}, false},
	} {
		c := passedWhole()
		c.run.Selection.RunnerArgs, c.first = []string{"-x"}, newBatch()
		refuse(c)
		tc.change(c)
		if got := c.findRefusal() != nil; got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
