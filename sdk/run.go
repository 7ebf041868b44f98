package sdk

// RunInfo is what a parser knows about the command whose output it reads.
type RunInfo struct {
	Workspace Workspace
	// Command is empty for recorded output.
	Command Command
	// OutputOf, if set, asks for the whole output of one test.
	OutputOf TestID
	// Locate reports whether the command is one of a [RerunRequest] with Locate. Then
	// only failures with an exact location matter.
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
	// Code is the exit code; -1 if the command did not exit by itself.
	Code int
	// Signal names the signal that ended it, such as "SIGKILL".
	Signal string
	// TimedOut reports whether the host's deadline passed, Cancelled whether the user
	// gave up.
	TimedOut, Cancelled bool
	// Unknown reports whether nothing is known about the end, as for recorded output.
	Unknown bool
}
