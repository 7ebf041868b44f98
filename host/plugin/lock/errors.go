package lock

import "fmt"

// Error: a lock file cannot be read or used. Nothing is launched by it.
type Error struct {
	Path string
	// Line is where, from 1; 0 is unknown.
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

// ConflictError: git could not merge a lock file, and has left its marks in it. It
// is the Err of an [*Error].
type ConflictError struct{ Line int }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("line %d is a conflict marker of git", e.Line)
}

// UnknownFieldError: what would have to be rewritten has a field of a later proctor,
// which would be lost or no longer be true. It is the Err of an [*Error].
type UnknownFieldError struct{ Field string }

func (e *UnknownFieldError) Error() string { return e.Field + " is not known" }
