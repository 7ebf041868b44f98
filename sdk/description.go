package sdk

// Description is a plugin's identity. It is static: nothing in it depends on a
// workspace.
type Description struct {
	// Name is the NAME in proctor-plugin-NAME: [a-z][a-z0-9-]*.
	Name string
	// Version is the version of the plugin.
	Version string
	// Language is in lower case, as users write it after --lang.
	Language string
	// SuiteNoun is what users of the runner call a suite, in the singular and lower case,
	// such as package; empty means suite.
	SuiteNoun string
	// FailedExits are the exit codes by which the runner says that tests failed, from 1
	// to 255; empty means 1. Any other code says that something else went wrong.
	FailedExits []int
	// Aliases are other lower-case names for the language.
	Aliases []string
	// Markers are the file names whose presence makes a directory a project.
	Markers []string
	// Tools are the programs that the commands need. The host looks them up.
	Tools []string
	// ToolDirs are the usual directories of the tools, for users with a short PATH:
	// absolute, or beginning with "~/" for the user's home.
	ToolDirs []string
	// Env names the variables of the tests' environment that the plugin's answers
	// depend on; they arrive in [Workspace.Env]. Plugins do not inherit the user's
	// environment.
	Env []string
	// Deciding names the variables of the tests' environment that affect which tests
	// exist or how they end; a trailing "*" matches a prefix. Results with other values
	// belong to another environment. It defaults to Env.
	Deciding []string
	// Selectors are the ways of restricting a run that TestCmd supports.
	Selectors []Selector
	// RunnerFlags are the runner's common flags. Fronts take them as they are.
	RunnerFlags []RunnerFlag
	// Probes are commands whose output the plugin's answers depend on.
	Probes []Probe
	// OutputOf reports whether parsers support [RunInfo.OutputOf].
	OutputOf bool
	// Seed reports whether commands use the seed of a request.
	Seed bool
	// Locate reports whether [RerunRequest.Locate] and [RunInfo.Locate] are supported.
	Locate bool
	// Cover reports whether [TestRequest.Cover] is supported; the detector is a
	// [CoverageReader].
	Cover bool
	// Dependencies reports whether [ListRequest.Dependencies] and
	// [RerunRequest.AlsoBuild] are supported; the detector is a [Lister].
	Dependencies bool
	// Cached reports whether [TestRequest.AllowCached] and [SuiteResult.Cached] are
	// supported: the runner has a cache of results.
	Cached bool
}

// Probe is a quick command that describes the workspace or its tools without executing
// code of the project. The host runs it in the workspace root before it asks for
// commands, and passes its output in [Workspace.Probes].
type Probe struct {
	Name string
	// Argv, Env and UnsetEnv are as in [Command].
	Argv     []string
	Env      map[string]string
	UnsetEnv []string
}

// Selector is a way to restrict a run.
type Selector int

// The fields of [Selection].
const (
	SelectSuites Selector = iota + 1
	SelectPathPattern
	SelectSuitePattern
	SelectTestPattern
)

// RunnerFlag is a flag of the runner that users may give to proctor as it is. It
// arrives in RunnerArgs as it was written, or in the [Selection] if it is a selector.
type RunnerFlag struct {
	// Name includes the dashes. A name with one dash may be written with two, as Go's.
	Name string
	// Value is the placeholder for the value in help texts, such as N; empty for a
	// switch.
	Value string
	// Effect is what the flag changes.
	Effect FlagEffect
	// Selector is the way of restricting a run that the flag is; 0 for any other flag.
	Selector Selector
	// Harmless reports whether an untrusted file of the project may set the flag: it
	// makes no other program run and names no file.
	Harmless bool
}

// FlagEffect is what a flag of the runner changes.
type FlagEffect int

const (
	// FlagDecides affects how tests end: results with it belong to another environment.
	FlagDecides FlagEffect = iota
	// FlagNarrows leaves tests out.
	FlagNarrows
	// FlagTests affects which tests exist.
	FlagTests
	// FlagNeutral affects nothing that a result proves, such as how much is printed or
	// how many tests run at once.
	FlagNeutral
	// FlagUpdates makes tests rewrite the files with their expected values instead of
	// comparing with them. A watch gives it when the user asks for that.
	FlagUpdates
)

// Detection says whether a directory holds a project.
type Detection struct {
	Detected bool
	// Untested names parts below the root that a run will not cover, even if nothing
	// was detected in the root itself.
	Untested []Untested
	// Settings are what results depend on besides the sources, the runner arguments,
	// the probes and the deciding variables, as far as files show: the version of a
	// tool, by its name in Description.Tools, and settings in files outside of the
	// workspace, by theirs.
	Settings map[string]string
	// SuitePrefixes are what precedes a directory, relative to the root, in the names of
	// suites that are named after their directories, such as the path of a module. People
	// are not shown it.
	SuitePrefixes []string
	// Outside are absolute paths of directories outside of the workspace that tests are
	// built from and people edit, such as a module that replaces a downloaded one.
	Outside []string
}

// Untested is a part of the workspace that a run does not cover.
type Untested struct {
	// Path is relative to the workspace root.
	Path string
	// Reason says why it is left out and how to test it.
	Reason string
}
