package cargotest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/proctor-plugin-cargo/internal/arguments"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// Detector is the plugin. It has no state: everything it knows about a project is in the
// requests.
type Detector struct{}

// New returns the detector.
func New() Detector { return Detector{} }

// TestCmd composes a command that builds, and one for each test binary.
func (Detector) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	args, err := parseArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	p, err := readProject(req.Workspace)
	if err != nil {
		return sdk.Plan{}, err
	}
	if p == nil {
		return planUnreadable(req.Workspace)
	}
	selected, err := selectTargets(p, args, req.Selection)
	if err != nil {
		return sdk.Plan{}, err
	}
	return planRun(p, args, selected), nil
}

// RerunCmd composes one command for each suite: the names after "--" go to every binary of
// a command, and another binary may have tests with the same names.
func (Detector) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	args, err := parseArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	p, err := readProject(req.Workspace)
	if err != nil || p == nil || req.Locate {
		return sdk.Plan{}, err
	}
	if slices.ContainsFunc(req.Targets, func(id sdk.TestID) bool { return id.Suite == "" }) {
		// The run itself is outstanding: nobody knows what it left undone.
		selected, err := p.Select(args)
		if err != nil {
			return sdk.Plan{}, refuseSelection(err)
		}
		return planRun(p, args, selected), nil
	}
	return planRerun(p, args, req.Targets), nil
}

// ParseTestFailures returns a parser for one command's output.
func (Detector) ParseTestFailures(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return newParser(ctx, run, sink)
}

func parseArguments(list []string) (arguments.Arguments, error) {
	args, err := arguments.Parse(list)
	if err != nil {
		return arguments.Arguments{}, &sdk.Error{Reason: sdk.InvalidArguments, Message: err.Error()}
	}
	return args, nil
}

// readProject returns nil if cargo could not read the project: cargo then prints the
// reason once more, as the output of a command (planUnreadable).
func readProject(ws sdk.Workspace) (*project.Project, error) {
	probe, ok := ws.Probes[probeMetadata]
	if !ok {
		if ws.Tools["cargo"] == "" {
			return nil, &sdk.Error{Reason: sdk.ToolNotFound, Message: "cargo was not found; install Rust (https://rustup.rs) or put cargo on the PATH"}
		}
		return nil, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: "the packages of the project are unknown, because `cargo metadata` was not executed"}
	}
	if probe.ExitCode == -1 {
		return nil, &sdk.Error{
			Reason: sdk.WorkspaceNotSupported,
			Message: "`cargo metadata --no-deps` did not end, or printed more than 256 KiB: the workspace has too many packages for this plugin; " +
				"run proctor in the directory of one package whose manifest is a workspace of its own",
		}
	}
	if probe.ExitCode != 0 {
		return nil, nil
	}
	p, err := project.Parse(probe.Stdout, ws.Root)
	if err != nil {
		return nil, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: err.Error()}
	}
	return p, nil
}

func refuseSelection(err error) error {
	var unknown *project.UnknownPackageError
	if errors.As(err, &unknown) {
		return &sdk.Error{Reason: sdk.InvalidArguments, Message: err.Error()}
	}
	return err
}

// Version of the plugin.
const Version = "0.1.0"

// probeMetadata is the name of the probe that lists packages and targets. Without
// dependencies cargo resolves nothing, needs no network and executes no code of the
// project.
const probeMetadata = "metadata"

// Description is the plugin's identity.
func Description() sdk.Description {
	return sdk.Description{
		Name: "cargo", Version: Version, Language: "rust", Aliases: []string{"cargo"},
		Markers: []string{"Cargo.toml"}, FailedExits: []int{101}, Tools: []string{"cargo"}, ToolDirs: []string{"~/.cargo/bin"},
		Selectors: []sdk.Selector{sdk.SelectSuites, sdk.SelectSuitePattern},
		RunnerFlags: []sdk.RunnerFlag{
			{Name: "--features", Value: "FEATURES", Effect: sdk.FlagTests}, {Name: "--profile", Value: "NAME"},
		},
		Probes: []sdk.Probe{{
			Name: probeMetadata,
			Argv: []string{"cargo", "metadata", "--no-deps", "--format-version=1"},
			Env:  map[string]string{"CARGO_TERM_COLOR": "never"},
		}},
	}
}

// foreign counts lines that are not the runner's: what tests printed past libtest.
type foreign struct {
	bytes  int64
	sample strings.Builder
}

func (f *foreign) add(text string) {
	f.bytes += int64(len(text)) + 1
	if room := sdk.MaxSample - f.sample.Len(); room > 0 {
		f.sample.WriteString(text[:min(len(text), room)])
		f.sample.WriteByte('\n')
	}
}

func (f *foreign) report(sink sdk.Sink) {
	if f.bytes > 0 {
		sink.Unread(sdk.Unread{Bytes: f.bytes, Sample: f.sample.String()})
	}
}
