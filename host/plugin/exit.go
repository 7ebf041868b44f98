package plugin

import "fmt"

// ExitStatus is how a plugin's process ended.
type ExitStatus struct {
	Code int
	// Signal names the signal that ended it, such as "SIGKILL".
	Signal string
}

func (s ExitStatus) String() string {
	if s.Signal != "" {
		return "ended by " + s.Signal
	}
	return fmt.Sprintf("exited with status %d", s.Code)
}
