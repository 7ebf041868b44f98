package config

import "time"

// File is the name of the file in the root of a workspace.
const File = ".proctor.toml"

// Config is what a workspace asks for.
type Config struct {
	History History
	MCP     MCP
	Run     Run
	Session Session
	// Env names variables that decide about results beside those that plugins name; a
	// name that ends in "*" stands for all that begin so.
	Env []string
}

// Session says what belongs together.
type Session struct {
	// Idle is how long after its last command a session without a terminal ends.
	Idle time.Duration
}

// Run says how tests are run.
type Run struct {
	// Cover reports whether a run measures which lines its tests execute, unless it is
	// told otherwise.
	Cover bool
}

// MCP says how agents are answered.
type MCP struct {
	// RawOutput reports whether a run is answered with the runner's own output, unless
	// the call says otherwise.
	RawOutput bool
}

// History says how much of the record is kept, whichever limit is met first.
type History struct {
	// Runs is how many runs are kept, the newest.
	Runs int
	// Age is for how long a run is kept.
	Age time.Duration
	// Bytes is how large the record may be on disk.
	Bytes int64
	// Entries is how many entries on how a file stood at the end of a session are
	// kept, the newest.
	Entries int
}

const day = 24 * time.Hour

// Default is what holds where the file says nothing.
func Default() Config {
	return Config{History: History{Runs: 1000, Age: 30 * day, Bytes: gigabyte, Entries: 1000}, Session: Session{Idle: 4 * time.Hour}}
}
