package toolchain

import (
	"bufio"
	"go/version"
	"os"
	"path/filepath"
	"strings"
)

// Version is a Go version such as "go1.26.8", or "" if unknown.
type Version string

// Settings decide which toolchain runs.
type Settings struct {
	// Program is the path of the go command that will be started.
	Program string
	// Toolchain is the variable GOTOOLCHAIN.
	Toolchain string
	// Requires are versions that the module and workspace files require, such as "1.24"
	// or "go1.24.3".
	Requires []string
}

// firstSwitching is the first Go version that runs a toolchain other than its own if a
// module requires a newer one.
const firstSwitching = "go1.21"

// Find returns the version that will run. It is unknown if the go command is a wrapper
// outside of a Go installation.
func Find(settings Settings) Version {
	own := Installed(Root(settings.Program))
	if own != "" && version.Compare(string(own), firstSwitching) < 0 {
		return own
	}
	name, suffix, _ := strings.Cut(settings.Toolchain, "+")
	switch name {
	case "local":
		if suffix == "" {
			return own
		}
	case "", "auto", "path":
	default:
		if !version.IsValid(name) {
			return ""
		}
		if own = Version(name); suffix == "" {
			return own
		}
	}
	for _, required := range settings.Requires {
		if !strings.HasPrefix(required, "go") {
			required = "go" + required
		}
		if own != "" && version.IsValid(required) && version.Compare(required, string(own)) > 0 {
			own = Version(required)
		}
	}
	return own
}

// AtLeast reports whether v is at least a version such as "go1.21". An unknown version
// counts as recent: it most likely is, and otherwise the go command complains loudly
// about what it does not know.
func (v Version) AtLeast(wanted string) bool {
	return v == "" || version.Compare(string(v), wanted) >= 0
}

// Root returns the directory of the Go installation that contains a go command, which is the
// one above it, if it is not a wrapper outside of one; empty without a command.
func Root(program string) string {
	if program == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	return filepath.Dir(filepath.Dir(program))
}

// Installed reads the version of the Go installation in a directory; it is unknown if there
// is none.
func Installed(root string) Version {
	if root == "" {
		return ""
	}
	file, err := os.Open(filepath.Join(root, "VERSION"))
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan()
	for word := range strings.FieldsSeq(lines.Text()) {
		// A build of a branch says "devel go1.27-0a1b2c3".
		word, _, _ = strings.Cut(word, "-")
		if version.IsValid(word) {
			return Version(word)
		}
	}
	return ""
}
