package forge

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/trace"
	"github.com/proctorhq/proctor/sdk"
)

// locating reads the output of a command of [planLocating]. Package trace finds the lines, and
// the regular parser says what failed there: the second time a test may fail elsewhere,
// as when it measures its gas, with another message.
type locating struct {
	sink  sdk.Sink
	lines sdk.Parser
	plain sdk.Parser
	// found are the lines; said is what failed.
	found []sdk.Failure
	said  map[sdk.TestID]sdk.Failure
}

func newLocating(ctx context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	l := &locating{sink: sink, said: map[sdk.TestID]sdk.Failure{}}
	root := run.Workspace.Root
	s := settings.Read(run.Workspace)
	before := s.Artifacts(root)
	s = s.Under(run.Command.Argv)
	l.lines = trace.NewParser(ctx, trace.Config{
		Root: root, Artifacts: s.Artifacts(root), Before: &before, Libs: s.Libs, Targets: run.Command.Targets,
	}, foundSink{l: l})
	run.Workspace = sdk.Workspace{} // declarations are not needed
	l.plain = newParser(ctx, run, saidSink{l: l}, 0)
	return l
}

// Write implements [sdk.Parser].
func (l *locating) Write(stream sdk.Stream, data []byte) {
	l.lines.Write(stream, data)
	l.plain.Write(stream, data)
}

// Close implements [sdk.Parser].
func (l *locating) Close(exit sdk.Exit) {
	l.lines.Close(exit)
	l.plain.Close(exit)
	for _, f := range l.found {
		if said, ok := l.said[f.TestID]; ok {
			f.Kind, f.Message, f.Attributes = said.Kind, said.Message, said.Attributes
			l.sink.Failure(f)
		}
	}
}

// comparableMessage returns the message that a failure has in a run without traces: with
// traces forge says why some calls reverted. It returns "" if another run may give the
// same failure another message: a campaign ends in the state that its shortest sequence
// leads to.
func comparableMessage(f sdk.Failure) string {
	switch {
	case f.Kind == kindInvariant:
		return ""
	case strings.HasPrefix(f.Message, "call to non-contract address"), strings.HasPrefix(f.Message, "delegatecall to non-contract address"):
		return "EvmError: Revert"
	}
	return f.Message
}

// foundSink collects lines.
type foundSink struct {
	sdk.Sink // package trace only reports failures
	l        *locating
}

func (s foundSink) Failure(f sdk.Failure) { s.l.found = append(s.l.found, f) }

// saidSink collects what failed, and passes on why nothing ran.
type saidSink struct{ l *locating }

func (s saidSink) Failure(f sdk.Failure) {
	if f.TestID == (sdk.TestID{}) {
		s.l.sink.Failure(f)
		return
	}
	said := sdk.Failure{Kind: f.Kind, Message: comparableMessage(f)}
	// Two inputs may fail on different lines with the same message.
	if input := f.Attributes["counterexample"]; input != "" {
		said.Attributes = map[string]string{"counterexample": input}
	}
	s.l.said[f.TestID] = said
}

func (s saidSink) RunError(text string) { s.l.sink.RunError(text) }

func (saidSink) Test(sdk.TestResult)      {}
func (saidSink) Suite(sdk.SuiteResult)    {}
func (saidSink) Unread(sdk.Unread)        {}
func (saidSink) Note(string)              {}
func (saidSink) Output([]byte)            {}
func (saidSink) Condition(string, string) {}

const (
	// verbositySteps is the verbosity at which forge prints every step.
	verbositySteps = 5
	// maxLocated bounds the tests that are located: each prints megabytes.
	maxLocated = 50
)

// planLocating composes commands that rerun failed tests step by step, with contracts whose
// steps have lines, unlike those of optimized code. It omits fixtures, which print no
// steps.
func planLocating(ctx context.Context, req sdk.RerunRequest, list arguments.List, s settings.Settings) (sdk.Plan, error) {
	req.Targets = slices.DeleteFunc(slices.Clone(req.Targets), func(id sdk.TestID) bool {
		return id.Test == "" || isFixture(id.Test)
	})
	if req.Workspace.Cache == "" {
		return sdk.Plan{}, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: "the workspace has no cache for contracts compiled without the optimizer"}
	}
	var warnings []string
	if more := len(req.Targets) - maxLocated; more > 0 {
		req.Targets = req.Targets[:maxLocated]
		warnings = append(warnings, fmt.Sprintf("the failing lines of only %d tests are located; %d more failed, and are shown at their declarations", maxLocated, more))
	}
	seed, err := fuzzSeed(list, s, req.Seed)
	if err != nil {
		return sdk.Plan{}, err
	}
	argv := testArgv(list, seed, verbositySteps)
	// The project's own build output stays unchanged.
	argv = append(argv, "--out", filepath.Join(req.Workspace.Cache, "out"), "--cache-path", filepath.Join(req.Workspace.Cache, "index"))
	filters, asked := planFilters(ctx, req, list, s)
	var commands []sdk.Command
	for _, f := range filters {
		c := newCommand(s, slices.Concat(argv, filterOptions(f), list.Words(keptWhenLocating)))
		c.Env["FOUNDRY_OPTIMIZER"] = "false"
		c.Env["FOUNDRY_VIA_IR"] = "false"
		c.Env["FOUNDRY_DYNAMIC_TEST_LINKING"] = "false"
		// Otherwise a test continues after a failed assertion, which no step shows.
		c.Env["FOUNDRY_ASSERTIONS_REVERT"] = "true"
		c.Targets = filterTargets(f, asked)
		commands = append(commands, c)
	}
	return sdk.Plan{Commands: commands, Warnings: warnings}, nil
}

// keptWhenLocating rejects options that decide how contracts are compiled and where
// they are written.
func keptWhenLocating(option arguments.Option) bool {
	switch option.Name {
	case "optimize", "optimizer-runs", "via-ir", "dynamic-test-linking", "out", "cache-path", "no-cache", "force",
		"build-info", "build-info-path", "extra-output", "extra-output-files", "decode-internal", "suppress-successful-traces":
		return false
	}
	return keptWithTests(option)
}
