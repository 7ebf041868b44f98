package gotest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/oscalls"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/plugins/go/internal/testlog"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
	"github.com/proctorhq/proctor/sdk"
)

// IndexCmd implements [sdk.Indexer]. The command is
//
//	go test -json -count=1 -fullpath -timeout=0 -vet=off -cover -covermode=set -coverpkg=./...,os -overlay=FILE -exec PLUGIN FLAGS PACKAGES
//
// where the plugin's binary runs the tests of each package together, which is what the
// events report, and then one by one; see package testexec. It watches the time, so the
// go command has no timeout. The user's flags that a rerun keeps are kept.
//
// All packages below the root are measured, as far as the tests are built with them,
// and Go's package os, which shows what the log of package testing does not; see
// package oscalls. FILE makes that log begin with the program; see
// [testlog.WriteOverlay].
//
// The go command builds all of those before the first test: a package that does not
// build keeps all suites of the command from running, and the events name it.
func (d *Detector) IndexCmd(ctx context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	req.Workspace = withEnvironmentFile(req.Workspace)
	args, err := readArguments(req.RunnerArgs, req.Workspace.Env)
	if err != nil {
		return sdk.Plan{}, err
	}
	c := &composer{project: openProject(req.Workspace), executable: d.cfg.Executable, limits: platformLimits()}
	if !c.canExec() {
		return sdk.Plan{}, &sdk.Error{
			Reason:  sdk.InvalidArguments,
			Message: fmt.Sprintf("the tests cannot be run one by one: go test cannot start %q", c.executable),
		}
	}
	index := indexForm{composer: c, request: req, userArgs: args}
	c.args = args
	c.args.Flags = slices.DeleteFunc(slices.Clone(args.Flags), func(flag goflags.Flag) bool { return !keptInIndex(flag) })
	c.argv = slices.Concat(c.project.testArgv(goflags.Args{}, 0), index.flags())
	overlay, err := c.project.overlayLog(args)
	if err != nil {
		return sdk.Plan{}, err
	}
	if overlay != "" {
		c.argv = append(c.argv, "-overlay="+overlay)
	}
	targets := make([]sdk.TestID, len(req.Suites))
	for i, suite := range req.Suites {
		targets[i] = sdk.TestID{Suite: suite}
	}
	suites, _ := groupBySuite(targets)
	suites, err = c.project.survey(ctx, suites)
	if err != nil {
		return sdk.Plan{}, err
	}
	plan := sdk.Plan{}
	var pieces []piece
	for _, s := range suites {
		if s.dir == "" {
			plan.Warnings = append(plan.Warnings, fmt.Sprintf("%s is not measured: its directory is unknown", s.path))
			continue
		}
		pieces = append(pieces, wholePiece(s))
	}
	plan.Commands = c.splitCommand(pieces, tests, index.form)
	for i := range plan.Commands {
		plan.Commands[i].Covers = true
	}
	return plan, nil
}

// keptInIndex reports whether one of the user's flags affects what tests execute.
func keptInIndex(flag goflags.Flag) bool {
	switch flag.Name {
	case "cover", "covermode", "coverpkg": // measured as needed here
		return false
	case "vet", "timeout", "exec", "v", "benchtime", "benchmem": // irrelevant, or replaced
		return false
	}
	return keptInRerun(flag)
}

// indexForm composes the arguments and the table of an index.
type indexForm struct {
	composer *composer
	request  sdk.IndexRequest
	// userArgs are the user's arguments.
	userArgs goflags.Args
}

// flags returns those at the beginning of each command.
func (f indexForm) flags() []string {
	flags := []string{
		"-timeout=0", "-vet=off", "-cover", "-covermode=" + f.mode(), "-coverpkg=" + allBelow + "," + oscalls.Package,
	}
	goflagsVariable := goflags.Args{Flags: variableFlags(f.composer.project.workspace.Env["GOFLAGS"])}
	for _, name := range []string{"coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"} {
		if _, set := goflagsVariable.Get(name); set {
			flags = append(flags, "-"+name+"=") // it would write a user's file
		}
	}
	return flags
}

// mode is how blocks are counted: the race detector would report the simple mode.
func (f indexForm) mode() string {
	for _, flag := range slices.Concat(variableFlags(f.composer.project.workspace.Env["GOFLAGS"]), f.userArgs.Flags) {
		if flag.Name == "race" && flag.Bool() {
			return "atomic"
		}
	}
	return "set"
}

// overlayLog returns the value of -overlay with which tests log what they look at from the
// start of their program on; empty if Go's own log must do.
func (p project) overlayLog(args goflags.Args) (string, error) {
	root := p.earlyLogRoot(args)
	if root == "" || p.workspace.Env[source.Upload] != "" || p.workspace.Cache == "" {
		return "", nil
	}
	overlay, err := testlog.WriteOverlay(filepath.Join(p.workspace.Cache, "testlog"), root)
	if err != nil {
		return "", fmt.Errorf("an index keeps a file there: %w", err)
	}
	return overlay, nil
}

// earlyLogRoot returns the Go installation whose log an index replaces; empty if it cannot. Go
// allows no file of a toolchain that it downloaded to be replaced.
func (p project) earlyLogRoot(args goflags.Args) string {
	env, root := p.workspace.Env, toolchain.Root(p.workspace.Tools[tool])
	args.Flags = slices.Concat(variableFlags(env["GOFLAGS"]), args.Flags)
	_, overlaid := args.Get("overlay")
	own, downloaded := toolchain.Installed(root), strings.HasPrefix(filepath.Base(root), "toolchain@")
	if overlaid || downloaded || own == "" || own != p.version || !own.AtLeast("go1.20") ||
		env["GOROOT"] != "" && env["GOROOT"] != root || !testlog.CanReplace(root) {
		return ""
	}
	return root
}

// timeout returns how long the tests of a package may take together: the user's value,
// or the go command's default.
func (f indexForm) timeout() time.Duration {
	const usual = 10 * time.Minute
	text, set := f.userArgs.Get("timeout")
	if !set {
		text, set = goflags.Args{Flags: variableFlags(f.composer.project.workspace.Env["GOFLAGS"])}.Get("timeout")
	}
	if timeout, err := time.ParseDuration(text); set && err == nil {
		return max(timeout, 0)
	}
	return usual
}

// form implements [form].
func (f indexForm) form(pieces []piece, _ testKind) ([]string, sdk.Command) {
	program, _ := goflags.Quote(f.composer.executable)
	program += " " + ExecCommand
	table := testexec.Table{Measure: &testexec.Measure{
		Root: f.composer.project.layout.Root, BudgetMillis: f.request.SuiteBudget.Milliseconds(), TimeoutMillis: f.timeout().Milliseconds(),
	}}
	if f.request.Deadline > 0 {
		table.Measure.DeadlineMillis = runnerTimeout(f.request.Deadline).Milliseconds()
	}
	if users := userExec(f.userArgs, f.composer.project.workspace.Env["GOFLAGS"]); users != "" {
		program += " " + users
	} else {
		table.Cross = f.composer.crossProgram()
	}
	for _, p := range pieces {
		table.Packages = append(table.Packages, testexec.Package{Dir: p.suite.dir, Suite: p.suite.path})
	}
	data, _ := json.Marshal(table) // a table of texts always marshals
	return append([]string{"-exec", program}, f.composer.args.Words(anyFlag)...), sdk.Command{
		Env:    map[string]string{testexec.TableVariable: sdk.Scratch + "/" + tableFile},
		Inputs: []sdk.InputFile{{Name: tableFile, Data: data}},
	}
}
