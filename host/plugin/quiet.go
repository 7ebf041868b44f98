package plugin

import (
	"github.com/hashicorp/go-hclog"
)

// quietLogger demotes go-plugin's own messages to debug: its warnings and errors reach
// the caller as errors of this package, and must not be shown twice.
type quietLogger struct{ hclog.Logger }

func (l quietLogger) Log(_ hclog.Level, msg string, args ...any) { l.Debug(msg, args...) }
func (l quietLogger) Info(msg string, args ...any)               { l.Debug(msg, args...) }
func (l quietLogger) Warn(msg string, args ...any)               { l.Debug(msg, args...) }
func (l quietLogger) Error(msg string, args ...any)              { l.Debug(msg, args...) }
func (l quietLogger) With(args ...any) hclog.Logger              { return quietLogger{l.Logger.With(args...)} }
func (l quietLogger) Named(name string) hclog.Logger             { return quietLogger{l.Logger.Named(name)} }
func (l quietLogger) ResetNamed(name string) hclog.Logger {
	return quietLogger{l.Logger.ResetNamed(name)}
}
