package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/covering"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

func newCoveringCommand(a *app) *cobra.Command {
	var req api.CoveringRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "covering FILE[:LINE[-LINE]] | covering --diff [REV]",
		Short: "Show which tests execute a line, a file or a change",
		Long: `Show which tests execute a file or lines of it, the most specific first (those that
execute the least other code). With --diff, show those that execute any line changed since
REV (default HEAD). Nothing is run: the answer comes from proctor covering index, from
runs with --cover, and from what tests are built from.

It reports how exactly it is known:
  test     the test executed it when it ran alone
  package  the suite's tests executed it when they ran together
  import   the suite is built from it: any of its tests may execute it
  unknown  nothing is known, which does not mean that no test executes it
and whether sources have changed since (stale). Lines are followed through edits.

FILE is relative to the working directory, or else to the workspace. FILE:LINE:COLUMN, as
compilers print it, means the line.

Exit codes: 0 answered, including that no test executes it · 2 usage · 4 nothing is
known · 6 part of it is unknown`,
		Example: `  proctor covering parser/scan.go:42
  proctor covering parser/scan.go:40-60 --json | jq -r '.tests[] | "\(.suite) \(.test)"'
  proctor covering parser/scan.go
  proctor covering --diff
  proctor covering --diff main`,
		Args: takes(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			since := flags.RevisionOf(cmd, "diff")
			base, args, err := since.Take(args)
			switch {
			case err != nil:
				return err
			case since.Given && len(args) > 0:
				return &flags.Error{Err: fmt.Errorf("--diff=%s and %s exclude each other: ask for what was changed, or for a file", prose.Line(base), prose.Line(args[0]))}
			case len(args) > 1:
				return &flags.Error{Err: fmt.Errorf("ask about one file at a time, not %s and %s; see proctor covering --help", prose.Line(args[0]), prose.Line(args[1]))}
			case !since.Given && len(args) == 0:
				return &flags.Error{Err: errors.New("name a file, as proctor covering FILE:LINE, or ask for what was changed with --diff; see proctor covering --help")}
			}
			req.Where, req.Base = a.where(), base
			if since.Given {
				return ask(cmd.Context(), a, out, exiting(a, covering.CoveringDiff, coveringDiffExit), req, render.CoveringDiff)
			}
			req.File, req.Lines = findTarget(a.dir, args[0])
			return ask(cmd.Context(), a, out, exiting(a, covering.Covering, coveringExit), req, render.Covering)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the answer as an object")
	cmd.AddCommand(newIndexCommand(a))
	return cmd
}

// findTarget splits an argument into a file and lines. A file that exists relative to from
// becomes absolute; any other is left to the workspace.
func findTarget(from, arg string) (file, lines string) {
	here := func(file string) string {
		if filepath.IsAbs(file) {
			return file
		}
		abs, err := filepath.Abs(filepath.Join(from, file))
		if err != nil {
			return file
		}
		return abs
	}
	exists := func(file string) bool {
		_, err := os.Lstat(here(file))
		return err == nil
	}
	file, lines = parseTarget(arg, exists)
	if exists(file) {
		file = here(file)
	}
	return file, lines
}

// coveringExit returns the exit code for an answer. That no test executes something is an
// answer; that nothing is known is not.
func coveringExit(c api.Covering) int { return knownExit(c.Granularity, c.Total) }

func coveringDiffExit(d api.CoveringDiff) int {
	if d.FilesTotal == 0 {
		return exitPassed // nothing was changed
	}
	known := d.Total
	for _, f := range d.Files {
		if f.Granularity != api.GranularityUnknown {
			known++
		}
	}
	return knownExit(d.Granularity, known)
}

// knownExit returns the exit code for an answer of this granularity; known counts what is
// known in spite of it.
func knownExit(g api.Granularity, known int) int {
	switch {
	case g != api.GranularityUnknown:
		return exitPassed
	case known > 0:
		return exitIncomplete
	}
	return exitNothingRan
}

// The ways to append lines to a file. A column, as printed by compilers, is ignored; a
// trailing colon is left over from a message.
var (
	rangeTarget  = lazyregexp.New(`^(.+):([0-9]+-[0-9]+)(?::[0-9]+)?:?$`)
	columnTarget = lazyregexp.New(`^(.+):([0-9]+):[0-9]+:?$`)
	lineTarget   = lazyregexp.New(`^(.+):([0-9]+):?$`)
)

// parseTarget parses FILE[:LINE[-LINE]]. A file may have colons in its name, so the
// first reading whose file exists counts, and else the first.
func parseTarget(arg string, exists func(file string) bool) (file, lines string) {
	if exists(arg) {
		return arg, ""
	}
	type reading struct{ file, lines string }
	var readings []reading
	for _, form := range []*lazyregexp.Regexp{rangeTarget, columnTarget, lineTarget} {
		if m := form.FindStringSubmatch(arg); m != nil {
			readings = append(readings, reading{m[1], m[2]})
		}
	}
	for _, r := range readings {
		if exists(r.file) {
			return r.file, r.lines
		}
	}
	if len(readings) > 0 {
		return readings[0].file, readings[0].lines
	}
	// What follows an existing file was meant as lines: their parser reports the error.
	if at := strings.LastIndexByte(arg, ':'); at > 0 && exists(arg[:at]) {
		return arg[:at], arg[at+1:]
	}
	return arg, ""
}

// newIndexCommand measures what covering answers from.
func newIndexCommand(a *app) *cobra.Command {
	var req api.IndexRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "index [flags] [PACKAGE]... [-- RUNNER ARGS]",
		Short: "Measure which lines each test executes",
		Long: `Measure which lines each test executes by running each one alone, and keep the result in
.proctor for proctor covering and proctor run --affected. PACKAGE is a suite or a pattern
of suites in the language's notation; the default is all suites.

Only suites whose tests, dependencies or read files changed since they were indexed are
run. If time runs out, what has been indexed is kept, and the next one continues from
there. A suite whose tests cannot be measured one by one in its time is known only as a
whole, with the reason.

RUNNER ARGS change how tests are built. Their measurements are kept apart, and used only
by proctor run --affected with the same arguments.

An index is not a run: nothing counts as passed or failed. Tests that end differently
alone than among the others of their suite are named: they depend on others.

Exit codes: 0 complete · 1 something did not build · 2 usage · 3 the index could not be
made · 4 nothing to index · 6 not everything was measured · 130 interrupted`,
		Example: `  proctor covering index
  proctor covering index ./parser/... --budget 2m
  proctor covering index --force --json | jq .findings
  proctor covering index --match-contract '^TokenTest$'
  proctor covering index -tags integration`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			before, behind := splitAtDash(cmd, args)
			packages, err := packagesNamed(cmd, a.where().Dir, before)
			if err != nil {
				return err
			}
			req.Packages, req.RunnerArgs = append(req.Packages, packages...), behind
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return makeIndex(cmd.Context(), a, k, out, req)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Index object")
	return cmd
}

func makeIndex(ctx context.Context, a *app, k *ledger.Keeper, out *output, req api.IndexRequest) error {
	view := newView(a, out)
	view.Silent = true // failures in an index prove nothing
	ix, err := covering.Index(ctx, k, req, view)
	view.Close()
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && ix.Schema != "":
		// Not even the suites were listed.
		ix.Message = "the time ran out before the suites were listed: give more with --budget"
		ix.Warnings = append(ix.Warnings, api.Note{Code: api.NotePartly, Text: ix.Message})
	case err != nil:
		return err
	}
	if a.code = indexExit(ix); ctx.Err() != nil {
		a.code = exitInterrupted
	}
	if out.isJSON() {
		return a.printJSON(ix)
	}
	style := a.style()
	style.Names = ledger.HeardNames(k)
	_, err = fmt.Fprint(a.env.Stdout, render.Index(ix, style))
	return err
}

// indexExit is the exit code for an index.
func indexExit(ix api.Index) int {
	switch {
	case ix.RunError != "":
		return exitTool
	case len(ix.Failures) > 0:
		return exitFailed
	case !ix.Complete:
		return exitIncomplete // even if the suites are unknown
	case len(ix.Suites) == 0:
		return exitNothingRan
	}
	return exitPassed
}
