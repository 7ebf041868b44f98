package corpus

// Meta is meta.json: how a case is recorded, and how the command ended.
type Meta struct {
	// Argv, Dir (below the root) and Env make the command. A first word "forge"
	// is the program of the version that Forge names.
	Argv []string          `json:"argv"`
	Dir  string            `json:"dir,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	// Forge is the version.
	Forge string `json:"forge"`
	// Prepare are commands to run before it; their output is not recorded, and
	// they may fail.
	Prepare [][]string `json:"prepare,omitempty"`
	// Stop ends the command from outside.
	Stop *Stop `json:"stop,omitempty"`
	// Edits change what was recorded, in this order, for output that the tool does
	// not produce on request.
	Edits []Edit `json:"edits,omitempty"`
	// Notes say what is special about the case.
	Notes string `json:"notes"`

	// ExitCode is -1 when a signal ended the command.
	ExitCode int    `json:"exit_code"`
	Signal   string `json:"signal,omitempty"`
	// Version is what `forge --version` printed first.
	Version string `json:"forge_version"`
}

// Stop is a signal sent while the command runs.
type Stop struct {
	// AfterSeconds is how long the command runs before.
	AfterSeconds float64 `json:"after_seconds"`
	Signal       string  `json:"signal"`
}

// Edit is one change of a recorded stream, stdout unless Stream says stderr.
// Exactly one of the others is set.
type Edit struct {
	Stream string `json:"stream,omitempty"`
	// Pattern is replaced by With, as regexp.ReplaceAll does: all of it, or only
	// the first where First is set. It must occur.
	Pattern string `json:"pattern,omitempty"`
	With    string `json:"with,omitempty"`
	First   bool   `json:"first,omitempty"`
	// Hex reports whether With is in hexadecimal, for bytes that are not text.
	Hex bool `json:"hex,omitempty"`
	// Repeat writes With that many times.
	Repeat int `json:"repeat,omitempty"`
	// CutAfter drops what follows the first occurrence of the text.
	CutAfter string `json:"cut_after,omitempty"`
	// DropEnd is how many bytes to drop at the end.
	DropEnd int `json:"drop_end,omitempty"`
	// Append and Prepend add text at the end or the beginning.
	Append  string `json:"append,omitempty"`
	Prepend string `json:"prepend,omitempty"`
	// Pretty indents the document, as a pretty-printer would.
	Pretty bool `json:"pretty,omitempty"`
	// Twice writes the whole stream a second time.
	Twice bool `json:"twice,omitempty"`
	// ExitCode replaces the recorded one.
	ExitCode *int `json:"exit_code,omitempty"`
}
