package sdk

import "time"

// Workspace is where the tests live.
type Workspace struct {
	// Root is the absolute path of the project root, symbolic links resolved.
	Root string
	// Tools holds the absolute paths of the programs of Description.Tools. A
	// program that was not found is absent.
	Tools map[string]string
	// Env holds the variables of Description.Env that are set for the tests.
	Env map[string]string
	// Probes holds what the probes of Description.Probes printed, by name. A
	// probe that could not be started is absent; so are all where nothing was
	// executed, as for a recorded output. A test of a plugin puts recorded ones here.
	Probes map[string]ProbeOutput
	// Cache is the absolute path of a directory in which the plugin's commands
	// may keep what they can make again, such as a second build. It need not
	// exist. It is empty where nothing is executed.
	Cache string
}

// ProbeOutput is what a probe printed.
type ProbeOutput struct {
	// Stdout is empty, and ExitCode -1, when there were more than 256 KiB.
	Stdout []byte
	// Stderr is the end of standard error.
	Stderr string
	// ExitCode is -1 when the probe did not end by itself.
	ExitCode int
}

// Selection narrows a run. Empty fields do not narrow.
type Selection struct {
	// Suites are names or patterns of suites in the language's own notation.
	Suites []string
	// PathPattern is a glob over the paths of test files.
	PathPattern string
	// SuitePattern is a regular expression over suite names.
	SuitePattern string
	// TestPattern is a regular expression over test names, in the runner's own
	// notation.
	TestPattern string
}

// IsZero reports whether the selection selects everything.
func (s Selection) IsZero() bool {
	return len(s.Suites) == 0 && s.PathPattern == "" && s.SuitePattern == "" && s.TestPattern == ""
}

// TestRequest asks for the commands of a run.
type TestRequest struct {
	Workspace Workspace
	Selection Selection
	// RunnerArgs are the arguments the user passed through, unchanged.
	RunnerArgs []string
	// Deadline is the time after which the host stops the command; 0 is none.
	// The runner's own limit belongs somewhat below it, so that the runner can
	// still say what hung.
	Deadline time.Duration
	// Seed is what the user wants to decide whatever the runner draws at
	// random; empty leaves that to the project's settings or to the plugin.
	Seed string
	// Cover asks to measure too which lines the tests execute, suite by suite. Which
	// tests run, and how they end, stays as it is without.
	Cover bool
}

// RerunRequest asks for commands that run exactly some tests.
type RerunRequest struct {
	Workspace Workspace
	// Targets are the tests. One without a name stands for its whole suite, one
	// without a suite for the whole run: it is answered with what TestCmd would.
	Targets []TestID
	// Widen asks for the outermost listed test of each target instead.
	Widen bool
	// RunnerArgs are those of the run that the targets come from.
	RunnerArgs []string
	// Deadline is as in [TestRequest].
	Deadline time.Duration
	// Seed is that of the run the targets come from.
	Seed string
	// Locate asks for commands that are not to prove anything: they run failed
	// targets once more, so that a parser that is told so finds the line that
	// failed. Targets for which that cannot be done belong in no command.
	Locate bool
	// AlsoBuild are suites of which no test is a target, and that must be built all
	// the same, so that an edit that breaks their build is seen.
	AlsoBuild []string
}

// ListRequest asks which tests exist.
type ListRequest struct {
	Workspace Workspace
	// Selection narrows the listing. Suite names taken from results are valid
	// in Selection.Suites.
	Selection Selection
	// RunnerArgs matter where they change what exists, as build tags do.
	RunnerArgs []string
	// Selected asks for what a run with this selection, these runner arguments
	// and the settings of the project would run. Otherwise everything that
	// exists is asked for, whatever would leave it out of a run.
	Selected bool
	// Dependencies asks for what each suite is built from as well:
	// [ListedSuite.Needs] and [ListSink.Part].
	Dependencies bool
}

// Plan is a list of commands and what the user should know about them.
type Plan struct {
	Commands []Command
	Warnings []string
	// NarrowedBy is what, other than the selection and the runner arguments,
	// leaves tests out of a run: settings of the project, each in a few words.
	// A pass of such a run proves nothing about tests that a run without them
	// left outstanding. It is for [Detector.TestCmd].
	NarrowedBy []string
	// Seed is what the commands use, in the form that a request takes; empty
	// where nothing is drawn at random. It is for [Detector.TestCmd].
	Seed string
	// Outputs are files and directories, relative to the root and with slashes,
	// that the commands write by themselves, such as caches and what was built.
	// What version control does not track of them is no part of the sources. It
	// is for [Detector.TestCmd].
	Outputs []string
	// Way is in which way the commands run tests; nil where the plugin does not
	// tell. It is for [Detector.TestCmd] and [Detector.RerunCmd].
	Way *Way
}

// Way is what of the runner arguments, and of variables and files that stand for
// such, decides how a test ends, in words that are equal where it is the same: no
// verbosity, parallelism or time-out, and nothing that only selects tests. What
// failed in one way is proved by a pass in an equal one.
type Way struct {
	// Decides: a pass proves only what was red under exactly the same of these.
	Decides []string
	// Narrows make tests do less: a pass without one proves what was red with it as
	// well, and not the other way round.
	Narrows []string
}

// Scratch stands, in the arguments and variables of a [Command], for the
// directory that holds its Inputs.
const Scratch = "{scratch}"

// Root stands, in the variables of a [Command], for the workspace root.
const Root = "{root}"

// Command is one process that the host executes, without a shell.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked up by the host.
	Argv []string
	// Dir is the working directory relative to the workspace root; empty is
	// the root. It must not leave the workspace.
	Dir string
	// Env is added to the environment of the tests. [Root] in a value stands for
	// the workspace root.
	Env map[string]string
	// Inputs are files the host writes into the command's scratch directory
	// and removes after the output was parsed.
	Inputs []InputFile
	// Targets are the tests this command runs, where the plugin knows them; one
	// without a name is a whole suite. The parser has them in [RunInfo.Command].
	Targets []TestID
	// SelectsInsideTests says that the command may run a part of a test: a
	// pass of a test that contains others then proves nothing about the whole.
	SelectsInsideTests bool
	// SelectsOnlyInsideTests says that everything the command selects lies
	// inside tests: if none of these ran, nothing that was asked for did.
	SelectsOnlyInsideTests bool
	// UnsetEnv names variables that the tests must not inherit; a name that
	// ends in "*" stands for all that begin so, in any case, and a name behind
	// "!" is kept all the same. They are removed before Env is added.
	UnsetEnv []string
	// Exclusive says that the command must not run beside another of the same
	// workspace, because both would write the same files.
	Exclusive bool
	// Prepares says that the command makes ready what the following ones need,
	// such as a build, and runs no test. When it fails, they are not executed, and
	// its parser reports the suites that did not run as SuiteBuildFailed.
	Prepares bool
	// Covers says that the command leaves coverage in its scratch directory, for
	// [CoverageReader.ParseCoverage]. It has such a directory also without Inputs.
	Covers bool
}

// InputFile is a small file that a command needs. Name has no directory.
type InputFile struct {
	Name string
	Data []byte
}
