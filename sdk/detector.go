package sdk

import "context"

// Detector is what a plugin author implements: how to run a language's tests,
// how to read what the runner prints, and how to run some tests again.
//
// A detector is a translator. It may read files of the workspace, and it starts
// no process: the host executes the commands it composes. Its methods may be
// called concurrently.
//
// Optional abilities are further interfaces that the same value implements:
// [ProjectDetector], [Lister], [Scaffolder], [CoverageReader], [Indexer] and
// [Outliner].
type Detector interface {
	// TestCmd composes the commands that run the selected tests.
	TestCmd(ctx context.Context, req TestRequest) (Plan, error)
	// ParseTestFailures returns a parser for the output of one command. The
	// parser reports to sink.
	ParseTestFailures(ctx context.Context, run RunInfo, sink Sink) Parser
	// RerunCmd composes the fewest commands that run exactly the given tests.
	// A target that appears in no command cannot be rerun. Where the runner cannot
	// select a test alone, the smallest command that runs it will do; its Targets
	// still name what was asked for and nothing else.
	RerunCmd(ctx context.Context, req RerunRequest) (Plan, error)
}

// ProjectDetector is implemented by a detector for which the markers of its
// [Description] do not suffice to recognise a project. Where it has markers, a
// directory with none of them is no project: it may not be asked about that at all.
type ProjectDetector interface {
	Detect(ctx context.Context, ws Workspace) (Detection, error)
}

// Lister is implemented by a detector that can name the tests that exist
// without running them. The host uses it to name tests that never started, and
// to notice tests that were renamed, removed or added before a rerun.
type Lister interface {
	// ListCmd composes the commands whose output ParseList reads. They must
	// not execute code of the project. Where the sources alone tell which tests
	// exist, a command that does nothing will do, such as "TOOL --version".
	ListCmd(ctx context.Context, req ListRequest) (Plan, error)
	// ParseList reads the output of one command of ListCmd.
	ParseList(ctx context.Context, req ListRequest, cmd Command, sink ListSink) Parser
}

// Scaffolder is implemented by a detector that can make a project of a set of
// source files. An [InvalidSources] error refuses the set.
type Scaffolder interface {
	Scaffold(ctx context.Context, req ScaffoldRequest) (Scaffold, error)
}

// Parser reads the output of one command. It is total: no input makes it
// panic, block, or report fewer failures than it saw. What it cannot read it
// counts and reports with [Sink.Unread].
//
// Where tests can print into the runner's own text, a pass is only sure when the
// runner's summary confirms it: report it then, not before.
//
// Its methods are called from one goroutine. Where a stream is split into
// chunks must not change the result. When the host gives up, the context of the
// parse ends and Close is not called.
type Parser interface {
	// Write takes the next bytes of a stream. The slice is only valid during
	// the call. Chunks of different streams are in no order.
	Write(stream Stream, data []byte)
	// Close tells how the command ended. When it returns, everything has been
	// reported.
	Close(exit Exit)
}

// ProgressParser is implemented by a parser that can tell what is running. It
// is called from the goroutine that calls the parser's other methods.
type ProgressParser interface {
	Parser
	Progress() Progress
}

// Sink takes what a parser finds. It copies what it needs: the caller may
// reuse slices afterwards. Texts that are not valid UTF-8 are repaired.
type Sink interface {
	// Test reports the end of a test. Tests that started and have no end are
	// reported as [Unfinished] before [Parser.Close] returns.
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
	// Condition tells something that the results depend on beside the sources
	// and the seed, such as the version of a tool or a setting of a compiler.
	// Measures are only compared between runs of equal conditions.
	Condition(name, value string)
	// Output passes on a piece of the output of RunInfo.OutputOf.
	Output(data []byte)
}

// RefusalSink is a [Sink] that takes refusals too, as the one that package server hands out
// does; see [Refuse].
type RefusalSink interface {
	Sink
	// Refused reports a refusal.
	Refused(Refusal)
}

// Refuse reports that the runner did not take something that was asked for, beside the
// failure or the error of the run that says the same. Where a run shows nothing else, a
// host tells its user so and takes it for no run.
func Refuse(sink Sink, r Refusal) {
	if s, ok := sink.(RefusalSink); ok {
		s.Refused(r)
	}
}

// ListSink takes what a list parser finds.
type ListSink interface {
	// Suite reports a suite and its tests.
	Suite(ListedSuite)
	// Part reports a part of the sources, for [ListRequest.Dependencies]. What
	// several calls say of one part adds up.
	Part(ListedPart)
	// Error tells that the listing is incomplete, and why.
	Error(text string)
}
