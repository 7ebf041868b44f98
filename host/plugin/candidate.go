package plugin

import (
	"regexp"
	"runtime"
	"strings"
)

// BinaryPrefix begins the file name of every plugin binary.
const BinaryPrefix = "proctor-plugin-"

// namePattern is what a plugin may be called. It is short, because the name
// appears in paths, flags and error texts, and lower case, because some file
// systems fold case.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// maxPluginName is how short; see maxVersion for why the pattern does not say.
const maxPluginName = 32

// Candidate is a plugin binary that may be started.
type Candidate struct {
	// Name is the NAME in proctor-plugin-NAME.
	Name string
	// Path is absolute.
	Path string
	// Override: the user named the path. The front announces it.
	Override bool
}

// Refused is a plugin binary that was found and will not be started.
type Refused struct {
	Name     string
	Path     string
	Override bool
	// Reason says what is wrong and what to do.
	Reason string
}

// ValidName tells whether a plugin may have this name.
func ValidName(name string) bool { return len(name) <= maxPluginName && namePattern.MatchString(name) }

// nameOfBinary takes the plugin's name out of a file name.
func nameOfBinary(file string) (string, bool) {
	if runtime.GOOS == "windows" {
		trimmed, ok := strings.CutSuffix(strings.ToLower(file), ".exe")
		if !ok {
			return "", false
		}
		file = trimmed
	}
	name, ok := strings.CutPrefix(file, BinaryPrefix)
	if !ok || !ValidName(name) {
		return "", false
	}
	return name, true
}
