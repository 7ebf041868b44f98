package plugin

import (
	"fmt"
	"strings"
)

// NotFoundError: there is no usable plugin of this name.
type NotFoundError struct {
	Name     string
	Searched []string
	// Refused are binaries of this name that will not be started.
	Refused []Refused
}

func (e *NotFoundError) Error() string {
	if len(e.Refused) > 0 {
		var reasons []string
		for _, r := range e.Refused {
			reasons = append(reasons, r.Path+": "+r.Reason)
		}
		return fmt.Sprintf("plugin %s cannot be used: %s", e.Name, strings.Join(reasons, "; "))
	}
	return fmt.Sprintf("no plugin %s: there is no %s%s beside proctor (searched %s); install it there, or name it with --plugin %s=PATH",
		e.Name, BinaryPrefix, e.Name, strings.Join(e.Searched, ", "), e.Name)
}

// RunDirError: there is no safe place for a plugin's socket.
type RunDirError struct {
	Dir, Reason string
}

func (e *RunDirError) Error() string {
	return fmt.Sprintf("no directory for plugin sockets at %s: %s; set XDG_RUNTIME_DIR or TMPDIR to a short path of your own", e.Dir, e.Reason)
}
