package sdk

import "context"

// Detector is what a plugin author implements: how to run a language's tests,
// how to read the runner's output, and how to rerun some tests.
//
// A detector is a translator. It may read files of the workspace, but starts no
// process: the host executes the commands it composes. Its methods may be called
// concurrently.
//
// Optional capabilities are further interfaces that the same value implements:
// [ProjectDetector], [Lister], [Scaffolder], [CoverageReader], [Indexer] and
// [Outliner].
type Detector interface {
	// TestCmd composes the commands that run the selected tests.
	TestCmd(ctx context.Context, req TestRequest) (Plan, error)
	// ParseTestFailures returns a parser for the output of one command. The parser
	// reports to sink.
	ParseTestFailures(ctx context.Context, run RunInfo, sink Sink) Parser
	// RerunCmd composes the fewest commands that run exactly the given tests. A target
	// in no command cannot be rerun. If the runner cannot select a test alone, use the
	// smallest command that runs it; its Targets still name only what was requested.
	RerunCmd(ctx context.Context, req RerunRequest) (Plan, error)
}

// ProjectDetector is implemented by a detector that needs more than the markers of its
// [Description] to recognize a project. If it has markers, a directory without any is
// not a project, and the detector may never be asked about it.
type ProjectDetector interface {
	Detect(ctx context.Context, ws Workspace) (Detection, error)
}

// Lister is implemented by a detector that can name the existing tests without running
// them. The host uses it to name tests that never started, and to notice tests that
// were renamed, removed or added before a rerun.
type Lister interface {
	// ListCmd composes the commands whose output ParseList reads. They must not execute
	// code of the project. If the sources alone show which tests exist, a command that is
	// Known will do. If one exits with another code than 0, no test is taken to be gone
	// because the listing lacks it.
	ListCmd(ctx context.Context, req ListRequest) (Plan, error)
	// ParseList reads the output of one command of ListCmd.
	ParseList(ctx context.Context, req ListRequest, cmd Command, sink ListSink) Parser
}

// Scaffolder is implemented by a detector that can turn a set of source files into a
// project. An [InvalidSources] error refuses the set.
type Scaffolder interface {
	Scaffold(ctx context.Context, req ScaffoldRequest) (Scaffold, error)
}

// Parser reads the output of one command. It is total: no input makes it panic, block,
// or report fewer failures than it saw. It counts what it cannot read and reports it
// with [Sink.Unread].
//
// If tests can print into the runner's own text, a pass is only certain once the
// runner's summary confirms it: report it then, not before.
//
// Its methods are called from one goroutine. How a stream is split into chunks must not
// affect the result. When the host gives up, the context of the parse ends and Close is
// not called.
type Parser interface {
	// Write takes the next bytes of a stream. The slice is only valid during the call.
	// The order of chunks across streams is arbitrary.
	Write(stream Stream, data []byte)
	// Close says how the command ended. Everything must be reported before it returns.
	Close(exit Exit)
}

// ProgressParser is implemented by a parser that knows what is running. It is called
// from the goroutine that calls the parser's other methods.
type ProgressParser interface {
	Parser
	Progress() Progress
}

// Sink receives what a parser finds. It copies what it needs: the caller may reuse
// slices afterwards. Invalid UTF-8 is repaired.
type Sink interface {
	// Test reports the end of a test. Tests that started and did not end are reported
	// as [Unfinished] before [Parser.Close] returns.
	Test(TestResult)
	// Failure reports one thing that went wrong.
	Failure(Failure)
	// Suite reports the end of a suite.
	Suite(SuiteResult)
	// Unread reports output that could not be read.
	Unread(Unread)
	// Note tells the user something about the run that is not a failure.
	Note(text string)
	// RunError reports, in the runner's own words, that it could not work.
	RunError(text string)
	// Condition reports something that the results depend on besides the sources and
	// the seed, such as the version of a tool or a compiler setting. Measures are only
	// compared between runs with equal conditions.
	Condition(name, value string)
	// Output passes on a piece of the output of RunInfo.OutputOf.
	Output(data []byte)
}

// RefusalSink is a [Sink] that also accepts refusals, such as the one from package
// server; see [Refuse].
type RefusalSink interface {
	Sink
	// Refused reports a refusal.
	Refused(Refusal)
}

// Refuse reports that the runner rejected something that was requested, besides the
// failure or run error that says the same. If a run shows nothing else, a host tells
// the user so and does not count it as a run.
func Refuse(sink Sink, r Refusal) {
	if s, ok := sink.(RefusalSink); ok {
		s.Refused(r)
	}
}

// ListSink receives what a list parser finds.
type ListSink interface {
	// Suite reports a suite and its tests.
	Suite(ListedSuite)
	// Part reports a part of the sources, for [ListRequest.Dependencies]. Several calls
	// for one part add up.
	Part(ListedPart)
	// Error reports that the listing is incomplete, and why.
	Error(text string)
}
