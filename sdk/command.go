package sdk

import "time"

// Workspace is where the tests live.
type Workspace struct {
	// Root is the absolute path of the project root, with symbolic links resolved.
	Root string
	// Tools holds the absolute paths of the programs in Description.Tools. A program
	// that was not found is absent.
	Tools map[string]string
	// Env holds those variables of Description.Env that are set for the tests.
	Env map[string]string
	// Probes holds the output of the probes in Description.Probes, by name. A probe
	// that could not be started is absent; so are all if nothing was executed, as for
	// recorded output. A plugin's test puts recorded ones here.
	Probes map[string]ProbeOutput
	// Cache is the absolute path of a directory in which the plugin's commands may keep
	// what they can recreate, such as a second build. It need not exist. It is empty if
	// nothing is executed.
	Cache string
}

// ProbeOutput is the output of a probe.
type ProbeOutput struct {
	// Stdout is empty, and ExitCode -1, if the output exceeds 256 KiB.
	Stdout []byte
	// Stderr is the end of standard error.
	Stderr string
	// ExitCode is -1 if the probe did not exit by itself.
	ExitCode int
}

// Selection restricts a run. Empty fields do not.
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
	// RunnerArgs are the user's arguments, passed through unchanged.
	RunnerArgs []string
	// Deadline is the time after which the host stops the command; 0 means never. Set
	// the runner's own limit somewhat below it, so that the runner can still report
	// what hung.
	Deadline time.Duration
	// Seed is the user's seed for whatever the runner draws at random; empty leaves it
	// to the project's settings or to the plugin.
	Seed string
	// Cover also asks to measure which lines the tests execute, suite by suite. It must
	// not affect which tests run, or how they end.
	Cover bool
	// AllowCached permits the runner to answer from its cache. Otherwise every selected
	// test must really run.
	AllowCached bool
}

// RerunRequest asks for commands that run exactly these tests.
type RerunRequest struct {
	Workspace Workspace
	// Targets are the tests. One without a name stands for its whole suite, one without
	// a suite for the whole run, as composed by TestCmd.
	Targets []TestID
	// Widen asks for the outermost listed test of each target instead.
	Widen bool
	// RunnerArgs are those of the run that the targets come from.
	RunnerArgs []string
	// Deadline is as in [TestRequest].
	Deadline time.Duration
	// Seed is that of the run that the targets come from.
	Seed string
	// Locate asks for commands that prove nothing but rerun failed targets so that a
	// parser, which is told so, finds the line that failed. Leave out targets for which
	// that is impossible.
	Locate bool
	// AlsoBuild are suites without targets that must still be built, so that an edit
	// that breaks their build is noticed.
	AlsoBuild []string
}

// ListRequest asks which tests exist.
type ListRequest struct {
	Workspace Workspace
	// Selection restricts the listing. Suite names taken from results are valid in
	// Selection.Suites.
	Selection Selection
	// RunnerArgs matter if they change what exists, like build tags.
	RunnerArgs []string
	// Selected asks for what a run with this selection, these runner arguments and the
	// project's settings would run. Otherwise the request is for everything that
	// exists, whatever a run would leave out.
	Selected bool
	// Dependencies also asks what each suite is built from: [ListedSuite.Needs] and
	// [ListSink.Part].
	Dependencies bool
}

// Plan is a list of commands, and what the user should know about them.
type Plan struct {
	Commands []Command
	Warnings []string
	// NarrowedBy names what leaves tests out of a run besides the selection and the
	// runner arguments: settings of the project, each in a few words. A pass of such a
	// run proves nothing about tests left outstanding by a run without them. It is set
	// by [Detector.TestCmd].
	NarrowedBy []string
	// Seed is what the commands use, in the form that a request takes; empty if nothing
	// is drawn at random. It is set by [Detector.TestCmd].
	Seed string
	// Outputs are slash-separated paths, relative to the root, of files and directories
	// that the commands write by themselves, such as caches and build output. Those not
	// tracked by version control are not part of the sources. It is set by
	// [Detector.TestCmd].
	Outputs []string
	// Way is the way in which the commands run tests; nil if the plugin does not say.
	// It is set by [Detector.TestCmd] and [Detector.RerunCmd].
	Way *Way
	// Check says what cannot be built before any test runs, and leaves its work for the
	// commands to find; nil if there is no such command. Its parser reports suites that
	// failed to build, and nothing else. It decides nothing. It is set by
	// [Detector.TestCmd].
	Check *Command
}

// Way is what affects how a test ends among the runner arguments, and among variables
// and files that replace them, in words that are equal if it is the same: not
// verbosity, parallelism or timeouts, and nothing that only selects tests. A pass
// proves what failed in an equal way.
type Way struct {
	// Decides lists what must be exactly equal for a pass to prove what was red.
	Decides []string
	// Narrows lists what makes tests do less: a pass without one also proves what was
	// red with it, but not the reverse.
	Narrows []string
}

// Scratch, in the arguments and variables of a [Command], stands for the directory that
// holds its Inputs.
const Scratch = "{scratch}"

// Root, in the variables of a [Command], stands for the workspace root.
const Root = "{root}"

// Command is a process that the host executes, without a shell.
type Command struct {
	// Argv is the program and its arguments. The host looks up a program without a
	// slash.
	Argv []string
	// Dir is the working directory relative to the workspace root; empty means the
	// root. It must not leave the workspace.
	Dir string
	// Env is added to the environment of the tests. [Root] in a value stands for the
	// workspace root.
	Env map[string]string
	// Inputs are files that the host writes to the command's scratch directory, and
	// removes after parsing the output.
	Inputs []InputFile
	// Targets are the tests that this command runs, if the plugin knows them; one
	// without a name is a whole suite. The parser gets them in [RunInfo.Command].
	Targets []TestID
	// SelectsInsideTests reports whether the command may run only a part of a test:
	// then a pass of a test that contains others proves nothing about the whole.
	SelectsInsideTests bool
	// SelectsOnlyInsideTests reports whether everything the command selects is inside
	// tests: if none of these ran, nothing that was requested did.
	SelectsOnlyInsideTests bool
	// UnsetEnv names variables that the tests must not inherit; a trailing "*" matches
	// a prefix, ignoring case, and a name after "!" is kept regardless. They are
	// removed before Env is added.
	UnsetEnv []string
	// Exclusive reports whether the command must not run in parallel with another in
	// the same workspace, because both would write the same files.
	Exclusive bool
	// Prepares reports whether the command prepares the following ones, as by a build,
	// and runs no test. If it fails, they are not executed, and its parser reports the
	// suites that did not run as SuiteBuildFailed.
	Prepares bool
	// Covers reports whether the command leaves coverage in its scratch directory, for
	// [CoverageReader.ParseCoverage]. It then has that directory even without Inputs.
	Covers bool
	// Known reports whether the plugin knows what the command would print: it is not
	// executed, and its parser gets no output, only an exit with code 0. Only a command of
	// [Lister.ListCmd] may be known.
	Known bool
}

// InputFile is a small file that a command needs. Name has no directory.
type InputFile struct {
	Name string
	Data []byte
}
