package gotest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
	"github.com/proctorhq/proctor/sdk"
)

// locating are the variables that determine the place of the go command's environment
// file; see [os.UserConfigDir] and `go help environment`.
var locating = []string{"GOENV", "XDG_CONFIG_HOME", "HOME", "AppData"}

// effective are the variables that affect a plan.
var effective = []string{"GOFLAGS", "GOWORK", "GOTOOLCHAIN", "GOOS", "GOARCH"}

// building are the variables that decide which files are compiled, and so which tests
// exist.
var building = []string{"CGO_ENABLED", "GOEXPERIMENT", "GOAMD64", "GOARM", "GOARM64", "GO386"}

// resolving are further variables that decide which files are compiled.
var resolving = []string{"GO111MODULE", "GODEBUG", "GOFIPS140", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM", "CC"}

// compiling are variables that decide how files of other languages are compiled.
var compiling = []string{"CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_FFLAGS", "CGO_LDFLAGS", "CXX"}

// filed returns the variables that the go command takes from its environment file if they are
// unset, as far as they affect a run. A GODEBUG there does not reach the tests.
func filed() []string {
	return slices.DeleteFunc(slices.Concat(effective, building, resolving, compiling), func(name string) bool { return name == "GODEBUG" })
}

// searching are the variables that say where the standard library and compilers are.
var searching = []string{"GOROOT", "PATH"}

// decidingVariables returns the variables that affect what is compiled and how it behaves, but
// not where things are or where they are fetched from.
func decidingVariables() []string {
	return slices.Concat(effective, building, []string{
		"GO111MODULE", "GODEBUG", "GORACE", "GOFIPS140", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK",
		"GOMIPS*", "GOPPC64", "GORISCV64", "GOWASM", "CGO_*", "CC", "CXX", "TZ",
	})
}

// settings returns the deciding settings of the go command's environment file, unless
// the environment overrides them, and the version that will run.
func (p project) settings(set map[string]string) map[string]string {
	settings := map[string]string{}
	for _, name := range filed() {
		if set[name] == "" && p.workspace.Env[name] != "" && name != "GOTOOLCHAIN" { // the version shows its effect
			settings[name] = p.workspace.Env[name]
		}
	}
	if p.version != "" {
		settings[tool] = string(p.version)
	}
	return settings
}

// caches are the variables that say where the go command keeps modules.
var caches = []string{"GOMODCACHE", "GOPATH"}

// withEnvironmentFile adds what `go env -w` has set: a GOFLAGS there restricts a run
// just like one in the environment.
func withEnvironmentFile(ws sdk.Workspace) sdk.Workspace {
	env := maps.Clone(ws.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, path := range []string{userFile(env), installationFile(ws.Tools[tool])} {
		for key, value := range readEnvironmentFile(path) {
			if env[key] == "" { // an empty variable counts as unset
				env[key] = value
			}
		}
	}
	ws.Env = env
	return ws
}

// userFile returns where `go env -w` writes.
func userFile(env map[string]string) string {
	switch path := env["GOENV"]; {
	case path == "off":
		return ""
	case path != "":
		return path
	}
	switch {
	case env["AppData"] != "":
		return filepath.Join(env["AppData"], "go", "env")
	case filepath.IsAbs(env["XDG_CONFIG_HOME"]):
		return filepath.Join(env["XDG_CONFIG_HOME"], "go", "env")
	case env["HOME"] == "":
		return ""
	}
	unix := filepath.Join(env["HOME"], ".config", "go", "env")
	if _, err := os.Stat(unix); err == nil {
		return unix
	}
	return filepath.Join(env["HOME"], "Library", "Application Support", "go", "env") // macOS
}

// checkEnvironmentFile rejects a relative path: it names another file in each
// directory, so the go command would read another file than the plugin.
func checkEnvironmentFile(env map[string]string) error {
	path := userFile(env)
	if path == "" || filepath.IsAbs(path) {
		return nil
	}
	return invalidArguments("the go command's own settings are in %s (see GOENV and HOME), a relative path, which names another file in each directory: make it absolute, or set GOENV=off", path)
}

// installationFile returns the file with the defaults of a Go installation.
func installationFile(program string) string {
	root := toolchain.Root(program)
	if root == "" {
		return ""
	}
	return filepath.Join(root, "go.env")
}

// maxEnvironmentFile bounds such a file; it has a few lines.
const maxEnvironmentFile = 1 << 20

// readEnvironmentFile reads lines of KEY=VALUE; see cmd/go/internal/cfg. An unreadable
// file sets nothing.
func readEnvironmentFile(path string) map[string]string {
	if path == "" {
		return nil
	}
	text, err := source.Reader{}.Bytes(path, maxEnvironmentFile)
	if err != nil {
		return nil
	}
	values, known := map[string]string{}, filed()
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		if !ok {
			continue
		}
		if slices.Contains(known, key) {
			values[key] = value
		}
	}
	return values
}
