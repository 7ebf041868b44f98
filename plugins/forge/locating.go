package forge

import (
	"context"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/trace"
	"github.com/proctorhq/proctor/sdk"
)

// locating reads the output of a command of [locate]. Package trace finds the
// lines, and the parser of all other commands says what failed there: a test
// may fail elsewhere the second time, as it does where it measures its gas, and
// then its message is another one.
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
	run.Workspace = sdk.Workspace{} // Nobody asks for declarations.
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

// comparable is the message that a failure has in a run that prints no traces:
// with them forge says of some calls why they reverted. It is nothing where
// another run of the same failure may have another one: a campaign ends in the
// state that its shortest sequence leads to.
func comparable(f sdk.Failure) string {
	switch {
	case f.Kind == kindInvariant:
		return ""
	case strings.HasPrefix(f.Message, "call to non-contract address"), strings.HasPrefix(f.Message, "delegatecall to non-contract address"):
		return "EvmError: Revert"
	}
	return f.Message
}

// foundSink takes lines.
type foundSink struct {
	sdk.Sink // Package trace reports failures alone.
	l        *locating
}

func (s foundSink) Failure(f sdk.Failure) { s.l.found = append(s.l.found, f) }

// saidSink takes what failed, and passes on why nothing ran.
type saidSink struct{ l *locating }

func (s saidSink) Failure(f sdk.Failure) {
	if f.TestID == (sdk.TestID{}) {
		s.l.sink.Failure(f)
		return
	}
	said := sdk.Failure{Kind: f.Kind, Message: comparable(f)}
	// Of two inputs each may fail on a line of its own, with the same words.
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
