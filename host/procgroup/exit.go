package procgroup

import "strconv"

// Exit is how a process ended.
type Exit struct {
	// Code is its exit code; -1 when a signal ended it.
	Code int
	// Signal names that signal, such as "SIGKILL"; empty when it exited.
	Signal string
}

// String is "exit 1" or "SIGKILL".
func (e Exit) String() string {
	if e.Signal != "" {
		return e.Signal
	}
	return "exit " + strconv.Itoa(e.Code)
}
