package gotest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// ListCmd implements [sdk.Lister]. It asks the go command which test files each
// package has under the build tags of the run; nothing is built or executed. A
// -run or -skip among the runner arguments restricts the listing only if the request
// is for what a run would run: they do not change which tests exist.
//
// With Dependencies it also asks what the packages import, directly and indirectly,
// and what the tests of a package would be compiled from.
func (d *Detector) ListCmd(_ context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	req.Workspace = withEnvironmentFile(req.Workspace)
	args, err := readArguments(req.RunnerArgs, req.Workspace.Env)
	if err != nil {
		return sdk.Plan{}, err
	}
	if err := checkSelection(req.Selection); err != nil {
		return sdk.Plan{}, err
	}
	if len(req.Selection.Suites) > 0 {
		args.Packages = nil
	}
	project := openProject(req.Workspace)
	packages, err := project.packages(req.Selection, args)
	if err != nil {
		return sdk.Plan{}, err
	}
	command := sdk.Command{Argv: []string{tool, "list", "-e", "-buildvcs=false", "-json=" + listedFields}}
	if req.Dependencies {
		command = listDependencies()
	}
	command.Argv = slices.Concat(command.Argv, args.Words(selectsFiles), packages)
	plan := sdk.Plan{Commands: []sdk.Command{project.knowKept(command)}}
	for _, flag := range []string{"run", "skip"} {
		if req.Selected && !req.Dependencies {
			break // see ParseList
		}
		if _, given := args.Get(flag); given {
			plan.Warnings = append(plan.Warnings, "-"+flag+" does not narrow the list, which has all tests; use a filter to narrow it")
		}
	}
	if warning := project.warnOfOtherModules(); req.Dependencies && warning != "" {
		plan.Warnings = append(plan.Warnings, warning)
	}
	return plan, nil
}

// warnOfOtherModules returns a warning if a go.work file above uses modules outside of
// the root: their tests are not listed, but may execute code in it.
func (p project) warnOfOtherModules() string {
	if p.layout.WorkFile == "" {
		return ""
	}
	for _, module := range p.layout.Main {
		if _, inside := source.RelativeTo(p.layout.Root, module.Dir); inside {
			continue
		}
		dir, err := filepath.Rel(p.layout.Root, filepath.Dir(p.layout.WorkFile))
		if err != nil {
			dir = filepath.Dir(p.layout.WorkFile)
		}
		return fmt.Sprintf("the tests of the other modules of %s are left out: they belong to the workspace %s",
			filepath.ToSlash(filepath.Join(dir, filepath.Base(p.layout.WorkFile))), filepath.ToSlash(dir))
	}
	return ""
}

// selectsFiles reports whether a flag decides which files belong to a package.
func selectsFiles(flag goflags.Flag) bool {
	switch flag.Name {
	case "tags", "race", "msan", "asan", "mod", "modfile", "overlay", "compiler", "installsuffix":
		return true
	}
	return false
}

// ParseList implements [sdk.Lister].
func (d *Detector) ParseList(ctx context.Context, req sdk.ListRequest, command sdk.Command, sink sdk.ListSink) sdk.Parser {
	filter, err := pattern.Parse(req.Selection.TestPattern)
	if err != nil {
		sink.Error("the filter is not a regular expression: " + err.Error())
	}
	l := &listing{ctx: ctx, project: openProject(withEnvironmentFile(req.Workspace)), filter: filter, run: parseOrSelectAll(""), sink: sink}
	l.command, l.keeper = command, l.project.newKeeper(command)
	if req.Dependencies {
		l.dependencies = l.project.dependencies(req.RunnerArgs)
	} else if req.Selected {
		l.narrow(req.RunnerArgs)
	}
	return l
}
