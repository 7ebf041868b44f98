package sdk

import (
	"os"
	"slices"
	"strings"
)

// Variables that a plugin's command may not set: they decide which programs and
// libraries are found, or what a shell or an interpreter executes first. This does not
// stop a hostile plugin, which composes the command itself, but it keeps a plugin from
// invisibly changing what a command means. Variables of the Go tool, such as GOFLAGS,
// are legitimate.
var (
	reservedPrefixes = []string{"LD_", "DYLD_", "GIT_", "BASH_FUNC_", "PLUGIN_", "PROCTOR_"}
	reservedNames    = []string{
		"PATH", "PATHEXT", "COMSPEC", "SHELL", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "ZDOTDIR",
		"GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT",
		"PERL5LIB", "PERL5OPT", "PERL5DB", "RUBYLIB", "RUBYOPT", "NODE_OPTIONS", "NODE_PATH",
		"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "LUA_INIT", "LUA_PATH",
	}
)

// IsReservedVariable reports whether a host rejects a command with this variable in its
// Env.
func IsReservedVariable(name string) bool {
	// Names are case-insensitive on Windows, and nothing needs "path" besides "PATH".
	name = strings.ToUpper(name)
	return slices.Contains(reservedNames, name) ||
		slices.ContainsFunc(reservedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// IsReservedSetting reports whether a host rejects a command with this variable and value
// in its Env. GIT_DIR may be the system's null device: git finds no repository there,
// so a tool that calls git executes nothing named in a repository's configuration.
func IsReservedSetting(name, value string) bool {
	return IsReservedVariable(name) && (name != "GIT_DIR" || value != os.DevNull)
}
