package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// The limits of a list of tests that cover something.
const (
	DefaultCoveringLimit = 50
	MaxCoveringLimit     = 500
)

// CoveringRequest asks which tests execute a file.
type CoveringRequest struct {
	Where Where
	// Language narrows to one of the detected languages; empty is all.
	Language string
	// File is relative to the workspace, or absolute.
	File string
	// Lines is a line or a range of them, as "42" or "40-60"; empty is all.
	Lines string
	// Limit is the most tests of the answer; 0 is the default, and it is clamped.
	Limit int
}

// CoveringDiffRequest asks which tests execute the lines that were changed.
type CoveringDiffRequest struct {
	Where Where
	// Language narrows to one of the detected languages; empty is all.
	Language string
	// Base is the revision to compare with; empty is HEAD.
	Base string
	// Limit is the most tests of the answer; 0 is the default, and it is clamped.
	Limit int
}

// ClampCoveringLimit is the most tests of an answer: the default where none is asked
// for.
func ClampCoveringLimit(limit int) int {
	if limit <= 0 {
		return DefaultCoveringLimit
	}
	return min(limit, MaxCoveringLimit)
}

// Covering says which tests execute a file or lines of it: by what `index` and runs
// with coverage measured, and where they did not by what the suites are built from.
// What is no file of the workspace and no line of it is a [*UsageError]. Nothing of the
// project is executed.
func (h *Host) Covering(ctx context.Context, req CoveringRequest) (record.Covering, error) {
	ranges, err := coveredLines(req.Lines)
	if err != nil {
		return record.Covering{}, err
	}
	root, err := h.Root(ctx, req.Where)
	if err != nil {
		return record.Covering{}, err
	}
	file, err := coveredFile(root, req.File)
	if err != nil {
		return record.Covering{}, err
	}
	known, err := h.knownCoverage(ctx, req.Where, req.Language)
	if err != nil {
		return record.Covering{}, err
	}
	if ranges, err = within(ranges, file, known.digests.lines(file)); err != nil {
		return record.Covering{}, err
	}
	answer, err := known.covering(ctx, file, ranges)
	if err != nil {
		return record.Covering{}, err
	}
	answer.Schema, answer.Lines = record.CoveringSchema, textOf(ranges)
	answer.Tests = answer.Tests[:min(len(answer.Tests), ClampCoveringLimit(req.Limit))]
	return answer, nil
}

// knownCoverage is what is known of the projects of a workspace.
type knownCoverage struct {
	host     *Host
	root     string
	projects []knownProject
	warnings []string
	digests  *digests
}

// knownProject is what is known of one project.
type knownProject struct {
	project
	suites []*coverage.Suite
	// elsewhere tells which ones were measured in another setting; nil is none.
	elsewhere func(suite string) bool
	// graph is nil where it is not known what the suites are built from.
	graph *coverage.Graph
}

// knownCoverage finds out what suites are built from now, and reads what was measured.
func (h *Host) knownCoverage(ctx context.Context, where Where, language string) (*knownCoverage, error) {
	var languages []string
	if language != "" {
		languages = []string{language}
	}
	projects, err := h.projects(ctx, where, languages)
	if err != nil {
		return nil, err
	}
	k := &knownCoverage{host: h, root: projects[0].root.Path, digests: newDigests(projects[0].root.Path)}
	for _, p := range projects {
		k.warnings = append(k.warnings, aboutProject(p)...)
		p = h.probed(ctx, p)
		known := knownProject{project: p}
		if store, ok := session.Existing(h.records(p.root.Path)); ok {
			suites, err := measured(ctx, measurements(store), p, nil)
			if err == nil {
				known.elsewhere, err = measurements(store).Elsewhere(p.id.Language, p.setting(nil))
			}
			if err != nil {
				return nil, err
			}
			for _, name := range slices.Sorted(maps.Keys(suites)) {
				known.suites = append(known.suites, suites[name])
			}
		}
		var trouble []string
		if known.graph, trouble, err = h.knownGraph(ctx, p); err != nil {
			return nil, err
		}
		k.warnings = append(k.warnings, trouble...)
		k.projects = append(k.projects, known)
	}
	return k, ctx.Err()
}

// knownGraph is what the suites of a project are built from. Where that cannot be told,
// there is none, and the warnings say why.
func (h *Host) knownGraph(ctx context.Context, p project) (*coverage.Graph, []string, error) {
	if !p.id.Dependencies {
		return nil, []string{fmt.Sprintf("plugin %s %s cannot tell what tests are built from", p.id.Name, p.id.Version)}, nil
	}
	unknown := func(err error) (*coverage.Graph, []string, error) {
		return nil, []string{"what tests are built from is not known: " + err.Error()}, ctx.Err()
	}
	if len(p.missing) > 0 {
		return unknown(errors.Join(p.missing...))
	}
	l, err := h.listing(ctx, p, sdk.ListRequest{Selected: true, Dependencies: true})
	if err != nil {
		return unknown(err)
	}
	if l.exclusive() {
		release, err := h.laneForTests(ctx, p)
		if err != nil {
			return unknown(err)
		}
		defer release()
	}
	g := coverage.NewGraph()
	if err := l.execute(ctx, testsDeadline, g); err != nil {
		return unknown(err)
	}
	return g, append(slices.Clone(l.plan.Warnings), g.Errors()...), nil
}

// covering answers about some lines of a file, in all languages.
func (k *knownCoverage) covering(ctx context.Context, file string, ranges []coverage.Range) (record.Covering, error) {
	lines := k.digests.lines(file)
	var answers []record.Covering
	for _, p := range k.projects {
		outlined := newOutliner(ctx, p.project)
		units, _ := outlined.of(file)
		answer := coverage.Cover(coverage.Question{
			Path: file, Ranges: ranges, Exists: k.digests.of(file) != "", Lines: lines, Units: units,
			Digest: k.digests.of, Outline: outlined.of, Suites: p.suites, Elsewhere: p.elsewhere, Graph: p.graph, Now: k.host.cfg.Now(),
		})
		if outlined.err != nil {
			return record.Covering{}, outlined.err
		}
		for i := range answer.Tests {
			answer.Tests[i].Language = p.id.Language
		}
		answers = append(answers, answer)
	}
	answer := joined(answers)
	answer.Workspace, answer.File = k.root, file
	answer.Warnings = append(answer.Warnings, k.warnings...)
	return answer, nil
}

// joined is one answer of those of several languages: of the languages that know
// something about the file, if any does.
func joined(answers []record.Covering) record.Covering {
	knowing := slices.DeleteFunc(slices.Clone(answers), func(a record.Covering) bool { return len(a.Tests) == 0 })
	if len(knowing) == 0 {
		// That no test executes it is only known where every language says so.
		return slices.MaxFunc(answers, func(a, b record.Covering) int { return exactness(a.Granularity) - exactness(b.Granularity) })
	}
	all := knowing[0]
	for _, a := range knowing[1:] {
		all.Tests = append(all.Tests, a.Tests...)
		all.Total += a.Total
		all.Stale = all.Stale || a.Stale
		all.Granularity = leastExact(all.Granularity, a.Granularity)
		all.Message += "; " + a.Message
		all.Warnings = append(all.Warnings, a.Warnings...)
		all.State, all.Untold = append(all.State, a.State...), append(all.Untold, a.Untold...)
		if a.MeasuredAt != nil && (all.MeasuredAt == nil || a.MeasuredAt.Before(*all.MeasuredAt)) {
			all.MeasuredAt, all.AgeS = a.MeasuredAt, a.AgeS
		}
		all.More = cmp.Or(all.More, a.More)
	}
	slices.SortStableFunc(all.Tests, func(a, b record.CoveringTest) int { return exactness(a.Granularity) - exactness(b.Granularity) })
	return all
}

// exactness orders granularities, the most exact first.
func exactness(g record.Granularity) int {
	return slices.Index([]record.Granularity{record.GranularityTest, record.GranularitySuite, record.GranularityImport, record.GranularityUnknown}, g)
}

func leastExact(a, b record.Granularity) record.Granularity {
	if exactness(a) < exactness(b) {
		return b
	}
	return a
}
