package lock

import "fmt"

// Error reports that a lock file cannot be read or used. Nothing is launched from it.
type Error struct {
	Path string
	// Line is the line, from 1; 0 if unknown.
	Line   int
	Reason string
	Err    error
}

func (e *Error) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	return where + ": " + e.Reason
}

func (e *Error) Unwrap() error { return e.Err }

// ConflictError reports that git could not merge a lock file and left its markers. It
// is the Err of an [*Error].
type ConflictError struct{ Line int }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("line %d is a conflict marker of git", e.Line)
}

// UnknownFieldError reports a field of a later proctor in something to be rewritten,
// which would be lost or might no longer hold. It is the Err of an [*Error].
type UnknownFieldError struct{ Field string }

func (e *UnknownFieldError) Error() string { return e.Field + " is unknown" }
