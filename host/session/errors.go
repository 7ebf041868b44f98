package session

import "fmt"

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
	// Matches are the runs whose id begins with Ref, when there are several.
	Matches []string
}

func (e *NoRunError) Error() string {
	if len(e.Matches) > 0 {
		return fmt.Sprintf("run %q is not unique: %d runs begin with it; give more of the id", e.Ref, len(e.Matches))
	}
	return fmt.Sprintf("no run %q is on record in this workspace; `proctor show` shows the last one", e.Ref)
}
