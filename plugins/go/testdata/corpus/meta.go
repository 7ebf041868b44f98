package corpus

// Meta is meta.json: how a case is recorded, and how the command ended.
type Meta struct {
	// Argv, Dir (below the root) and Env make the command.
	Argv []string          `json:"argv"`
	Dir  string            `json:"dir,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	// Go is the toolchain, as GOTOOLCHAIN takes it.
	Go string `json:"go"`
	// Prepare are commands to run before it; their output is not recorded.
	Prepare [][]string `json:"prepare,omitempty"`
	// Stop ends the command from outside.
	Stop *Stop `json:"stop,omitempty"`
	// Edit changes the recorded stdout afterwards, for damage that the tool does
	// not produce on request.
	Edit *Edit `json:"edit,omitempty"`
	// Notes say what is special about the case.
	Notes string `json:"notes,omitempty"`
	// How says, for the reader, how it was recorded.
	How string `json:"how"`

	// ExitCode is -1 when a signal ended the command.
	ExitCode  int    `json:"exit_code"`
	Signal    string `json:"signal"`
	TimedOut  bool   `json:"timed_out"`
	Cancelled bool   `json:"cancelled,omitempty"`
	Unknown   bool   `json:"unknown_exit,omitempty"`
	GoVersion string `json:"go_version"`
}

// Stop is a signal sent while the command runs.
type Stop struct {
	// After is text of stdout to wait for.
	After string `json:"after"`
	// Signals are sent in turn, a second apart.
	Signals []string `json:"signals"`
	// To is "group" (the default) or "go", the go command alone.
	To string `json:"to,omitempty"`
	// Deadline reports whether the signals stand for a host's deadline.
	Deadline bool `json:"deadline,omitempty"`
	// Cancel reports whether they stand for a user who gave up.
	Cancel bool `json:"cancel,omitempty"`
}

// Edit is damage done to a stream. The fields apply in the order given.
type Edit struct {
	// CutAfter drops what follows the first occurrence of the text.
	CutAfter string `json:"cut_after,omitempty"`
	// CutLine drops the rest of the lines after the one holding the text.
	CutLine string `json:"cut_line,omitempty"`
	// Insert is put in as a line before the first line holding Before; an
	// empty Before is the start of the stream.
	Insert string `json:"insert,omitempty"`
	Before string `json:"before,omitempty"`
	// Splice inserts without a line end: the next line continues it.
	Splice bool `json:"splice,omitempty"`
	// CRLF ends lines as a Windows shell would.
	CRLF bool `json:"crlf,omitempty"`
	// BOM puts a byte order mark in front.
	BOM bool `json:"bom,omitempty"`
	// Drop removes every line that holds the text.
	Drop string `json:"drop,omitempty"`
	// UnknownExit forgets how the command ended.
	UnknownExit bool `json:"unknown_exit,omitempty"`
	// ExitCode replaces the recorded one when not zero.
	ExitCode int `json:"exit_code,omitempty"`
}
