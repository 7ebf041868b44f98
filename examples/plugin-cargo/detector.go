package cargotest

import (
	"context"
	"errors"
	"slices"

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
