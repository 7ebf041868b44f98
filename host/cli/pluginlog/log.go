package pluginlog

import (
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/host/ctxio"
)

// maxLog bounds the file of plugin logs, in bytes. An invocation that finds it half full
// begins a new one, and keeps one older file.
const maxLog = 1 << 20

// Open returns a logger that writes to standard error and to a file in the user's state
// folder. The level is one of trace, debug, info, warn and error; the default is warn.
func Open(name string, stderr io.Writer, stateHome string) (logger hclog.Logger, closeLog func()) {
	level := hclog.LevelFromString(name)
	if level == hclog.NoLevel {
		level = hclog.Warn
	}
	out, closeLog := stderr, func() {}
	if f, room := openFile(stateHome); f != nil {
		out, closeLog = io.MultiWriter(stderr, &ctxio.BoundedWriter{W: f, Left: room}), func() { f.Close() }
	}
	return hclog.New(&hclog.LoggerOptions{Name: "proctor", Level: level, Output: out}), closeLog
}

// openFile opens the log file and returns how much more it may hold, or nil: a log that
// cannot be kept is not worth an error.
func openFile(stateHome string) (f *os.File, room int) {
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
