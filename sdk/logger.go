package sdk

import (
	"os"

	"github.com/hashicorp/go-hclog"
)

// NewLogger returns a logger whose messages the host reads from the plugin's
// standard error. The host chooses the level; without its choice it is info.
func NewLogger(name string) hclog.Logger {
	level := hclog.LevelFromString(os.Getenv(EnvLogLevel))
	if level == hclog.NoLevel {
		level = hclog.Info
	}
	return hclog.New(&hclog.LoggerOptions{Name: name, Level: level, Output: os.Stderr, JSONFormat: true})
}
