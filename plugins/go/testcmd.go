package gotest

import (
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/sdk"
)

// TestCmd implements [sdk.Detector]. The command is
//
//	go test -json -count=1 -fullpath -timeout=T [-run FILTER] FLAGS PACKAGES TRAILING
//
// where FLAGS and TRAILING are the user's arguments, and a -count or -timeout among
// them replaces ours. To measure coverage, -coverprofile precedes FLAGS. Where results
// from the cache will do, there is no -count=1.
func (d *Detector) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	req.Workspace = withEnvironmentFile(req.Workspace)
	args, err := readArguments(req.RunnerArgs, req.Workspace.Env)
	if err != nil {
		return sdk.Plan{}, err
	}
	if err := checkSelection(req.Selection); err != nil {
		return sdk.Plan{}, err
	}
	project := openProject(req.Workspace)
	packages, err := project.packages(req.Selection, args)
	if err != nil {
		return sdk.Plan{}, err
	}
	if len(req.Selection.Suites)+len(args.Packages) == 0 && !project.overlays(args) && project.isEmpty() {
		return sdk.Plan{Warnings: []string{"there are no packages: the module has no Go files"}, Way: project.way(args)}, nil
	}
	argv := project.testArgv(args, req.Deadline)
	if req.AllowCached {
		argv = slices.DeleteFunc(argv, func(arg string) bool { return arg == notCached })
	}
	if err := project.checkMatched(slices.Concat(req.Selection.Suites, args.Packages), args); err != nil {
		return sdk.Plan{}, err
	}
	run, narrowed := args.Get("run")
	if filter := req.Selection.TestPattern; filter != "" {
		if narrowed {
			return sdk.Plan{}, invalidSelection("the filter %q and the runner argument -run %q both select tests: give one of them", filter, run)
		}
		run = filter
		argv = append(argv, "-run", filter)
	}
	skip, _ := args.Get("skip")
	plan := sdk.Plan{Way: project.way(args), NarrowedBy: project.narrowedBy(args)}
	covers := false
	if req.Cover {
		flags, why := project.coverageFlags(args)
		if covers = why == ""; !covers {
			plan.Warnings = append(plan.Warnings, why)
		}
		argv = append(argv, flags...)
	}
	plan.Check = project.check(args, packages, covers)
	plan.Commands = []sdk.Command{{
		Argv:                   slices.Concat(argv, args.Words(userFlag), packages, args.Trailing()),
		SelectsInsideTests:     pattern.Inside(run) || pattern.Inside(skip),
		SelectsOnlyInsideTests: pattern.OnlyInside(run),
		Covers:                 covers,
	}}
	return plan, nil
}

// narrowedBy names the flag of GOFLAGS that leaves tests out of a command with these
// arguments. Others that would are refused.
func (p project) narrowedBy(args goflags.Args) []string {
	if _, replaced := args.Get("short"); replaced {
		return nil
	}
	flags := slices.DeleteFunc(variableFlags(p.workspace.Env["GOFLAGS"]), func(f goflags.Flag) bool { return f.Name != "short" })
	if n := len(flags); n == 0 || !flags[n-1].Bool() {
		return nil
	}
	return []string{"-short in GOFLAGS"}
}

// userFlag rejects the flags that every command already has. -v is part of -json; next
// to it, it removes the marks from package testing's output, which then cannot be found
// after text without a newline.
func userFlag(flag goflags.Flag) bool {
	return flag.Name != "json" && flag.Name != "fullpath" && flag.Name != "v"
}

// notCached keeps the go command from using its cache of results: a cached result says
// nothing about now.
const notCached = "-count=1"

// testArgv returns the beginning of a command that runs tests.
func (p project) testArgv(args goflags.Args, deadline time.Duration) []string {
	argv := []string{tool, "test", "-json"}
	if _, set := args.Get("count"); !set {
		argv = append(argv, notCached)
	}
	if p.version.AtLeast("go1.21") {
		argv = append(argv, "-fullpath")
	}
	if _, set := args.Get("timeout"); !set && deadline > 0 {
		argv = append(argv, "-timeout="+runnerTimeout(deadline).String())
	}
	return argv
}

// margin is how much earlier than the host "go test" gives up at most: time enough to
// print all goroutine stacks and exit.
const margin = 10 * time.Second

// runnerTimeout is the time after which "go test" should say what hangs: a tenth before
// the host's deadline, and at most the margin. The deadline covers building and all
// packages, this covers each package, so the host's may still come first. Without a
// deadline go's own ten minutes apply.
func runnerTimeout(deadline time.Duration) time.Duration {
	timeout := deadline - min(margin, deadline/10)
	if timeout > time.Minute {
		return timeout.Truncate(time.Second)
	}
	return max(timeout.Truncate(time.Millisecond), time.Millisecond)
}

// checkSelection rejects what this detector does not support.
func checkSelection(selection sdk.Selection) error {
	if selection.PathPattern != "" || selection.SuitePattern != "" {
		return invalidSelection("Go tests are selected by package and by a pattern of test names, not by paths or suite patterns")
	}
	if _, err := pattern.Parse(selection.TestPattern); err != nil {
		return invalidSelection("the filter %q is not a regular expression that go test -run accepts: %v", selection.TestPattern, err)
	}
	return nil
}
