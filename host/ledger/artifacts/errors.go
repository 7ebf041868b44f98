package artifacts

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
