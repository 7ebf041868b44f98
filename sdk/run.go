package sdk

// RunInfo is what a parser knows about the command whose output it reads.
type RunInfo struct {
	Workspace Workspace
	// Command is empty for a recorded output.
	Command Command
	// OutputOf, when set, asks for the whole output of one test.
	OutputOf TestID
	// Locate: the command is one of a [RerunRequest] with Locate. Only failures
	// whose location is exact are asked for.
	Locate bool
}

// Stream is where output came from.
type Stream int

// The two streams of a process.
const (
	Stdout Stream = iota + 1
	Stderr
)

// Exit is how a command ended.
type Exit struct {
	// Code is the exit code; -1 when the command did not end by itself.
	Code int
	// Signal names the signal that ended it, such as "SIGKILL".
	Signal string
	// TimedOut: the host's deadline passed. Cancelled: the user gave up.
	TimedOut, Cancelled bool
	// Unknown: nothing is known about the end, as for a recorded output.
	Unknown bool
}
