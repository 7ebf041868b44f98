package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/sources"
	"github.com/proctorhq/proctor/sdk"
)

// runCoverage measures which lines the tests of a run execute.
type runCoverage struct {
	*sources.Measuring
	// listed receives what the suites are built from, or nil; cancel abandons the listing.
	listed chan *coverage.Graph
	cancel context.CancelFunc
}

// wantsCoverage reports whether the run measures coverage, with the reason if
// it does not although that was requested.
func (l *launch) wantsCoverage() (wants bool, why []api.Note) {
	req, options := l.req, l.options
	asked := req.Cover != nil && *req.Cover
	switch {
	case l.keeper.Box != nil || req.Cover != nil && !asked || req.Cover == nil && (options.Cover == nil || !*options.Cover):
		return false, nil
	case !asked && (!l.project.ID.Cover || req.IsByChange()):
		return false, nil
	case !l.project.ID.Cover:
		return false, []api.Note{{Code: api.NoteCoverage, Text: "coverage was not measured: a run of " + l.project.ID.Language + " tests cannot report it", Advice: api.Advice{Operation: api.AdviseIndex}}}
	case req.IsByChange():
		return false, []api.Note{{Code: api.NoteCoverage, Text: "coverage was not measured: for tests selected by changes it says little", Advice: api.Advice{Operation: api.AdviseIndexAgain}}}
	}
	return true, nil
}

// beginCoverage prepares to measure coverage. If the measurements are to be stored, it
// starts to list what the suites are built from during the run.
func beginCoverage(ctx context.Context, k *ledger.Keeper, p project.Project, args []string, keep bool) *runCoverage {
	c := &runCoverage{Measuring: sources.NewMeasuring(p, args, k.Cfg.Now().UTC()), listed: make(chan *coverage.Graph, 1)}
	ctx, c.cancel = context.WithCancel(ctx)
	if !keep || !p.ID.Dependencies {
		c.listed <- nil
		return c
	}
	l, err := k.PlanListing(ctx, p, sdk.ListRequest{RunnerArgs: args, Selected: true, Dependencies: true})
	if err != nil || l.IsExclusive() {
		c.listed <- nil
		return c
	}
	go func() {
		g := coverage.NewGraph()
		err := l.Execute(ctx, project.ListDeadline, g)
		c.Graph = g
		if err == nil {
			err = c.Look(ctx, g.SuiteNames(), k.SourceConfig(p.Root.Path))
		}
		if err != nil || len(g.Errors()) > 0 {
			g = nil
		}
		c.listed <- g
	}()
	return c
}

// keepsCoverage reports whether the run's measurements are stored: one of only some tests,
// or with arguments that may select, does not show what the others execute.
func (p *Plan) keepsCoverage() bool {
	return !p.Run.Selection.Narrows() && len(p.settings()) == 0
}

// addCoverage adds up the measurements, and stores those that say more than the index has.
// It never fails a run.
func (c *conclusion) addCoverage(ctx context.Context) {
	m, run := c.cover, c.run
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishLimit)
	defer cancel()
	m.await()
	run.Note(api.NoteCoverage, m.Errors...)
	run.Note(api.NoteCoverage, m.describeUnmeasured(c.first.Col.Tally.Suites)...)
	if len(m.Reported) == 0 {
		return
	}
	run.Coverage = sumCoverage(m.Reported)
	switch {
	case !c.plan.keepsCoverage():
		run.Coverage.NotIndexed = "the run may have left tests out, and does not show what those execute"
		return
	case m.Graph == nil:
		run.Coverage.NotIndexed = "what the suites are built from is unknown"
		return
	}
	kept := ledger.OpenMeasurements(c.plan.Store)
	known, err := ledger.ReadMeasuredSuites(ctx, kept, c.plan.Project, c.plan.runnerArgs())
	if err != nil {
		run.Coverage.NotIndexed = err.Error()
		return
	}
	for name, reported := range m.Reported {
		before, outcome := known[name], c.first.Col.Tally.Suites[name]
		switch {
		case outcome != sdk.SuitePassed && outcome != sdk.SuiteFailed:
			delete(m.Reported, name) // incomplete
		case before != nil && before.Granularity == api.GranularityTest:
			delete(m.Reported, name) // the index has more: it reports itself if it is stale
			run.Coverage.Indexed = true
		default:
			reported.Why = "" // the reason concerns an index, not a run
			m.Reported[name] = reported
		}
	}
	m.Known = known
	suites, failed := m.Suites(ctx)
	if names := slices.Sorted(maps.Keys(failed)); len(names) > 0 {
		run.Coverage.NotIndexed = fmt.Sprintf("%s: %v", names[0], failed[names[0]])
		if more := len(names) - 1; more > 0 {
			run.Coverage.NotIndexed += fmt.Sprintf("; and %d more", more)
		}
	}
	run.Coverage.Indexed = run.Coverage.Indexed || len(suites) > 0
	for _, name := range slices.Sorted(maps.Keys(suites)) {
		if err := kept.Put(ctx, suites[name]); err != nil {
			run.Coverage.Indexed, run.Coverage.NotIndexed = false, err.Error()
			return
		}
	}
}

// listingPatience is how long a run that has ended waits for the listing of what the
// suites are built from.
const listingPatience = 3 * time.Second

// await waits for the listing, and abandons it if it takes too long.
func (c *runCoverage) await() {
	defer c.cancel()
	giveUp := time.AfterFunc(listingPatience, c.cancel)
	defer giveUp.Stop()
	c.Graph = <-c.listed
}

// describeUnmeasured names the suites that began but left no measurement, as after a crash.
func (c *runCoverage) describeUnmeasured(ended map[string]sdk.SuiteOutcome) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		_, measured := c.Reported[name]
		lost := ended[name] == sdk.SuiteAborted || ended[name] == sdk.SuiteUnfinished || ended[name] == sdk.SuiteFailedOutsideTests
		if !measured && lost {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"the coverage figures lack " + ledger.NameSome(names) + ", which left no measurement"}
}

// sumCoverage counts statements. A file measured with several suites counts once in the
// total.
func sumCoverage(reported map[string]sdk.SuiteCoverage) *api.Coverage {
	type block struct {
		file string
		sdk.Block
	}
	all := map[block]bool{}
	sum := &api.Coverage{Suites: []api.SuiteCoverage{}}
	for _, name := range slices.Sorted(maps.Keys(reported)) {
		suite, n := api.SuiteCoverage{Suite: name}, 0
		for _, file := range reported[name].Files {
			for _, b := range file.Blocks {
				hit := reported[name].Whole.Has(n)
				n++
				suite.Statements += b.Statements
				if hit {
					suite.Covered += b.Statements
				}
				all[block{file.File, b}] = all[block{file.File, b}] || hit
			}
		}
		suite.Percent = percent(suite.Covered, suite.Statements)
		sum.Suites = append(sum.Suites, suite)
	}
	for b, hit := range all {
		sum.Statements += b.Statements
		if hit {
			sum.Covered += b.Statements
		}
	}
	sum.Percent = percent(sum.Covered, sum.Statements)
	return sum
}

// percent returns 100 if there is nothing to cover.
func percent(covered, statements int) float64 {
	if statements == 0 {
		return 100
	}
	return 100 * float64(covered) / float64(statements)
}
