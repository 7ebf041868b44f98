package runner

import (
	"fmt"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Result is what happened.
type Result struct {
	// Exit is how the command ended. After a timeout the code is 124.
	Exit sdk.Exit
	// Stdout and Stderr are the kept parts of the output.
	Stdout, Stderr Capture
	Started        time.Time
	// Duration is the time until the command itself ended.
	Duration time.Duration
	// HeldOpen reports whether a leftover process held the output and was killed for
	// it. What it had not written by then is not part of the output.
	HeldOpen bool
	// SinkErr ended the calls of the sink, which has not received the whole output.
	SinkErr error
	// RecordErr ended a record, which is not the whole output.
	RecordErr error
	// Unguarded says why the command would have outlived a killed host.
	Unguarded error
}

// StuckError reports that a killed command did not end.
type StuckError struct {
	Path string
	Pid  int
	// Err is the error of killing it, if any.
	Err error
}

// Error names the process and what to do.
func (e *StuckError) Error() string {
	text := fmt.Sprintf("%s (process %d) was killed and does not end", e.Path, e.Pid)
	if e.Err != nil {
		return text + ": " + e.Err.Error() + "; if it runs as another user, end it as that user"
	}
	return text + ": it is stuck in the kernel; look for a file system that does not answer"
}

// Unwrap returns the error of killing it.
func (e *StuckError) Unwrap() error { return e.Err }
