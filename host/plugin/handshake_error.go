package plugin

import (
	"fmt"
	"strings"
)

// HandshakeError reports that the plugin could not be started, or did not greet like
// one.
type HandshakeError struct {
	Plugin Identity
	// Reason says what went wrong.
	Reason string
	// Advice says what to do.
	Advice string
	// Exit is how the process ended by itself; nil if it did not.
	Exit *ExitStatus
	// Stdout is what it printed instead of a handshake.
	Stdout string
	// Stderr holds its last lines, Panic the text of its panic.
	Stderr []string
	Panic  string
	Err    error
}

func (e *HandshakeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) did not start: %s", e.Plugin, e.Plugin.Path, e.Reason)
	if e.Exit != nil {
		fmt.Fprintf(&b, " (%s)", e.Exit)
	}
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Detail returns what the plugin printed.
func (e *HandshakeError) Detail() string {
	detail := lastWords(e.Panic, e.Stderr)
	if e.Stdout == "" {
		return detail
	}
	return strings.TrimSuffix("printed to stdout: "+e.Stdout+"\n"+detail, "\n")
}

func (e *HandshakeError) Unwrap() error { return e.Err }
