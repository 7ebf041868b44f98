package manifest

import (
	"regexp"
	"runtime"
	"strings"
)

// BinaryPrefix begins the file name of every plugin binary.
const BinaryPrefix = "proctor-plugin-"

// namePattern matches plugin names. They are short, because they appear in paths, flags
// and error texts, and lower case, because some file systems fold case.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// maxName bounds names. It is not part of the pattern: a bound compiles to that many
// copies, at every start.
const maxName = 32

// ValidName reports whether a plugin may have this name.
func ValidName(name string) bool { return len(name) <= maxName && namePattern.MatchString(name) }

// Platform is an operating system and a processor as Go names them: linux_amd64.
type Platform string

// ThisPlatform returns that of this process.
func ThisPlatform() Platform { return Platform(runtime.GOOS + "_" + runtime.GOARCH) }

var platformPattern = regexp.MustCompile(`^[a-z0-9]+_[a-z0-9]+$`)

// Valid reports whether it has the form of a platform, known or not.
func (p Platform) Valid() bool { return len(p) <= maxName && platformPattern.MatchString(string(p)) }

// BinaryName returns the file name of a plugin's binary on a platform.
func BinaryName(plugin string, p Platform) string {
	if strings.HasPrefix(string(p), "windows_") {
		return BinaryPrefix + plugin + ".exe"
	}
	return BinaryPrefix + plugin
}
