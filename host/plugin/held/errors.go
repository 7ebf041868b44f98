package held

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/store"
)

// CodeMismatch tells programs that something does not have its expected hash.
const CodeMismatch = "plugin_checksum_mismatch"

// MismatchError reports that a file is not the expected one. It was not executed, and
// is not repaired.
type MismatchError struct {
	Name, Version string
	// Path is the file, or the address of what was fetched and discarded.
	Path string
	// Expected and Actual are hashes; By says who expects it.
	Expected, Actual, By string
	// Fetched means that nothing was installed; Intact, that what is installed is
	// unchanged but another is expected. Otherwise an installed file changed.
	Fetched, Intact bool
	// Expect says what to do if the difference is intended.
	Expect string
}

func (e *MismatchError) Error() string {
	by, _, _ := strings.Cut(e.By, ", ")
	if e.Fetched {
		return fmt.Sprintf("plugin %s %s is not what %s says; nothing was installed", e.Name, e.Version, by)
	}
	return fmt.Sprintf("plugin %s %s does not match %s", e.Name, e.Version, by)
}

// Code identifies it to programs.
func (e *MismatchError) Code() string { return CodeMismatch }

// Detail says which file, and what to do.
func (e *MismatchError) Detail() string {
	what, file := "The file has changed since it was installed. It was not executed.", "file    "
	otherwise := "keep the file, and find out what changed it"
	if e.Intact {
		what = "The file is as it was installed, but another build of this version is expected. It was not executed."
	}
	if e.Fetched {
		what, file = "Nothing of it was kept or executed.", "source  "
		otherwise = "the source may be damaged or someone else's; ask its publisher"
	}
	return fmt.Sprintf("  %s  %s\n  expected  %s  (%s)\n  actual    %s\n%s\nIf you expect this:  %s\nIf you do not:       %s",
		file, e.Path, e.Expected, e.By, e.Actual, what, e.Expect, otherwise)
}

// MissingError reports that a locked plugin is not installed.
type MissingError struct {
	Name, Version, Lock string
	Err                 *store.NotInstalledError
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s names plugin %s %s, which is not installed; run `proctor plugin sync`", e.Lock, e.Name, e.Version)
}

func (e *MissingError) Unwrap() error { return e.Err }
