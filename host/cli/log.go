package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
)

// maxLog bounds the file of plugin logs. An invocation that finds it half full
// begins a new one, so that it has room, and keeps one older file.
const maxLog = 1 << 20

// newLogger takes what plugins log: to standard error and to a file in the
// user's state folder. PROCTOR_LOG sets the level (trace, debug, info, warn,
// error); warnings are the default.
func newLogger(env environment, stateHome string) (hclog.Logger, func()) {
	level := hclog.LevelFromString(env.get("PROCTOR_LOG"))
	if level == hclog.NoLevel {
		level = hclog.Warn
	}
	out, closeLog := io.Writer(env.Stderr), func() {}
	if f, room := openLog(stateHome); f != nil {
		out, closeLog = io.MultiWriter(env.Stderr, &boundedWriter{w: f, left: room}), func() { f.Close() }
	}
	return hclog.New(&hclog.LoggerOptions{Name: "proctor", Level: level, Output: out}), closeLog
}

// openLog opens the log file and tells how much more it may hold, or returns nil:
// a log that cannot be kept is not worth an error.
func openLog(stateHome string) (f *os.File, room int) {
	if stateHome == "" || os.MkdirAll(stateHome, 0o700) != nil {
		return nil, 0
	}
	path := filepath.Join(stateHome, "plugins.log")
	room = maxLog
	if st, err := os.Stat(path); err == nil && st.Size() > maxLog/2 {
		if os.Rename(path, path+".1") != nil {
			return nil, 0
		}
	} else if err == nil {
		room -= int(st.Size())
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, 0
	}
	return f, room
}
