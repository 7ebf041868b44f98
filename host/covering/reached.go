package covering

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxCode is how many lines of code an answer may have, maxOneCode of one function:
	// most are shorter, and a second one is likelier to help than the rest of the first.
	maxCode    = 60
	maxOneCode = 40
	// leastCode is how many lines of a function are worth showing.
	leastCode = 5
	// maxOutlined bounds the files whose calls are followed, as a second of work would
	// hold up an answer. Those beside the tests come first.
	maxOutlined = 300
	// graphDeadline bounds finding out what the suites are built from, likewise.
	graphDeadline = time.Second
	// maxGraphed bounds the suites that are asked for, which are arguments of a command.
	maxGraphed = 500
)

// ReachedCode returns the functions that the failing tests of a run reach by the names that
// they mention, likeliest to blame first, as far as an answer has room for. Failures that lead
// to code by themselves are left out, and so is everything if the sources are no longer
// those of the run.
func ReachedCode(ctx context.Context, k *ledger.Keeper, run api.Run) []api.Code {
	if run.Source == nil || run.Origin != "" || run.MixedState || run.FailuresTotal == 0 {
		return nil
	}
	where := api.Where{Dir: run.Workspace, Exact: true}
	_, led, err := ledger.Lookup(ctx, k, api.LastRun{Where: where, Ref: run.RunID})
	if err != nil {
		return nil
	}
	state, known, err := led.State(ctx, run.Source.Fingerprint)
	if err != nil || !known {
		return nil
	}
	projects, err := k.Projects(ctx, where, []string{run.Language})
	if err != nil || len(projects) != 1 {
		return nil
	}
	names := state.Names(ledger.RootIn(led, state.Top))
	files := listSources(run.Failures, keepBuilt(ctx, k, projects[0], run, names))
	outlines, err := project.ReadOutlines(ctx, projects[0], files)
	if err != nil {
		return nil
	}
	ranked := coverage.RankReached(outlines, findDeclarations(run.Failures, outlines))
	return excerptCode(ranked, query.Sources(ctx, k, run))
}

// keepBuilt leaves out the files from which no failing suite is built: what is in them can
// share a name with what a test reaches, but not be it. It leaves out nothing if what a suite
// is built from is unknown.
func keepBuilt(ctx context.Context, k *ledger.Keeper, p project.Project, run api.Run, names []string) []string {
	if !p.ID.Dependencies || !p.ID.Outline {
		return names
	}
	failing := map[string]bool{}
	for _, f := range run.Failures {
		failing[f.Suite] = true
	}
	suites := slices.Sorted(maps.Keys(failing))
	if len(suites) > maxGraphed || failing[""] {
		return names
	}
	ctx, cancel := context.WithTimeout(ctx, graphDeadline)
	defer cancel()
	graph, err := project.ListDependencies(ctx, k.Host, k.RunProbes(ctx, p), sdk.Selection{Suites: suites}, run.Selection.RunnerArgs, graphDeadline)
	if err != nil {
		return names
	}
	built := map[string]bool{}
	for _, suite := range suites {
		if graph.Suites[suite] == nil || graph.Suites[suite].Incomplete != "" {
			return names
		}
		for _, file := range graph.Files(suite) {
			built[file] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !built[name] })
}

// listSources returns the files of the kinds in which tests failed, those of their directories
// first.
func listSources(failures []api.Failure, names []string) []string {
	dirs, kinds := map[string]bool{}, map[string]bool{}
	for _, f := range failures {
		for _, at := range []sdk.Location{f.Location, f.TestFrame} {
			if at.File != "" {
				dirs[path.Dir(at.File)], kinds[path.Ext(at.File)] = true, true
			}
		}
	}
	var beside, others []string
	for _, name := range names {
		switch {
		case !kinds[path.Ext(name)]:
		case dirs[path.Dir(name)]:
			beside = append(beside, name)
		default:
			others = append(others, name)
		}
	}
	files := append(beside, others...)
	return files[:min(len(files), maxOutlined)]
}

// findDeclarations finds the declarations of failing tests. A part of a test is named after
// it.
func findDeclarations(failures []api.Failure, outlines map[string][]sdk.SourceUnit) []coverage.Declared {
	var failing []coverage.Declared
	for _, f := range failures {
		at := f.Location.File
		if f.TestFrame.File != "" {
			at = f.TestFrame.File
		}
		if f.Test == "" || isInBody(outlines[f.Location.File], f.Line) {
			continue
		}
		dir, test := path.Dir(at), ""
		for file, units := range outlines {
			if path.Dir(file) != dir {
				continue
			}
			for _, u := range units {
				if u.Kind == sdk.UnitTest && (f.Test == u.Test || api.IsInside(f.Test, u.Test, "")) && len(u.Test) > len(test) {
					test = u.Test
				}
			}
		}
		if d := (coverage.Declared{Dir: dir, Test: test}); test != "" && !slices.Contains(failing, d) {
			failing = append(failing, d)
		}
	}
	return failing
}

// isInBody reports whether a line is one of the code under test.
func isInBody(units []sdk.SourceUnit, line int) bool {
	return slices.ContainsFunc(units, func(u sdk.SourceUnit) bool {
		return u.Kind == sdk.UnitBody && u.StartLine <= line && line <= u.EndLine
	})
}

// excerptCode reads functions, as many as there is room for.
func excerptCode(ranked []coverage.Reached, read func(string) ([]string, bool)) []api.Code {
	var code []api.Code
	room := maxCode
	for _, r := range ranked {
		lines, ok := read(r.File)
		if !ok || r.Unit.EndLine > len(lines) {
			continue
		}
		lines = lines[r.Unit.StartLine-1 : r.Unit.EndLine]
		n := min(len(lines), maxOneCode, room)
		if n < len(lines) && n < leastCode {
			continue
		}
		code = append(code, api.Code{File: r.File, Line: r.Unit.StartLine, Lines: lines[:n], More: len(lines) - n})
		if room -= n; room <= 0 {
			break
		}
	}
	return code
}
