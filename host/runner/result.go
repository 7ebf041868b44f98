package runner

import (
	"fmt"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Result is what happened.
type Result struct {
	// Exit is how the command ended. After a time-out the code is 124.
	Exit sdk.Exit
	// Stdout and Stderr are what was kept of the output.
	Stdout, Stderr Capture
	Started        time.Time
	// Duration is the time until the command itself had ended.
	Duration time.Duration
	// HeldOpen reports whether a process that the command left behind held its output,
	// and was killed for it. What it had not written by then is not part of the output.
	HeldOpen bool
	// SinkErr ended the calls of the sink: it has not seen the whole output.
	SinkErr error
	// RecordErr ended a record: it is not the whole output.
	RecordErr error
	// Unguarded tells why the command would have outlived a killed host.
	Unguarded error
}

// StuckError says that a command was killed and did not end.
type StuckError struct {
	Path string
	Pid  int
	// Err is what killing it said, if anything.
	Err error
}

// Error names the process and what may be done.
func (e *StuckError) Error() string {
	text := fmt.Sprintf("%s (process %d) was killed and does not end", e.Path, e.Pid)
	if e.Err != nil {
		return text + ": " + e.Err.Error() + "; if it runs as another user, end it as that user"
	}
	return text + ": it is stuck in the kernel; look for a file system that does not answer"
}

// Unwrap is what killing it said.
func (e *StuckError) Unwrap() error { return e.Err }
