package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// maxChosen is how many chosen tests an answer names.
const maxChosen = record.MaxFailures

// maxUntold is how many things an answer names that it cannot tell of.
const maxUntold = 50

// affectedPlan is what a run that changes choose is composed of.
type affectedPlan struct {
	plan    sdk.Plan
	targets []rerun.Target
	// total counts the tests there are.
	total int
	about record.Affected
}

// checkAffected refuses what cannot be asked for together.
func checkAffected(projects []project, req RunRequest) error {
	switch {
	case req.Affected == "":
		return nil
	case len(req.Packages) > 0 || req.MatchPath != "" || req.MatchContract != "" || req.Filter != "":
		return &UsageError{Reason: "--affected chooses the tests, and so does another selection", Fix: "give one of them"}
	}
	for _, p := range projects {
		if !p.id.Dependencies {
			return &UsageError{
				Reason: fmt.Sprintf("plugin %s %s cannot tell what %s tests are built from, so that nobody knows which ones a change can break", p.id.Name, p.id.Version, p.id.Language),
				Fix:    "run without --affected, or name the language it is meant for with --lang",
			}
		}
	}
	return nil
}

// affected chooses the tests that the changes since a revision can break, and composes
// the commands that run them. Where everything is chosen, the plan is empty.
func (h *Host) affected(ctx context.Context, p project, m *memory, before rerun.Set, req sdk.RerunRequest, rev string) (affectedPlan, error) {
	var a affectedPlan
	if m == nil {
		return a, errors.New("what was changed cannot be told without the records of the workspace")
	}
	d, err := differenceSince(ctx, m.sourceConfig(ctx), p.root.Path, rev)
	if err != nil {
		return a, err
	}
	choice, total, err := h.chooseAffected(ctx, p, m, d, before, req)
	if err != nil {
		return a, err
	}
	a.total = total
	a.about = aboutChoice(d, choice)
	if choice.Everything != "" {
		return a, ctx.Err()
	}
	for _, c := range append(choice.Suites, choice.Tests...) {
		a.targets = append(a.targets, rerun.Target{Test: record.Test{Suite: c.Suite, Test: c.Test}})
	}
	if len(a.targets)+len(choice.BuildOnly) == 0 {
		return a, ctx.Err()
	}
	// One that has no tests leaves the outstanding set when it runs as what it is.
	for _, suite := range choice.BuildOnly {
		if isOutstanding(before, suite) {
			a.targets = append(a.targets, rerun.Target{Test: record.Test{Suite: suite}})
			continue
		}
		req.AlsoBuild = append(req.AlsoBuild, suite)
	}
	req.Targets = idsOf(a.targets)
	a.plan, err = p.plugin.RerunCmd(ctx, req)
	if err == nil && len(a.plan.Commands) == 0 {
		err = fmt.Errorf("plugin %s composed no command for the chosen tests", p.id.Name)
	}
	return a, err
}

// chooseAffected decides which tests a difference can break. Whatever keeps it from
// being decided chooses everything: the run shows what is wrong.
func (h *Host) chooseAffected(ctx context.Context, p project, m *memory, d difference, before rerun.Set, req sdk.RerunRequest) (affected.Choice, int, error) {
	everything := func(format string, words ...any) (affected.Choice, int, error) {
		return affected.Choice{Everything: fmt.Sprintf(format, words...)}, 0, ctx.Err()
	}
	if isEverything(before) {
		return everything("everything is outstanding: it is not known which tests failed before")
	}
	graph, err := h.dependencies(ctx, p, sdk.Selection{}, req.RunnerArgs, req.Deadline)
	if usage := asUsage(err); usage != nil {
		return affected.Choice{}, 0, usage
	}
	if err != nil {
		return everything("what the tests are built from cannot be told: %v", err)
	}
	suites, err := measured(ctx, measurements(m.store), p, req.RunnerArgs)
	if err != nil {
		return everything("what was measured cannot be read: %v", err)
	}
	now := newDigests(p.root.Path)
	outlined := newOutliner(ctx, p)
	choice := affected.Choose(affected.Input{
		Changes: d.changes, Graph: graph, Suites: suites, Digest: now.of, Outline: outlined.of, Outstanding: outstandingOf(before, graph),
		InBase: func(path string) bool { return d.inBase[path] },
		Lines:  func(path string) ([]uint32, bool) { lines := now.lines(path); return lines, lines != nil },
	})
	if outlined.err != nil {
		return everything("what changed in the sources cannot be told: %v", outlined.err)
	}
	return choice, graph.TestsTotal(), ctx.Err()
}

// isEverything tells whether it is not known which tests are outstanding.
func isEverything(set rerun.Set) bool {
	return slices.ContainsFunc(set.Entries, func(e rerun.Entry) bool { return e.Suite == "" })
}

// isOutstanding tells whether a suite is outstanding as such.
func isOutstanding(set rerun.Set, suite string) bool {
	return slices.ContainsFunc(set.Entries, func(e rerun.Entry) bool { return e.Test == record.Test{Suite: suite} })
}

// outstandingOf are the listed tests that are outstanding and still exist: what is gone
// cannot run, and stays outstanding until a run of everything.
func outstandingOf(set rerun.Set, graph *coverage.Graph) []record.Test {
	var tests []record.Test
	for _, e := range set.Entries {
		t := e.Test
		if e.Root != "" {
			t.Test = e.Root
		}
		if t.Test == "" || graph.HasTest(t.Suite, t.Test) {
			tests = append(tests, t)
		}
	}
	return tests
}

func aboutChoice(d difference, c affected.Choice) record.Affected {
	about := record.Affected{
		Base: d.base, Changed: []string{}, ChangedTotal: len(d.changes), Chosen: []record.ChosenTest{},
		ChosenTests: len(c.Tests), ChosenSuites: len(c.Suites), BuildOnly: c.BuildOnly,
		LeftOutTests: c.LeftOutTests, LeftOutSuites: c.LeftOutSuites, Everything: c.Everything,
		Untold: c.Untold[:min(len(c.Untold), maxUntold)], UntoldTotal: len(c.Untold),
	}
	for _, change := range d.changes[:min(len(d.changes), maxChangedFiles)] {
		about.Changed = append(about.Changed, change.Path)
	}
	about.Chosen = append(about.Chosen, c.Suites[:min(len(c.Suites), maxChosen)]...)
	about.Chosen = append(about.Chosen, c.Tests[:min(len(c.Tests), maxChosen-len(about.Chosen))]...)
	return about
}

// outliner asks for outlines one file after the other, each once.
type outliner struct {
	ctx     context.Context
	project project
	known   map[string][]sdk.SourceUnit
	err     error
}

func newOutliner(ctx context.Context, p project) *outliner {
	return &outliner{ctx: ctx, project: p, known: map[string][]sdk.SourceUnit{}}
}

func (o *outliner) of(file string) ([]sdk.SourceUnit, bool) {
	units, ok := o.known[file]
	if !ok && o.err == nil {
		var found map[string][]sdk.SourceUnit
		if found, o.err = outlines(o.ctx, o.project, []string{file}); o.err == nil {
			units = found[file]
			o.known[file] = units
		}
	}
	return units, units != nil
}

// choose makes a run one of the tests that changes choose, and returns its plan: the
// one of everything where nothing could be left out.
func (f *finisher) choose(run *record.Run, everything sdk.Plan, a affectedPlan, rev string) sdk.Plan {
	run.Affected = &a.about
	if a.about.Everything != "" {
		return everything
	}
	run.Selection.Affected = rev
	f.sel = &rerun.Selection{Targets: a.targets, Requested: append([]rerun.Target{}, a.targets...)}
	f.totals = a.total
	a.plan.Warnings = append(everything.Warnings, a.plan.Warnings...)
	return a.plan
}

// unstarted marks the chosen tests that did not start although their suites came to
// their ends, and the chosen suites that nobody reported on: that they were left out
// must not pass for a pass.
func (f *finisher) unstarted() {
	for _, r := range rerun.Judge(f.run.fold).Requested {
		test := record.Test{Suite: r.Suite, Test: r.Test}
		end, reported := f.run.col.tally.suites[r.Suite]
		if r.Outcome != record.OutcomeDidNotRun || reported && (r.Test == "" || end == sdk.SuiteBuildFailed) {
			continue
		}
		f.run.col.tally.neverStarted(test)
		f.run.fold.NeverStarted(test, "")
	}
}

// leavesNothingOut tells whether changes chose all tests there are.
func leavesNothingOut(a *record.Affected) bool {
	return a != nil && a.LeftOutTests+a.LeftOutSuites == 0
}

// unaffected says why nothing was chosen.
func unaffected(about record.Affected) string {
	reason := "no test was chosen: "
	if about.ChangedTotal == 0 {
		reason += "nothing has changed since " + about.Base
	} else {
		reason += fmt.Sprintf("nothing that tests are built from or read is among the %d changed files, or no test executes it", about.ChangedTotal)
	}
	if len(about.BuildOnly) > 0 {
		reason += "; built to see that they still can be: " + strings.Join(about.BuildOnly, ", ")
	}
	return reason
}
