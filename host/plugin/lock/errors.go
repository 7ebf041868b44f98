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
