package sdk

// ErrorDomain is the domain of the google.rpc.ErrorInfo that carries a [Reason].
const ErrorDomain = "proctor.detector.v1"

// Reason says why a detector cannot do what was requested, for programs. It is sent by
// name, so a host passes on reasons that it does not know.
type Reason string

// The reasons that a host can act on.
const (
	// ToolNotFound means that a program of Description.Tools is missing.
	ToolNotFound Reason = "TOOL_NOT_FOUND"
	// ToolTooOld means that a program lacks something the plugin needs.
	ToolTooOld Reason = "TOOL_TOO_OLD"
	// WorkspaceNotSupported means that the plugin does not handle the project's layout.
	WorkspaceNotSupported Reason = "WORKSPACE_NOT_SUPPORTED"
	// InvalidSelection means that the selection is malformed, such as a broken pattern.
	InvalidSelection Reason = "INVALID_SELECTION"
	// InvalidArguments means that a runner argument contradicts what the plugin needs.
	InvalidArguments Reason = "INVALID_ARGUMENTS"
	// InvalidSources means that a source set cannot be made a project, or asks for what
	// sources must not have.
	InvalidSources Reason = "INVALID_SOURCES"
	// Panicked means that the detector panicked. Package server sets it; the host
	// receives it as a [PanicError].
	Panicked Reason = "PANIC"
)

// Error is a detector's refusal. Message says what is wrong and what to do; the user
// sees it unchanged.
type Error struct {
	Reason  Reason
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// PanicError is a panic in a detector, caught so that the plugin and its other streams
// live on.
type PanicError struct {
	// Value is what was passed to panic, as text.
	Value string
	// Stack is the stack of the goroutine that panicked.
	Stack string
}

// Error returns the value without the stack.
func (e *PanicError) Error() string { return "the plugin panicked: " + e.Value }
