package arguments

// The flags that take a value as a separate argument, according to cargo test --help and
// the --help of a test binary of Rust 1.95.
var (
	cargoTakesValue = setOf("-p", "--package", "--exclude", "--bin", "--test", "--example", "--bench", "-F", "--features",
		"-j", "--jobs", "--profile", "--target", "--target-dir", "--manifest-path", "--message-format", "--color",
		"--config", "-Z", "--lockfile-path", "-C")
	libtestTakesValue = setOf("--skip", "--test-threads", "--logfile", "--color", "--format", "--shuffle-seed", "-Z")
)

const (
	noNames     = "the names of the tests that passed would not be printed"
	noTests     = "no test would run"
	setByPlugin = "the plugin sets it"
	ownProject  = "the project is always the workspace"
)

// Flags that the plugin rejects, with the reason.
var (
	cargoRefused = map[string]string{
		"-q": noNames, "--quiet": noNames, "--no-run": noTests, "-h": noTests, "--help": noTests,
		"--message-format": setByPlugin, "--manifest-path": ownProject, "-C": ownProject,
		"--build-plan": noTests, "--unit-graph": noTests,
	}
	libtestRefused = map[string]string{
		"-q": noNames, "--quiet": noNames, "--format": noNames, "--list": noTests, "-h": noTests, "--help": noTests,
	}
)

func setOf(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
