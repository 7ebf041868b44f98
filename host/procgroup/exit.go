package procgroup

import "strconv"

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code; -1 if a signal ended the process.
	Code int
	// Signal names that signal, such as "SIGKILL"; empty if the process exited.
	Signal string
}

// String returns "exit 1" or "SIGKILL".
func (e Exit) String() string {
	if e.Signal != "" {
		return e.Signal
	}
	return "exit " + strconv.Itoa(e.Code)
}
