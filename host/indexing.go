package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// make finds out what has to be measured, and measures it.
func (x *indexing) make(ctx context.Context) error {
	var err error
	x.graph, err = x.host.dependencies(ctx, x.project, x.ask.selection, x.ask.runnerArgs, time.Until(x.deadline))
	if err != nil {
		return usageOr(err)
	}
	x.index.Warnings = append(x.index.Warnings, x.graph.Errors()...)
	if x.known, err = measured(ctx, x.kept, x.project, x.ask.runnerArgs); err != nil {
		return err
	}
	now := newDigests(x.project.root.Path)
	var changed []string
	for _, name := range x.graph.SuiteNames() {
		switch {
		case len(x.graph.Suites[name].Tests) == 0:
			x.note(record.IndexedSuite{Suite: name, State: record.IndexEmpty, Granularity: record.GranularityTest})
		case !x.req.Force && x.isFresh(name, now):
			x.fresh(name)
		default:
			changed = append(changed, name)
		}
	}
	x.announce(changed)
	if len(changed) > 0 {
		if err := x.measure(ctx, changed); err != nil {
			return err
		}
	}
	if x.req.isOfAll() && len(x.graph.Errors()) == 0 && ctx.Err() == nil {
		err = x.kept.Drop(ctx, x.project.id.Language, func(suite string) bool { return x.graph.Suites[suite] != nil })
	}
	x.sum()
	return err
}

// isOfAll tells whether nothing narrows the index.
func (r IndexRequest) isOfAll() bool {
	return len(r.Packages) == 0 && r.MatchPath == "" && r.MatchContract == "" && len(r.RunnerArgs) == 0
}

// announce tells the observer what is going to be measured.
func (x *indexing) announce(changed []string) {
	if x.observer.Indexing == nil {
		return
	}
	index := x.index
	index.Suites = slices.Clone(index.Suites)
	for _, name := range changed {
		index.Suites = append(index.Suites, record.IndexedSuite{Suite: name})
	}
	x.observer.Indexing(index)
}

// isFresh tells whether nothing changed since a suite was indexed.
func (x *indexing) isFresh(name string, now *digests) bool {
	s := x.known[name]
	// What a run measured of a suite has no reason: an index may know more.
	if s == nil || s.Cut || s.Granularity != record.GranularityTest && s.Why == "" {
		return false
	}
	built := 0
	for _, file := range x.graph.Files(name) {
		if !s.Built[file] {
			return false
		}
		built++
	}
	if built != len(s.Built) || x.graph.Suites[name].Opaque != s.Opaque {
		return false
	}
	for path, digest := range s.Inputs {
		if now.of(path) != digest {
			return false
		}
	}
	return s.Granularity != record.GranularityTest || hasAll(s, x.graph.Suites[name].Tests)
}

// hasAll tells whether all tests were measured.
func hasAll(s *coverage.Suite, tests []string) bool {
	has := map[string]bool{}
	for _, t := range s.Tests {
		has[t.Name] = true
	}
	return !slices.ContainsFunc(tests, func(name string) bool { return !has[name] })
}

func (x *indexing) note(s record.IndexedSuite) { x.index.Suites = append(x.index.Suites, s) }

func (x *indexing) fresh(name string) {
	s := x.known[name]
	x.note(record.IndexedSuite{Suite: name, State: record.IndexFresh, Granularity: s.Granularity, Tests: len(s.Tests), Why: s.Why})
	x.find(s)
}

// find notes what was found out about the tests of a suite.
func (x *indexing) find(s *coverage.Suite) {
	x.index.Findings = append(x.index.Findings, coverage.Findings(s)...)
	x.index.Partial = append(x.index.Partial, coverage.Partial(s)...)
}

// measure runs the tests of suites alone and keeps what they executed.
func (x *indexing) measure(ctx context.Context, suites []string) error {
	m := newMeasuring(x.project, x.ask.runnerArgs, x.host.cfg.Now().UTC())
	m.graph = x.graph
	if err := m.look(ctx, suites, x.host.sourceConfig(x.project.root.Path)); err != nil {
		return err
	}
	run, err := x.execute(ctx, m, suites)
	if err != nil {
		return err
	}
	// A source that does not build can keep suites from being measured that are not
	// built from it.
	for _, others := range x.unbroken(run, suites) {
		if ctx.Err() != nil || time.Until(x.deadline) <= 0 {
			break
		}
		again, err := x.execute(ctx, m, others)
		if err != nil {
			return err
		}
		maps.Copy(run.col.tally.suites, again.col.tally.suites)
		run.done = append(run.done, again.done...)
	}
	// What was measured until then is kept also where the rest was given up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	kept, failed := m.suites(ctx)
	x.index.Warnings = append(x.index.Warnings, m.errors...)
	for _, name := range suites {
		if s := kept[name]; s != nil {
			if err := x.keep(ctx, s); err != nil {
				return err
			}
			continue
		}
		x.lost(name, failed[name], m.reported[name].Cut, run)
	}
	return nil
}

// execute runs the commands of an index of suites.
func (x *indexing) execute(ctx context.Context, m *measuring, suites []string) (*execution, error) {
	plan, err := x.project.plugin.IndexCmd(ctx, sdk.IndexRequest{
		Workspace: x.project.ws, Suites: suites, RunnerArgs: x.ask.runnerArgs,
		Deadline: time.Until(x.deadline), SuiteBudget: x.req.SuiteBudget,
	})
	if err != nil {
		return nil, usageOr(err)
	}
	x.index.Warnings = append(x.index.Warnings, plan.Warnings...)
	run := &execution{
		host: x.host, project: x.project, runID: x.id, observer: x.observer, deadline: x.deadline, coverage: m,
		newFold: func() *rerun.Fold { return rerun.NewFold(x.id, rerun.Set{}, rerun.Scope{}) },
	}
	if err := run.execute(ctx, plan.Commands); err != nil {
		x.index.RunError = err.Error()
	}
	t := run.col.tally
	x.index.RunError = cmp.Or(x.index.RunError, t.runErrorText())
	for _, f := range t.failures {
		if isBuild(f) && !slices.ContainsFunc(x.index.Failures, func(o record.Failure) bool { return o.ID == f.ID }) {
			x.index.Failures = append(x.index.Failures, f)
		}
	}
	return run, nil
}

func isBuild(f record.Failure) bool {
	return f.Kind == sdk.KindBuild || f.Kind == sdk.KindVet || f.Kind == sdk.KindSetup
}

// unbroken are the suites that were not built although they may be: those that are
// built from nothing that is broken, to be measured at once. Where it is not known which
// ones these are, each is measured by itself.
func (x *indexing) unbroken(run *execution, suites []string) [][]string {
	broken, known := map[string]bool{}, true
	for _, f := range run.col.tally.failures {
		if !isBuild(f) {
			continue
		}
		from := x.graph.BuiltFrom(f.File)
		known = known && f.File != "" && (len(from) > 0 || x.graph.Suites[f.Suite] != nil)
		broken[f.Suite] = true
		for _, suite := range from {
			broken[suite] = true
		}
	}
	others := slices.DeleteFunc(slices.Clone(suites), func(name string) bool {
		return broken[name] || run.col.tally.suites[name] != sdk.SuiteBuildFailed
	})
	switch {
	case len(others) == 0 || len(others) == len(suites) && len(suites) == 1:
		return nil
	case known:
		return [][]string{others}
	}
	return slices.Collect(slices.Chunk(others, 1))
}

// keep keeps what was measured, unless more is known that is as new.
func (x *indexing) keep(ctx context.Context, s *coverage.Suite) error {
	if err := x.kept.Put(ctx, s); err != nil {
		return fmt.Errorf("what was measured cannot be kept: %w", err)
	}
	state := record.IndexDone
	if s.Cut {
		state = record.IndexCut
	}
	x.note(record.IndexedSuite{Suite: s.Suite, State: state, Granularity: s.Granularity, Tests: len(s.Tests), Why: s.Why})
	x.find(s)
	x.index.Ran += len(s.Tests)
	return nil
}

// lost says of a suite why nothing was measured.
func (x *indexing) lost(name string, err error, cut bool, run *execution) {
	s := record.IndexedSuite{Suite: name, State: record.IndexFailed, Granularity: record.GranularityImport}
	outcome, reported := run.col.tally.suites[name]
	exit := run.exit()
	switch {
	case outcome == sdk.SuiteBuildFailed:
		s.Why = "it does not build"
	case outcome == sdk.SuiteNoTests:
		s.State, s.Why = record.IndexEmpty, "none of its tests ran"
	case cut, exit.TimedOut, time.Until(x.deadline) <= 0 && !reported:
		s.State, s.Why = record.IndexCut, "the time was over before it was measured: give more with --budget, or go on with the next index"
	case exit.Cancelled:
		s.State, s.Why = record.IndexCut, "interrupted before it was measured"
	case err != nil:
		s.Why = err.Error()
	default:
		s.Why = "the plugin reported nothing of it"
	}
	x.note(s)
}

// sum counts, and says whether that is all.
func (x *indexing) sum() {
	states := map[record.IndexState]int{}
	whole := 0
	for _, s := range x.index.Suites {
		states[s.State]++
		x.index.Tests += s.Tests
		if s.Granularity == record.GranularitySuite {
			whole++
		}
	}
	slices.SortFunc(x.index.Suites, func(a, b record.IndexedSuite) int { return cmp.Compare(a.Suite, b.Suite) })
	slices.SortFunc(x.index.Findings, func(a, b record.OrderFinding) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	slices.SortFunc(x.index.Partial, func(a, b record.PartialTest) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	x.index.Complete = states[record.IndexCut]+states[record.IndexFailed] == 0 && x.index.RunError == "" && len(x.graph.Errors()) == 0
	x.index.Message = fmt.Sprintf("%d tests are indexed one by one; of %d suites %d were measured now, %d had not changed",
		x.index.Tests, len(x.index.Suites), states[record.IndexDone], states[record.IndexFresh])
	if whole > 0 {
		x.index.Message += fmt.Sprintf("; %d are known as a whole only", whole)
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		switch state {
		case record.IndexCut:
			x.index.Message += fmt.Sprintf("; the time was over before %d were measured", states[state])
		case record.IndexFailed:
			x.index.Message += fmt.Sprintf("; %d could not be measured", states[state])
		}
	}
}
