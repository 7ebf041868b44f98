package plugin

import (
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Candidate is a plugin binary that may be started.
type Candidate struct {
	// Name is the NAME in proctor-plugin-NAME.
	Name string
	// Path is absolute.
	Path string
	// Override reports whether the user named the path. The front announces it.
	Override bool
	// Lock is what a lock file says of it; nil for a plugin that none names.
	Lock *Lock
	// Files are those of which a project of its language has one, by its manifest;
	// empty is not known.
	Files []string
	// Beside reports whether it lies beside proctor, and is no other's.
	Beside bool
}

// Refused is a plugin binary that was found and will not be started, or one that a
// lock file names and that is not there.
type Refused struct {
	Name     string
	Path     string
	Override bool
	// Lock is the path of the lock file that names it; empty where none does.
	Lock string
	// Project reports whether that is the project's.
	Project bool
	// Files are as in [Candidate].
	Files []string
	// Reason says what is wrong and what to do.
	Reason string
	// Err is the typed error, where there is one.
	Err error
}

// nameOfBinary takes the plugin's name out of a file name.
func nameOfBinary(file string) (string, bool) {
	if runtime.GOOS == "windows" {
		trimmed, ok := strings.CutSuffix(strings.ToLower(file), ".exe")
		if !ok {
			return "", false
		}
		file = trimmed
	}
	name, ok := strings.CutPrefix(file, manifest.BinaryPrefix)
	if !ok || !manifest.ValidName(name) {
		return "", false
	}
	return name, true
}
