package source

import (
	"errors"
	"fmt"

	"github.com/proctorhq/proctor/host/install/index"
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

// noVersion reports that a source other than an index has no suitable version of a plugin.
// Passed are the existing versions, newest first, with the reason against each.
func noVersion(source, plugin, constraint string, passed ...index.Passed) error {
	text := source + " has no version of " + plugin
	if constraint != "" {
		text += fmt.Sprintf(" %q", constraint)
	}
	if text += " that will do"; len(passed) == 0 {
		return errors.New(text + ": it has none")
	}
	separator := ": "
	for i, p := range passed {
		if i == maxTold {
			return fmt.Errorf("%s; and %d more", text, len(passed)-maxTold)
		}
		text += separator + p.Version + " " + p.Reason
		separator = "; "
	}
	return errors.New(text)
}

// maxTold is how many versions a message names: the newest ones matter.
const maxTold = 5

// mismatch reports that what was fetched is another plugin than its source announced. Field is
// what differs, such as "version".
func mismatch(address, by, field, expected, actual string) error {
	return fmt.Errorf("%s has the %s %s, and %s says %s: it is not installed; tell the publisher", address, field, actual, by, expected)
}
