package gotest

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/sdk"
)

// ListCmd implements [sdk.Lister]. It asks the go command which test files each
// package has under the build tags of the run; nothing is built or executed. A
// -run or -skip among the runner arguments does not narrow the listing: they do
// not change which tests exist.
func (d *Detector) ListCmd(_ context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	req.Workspace = withEnvironmentFile(req.Workspace)
	args, err := readArguments(req.RunnerArgs, req.Workspace.Env["GOFLAGS"])
	if err != nil {
		return sdk.Plan{}, err
	}
	if err := checkSelection(req.Selection); err != nil {
		return sdk.Plan{}, err
	}
	if len(req.Selection.Suites) > 0 {
		args.Packages = nil
	}
	packages, err := open(req.Workspace).packages(req.Selection, args)
	if err != nil {
		return sdk.Plan{}, err
	}
	argv := []string{tool, "list", "-e", "-json=" + listedFields}
	plan := sdk.Plan{Commands: []sdk.Command{{Argv: slices.Concat(argv, args.Words(selectsFiles), packages)}}}
	for _, flag := range []string{"run", "skip"} {
		if _, given := args.Get(flag); given {
			plan.Warnings = append(plan.Warnings, "-"+flag+" does not narrow the list: it has all tests; a filter narrows it")
		}
	}
	return plan, nil
}

// selectsFiles tells the flags that decide which files belong to a package.
func selectsFiles(flag goflags.Flag) bool {
	switch flag.Name {
	case "tags", "race", "msan", "asan", "mod", "modfile", "overlay", "compiler", "installsuffix":
		return true
	}
	return false
}

// ParseList implements [sdk.Lister].
func (d *Detector) ParseList(ctx context.Context, req sdk.ListRequest, _ sdk.Command, sink sdk.ListSink) sdk.Parser {
	filter, err := pattern.Parse(req.Selection.TestPattern)
	if err != nil {
		sink.Error("the filter is not a regular expression: " + err.Error())
	}
	return &listing{ctx: ctx, project: open(req.Workspace), filter: filter, sink: sink}
}
