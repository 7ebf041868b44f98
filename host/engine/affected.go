package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/sources"
	"github.com/proctorhq/proctor/host/translate"
	"github.com/proctorhq/proctor/sdk"
)

// maxChosen is how many selected tests an answer names.
const maxChosen = api.MaxFailures

// maxUntold is how many changes that nothing is known about an answer names.
const maxUntold = 50

// checkAffected refuses requests that exclude each other.
func checkAffected(projects []project.Project, req api.RunRequest) error {
	switch {
	case req.Affected == "":
		return nil
	case req.Narrows():
		return &api.UsageError{Reason: "changes select the tests, so nothing else can", Fix: "give only one of the two"}
	}
	for _, p := range projects {
		if !p.ID.Dependencies {
			return &api.UsageError{
				Reason: fmt.Sprintf("plugin %s %s cannot tell what %s tests are built from, so it is unknown which ones a change can break", p.ID.Name, p.ID.Version, p.ID.Language),
				Fix:    "run without selecting by what changed", Advice: api.Advice{Operation: api.AdviseLanguage},
			}
		}
	}
	return nil
}

// chooseAffected restricts a plan of everything to the tests that changes since a
// revision or a run can break, if any can be left out. An error means that nothing must
// run.
func (l *launch) chooseAffected(ctx context.Context, p *Plan) error {
	asked, before := l.req, p.before
	var d sources.Difference
	var err error
	switch {
	case asked.Since != "" && (p.Ledger == nil || !p.Project.ID.Dependencies):
		return ctx.Err()
	case asked.Since != "":
		var known bool
		if d, known, err = sources.SinceRun(ctx, p.Ledger, p.Project.Root.Path, asked.Since); err == nil && !known {
			return ctx.Err()
		}
		before = before.Only(func(e outstanding.Entry) bool { return e.Suite == "" })
	case p.Ledger == nil:
		return errors.New("what changed is unknown without the workspace's records")
	default:
		d, err = sources.Since(ctx, p.Ledger.SourceConfig(ctx), p.Project.Root.Path, asked.Affected)
	}
	if err != nil {
		return err
	}
	req := sdk.RerunRequest{
		Workspace: p.Project.Ws, RunnerArgs: slices.Concat(p.neutral, p.runnerArgs()), Deadline: time.Duration(p.Run.TimeoutS * float64(time.Second)), Seed: p.Run.Seed,
	}
	choice, total, err := l.chooseTests(ctx, p, d, before, req)
	if err != nil {
		return err
	}
	about := describeChoice(d, choice)
	p.Run.Affected = &about
	if choice.Everything != "" {
		return ctx.Err()
	}
	targets := []outstanding.Target{}
	for _, c := range append(choice.Suites, choice.Tests...) {
		targets = append(targets, outstanding.Target{TestID: sdk.TestID{Suite: c.Suite, Test: c.Test}})
	}
	// A suite without tests leaves the outstanding set only by running, not by a build.
	for _, suite := range choice.BuildOnly {
		if isOutstanding(p.before, suite) {
			targets = append(targets, outstanding.Target{TestID: sdk.TestID{Suite: suite}})
			continue
		}
		req.AlsoBuild = append(req.AlsoBuild, suite)
	}
	p.Run.Selection.Affected = cmp.Or(asked.Affected, d.Base)
	p.Chosen, p.total = &outstanding.Selection{Targets: targets, Requested: slices.Clone(targets)}, total
	if len(targets)+len(req.AlsoBuild) == 0 {
		p.SetCommands(sdk.Plan{})
		return ctx.Err()
	}
	req.Targets = IDsOf(targets)
	composed, err := p.Project.Plugin.RerunCmd(ctx, req)
	if err == nil && len(composed.Commands) == 0 {
		err = fmt.Errorf("plugin %s composed no command for the chosen tests", p.Project.ID.Name)
	}
	p.SetCommands(composed)
	return err
}

// chooseTests decides which tests a difference can break, and returns how many tests there
// are. Whatever prevents a decision selects everything: the run shows what is wrong.
func (l *launch) chooseTests(ctx context.Context, plan *Plan, d sources.Difference, before outstanding.Set, req sdk.RerunRequest) (affected.Choice, int, error) {
	k, p := l.keeper, plan.Project
	everything := func(format string, words ...any) (affected.Choice, int, error) {
		return affected.Choice{Everything: fmt.Sprintf(format, words...)}, 0, ctx.Err()
	}
	if why := whyEverything(before); why != "" {
		return everything("everything is outstanding: %s", why)
	}
	graph := k.KnownGraph(p.ID.Language, req.RunnerArgs)
	var err error
	if graph == nil {
		graph, err = project.ListDependencies(ctx, k.Host, p, sdk.Selection{}, req.RunnerArgs, req.Deadline)
	}
	if usage := translate.AsUsage(err); usage != nil {
		return affected.Choice{}, 0, usage
	}
	if err != nil {
		return everything("what the tests are built from is unknown: %v", err)
	}
	suites, err := ledger.ReadMeasuredSuites(ctx, ledger.OpenMeasurements(plan.Store), p, req.RunnerArgs)
	if err != nil {
		return everything("the coverage index cannot be read: %v", err)
	}
	now := sources.NewDigests(p.Root.Path)
	outlined := NewOutliner(ctx, p)
	choice := affected.Choose(affected.Input{
		Changes: d.Changes, Graph: graph, Suites: suites, Digest: now.Of, Outline: outlined.Of, Outstanding: listOutstanding(before, graph),
		InBase: d.InBase,
		Lines:  func(path string) ([]uint32, bool) { lines := now.Lines(path); return lines, lines != nil },
	})
	if outlined.Err != nil {
		return everything("what changed within the sources is unknown: %v", outlined.Err)
	}
	return choice, graph.TestsTotal(), ctx.Err()
}

// ListGraphAhead lists what the tests of a project are built from, for a run with this
// request that is about to begin. It returns nil on any error: the run will report it.
func ListGraphAhead(ctx context.Context, k *ledger.Keeper, p project.Project, req api.RunRequest) *ledger.KnownGraph {
	a, err := translate.ForPlugin(k, p, req)
	store, serr := k.Store(p.Root.Path)
	if errors.Join(err, serr) != nil || len(p.Missing) > 0 {
		return nil
	}
	p = k.RunProbes(ctx, p)
	p.Ws.Cache = k.CacheDir(store, p)
	known := &ledger.KnownGraph{Language: p.ID.Language, Args: slices.Concat(a.Neutral, a.RunnerArgs)}
	if known.Graph, err = project.ListDependencies(ctx, k.Host, p, sdk.Selection{}, known.Args, project.ListDeadline); err != nil {
		return nil
	}
	return known
}

// whyEverything says why everything is outstanding, usually because it is unknown which tests
// are; empty if it is not.
func whyEverything(set outstanding.Set) (why string) {
	for _, e := range set.Entries {
		switch {
		case e.Suite == "" && e.Why != outstanding.WhyMisplaced:
			return "it is unknown which tests failed before"
		case e.Suite == "":
			why = "an earlier run found a quarantine of a test that does not exist"
		}
	}
	return why
}

// isOutstanding reports whether a suite is outstanding as a whole.
func isOutstanding(set outstanding.Set, suite string) bool {
	return slices.ContainsFunc(set.Entries, func(e outstanding.Entry) bool { return e.TestID == sdk.TestID{Suite: suite} })
}

// listOutstanding returns the outstanding tests that still exist, as their top-level
// tests. What is gone cannot run, and stays outstanding until a run of everything.
func listOutstanding(set outstanding.Set, graph *coverage.Graph) []sdk.TestID {
	var tests []sdk.TestID
	for _, e := range set.Entries {
		t := e.TestID
		if e.Root != "" {
			t.Test = e.Root
		}
		if t.Test == "" || graph.HasTest(t.Suite, t.Test) {
			tests = append(tests, t)
		}
	}
	return tests
}

func describeChoice(d sources.Difference, c affected.Choice) api.Affected {
	about := api.Affected{
		Base: d.Base, Changed: []string{}, ChangedTotal: len(d.Changes), Chosen: []api.ChosenTest{},
		ChosenTests: len(c.Tests), ChosenSuites: len(c.Suites), BuildOnly: c.BuildOnly,
		LeftOutTests: c.LeftOutTests, LeftOutSuites: c.LeftOutSuites, Everything: c.Everything,
		Untold: c.Untold[:min(len(c.Untold), maxUntold)], UntoldTotal: len(c.Untold),
	}
	for _, change := range d.Changes[:min(len(d.Changes), ledger.MaxChangedFiles)] {
		about.Changed = append(about.Changed, change.Path)
	}
	about.Chosen = append(about.Chosen, c.Suites[:min(len(c.Suites), maxChosen)]...)
	about.Chosen = append(about.Chosen, c.Tests[:min(len(c.Tests), maxChosen-len(about.Chosen))]...)
	return about
}

// Outliner asks the plugin for the outline of each file once. Err is the first error.
type Outliner struct {
	ctx     context.Context
	project project.Project
	known   map[string][]sdk.SourceUnit
	Err     error
}

func NewOutliner(ctx context.Context, p project.Project) *Outliner {
	return &Outliner{ctx: ctx, project: p, known: map[string][]sdk.SourceUnit{}}
}

func (o *Outliner) Of(file string) ([]sdk.SourceUnit, bool) {
	units, ok := o.known[file]
	if !ok && o.Err == nil {
		var found map[string][]sdk.SourceUnit
		if found, o.Err = project.ReadOutlines(o.ctx, o.project, []string{file}); o.Err == nil {
			units = found[file]
			o.known[file] = units
		}
	}
	return units, units != nil
}

// leavesNothingOut reports whether changes selected all existing tests.
func leavesNothingOut(a *api.Affected) bool {
	return a != nil && a.LeftOutTests+a.LeftOutSuites == 0
}

// explainUnaffected says why nothing was chosen.
func explainUnaffected(about api.Affected) string {
	reason := "no test was chosen: "
	if about.ChangedTotal == 0 {
		reason += "nothing has changed since " + about.Base
	} else {
		reason += "no test is built from, reads or executes what changed in " + api.Plural(about.ChangedTotal, "file")
	}
	if len(about.BuildOnly) > 0 {
		reason += "; built only, to see that they still compile: " + strings.Join(about.BuildOnly, ", ")
	}
	return reason
}
