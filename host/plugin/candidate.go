package plugin

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/sdk/client"
)

// Candidate is a plugin binary that may be started.
type Candidate struct {
	// Name is the NAME in proctor-plugin-NAME.
	Name string
	// Path is absolute.
	Path string
	// Override reports whether the user named the path. The front announces it.
	Override bool
	// Lock is what a lock file says about it; nil if none names it.
	Lock *Lock
	// Files are names, from its manifest, one of which every project of its language has;
	// empty if unknown.
	Files []string
	// Beside reports whether it is beside proctor and not overridden or locked.
	Beside bool
}

// Refused is a plugin binary that was found but will not be started, or a missing one
// that a lock file names.
type Refused struct {
	Name     string
	Path     string
	Override bool
	// Lock is the path of the lock file that names it; empty if none does.
	Lock string
	// Project reports whether that lock file is the project's.
	Project bool
	// Files are as in [Candidate].
	Files []string
	// Reason says what is wrong and what to do.
	Reason string
	// Err is the typed error, if there is one.
	Err error
}

// nameOfBinary extracts the plugin's name from a file name.
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

// listProtocols returns the versions of the detector protocol that this proctor speaks.
func listProtocols() []int {
	var versions []int
	for v := range client.Plugins() {
		versions = append(versions, v)
	}
	slices.Sort(versions)
	return versions
}

// Verify compares the binary of a locked plugin with its hash, before each launch. The
// error is a [*held.MismatchError]. The store belongs to the user and its files are
// read-only: anyone able to replace one between this check and the start could change
// proctor just as well.
func (c Candidate) Verify(ctx context.Context) error {
	if c.Lock == nil {
		return nil
	}
	return c.Lock.Expected.Compare(ctx, c.Path)
}
