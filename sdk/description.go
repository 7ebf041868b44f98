package sdk

// Description is a plugin's identity. It is static: nothing in it depends on a
// workspace.
type Description struct {
	// Name is the NAME in proctor-plugin-NAME: [a-z][a-z0-9-]*.
	Name string
	// Version of the plugin.
	Version string
	// Language in lower case, as users write it after --lang.
	Language string
	// Aliases are other names in lower case by which users may call it.
	Aliases []string
	// Markers are the file names whose presence makes a directory a project.
	Markers []string
	// Tools are the programs the commands need. The host looks them up.
	Tools []string
	// ToolDirs are the directories in which the tools usually lie, for users
	// with a short PATH: absolute, or beginning with "~/" for the user's home.
	ToolDirs []string
	// Env names the variables of the tests' environment on which the plugin's
	// answers depend; they arrive in [Workspace.Env]. Plugins do not inherit
	// the user's environment.
	Env []string
	// Deciding names the variables of the tests' environment that decide which
	// tests there are or how they end; a name that ends in "*" stands for all that
	// begin so. Results under other values of these are of another environment.
	// Empty: those of Env decide.
	Deciding []string
	// Selectors are the ways of narrowing a run that TestCmd honours.
	Selectors []Selector
	// RunnerFlags are flags of the runner, with their dashes and taking one
	// value, that a front may offer as its own: it passes them in RunnerArgs.
	RunnerFlags []string
	// Probes are commands whose output the plugin's answers depend on.
	Probes []Probe
	// OutputOf says that parsers honour [RunInfo.OutputOf].
	OutputOf bool
	// Seed says that commands honour the seed of a request.
	Seed bool
	// Locate says that [RerunRequest.Locate] and [RunInfo.Locate] are honoured.
	Locate bool
	// Cover says that [TestRequest.Cover] is honoured; the detector is a
	// [CoverageReader].
	Cover bool
	// Dependencies says that [ListRequest.Dependencies] and [RerunRequest.AlsoBuild]
	// are honoured; the detector is a [Lister].
	Dependencies bool
}

// Probe is a quick command that tells about the workspace or its tools without
// executing code of the project. The host runs it in the workspace root before
// it asks for commands, and passes what it printed in [Workspace.Probes].
type Probe struct {
	Name string
	// Argv, Env and UnsetEnv are as in [Command].
	Argv     []string
	Env      map[string]string
	UnsetEnv []string
}

// Selector is one way to narrow a run.
type Selector int

// The fields of [Selection].
const (
	SelectSuites Selector = iota + 1
	SelectPathPattern
	SelectSuitePattern
	SelectTestPattern
)

// Detection is the answer to whether a directory holds a project.
type Detection struct {
	Detected bool
	// Untested names parts below the root that a run will not cover, also where
	// nothing was detected in the root itself.
	Untested []Untested
	// Settings are what results depend on beside the sources, the runner arguments,
	// the probes and the deciding variables, as far as files tell: the version of a
	// tool, by its name in Description.Tools, and settings in files outside of the
	// workspace, by theirs.
	Settings map[string]string
}

// Untested is a part of the workspace that a run does not cover.
type Untested struct {
	// Path is relative to the workspace root.
	Path string
	// Reason says why it is left out and how to test it.
	Reason string
}
