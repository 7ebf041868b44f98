package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// Merged is what the shards of a run reported. In a plan, it takes the place of commands.
type Merged struct {
	shard.Merge
	// RunID is the id of the merge, Origin where its shards came from, and Took how long
	// they took together; 0 is as long as the slowest.
	RunID, Origin string
	Took          time.Duration
	// Here means that the sources here are those of the shards, so that the run counts
	// like one made here. Seen is their state; nil if unknown.
	Here bool
	Seen *ledger.Seen
	// argsKey is the [Plan.argsKey] of the shards.
	argsKey string
	// Notes are about the reports that were read.
	Notes []api.Note
}

// ConductMerge records a merge as a run. The other attempts of flaky tests become runs of
// their own, like retries.
func ConductMerge(ctx context.Context, k *ledger.Keeper, p project.Project, led *ledger.Ledger, m Merged, listeners ...api.Listener) (api.Run, error) {
	settings, err := k.Settings(p.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	plan := NewPlan(k, p, api.KindMerge, m.RunID, 0)
	plan.Store, plan.Ledger, plan.Retention, plan.merged, plan.Seen = led.Artifacts, led, settings.History, &m, m.Seen
	if plan.before, err = ledger.OutstandingBefore(ctx, k, led, p.ID.Language); err != nil {
		return api.Run{}, err
	}
	if m.Here {
		if plan.quarantine, err = loadQuarantine(k, p); err != nil {
			return api.Run{}, err
		}
	}
	m.begin(plan)
	plan.before = m.dropNewer(led, plan.before, plan.Run.StartedAt)
	done, err := Conduct(ctx, k, plan, listeners)
	if err != nil {
		return done.Run, err
	}
	for _, a := range m.Attempts {
		if led.Artifacts.Has(a.Run.RunID) {
			continue // the shard ran here, and is on record
		}
		beside := m.planAttempt(k, p, led, a)
		beside.Retention = settings.History
		if _, err := Conduct(ctx, k, beside, nil); err != nil {
			return done.Run, err
		}
	}
	return done.Run, nil
}

// dropNewer leaves out what became outstanding after the shards began: their results are
// older, and prove nothing about it. An earlier merge of the same plan is never newer.
func (m *Merged) dropNewer(led *ledger.Ledger, before outstanding.Set, began time.Time) outstanding.Set {
	older := map[string]bool{}
	return before.Only(func(e outstanding.Entry) bool {
		is, known := older[e.LastRunID]
		if !known {
			run, err := led.Artifacts.Object(e.LastRunID)
			is = err == nil && (run.StartedAt.Before(began) || run.Merged != nil && run.Merged.Plan == m.Plan)
			older[e.LastRunID] = is
		}
		return is
	})
}

// begin fills the object of the run as it begins with what its shards have in common.
func (m *Merged) begin(p *Plan) {
	run := &p.Run
	run.Warnings = append(run.Warnings, m.Notes...)
	run.Origin = m.Origin
	if m.Here {
		run.Origin = ""
		run.SessionID = p.Store.SessionID()
	} else {
		run.SessionID = importedMerge + m.RunID
	}
	all := slices.Concat(m.Last, m.Others)
	first := all[0].Run
	run.StartedAt = first.StartedAt
	run.Seed = first.Seed
	for _, r := range all {
		if r.StartedAt.Before(run.StartedAt) {
			run.StartedAt = r.StartedAt
		}
		if r.Seed != run.Seed {
			run.Seed = "" // each machine drew its own
		}
	}
	run.Commands = []api.Command{}
	run.Selection = first.Selection
	run.Selection.Shard, run.Selection.Selected, run.Selection.Total = "", 0, 0
	run.TimeoutS = first.TimeoutS
	if !m.OneState || len(m.Others) > 0 {
		run.MixedState = true // its results belong to no single state, or setting
		return
	}
	source := *first.Source
	source.Worktree = ""
	run.Source, run.Environment = &source, first.Environment
	if s := first.Shard; s != nil {
		unmask := func(words []string) []string { return project.UnmaskAddresses(words, p.Project.Environ) }
		p.way, m.argsKey = mapWay((*outstanding.Way)(s.Way), unmask), mapArgs(s.Args, unmask)
	}
}

// importedMerge begins the id of the session of a merge of other sources than those here,
// which belongs to no session of the workspace.
const importedMerge = "import:merge-"

// isWhole reports whether the shards together are a run of everything.
func (m *Merged) isWhole() bool {
	return len(m.Problems) == 0 && !slices.ContainsFunc(m.Last, func(r shard.Report) bool { return !r.Shard.Everything })
}

// letsFlakyPass reports whether the run passes although tests failed in an earlier attempt
// and then passed.
func (m *Merged) letsFlakyPass() bool { return m.FlakyPasses() && !m.IsRed() }

// hasDecidingFailure reports whether a failure decides: not each is in quarantine, or flaky
// where flaky tests may pass.
func (m *Merged) hasDecidingFailure() bool {
	return m.IsRed() || len(m.Flaky) > 0 && !m.letsFlakyPass()
}

// replay replays the results of the shards.
func (b *Batch) replay(m *Merged) {
	for _, r := range m.Results {
		b.Col.Replay(&api.TestEnded{Result: r})
	}
	// Suites end before failures, as runners report them: the end says whether a suite
	// could be built.
	for _, end := range m.Ends {
		b.Col.Replay(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: end.Suite, Outcome: end.Outcome, Cached: end.Cached}})
	}
	failures := m.Failures
	if !m.letsFlakyPass() {
		failures = slices.Concat(failures, m.SuiteFailures)
	}
	for _, f := range failures {
		f.Standing = nil // it is about the runs of another ledger
		if m.Here {
			f.Quarantine = ""
		}
		b.Col.Replay(&api.FailureFound{Failure: f})
	}
	for _, r := range m.Last {
		for name, value := range r.Conditions {
			b.Col.Replay(&api.ConditionFound{Name: name, Value: value})
		}
		exit := sdk.Exit{Code: r.ExitCode, TimedOut: r.TimedOut}
		b.Done = append(b.Done, endedCommand{exit: exit})
	}
}

// addMissing adds the tests that the shards did not start or did not report. Of a suite whose
// tests a shard names, the whole is not named beside them.
func (m *Merged) addMissing(t *tally.Tally, fold *outstanding.Fold) {
	var missing []sdk.TestID
	named := map[sdk.TestID]bool{}
	add := func(test sdk.TestID) {
		missing = append(missing, test)
		if !named[test] {
			t.AddNeverStarted(test)
		}
		named[test], named[sdk.TestID{Suite: test.Suite}] = true, true
	}
	for _, r := range m.Last {
		for _, test := range r.NeverStarted {
			add(test)
		}
		// A shard's list is bounded, its count is not.
		t.Counts.NeverStarted += max(r.Counts.NeverStarted-len(r.NeverStarted), 0)
	}
	for _, test := range m.Missing {
		add(test)
	}
	bySuite := func(a, b sdk.TestID) int { return strings.Compare(a.Suite, b.Suite) }
	slices.SortStableFunc(t.Never, bySuite)
	slices.SortStableFunc(missing, bySuite)
	for _, test := range missing {
		// A suite that is outstanding as a whole stands for its tests.
		if test.Test == "" || !fold.IsRed(sdk.TestID{Suite: test.Suite}) {
			fold.AddNeverStarted(test, "")
		}
	}
	fold.MarkCutOff(len(missing) > 0)
}

// addEvidence adds the verdicts of the shards to the evidence, of which t is what they
// reported.
func (m *Merged) addEvidence(e *verdict.Evidence, t *tally.Tally) {
	// How the runner ended in each shard is in its verdict.
	e.Exited, e.ExitCode, e.Signal, e.OutputTail = true, 0, "", ""
	e.NeverStarted, e.SuitesNeverStarted = e.NeverStarted-e.SuitesNeverStarted, 0 // the problems name these
	if !m.Here {
		// The failures of the shards in quarantine came as failures: nothing here knows them. One
		// that decides is left, however many a shard claims.
		deciding := func(n int) int { return max(n-e.Quarantined, min(n, 1)) }
		e.Failed, e.Failures = deciding(e.Failed), deciding(e.Failures)
		for _, r := range m.Last {
			e.Quarantine = cmp.Or(e.Quarantine, r.Shard.QuarantineBy)
		}
	}
	decides := m.hasDecidingFailure() || m.deniesQuarantine(t)
	if !decides {
		e.Failed, e.Failures, e.BuildFailures = 0, 0, 0
		e.FlakyPass = e.Flaky > 0
		if len(m.Last) > 0 && e.FlakyPass {
			e.FlakyBy = m.Last[0].Shard.FlakyBy
		}
	}
	e.Unmerged = strings.Join(m.describeProblems(), "; ")
	switch {
	case e.Unmerged == "":
		e.Shards = len(m.Last)
	case decides:
		e.Unmerged = "the merge is incomplete: " + e.Unmerged
	}
}

// deniesQuarantine reports whether a failure was in quarantine in its shard and is not so
// here, where the quarantine of the shards does not count.
func (m *Merged) deniesQuarantine(t *tally.Tally) bool {
	known := tally.InQuarantine(t).Excused
	return m.Here && slices.ContainsFunc(m.Failures, func(f api.Failure) bool {
		_, excused := known[f.TestID]
		return f.Quarantine != "" && !excused
	})
}

// maxProblems is how many problems the reason names: the object has all.
const maxProblems = 4

func (m *Merged) describeProblems() []string {
	shown := slices.Clone(m.Problems[:min(len(m.Problems), maxProblems)])
	if more := len(m.Problems) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %s", api.Plural(more, "more problem")))
	}
	return shown
}

// fill records in the object of the run what it is a merge of, and counts what the shards
// say of flaky tests and of the quarantine. It returns the flaky tests that may pass: they
// are not outstanding, either.
func (m *Merged) fill(run *api.Run) (passing map[sdk.TestID]bool) {
	if run.Kind != api.KindMerge {
		run.DurationS = m.Last[0].DurationS // an attempt of one shard
		return nil
	}
	run.Merged, run.DurationS = m.describe(), m.Took.Seconds()
	for _, r := range m.Last {
		if m.Took == 0 { // the machines ran side by side
			run.DurationS = max(run.DurationS, r.DurationS)
		}
		run.Retried = append(run.Retried, r.Retried...)
		if !m.Here { // otherwise the quarantine here has been applied
			run.Quarantined += r.Quarantined
		}
	}
	if !m.Here {
		run.Quarantined += m.Known
		run.Message = m.describeElsewhere(run.RunID)
	}
	run.Warnings = append(run.Warnings, m.NotesBeside(run.Warnings)...)
	run.Retried = append(run.Retried, m.Flaky...)
	flaky := map[sdk.TestID]bool{}
	for _, t := range run.Retried {
		if t.Flaky {
			run.Counts.Flaky++
			flaky[t.TestID] = true
		}
	}
	if m.letsFlakyPass() {
		passing = flaky
	}
	return passing
}

// describe returns the reports of a merge, and what is missing, for the object of its run.
func (m *Merged) describe() *api.Merged {
	about := api.Merged{Of: m.Of, Plan: m.Plan, Shards: []api.MergedShard{}, Problems: m.Problems, Missing: m.Absent, Here: m.Here, Rules: shard.Rules}
	add := func(reports []shard.Report, replaced bool) {
		for _, r := range reports {
			one := api.MergedShard{File: r.File, RunID: r.RunID, Verdict: r.Verdict, Reason: r.Reason, DurationS: r.DurationS, Replaced: replaced}
			if s := r.Shard; s != nil {
				one.Index, one.Attempt, one.Suites = s.Index, s.Attempt, len(s.Planned)
			}
			about.Shards = append(about.Shards, one)
		}
	}
	add(m.Last, false)
	add(m.Others, false)
	add(m.Earlier, true)
	add(m.Void, true)
	slices.SortStableFunc(about.Shards, func(a, b api.MergedShard) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Attempt, b.Attempt))
	})
	return &about
}

// describeElsewhere says what a merge of other sources than those here means for the
// workspace.
func (m *Merged) describeElsewhere(runID string) string {
	why := "the shards ran on other sources than those here"
	switch {
	case len(m.Last) == 0:
		why = "no shard says what it was to run"
	case !m.OneState || len(m.Others) > 0:
		why = "the shards did not run on the same sources"
	}
	return fmt.Sprintf("on record as run %s; %s, so what is outstanding here has not changed", runID, why)
}

// planAttempt plans the recording of one attempt at flaky tests, as a merge of one report
// that has nothing but their results.
func (m *Merged) planAttempt(k *ledger.Keeper, p project.Project, led *ledger.Ledger, a shard.Attempt) *Plan {
	plan := NewPlan(k, p, api.KindRetry, a.Run.RunID, 0)
	only := Merged{RunID: m.RunID, Origin: m.Origin, Here: m.Here, Merge: shard.Merge{OneState: true, Results: a.Results, Last: []shard.Report{{Run: a.Run}}}}
	only.Last[0].Counts, only.Last[0].NeverStarted, only.Last[0].Warnings = api.Counts{}, nil, nil
	suites := map[string]bool{}
	for _, t := range a.Tests {
		suites[t.Suite] = true
	}
	for _, planned := range a.Run.Shard.Planned {
		if suites[planned.Suite] && planned.Ended == api.SuiteEndPassed {
			only.Ends = append(only.Ends, shard.End{Suite: planned.Suite, Outcome: sdk.SuitePassed})
		}
	}
	plan.Store, plan.Ledger, plan.merged, plan.Seen = led.Artifacts, led, &only, m.Seen
	targets := []outstanding.Target{}
	for _, t := range a.Tests {
		targets = append(targets, outstanding.Target{TestID: t})
	}
	plan.Chosen = &outstanding.Selection{Targets: targets, Requested: targets}
	plan.Run.RetryOf, plan.Run.StartedAt, plan.Run.Seed = m.RunID, a.Run.StartedAt, a.Run.Seed
	only.begin(plan)
	return plan
}
