package covering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/sources"
	"github.com/proctorhq/proctor/host/testlist"
	"github.com/proctorhq/proctor/sdk"
)

// Covering says which tests execute a file or lines of it, from the measurements of an
// index and of runs with coverage, or else from what the suites are built from. Anything
// but a file of the workspace and its lines is a [*api.UsageError]. No test is executed.
func Covering(ctx context.Context, k *ledger.Keeper, req api.CoveringRequest) (api.Covering, error) {
	ranges, err := parseLines(req.Lines)
	if err != nil {
		return api.Covering{}, err
	}
	root, err := k.Root(ctx, req.Where)
	if err != nil {
		return api.Covering{}, err
	}
	file, err := resolveFile(root, req.File)
	if err != nil {
		return api.Covering{}, err
	}
	known, err := loadCoverage(ctx, k, req.Where, req.Language)
	if err != nil {
		return api.Covering{}, err
	}
	if ranges, err = clampRanges(ranges, file, known.digests.Lines(file)); err != nil {
		return api.Covering{}, err
	}
	answer, err := known.answer(ctx, file, ranges)
	if err != nil {
		return api.Covering{}, err
	}
	answer.Schema, answer.Lines = api.CoveringSchema, formatRanges(ranges)
	answer.Tests = answer.Tests[:min(len(answer.Tests), api.ClampCoveringLimit(req.Limit))]
	return answer, nil
}

// knownCoverage is what is known about the projects of a workspace.
type knownCoverage struct {
	keeper   *ledger.Keeper
	root     string
	projects []knownProject
	warnings []api.Note
	digests  *sources.Digests
}

// knownProject is what is known about one project.
type knownProject struct {
	project.Project
	suites []*coverage.Suite
	// elsewhere reports which suites were measured in another setting; nil means none.
	elsewhere func(suite string) bool
	// graph is nil if it is unknown what the suites are built from.
	graph *coverage.Graph
}

// loadCoverage determines what suites are built from now, and reads the measurements.
func loadCoverage(ctx context.Context, k *ledger.Keeper, where api.Where, language string) (*knownCoverage, error) {
	var languages []string
	if language != "" {
		languages = []string{language}
	}
	projects, err := k.Projects(ctx, where, languages)
	if err != nil {
		return nil, err
	}
	all := &knownCoverage{keeper: k, root: projects[0].Root.Path, digests: sources.NewDigests(projects[0].Root.Path)}
	for _, p := range projects {
		all.warnings = append(all.warnings, engine.DescribeProject(p)...)
		p = k.WithCache(k.RunProbes(ctx, p))
		known := knownProject{Project: p}
		if store, ok := artifacts.OpenExisting(k.Records(p.Root.Path)); ok {
			suites, err := ledger.ReadMeasuredSuites(ctx, ledger.OpenMeasurements(store), p, nil)
			if err == nil {
				known.elsewhere, err = ledger.OpenMeasurements(store).Elsewhere(p.ID.Language, p.Setting(nil))
			}
			if err != nil {
				return nil, err
			}
			for _, name := range slices.Sorted(maps.Keys(suites)) {
				known.suites = append(known.suites, suites[name])
			}
		}
		var trouble []api.Note
		if known.graph, trouble, err = loadGraph(ctx, k, p); err != nil {
			return nil, err
		}
		all.warnings = append(all.warnings, trouble...)
		all.projects = append(all.projects, known)
	}
	return all, ctx.Err()
}

// loadGraph returns what a project's suites are built from, or nil with warnings that
// say why that is unknown.
func loadGraph(ctx context.Context, k *ledger.Keeper, p project.Project) (*coverage.Graph, []api.Note, error) {
	if !p.ID.Dependencies {
		return nil, api.Notes(api.NoteCoverage, fmt.Sprintf("plugin %s %s does not report what tests are built from", p.ID.Name, p.ID.Version)), nil
	}
	unknown := func(err error) (*coverage.Graph, []api.Note, error) {
		return nil, api.Notes(api.NoteCoverage, "what tests are built from is unknown: "+err.Error()), ctx.Err()
	}
	if len(p.Missing) > 0 {
		return unknown(errors.Join(p.Missing...))
	}
	l, err := k.PlanListing(ctx, p, sdk.ListRequest{Selected: true, Dependencies: true})
	if err != nil {
		return unknown(err)
	}
	if l.IsExclusive() {
		release, err := testlist.WaitForRuns(ctx, k, p)
		if err != nil {
			return unknown(err)
		}
		defer release()
	}
	g := coverage.NewGraph()
	if err := l.Execute(ctx, testlist.TestsDeadline, g); err != nil {
		return unknown(err)
	}
	return g, api.Notes(api.NotePlugin, slices.Concat(l.Plan.Warnings, g.Errors())...), nil
}

// answer answers about lines of a file, for all languages.
func (k *knownCoverage) answer(ctx context.Context, file string, ranges []coverage.Range) (api.Covering, error) {
	lines := k.digests.Lines(file)
	var answers []api.Covering
	for _, p := range k.projects {
		outlined := engine.NewOutliner(ctx, p.Project)
		units, _ := outlined.Of(file)
		answer := coverage.Cover(coverage.Question{
			Path: file, Ranges: ranges, Exists: k.digests.Of(file) != "", Lines: lines, Units: units,
			Digest: k.digests.Of, Outline: outlined.Of, Suites: p.suites, Elsewhere: p.elsewhere, Graph: p.graph, Now: k.keeper.Cfg.Now(),
		})
		if outlined.Err != nil {
			return api.Covering{}, outlined.Err
		}
		for i := range answer.Tests {
			answer.Tests[i].Language = p.ID.Language
		}
		answers = append(answers, answer)
	}
	answer := joinAnswers(answers)
	answer.Workspace, answer.File = k.root, file
	answer.Warnings = append(answer.Warnings, k.warnings...)
	return answer, nil
}

// joinAnswers makes one answer of those for several languages. Languages that know nothing
// about the file are left out if others do.
func joinAnswers(answers []api.Covering) api.Covering {
	knowing := slices.DeleteFunc(slices.Clone(answers), func(a api.Covering) bool { return len(a.Tests) == 0 })
	if len(knowing) == 0 {
		// No test executes it only if every language agrees, so the least precise answer counts.
		return slices.MaxFunc(answers, func(a, b api.Covering) int { return rankExactness(a.Granularity) - rankExactness(b.Granularity) })
	}
	all := knowing[0]
	for _, a := range knowing[1:] {
		all.Tests = append(all.Tests, a.Tests...)
		all.Total += a.Total
		all.Stale = all.Stale || a.Stale
		all.Granularity = coarser(all.Granularity, a.Granularity)
		all.Message += "; " + a.Message
		all.Warnings = append(all.Warnings, a.Warnings...)
		all.State, all.Untold = append(all.State, a.State...), append(all.Untold, a.Untold...)
		if a.MeasuredAt != nil && (all.MeasuredAt == nil || a.MeasuredAt.Before(*all.MeasuredAt)) {
			all.MeasuredAt, all.AgeS = a.MeasuredAt, a.AgeS
		}
		all.Advice = cmp.Or(all.Advice, a.Advice)
	}
	slices.SortStableFunc(all.Tests, func(a, b api.CoveringTest) int { return rankExactness(a.Granularity) - rankExactness(b.Granularity) })
	return all
}

// rankExactness orders granularities, most precise first.
func rankExactness(g api.Granularity) int {
	return slices.Index([]api.Granularity{api.GranularityTest, api.GranularitySuite, api.GranularityImport, api.GranularityUnknown}, g)
}

// coarser returns the less precise of two granularities.
func coarser(a, b api.Granularity) api.Granularity {
	if rankExactness(a) < rankExactness(b) {
		return b
	}
	return a
}

// parseLines parses a line or a range of lines.
func parseLines(text string) ([]coverage.Range, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to, terr := strconv.Atoi(strings.TrimSpace(last))
	switch fix := "give a line or a range, as 42 or 40-60; lines count from 1"; {
	case err != nil, terr != nil, from < 1:
		return nil, &api.UsageError{Reason: fmt.Sprintf("%q is not a line or a range of lines", prose.Cut(prose.Line(text), testlist.MaxShown, sdk.TruncationMark)), Fix: fix}
	case to < from:
		return nil, &api.UsageError{Reason: fmt.Sprintf("lines %d-%d end before they begin", from, to), Fix: fix}
	}
	return []coverage.Range{{First: from, Last: to}}, nil
}

// clampRanges cuts ranges to the lines of a file. A range that begins after the last line is
// a [*api.UsageError], and so is any range of a file that cannot be read as source.
func clampRanges(ranges []coverage.Range, file string, lines []uint32) ([]coverage.Range, error) {
	for i, r := range ranges {
		switch {
		case lines == nil:
			return nil, &api.UsageError{Reason: prose.Line(file) + " is too large for a source file, or unreadable, so its lines are unknown", Fix: "ask for the whole file"}
		case r.First > len(lines):
			return nil, &api.UsageError{Reason: fmt.Sprintf("%s has %d lines", prose.Line(file), len(lines)), Fix: "give a line that it has, or none for the whole file"}
		}
		ranges[i].Last = min(r.Last, len(lines))
	}
	return ranges, nil
}

// resolveFile finds a file of the workspace, following links, and returns its path relative
// to the root, which has none. The file must lie in the workspace.
func resolveFile(root, file string) (string, error) {
	shown := prose.Cut(prose.Line(file), testlist.MaxShown, sdk.TruncationMark)
	fix := "name a file of the workspace, relative to " + root
	if strings.TrimSpace(file) == "" {
		return "", &api.UsageError{Reason: "no file is named", Fix: fix}
	}
	path := filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &api.UsageError{Reason: "there is no file " + shown, Fix: fix + ", without a line"}
	}
	rel, err := filepath.Rel(root, resolved)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &api.UsageError{Reason: shown + " lies outside of the workspace", Fix: fix}
	}
	if info, err := os.Stat(resolved); err != nil || !info.Mode().IsRegular() {
		return "", &api.UsageError{Reason: shown + " is not a regular file", Fix: fix}
	}
	return filepath.ToSlash(rel), nil
}
