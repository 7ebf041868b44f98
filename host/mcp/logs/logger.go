package logs

import "github.com/hashicorp/go-hclog"

// Logger returns a logger that logs to another one and to the clients of the stream.
func (s *Stream) Logger(base hclog.Logger) hclog.Logger { return tee{base, s} }

// tee is a logger that also logs to a stream. (hclog's own logger with sinks would send
// what one session logs to the sinks of all.)
type tee struct {
	hclog.Logger
	to *Stream
}

func (t tee) Log(level hclog.Level, msg string, args ...any) {
	t.Logger.Log(level, msg, args...)
	t.to.accept(t.Logger, level, msg, args)
}

func (t tee) Trace(msg string, args ...any) { t.Log(hclog.Trace, msg, args...) }
func (t tee) Debug(msg string, args ...any) { t.Log(hclog.Debug, msg, args...) }
func (t tee) Info(msg string, args ...any)  { t.Log(hclog.Info, msg, args...) }
func (t tee) Warn(msg string, args ...any)  { t.Log(hclog.Warn, msg, args...) }
func (t tee) Error(msg string, args ...any) { t.Log(hclog.Error, msg, args...) }

func (t tee) With(args ...any) hclog.Logger { return tee{t.Logger.With(args...), t.to} }

func (t tee) Named(name string) hclog.Logger { return tee{t.Logger.Named(name), t.to} }

func (t tee) ResetNamed(name string) hclog.Logger { return tee{t.Logger.ResetNamed(name), t.to} }

// GetLevel returns the lowest level that anyone wants: a plugin that is started logs from it.
func (t tee) GetLevel() hclog.Level { return min(t.Logger.GetLevel(), t.to.level()) }

func (t tee) IsTrace() bool { return t.GetLevel() <= hclog.Trace }
func (t tee) IsDebug() bool { return t.GetLevel() <= hclog.Debug }
func (t tee) IsInfo() bool  { return t.GetLevel() <= hclog.Info }
func (t tee) IsWarn() bool  { return t.GetLevel() <= hclog.Warn }
func (t tee) IsError() bool { return t.GetLevel() <= hclog.Error }
