package session

import (
	"fmt"
	"strings"
)

// StoreError says that a record could not be read or written.
type StoreError struct {
	Path string
	Err  error
	// Fix is what the user can do.
	Fix string
}

func (e *StoreError) Error() string {
	msg := fmt.Sprintf("proctor's record %s: %v", e.Path, e.Err)
	if e.Fix != "" {
		msg += "; " + e.Fix
	}
	return msg
}

func (e *StoreError) Unwrap() error { return e.Err }

// NoRunError says that a run is not on record.
type NoRunError struct {
	// Ref is what was asked for: an id, the beginning of one, "last" or "prev".
	Ref string
	// Matches are the runs whose id begins with Ref, when there are several: the ids,
	// and of the first ones the kind and the verdict.
	Matches []string
}

// maxMatches is how many of them the error names.
const maxMatches = 10

func (e *NoRunError) Error() string {
	if len(e.Matches) > 0 {
		return fmt.Sprintf("run %q is not unique: %d begin with it; give more of the id: %s",
			e.Ref, len(e.Matches), strings.Join(e.Matches[:min(len(e.Matches), maxMatches)], ", "))
	}
	return fmt.Sprintf("no run %q is on record in this workspace; `proctor show` shows the last one", e.Ref)
}
