package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/sdk"
)

// checkShard refuses requests that cannot be divided into shards.
func checkShard(projects []project.Project, req api.RunRequest) error {
	if req.Shard == "" {
		if req.Timings != "" || req.Attempt != 0 {
			return &api.UsageError{Reason: "timings and an attempt only apply to a shard, and none was given", Fix: "give the shard, too, as in 2/5"}
		}
		return nil
	}
	if _, _, err := api.ParseShard(req.Shard); err != nil {
		return err
	}
	if req.IsByChange() {
		return &api.UsageError{Reason: "changes select the tests, so a shard cannot", Fix: "give only one of the two"}
	}
	if req.Attempt < 0 {
		return &api.UsageError{Reason: fmt.Sprintf("there is no attempt %d", req.Attempt), Fix: "count attempts from 1"}
	}
	for _, p := range projects {
		if !p.ID.List {
			return &api.NoListingError{Plugin: p.ID.Name, Version: p.ID.Version, Language: p.ID.Language}
		}
	}
	return nil
}

// sharding restricts the plan of a launch to a shard.
type sharding struct {
	*Plan
	launch *launch
}

// chooseShard restricts a plan to one part of what it would run: of a division that was
// made elsewhere, or of one that depends only on what every machine knows. An error of the
// listing becomes one of the run.
func (p sharding) chooseShard(ctx context.Context, d *Division) error {
	req := p.launch.req
	index, of, err := api.ParseShard(req.Shard)
	if err != nil {
		return err
	}
	timings, err := project.ReadTimings(req.Timings, p.Run.Language)
	if err != nil {
		return err
	}
	about := api.Shard{Index: index, Of: of, Planned: []api.PlannedSuite{}, Elsewhere: []api.ShardPart{}}
	about.Attempt = cmp.Or(req.Attempt, project.AttemptIn(p.launch.keeper.Cfg.Env))
	p.Run.Selection.Shard, p.Run.Shard = req.Shard, &about
	if p.Err != nil {
		return nil // it is the same in all shards
	}
	if d == nil {
		divided, err := p.divide(ctx, timings, func(suites []shard.Suite, t shard.Timings) [][]shard.Piece { return shard.Split(suites, of, t) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.Err = err
			p.SetCommands(sdk.Plan{})
			return nil
		}
		d = &divided
	} else if err := p.checkDivision(ctx, *d); err != nil {
		return err
	}
	return p.takePart(ctx, *d, index)
}

// divide divides what the plan would run.
func (p sharding) divide(ctx context.Context, timings shard.Timings, split Splitter) (Division, error) {
	suites, err := p.listSuites(ctx)
	if err != nil {
		return Division{}, fmt.Errorf("the run cannot be divided: %w", err)
	}
	all := 0
	canCut := p.canCut(ctx, suites)
	for i, s := range suites {
		all += len(s.Tests)
		suites[i].Whole = s.Whole || !canCut
	}
	plan := shard.Plan{
		Language: p.Run.Language, Parts: p.nameTests(split(suites, timings), suites), Selection: p.Run.Selection, // its digest leaves out the shard
		Fingerprint: p.findFingerprint(ctx), Timings: timings.Digest,
	}
	return Division{Plan: plan, Tests: all, Setting: p.Project.Setting(p.settings()), Settings: p.Project.HashSettings(p.settings()), Quarantine: p.quarantine}, nil
}

// takePart restricts a plan to one part of a division.
func (p sharding) takePart(ctx context.Context, d Division, index int) error {
	about := d.Plan.Of(index)
	about.Attempt = p.Run.Shard.Attempt
	asked := p.Run.Selection
	asked.Shard = ""
	about.Everything = !asked.Narrows() && len(p.runnerArgs()) == p.defaults && !p.narrowed
	about.EveryLanguage = len(p.launch.req.Languages) == 0
	flakyPasses := p.launch.options.FlakyPasses
	about.FlakyPasses = flakyPasses != nil && *flakyPasses
	if about.FlakyPasses {
		about.FlakyBy = describeFile(ctx, p.Plan, config.FileName)
	}
	if len(d.Quarantine) > 0 {
		about.QuarantineBy = describeFile(ctx, p.Plan, quarantine.FileName)
	}
	about.Way, about.Args = (*api.Way)(mapWay(p.way, project.MaskAddresses)), mapArgs(p.argsKey(), project.MaskAddresses)
	p.Run.Shard, p.Run.Selection.Shard, p.total = &about, about.String(), d.Tests
	return p.composeShard(ctx, d.Plan.Parts[index-1])
}

// findFingerprint returns the state of the sources before the run; empty if unknown. The run
// does not determine it again.
func (p sharding) findFingerprint(ctx context.Context) string {
	if p.Ledger == nil {
		return ""
	}
	snapshot, err := fingerprint.Take(ctx, p.Ledger.SourceConfig(ctx))
	if err != nil {
		return "" // the run says so
	}
	p.sources = snapshot
	return snapshot.State.ID
}

// listSuites lists the suites that the run would run, including those without tests and
// those that cannot be built. An incomplete list is an error: a suite that it lacks would
// be in no shard.
func (p sharding) listSuites(ctx context.Context) ([]shard.Suite, error) {
	l, err := p.launch.keeper.PlanListing(ctx, p.Project, sdk.ListRequest{Selection: p.Selection, RunnerArgs: p.runnerArgs(), Selected: true})
	if err != nil {
		return nil, err
	}
	found := &shard.Listing{}
	limit := time.Duration(p.Run.TimeoutS * float64(time.Second))
	if err := l.Execute(ctx, limit, found); err != nil {
		return nil, fmt.Errorf("what there is to test could not be listed: %w", err)
	}
	if len(found.Errors) > 0 {
		return nil, fmt.Errorf("not everything could be listed: %s", strings.Join(found.Errors, "; "))
	}
	return p.dropUnselected(found.Suites, found.Incomplete)
}

// takesSuites reports whether the plugin selects suites by name, as a user would. If not,
// shards are of targets, like reruns.
func (p sharding) takesSuites() bool {
	return slices.Contains(p.Project.ID.Selectors, sdk.SelectSuites)
}

// canCut reports whether suites can be divided: their tests must run one by one as in a
// run of all, with every argument that was asked for.
func (p sharding) canCut(ctx context.Context, suites []shard.Suite) bool {
	at := slices.IndexFunc(suites, func(s shard.Suite) bool { return len(s.Tests) > 0 && !s.Whole })
	if p.covers || p.trusts != nil || p.Selection.TestPattern != "" || at < 0 {
		return false
	}
	one, err := p.Project.Plugin.RerunCmd(ctx, p.rerun([]sdk.TestID{{Suite: suites[at].Name, Test: suites[at].Tests[0]}}))
	if err != nil {
		return false
	}
	all, kept := wordsOf(p.Commands), wordsOf(one.Commands)
	return !slices.ContainsFunc(p.request.RunnerArgs, func(word string) bool { return all[word] && !kept[word] })
}

// rerun returns the request for commands that run exactly these tests, as the run would.
func (p sharding) rerun(targets []sdk.TestID) sdk.RerunRequest {
	return sdk.RerunRequest{Workspace: p.Project.Ws, Targets: targets, RunnerArgs: p.request.RunnerArgs, Deadline: p.request.Deadline, Seed: p.Run.Seed}
}

// wordsOf returns the words of some commands.
func wordsOf(commands []sdk.Command) map[string]bool {
	words := map[string]bool{}
	for _, c := range commands {
		for _, word := range c.Argv {
			words[word] = true
		}
	}
	return words
}

// isExact reports whether every test must be named: something selects among them, and the
// plugin cannot select suites in addition.
func (p sharding) isExact() bool {
	return !p.takesSuites() && !(p.Selection.IsZero() && len(p.settings()) == 0)
}

// dropUnselected drops the suites without a selected test, if every test must be named: as
// suites without tests they would run whole.
func (p sharding) dropUnselected(suites []shard.Suite, incomplete []string) ([]shard.Suite, error) {
	if !p.isExact() {
		return suites, nil
	}
	if len(incomplete) > 0 {
		return nil, fmt.Errorf("not all tests could be listed, and something selects among them: %s", strings.Join(incomplete, "; "))
	}
	return slices.DeleteFunc(suites, func(s shard.Suite) bool { return len(s.Tests) == 0 }), nil
}

// nameTests names the tests of all pieces if every test must be named.
func (p sharding) nameTests(parts [][]shard.Piece, suites []shard.Suite) [][]shard.Piece {
	if !p.isExact() {
		return parts
	}
	tests := map[string][]string{}
	for _, s := range suites {
		tests[s.Name] = slices.Sorted(slices.Values(s.Tests))
	}
	for _, part := range parts {
		for i, piece := range part {
			if piece.Tests == nil {
				part[i].Tests = tests[piece.Suite]
			}
		}
	}
	return parts
}

// composeShard has the plugin compose the commands of a part, which replace those of
// everything.
func (p sharding) composeShard(ctx context.Context, part []shard.Piece) error {
	targets, names, cut := []outstanding.Target{}, []string{}, !p.takesSuites()
	for _, piece := range part {
		names = append(names, piece.Suite)
		cut = cut || piece.Tests != nil
		if piece.Tests == nil {
			targets = append(targets, outstanding.Target{TestID: sdk.TestID{Suite: piece.Suite}})
		}
		for _, t := range piece.Tests {
			targets = append(targets, outstanding.Target{TestID: sdk.TestID{Suite: piece.Suite, Test: t}})
		}
	}
	p.Chosen = &outstanding.Selection{Targets: targets, Requested: slices.Clone(targets)}
	if len(part) == 0 {
		p.SetCommands(sdk.Plan{})
		return nil
	}
	var composed sdk.Plan
	var err error
	if cut {
		composed, err = p.Project.Plugin.RerunCmd(ctx, p.rerun(IDsOf(targets)))
		p.covers = false // a rerun does not measure
	} else {
		req := p.request
		req.Selection.Suites = names
		composed, err = p.Project.Plugin.TestCmd(ctx, req)
	}
	if err == nil && len(composed.Commands) == 0 {
		err = fmt.Errorf("plugin %s composed no command for this shard", p.Project.ID.Name)
	}
	p.Err = err
	p.SetCommands(composed)
	return ctx.Err()
}

// mapWay applies a function to the words of a way.
func mapWay(w *outstanding.Way, f func([]string) []string) *outstanding.Way {
	if w == nil {
		return nil
	}
	return outstanding.WayOf(f(w.Decides), f(w.Narrows))
}

// mapArgs applies a function to the words of a [Plan.argsKey].
func mapArgs(key string, f func([]string) []string) string {
	return strings.Join(f(strings.Split(key, "\x00")), "\x00")
}
