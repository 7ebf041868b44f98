package gotest

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// RerunCmd implements [sdk.Detector]. For tests, examples and fuzz seeds, and
// separately for benchmarks, it composes the first of these that is exact:
//
//   - go test ... PACKAGES, if whole packages are requested;
//   - go test ... -run EXPR PACKAGES, if one expression selects exactly what is
//     requested in every package, according to the packages' sources;
//   - go test ... -exec PLUGIN PACKAGES, where the plugin's binary gives every
//     package its own expression, see package testexec;
//   - one "go test -run" for each different expression, for packages whose
//     directory is unknown or without such a binary.
//
// Very many subtests of a package, or subtests in a very large one, run with the
// whole of their tests, because selecting them would take package testing too
// long; a warning says so. See [pattern.Compose].
//
// A suite of AlsoBuild is one more package of these commands, with an expression that
// selects nothing: it is compiled and vetted, and its initialization and TestMain run.
//
// Targets are left out if their package's directory or their top-level function is
// gone.
//
// The first run's arguments are dropped if they select tests, change how often or in
// which order they run, stop early, or would overwrite a file of the first run: see
// keptInRerun. Those that affect how tests are built stay.
func (d *Detector) RerunCmd(ctx context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	req.Workspace = withEnvironmentFile(req.Workspace)
	args, err := readArguments(req.RunnerArgs, req.Workspace.Env)
	if err != nil {
		return sdk.Plan{}, err
	}
	args.Flags = slices.DeleteFunc(args.Flags, func(flag goflags.Flag) bool { return !keptInRerun(flag) })
	project := openProject(req.Workspace)
	composer := &composer{
		project:    project,
		executable: d.cfg.Executable,
		args:       args,
		argv:       project.testArgv(args, req.Deadline),
		widen:      req.Widen,
		limits:     platformLimits(),
	}
	suites, everything := groupBySuite(req.Targets)
	way := project.way(args)
	if everything {
		plan := composer.planAll(req.Targets)
		plan.Way = way
		return plan, nil
	}
	suites, err = project.survey(ctx, alsoBuild(suites, req.AlsoBuild))
	if err != nil {
		return sdk.Plan{}, err
	}
	commands := slices.Concat(composer.commands(suites, tests), composer.commands(suites, benchmarks))
	return sdk.Plan{Commands: commands, Warnings: composer.warnings(), Way: way}, nil
}

// keptInRerun reports whether a rerun keeps a flag of the first run.
func keptInRerun(flag goflags.Flag) bool {
	switch flag.Name {
	case "run", "skip", "bench", "fuzz", "fuzztime", "fuzzminimizetime": // select
		return false
	case "count", "shuffle", "failfast": // how often, in which order, how far
		return false
	case "o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace": // write files
		return false
	}
	return userFlag(flag)
}

// planAll runs what a run without a selection runs: a failure that belongs to no
// suite does not say what is affected.
func (c *composer) planAll(targets []sdk.TestID) sdk.Plan {
	argv := slices.Concat(c.argv, c.args.Words(anyFlag), c.project.allPatterns(), c.args.Trailing())
	return sdk.Plan{Commands: []sdk.Command{{Argv: argv, Targets: targets}}}
}

func anyFlag(goflags.Flag) bool { return true }
