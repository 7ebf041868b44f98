package sdk

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables of the user's environment that a plugin gets, besides
// LC_* and PATH. A plugin has no business with tokens and proxies; what it needs to
// know about the tests' environment arrives in [Workspace.Env]. The remaining variables
// say who and where the user is, and in which language to print messages.
var inherited = []string{
	"HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ",
	// Coverage and race detector of plugin binaries under test; unset otherwise.
	"GOCOVERDIR", "GORACE",
}

// inheritedWindows are variables without which Windows programs cannot open
// sockets, find their home or draw random numbers.
var inheritedWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
	"LOCALAPPDATA", "APPDATA", "PROGRAMDATA", "NUMBER_OF_PROCESSORS",
}

// PluginEnvironment returns the part of a user's environment that a host passes to a
// plugin, before the variables of the protocol. It includes PATH, by which a script
// finds its interpreter, without entries that depend on the working directory.
func PluginEnvironment(environ []string) []string {
	var env []string
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
		case isPath(name):
			env = append(env, name+"="+wholePath(value))
		case isInherited(name):
			env = append(env, pair)
		}
	}
	return env
}

// isPath reports whether a variable is PATH, in any case on Windows.
func isPath(name string) bool {
	return name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(name, "PATH")
}

func wholePath(value string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(value), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func isInherited(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
		if slices.Contains(inheritedWindows, name) {
			return true
		}
	}
	return slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")
}
