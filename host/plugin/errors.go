package plugin

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Identity names a plugin in an error.
type Identity struct {
	Name string
	// Version is empty until the plugin has described itself.
	Version string
	Path    string
}

func (i Identity) String() string {
	if i.Version == "" {
		return "plugin " + i.Name
	}
	return "plugin " + i.Name + " " + i.Version
}

// CrashedError reports that the plugin's process ended by itself.
type CrashedError struct {
	Plugin Identity
	// Call is empty if it ended between calls.
	Call string
	Exit ExitStatus
	// Panic is the text of its panic, if it printed one.
	Panic string
	// Stderr holds its last lines.
	Stderr []string
	// GivenUp reports whether it had been restarted once and will not be again.
	GivenUp bool
}

func (e *CrashedError) Error() string {
	var b strings.Builder
	where := "in " + e.Call
	if e.Call == "" {
		where = "between calls"
	}
	fmt.Fprintf(&b, "%s crashed %s (%s)", e.Plugin, where, e.Exit)
	if first, _, _ := strings.Cut(e.Panic, "\n"); first != "" {
		b.WriteString(": " + first)
	} else if n := len(e.Stderr); n > 0 {
		b.WriteString(": " + e.Stderr[n-1])
	}
	if e.GivenUp {
		b.WriteString("; it had already been restarted after an earlier fault, and is not restarted again")
	}
	switch signal := e.Exit.Signal; {
	case e.Panic != "":
		b.WriteString(ownFault)
	case signal == "SIGKILL":
		b.WriteString("; it was killed from outside, perhaps by the system for lack of memory")
	case signal == "SIGTERM", signal == "SIGHUP", signal == "SIGINT":
		b.WriteString("; it was ended from outside, such as by a test or a user")
	default:
		b.WriteString(ownFault)
	}
	return b.String()
}

// ownFault is appended if only the plugin can have caused the crash.
const ownFault = "; this is a fault of the plugin: report it to its author"

// Detail returns the panic, or the last lines the plugin printed.
func (e *CrashedError) Detail() string { return lastWords(e.Panic, e.Stderr) }

// HungError reports that a call did not end. The plugin was killed.
type HungError struct {
	Plugin Identity
	Call   string
	// After is how long the host waited.
	After time.Duration
	// Waiting says for what.
	Waiting string
	Stderr  []string
	// GivenUp reports whether it had been restarted once and will not be again.
	GivenUp bool
}

func (e *HungError) Error() string {
	text := fmt.Sprintf("%s hung in %s: %s for %s; it was killed", e.Plugin, e.Call, e.Waiting, e.After)
	if e.GivenUp {
		text += " and, as it had already been restarted after an earlier fault, is not restarted again"
	}
	return text + "; this is a fault of the plugin: report it to its author"
}

// Detail returns the last lines the plugin printed.
func (e *HungError) Detail() string { return lastWords("", e.Stderr) }

// ProtocolError reports that the plugin sent something invalid.
type ProtocolError struct {
	Plugin Identity
	Call   string
	// Field is the field of the reply, such as "commands[0].dir"; empty if the whole
	// message is wrong.
	Field  string
	Reason string
}

func (e *ProtocolError) Error() string {
	where := e.Call
	if e.Field != "" {
		where += ": " + e.Field
	}
	return fmt.Sprintf("%s broke the protocol in %s: %s; this is a fault of the plugin: report it to its author", e.Plugin, where, e.Reason)
}

// TooBigError reports that a message, or an answer of many messages, exceeded the
// limit.
type TooBigError struct {
	Plugin Identity
	Call   string
	Limit  int
	Reason string
}

func (e *TooBigError) Error() string {
	return fmt.Sprintf("%s went over the limit of %d bytes in %s (%s); this is a fault of the plugin: report it to its author",
		e.Plugin, e.Limit, e.Call, e.Reason)
}

// UnsupportedError reports that the plugin does not implement an optional call.
type UnsupportedError struct {
	Plugin Identity
	Call   string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s does not support %s", e.Plugin, e.Call)
}

// CallError reports that the plugin answered a call with an error of its own.
// [errors.As] finds an [*sdk.Error] in it.
type CallError struct {
	Plugin Identity
	Call   string
	Err    error
}

func (e *CallError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Plugin, e.Call, e.Err) }
func (e *CallError) Unwrap() error { return e.Err }

// Detail returns the stack if the detector panicked.
func (e *CallError) Detail() string {
	if panicked, ok := errors.AsType[*sdk.PanicError](e.Err); ok {
		return cleanText(panicked.Stack, sdk.MaxText)
	}
	return ""
}

// ClosedError reports that we closed the plugin.
type ClosedError struct{ Plugin Identity }

func (e *ClosedError) Error() string { return e.Plugin.String() + " is closed" }

// StuckError reports that the plugin was killed and did not end. The kernel holds it,
// as on a dead network file system.
type StuckError struct {
	Plugin Identity
	PID    string
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("%s (process %s) was killed but did not end: it is stuck in the kernel", e.Plugin, e.PID)
}

func lastWords(panicText string, stderr []string) string {
	if panicText != "" {
		return panicText
	}
	return strings.Join(stderr, "\n")
}
