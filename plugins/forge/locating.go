package forge

import (
	"context"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/trace"
	"github.com/proctorhq/proctor/sdk"
)

// locating reads the output of a [locate] command. Package trace finds the lines, and
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
	l.plain = newParser(ctx, run, saidSink{l: l})
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
