package arguments

// The flags that take a value as a separate argument, by cargo test --help and by the
// --help of a test binary, of Rust 1.95.
var (
	cargoTakesValue = set("-p", "--package", "--exclude", "--bin", "--test", "--example", "--bench", "-F", "--features",
		"-j", "--jobs", "--profile", "--target", "--target-dir", "--manifest-path", "--message-format", "--color",
		"--config", "-Z", "--lockfile-path", "-C")
	libtestTakesValue = set("--skip", "--test-threads", "--logfile", "--color", "--format", "--shuffle-seed", "-Z")
)

const (
	noNames    = "the names of the tests that passed would not be printed"
	noTests    = "no test would run"
	oursAlone  = "the plugin sets it"
	ownProject = "the project is the workspace"
)

// Flags that would leave nothing to read, or another format.
var (
	cargoRefused = map[string]string{
		"-q": noNames, "--quiet": noNames, "--no-run": noTests, "-h": noTests, "--help": noTests,
		"--message-format": oursAlone, "--manifest-path": ownProject, "-C": ownProject,
		"--build-plan": noTests, "--unit-graph": noTests,
	}
	libtestRefused = map[string]string{
		"-q": noNames, "--quiet": noNames, "--format": noNames, "--list": noTests, "-h": noTests, "--help": noTests,
	}
)

func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
