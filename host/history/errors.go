package history

import "fmt"

// NoRunError reports that a run is not on record.
type NoRunError struct {
	// Ref is the requested id or the beginning of one.
	Ref string
	// Matches are the runs whose id begins with Ref, if there are several.
	Matches []string
}

func (e *NoRunError) Error() string {
	if len(e.Matches) > 0 {
		return fmt.Sprintf("run %q is not unique: %d runs begin with it; give more of the id", e.Ref, len(e.Matches))
	}
	return fmt.Sprintf("no run %q is on record in this workspace", e.Ref)
}

// SetAsideError reports that an unusable database was moved away as a whole, and replaced
// by a new one.
type SetAsideError struct {
	// Path is where it was, Aside where it is now.
	Path, Aside string
	Err         error
}

func (e *SetAsideError) Error() string {
	return fmt.Sprintf("the history %s could not be read (%v): it was set aside as %s, and a new one created", e.Path, e.Err, e.Aside)
}

func (e *SetAsideError) Unwrap() error { return e.Err }
