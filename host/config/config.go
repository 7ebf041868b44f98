package config

import "time"

// FileName is the name of the configuration file in a workspace's root.
const FileName = ".proctor.toml"

// Config is the configuration of a workspace.
type Config struct {
	History History
	MCP     MCP
	Run     Run
	Session Session
	// Env names variables that affect results besides those named by plugins; a
	// trailing "*" matches a prefix.
	Env []string
}

// Session configures what belongs to one session.
type Session struct {
	// Idle is how long after its last command a session without a terminal ends.
	Idle time.Duration
}

// MCP configures the answers to agents.
type MCP struct {
	// RawOutput reports whether runs are answered with the runner's own output by
	// default.
	RawOutput bool
}

// History bounds the record; the first limit reached applies.
type History struct {
	// Runs is how many of the newest runs are kept.
	Runs int
	// Age is how long a run is kept.
	Age time.Duration
	// Bytes bounds the size of the record on disk.
	Bytes int64
	// Entries is how many of the newest entries on files at the end of sessions are
	// kept.
	Entries int
}

const day = 24 * time.Hour

// Default returns the configuration without a file.
func Default() Config {
	return Config{History: History{Runs: 1000, Age: 30 * day, Bytes: gigabyte, Entries: 1000}, Session: Session{Idle: 4 * time.Hour}}
}
