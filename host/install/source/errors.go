package source

import (
	"fmt"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// SpecError reports a malformed specification. Text has no name or password in it.
type SpecError struct{ Text, Reason string }

func (e *SpecError) Error() string {
	return fmt.Sprintf("%q does not name a plugin: %s", e.Text, e.Reason)
}

// FetchError reports that something could not be fetched.
type FetchError struct {
	Address string
	// Status is the HTTP status; 0 if there was no answer.
	Status int
	Reason string
	// Err is [fs.ErrNotExist] if the origin says that it does not have the file.
	Err error
}

func (e *FetchError) Error() string { return e.Address + " cannot be fetched: " + e.Reason }
func (e *FetchError) Unwrap() error { return e.Err }

// OfflineError reports that something would have to be fetched, but must not be.
type OfflineError struct{ Address string }

func (e *OfflineError) Error() string { return e.Address + " is not fetched with --offline" }

// UnsupportedError reports that a source cannot do what was requested.
type UnsupportedError struct{ Source, Reason string }

func (e *UnsupportedError) Error() string { return e.Source + ": " + e.Reason }

// VersionError reports that a source other than an index has no suitable version of a
// plugin.
type VersionError struct {
	Source, Plugin, Constraint string
	// Passed are the existing versions, newest first, with the reason against each.
	Passed []index.Passed
}

func (e *VersionError) Error() string {
	text := e.Source + " has no version of " + e.Plugin
	if e.Constraint != "" {
		text += fmt.Sprintf(" %q", e.Constraint)
	}
	if text += " that will do"; len(e.Passed) == 0 {
		return text + ": it has none"
	}
	separator := ": "
	for i, p := range e.Passed {
		if i == maxTold {
			return text + fmt.Sprintf("; and %d more", len(e.Passed)-maxTold)
		}
		text += separator + p.Version + " " + p.Reason
		separator = "; "
	}
	return text
}

// maxTold is how many versions a message names: the newest ones matter.
const maxTold = 5

// CorruptError reports that an archive, or the binary in it, is not the one announced
// by its source. Nothing of it was executed.
type CorruptError struct {
	// Address is where the archive is.
	Address string
	Err     *store.ChecksumError
}

func (e *CorruptError) Error() string {
	return e.Err.Error() + ": it is damaged, or was changed after it was published; try again, or another mirror, and tell the publisher"
}

func (e *CorruptError) Unwrap() error { return e.Err }

// MismatchError reports that what was fetched is another plugin than its source
// announced.
type MismatchError struct {
	// Address is what was fetched, By who announced it.
	Address, By string
	// Field is what differs, such as "version".
	Field, Expected, Actual string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s has the %s %s, and %s says %s: it is not installed; tell the publisher", e.Address, e.Field, e.Actual, e.By, e.Expected)
}
