package mcpconfig

import (
	"fmt"
)

// FileError reports a file that was left unchanged.
type FileError struct {
	Path string
	// Line is the line of the problem, from 1, or 0 if there is none.
	Line   int
	Reason string
}

func (e *FileError) Error() string {
	place := e.Path
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	return fmt.Sprintf("%s: %s; the file was not changed", place, e.Reason)
}

// refusal is an editor's complaint about a text; the caller knows whose text it is.
type refusal struct {
	line   int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func refuse(line int, format string, args ...any) error {
	return &refusal{line: line, reason: fmt.Sprintf(format, args...)}
}
