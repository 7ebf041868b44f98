package gotest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/proctorhq/proctor/plugins/go/internal/parse"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
	"github.com/proctorhq/proctor/sdk"
)

// tool is the program that runs everything.
const tool = "go"

// Config is what a detector needs to know about its plugin.
type Config struct {
	// Version is the version of the plugin.
	Version string
	// Executable is the absolute path of a program that runs [Exec] if its first
	// argument is [ExecCommand]. Without one, reruns need more commands.
	Executable string
}

// Detector is the detector for Go.
type Detector struct {
	cfg Config
}

var (
	_ sdk.Detector        = (*Detector)(nil)
	_ sdk.ProjectDetector = (*Detector)(nil)
	_ sdk.Lister          = (*Detector)(nil)
	_ sdk.Outliner        = (*Detector)(nil)
	_ sdk.Indexer         = (*Detector)(nil)
)

// New returns the detector.
func New(cfg Config) *Detector { return &Detector{cfg: cfg} }

// Description returns the plugin's identity.
func (d *Detector) Description() sdk.Description {
	return sdk.Description{
		Name:         "go",
		Version:      d.cfg.Version,
		Language:     "go",
		SuiteNoun:    "package",
		Markers:      []string{"go.mod", "go.work"},
		Tools:        []string{tool},
		ToolDirs:     toolDirs(),
		Deciding:     decidingVariables(),
		Env:          slices.Concat(effective, building, resolving, compiling, searching, locating, caches, []string{source.Upload}),
		Selectors:    []sdk.Selector{sdk.SelectSuites, sdk.SelectTestPattern},
		RunnerFlags:  runnerFlags(),
		OutputOf:     true,
		Dependencies: true,
		Cover:        true,
		Cached:       true,
	}
}

// runnerFlags returns the common flags of "go test". Flags that are not harmless execute
// a program, replace sources, or write to a file.
func runnerFlags() []sdk.RunnerFlag {
	flags := []sdk.RunnerFlag{
		{Name: "-modfile", Value: "FILE", Effect: sdk.FlagTests},
		{Name: "-overlay", Value: "FILE", Effect: sdk.FlagTests},
		{Name: "-coverprofile", Value: "FILE"}, {Name: "-cpuprofile", Value: "FILE"}, {Name: "-memprofile", Value: "FILE"}, {Name: "-trace", Value: "FILE"},
		{Name: "-exec", Value: "PROGRAM"},
		{Name: "-ldflags", Value: "FLAGS"}, {Name: "-gcflags", Value: "FLAGS"},
	}
	for _, f := range []sdk.RunnerFlag{
		{Name: "-run", Value: "REGEX", Effect: sdk.FlagNarrows, Selector: sdk.SelectTestPattern},
		{Name: "-skip", Value: "REGEX", Effect: sdk.FlagNarrows},
		{Name: "-short", Effect: sdk.FlagNarrows},
		{Name: "-failfast", Effect: sdk.FlagNeutral},
		{Name: "-tags", Value: "TAGS", Effect: sdk.FlagTests},
		{Name: "-mod", Value: "MODE", Effect: sdk.FlagTests},
		{Name: "-fuzz", Value: "REGEX"},
		{Name: "-fuzztime", Value: "TIME"},
		{Name: "-bench", Value: "REGEX"},
		{Name: "-benchtime", Value: "TIME"},
		{Name: "-race"}, {Name: "-msan"}, {Name: "-asan"}, {Name: "-trimpath"},
		{Name: "-cover"}, {Name: "-covermode", Value: "MODE"}, {Name: "-coverpkg", Value: "PACKAGES"},
		{Name: "-cpu", Value: "LIST"},
		{Name: "-shuffle", Value: "SEED"},
		{Name: "-timeout", Value: "TIME"},
		{Name: "-vet", Value: "CHECKS"},
		{Name: "-update", Effect: sdk.FlagUpdates}, // of tests with golden files, by convention
		{Name: "-count", Value: "N", Effect: sdk.FlagNeutral},
		{Name: "-p", Value: "N", Effect: sdk.FlagNeutral},
		{Name: "-parallel", Value: "N", Effect: sdk.FlagNeutral},
		{Name: "-benchmem", Effect: sdk.FlagNeutral},
		{Name: "-v", Effect: sdk.FlagNeutral}, {Name: "-x", Effect: sdk.FlagNeutral}, {Name: "-work", Effect: sdk.FlagNeutral}, {Name: "-a", Effect: sdk.FlagNeutral},
	} {
		f.Harmless = true
		flags = append(flags, f)
	}
	return flags
}

// toolDirs returns where Go's installers put it; see https://go.dev/doc/install.
func toolDirs() []string {
	if runtime.GOOS == "windows" {
		return []string{`C:\Program Files\Go\bin`}
	}
	return []string{"/usr/local/go/bin", "~/go/bin"}
}

// project is what the files of a workspace say.
type project struct {
	workspace sdk.Workspace
	layout    *source.Layout
	version   toolchain.Version
}

// openProject reads the workspace's files. An unreadable workspace is treated as a single
// module: the go command says what is wrong with it.
func openProject(workspace sdk.Workspace) project {
	layout, err := source.ReadLayout(workspace.Root, workspace.Env)
	if err != nil {
		layout = &source.Layout{Root: workspace.Root, Reader: source.NewReader(workspace.Root, workspace.Env)}
	}
	return project{workspace: workspace, layout: layout, version: toolchain.Find(toolchain.Settings{
		Program:   workspace.Tools[tool],
		Toolchain: workspace.Env["GOTOOLCHAIN"],
		Requires:  layout.Requires,
	})}
}

// ParseTestFailures implements [sdk.Detector].
func (d *Detector) ParseTestFailures(_ context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	run.Workspace = withEnvironmentFile(run.Workspace)
	return parse.NewFor(parse.Config{Run: run}, sink)
}

// ExecCommand is the first argument with which a rerun or an index starts
// [Config.Executable].
const ExecCommand = "exec-helper"

// Exec is the program for the -exec of a rerun or an index: it runs a test binary with
// the tests planned for its package, or measures them. args are the arguments after
// [ExecCommand]. It returns the exit code.
func Exec(args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "proctor: cannot find out the package's directory:", err)
		return 1
	}
	return testexec.Main(testexec.Process{
		Args: args, Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
}
