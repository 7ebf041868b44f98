package plugin

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

const (
	// journalLines is how much of a plugin's log is kept for error texts.
	journalLines = 100
	// panicLines is how much of a panic is kept: the message and the stacks of the
	// goroutines that matter.
	panicLines = 100
	// lastLines is how many lines an error shows without a panic.
	lastLines = 20
	// logsPerSecond is how many lines a plugin may log; the rest is only counted. A
	// plugin that logs in a loop must not fill the disk.
	logsPerSecond = 200
)

// journal receives what a plugin prints: it passes logs on, and keeps the last lines
// and the text of a panic for the error that a crash becomes.
type journal struct {
	logger hclog.Logger

	mu      sync.Mutex
	ring    []string
	oldest  int
	panic   []string
	inPanic bool
	second  time.Time
	logged  int
	dropped int
}

func newJournal(logger hclog.Logger) *journal {
	return &journal{logger: logger}
}

// stderr handles a line of standard error: a log record or plain text.
func (j *journal) stderr(line []byte) {
	record := parseRecord(line)
	j.mu.Lock()
	defer j.mu.Unlock()
	// The debug log of a working plugin says nothing about how it ended.
	if record.plain || record.level >= hclog.Info {
		j.keep(record.String())
	}
	if record.plain {
		j.watchPanic(record.message)
	}
	if j.mayLog(time.Now()) {
		j.logger.Log(record.level, record.message, record.args...)
	}
}

// stdout handles a line of standard output, where a plugin should print nothing after
// its handshake.
func (j *journal) stdout(line []byte) {
	text := cleanLine(string(line), lineMax)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keep("stdout: " + text)
	if j.mayLog(time.Now()) {
		j.logger.Warn("plugin prints to stdout", "line", text)
	}
}

// tail returns the last lines, oldest first.
func (j *journal) tail(n int) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := append(append([]string(nil), j.ring[j.oldest:]...), j.ring[:j.oldest]...)
	return lines[max(0, len(lines)-n):]
}

// panicText returns the text of the last panic, if there was one.
func (j *journal) panicText() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.TrimRight(strings.Join(j.panic, "\n"), "\n")
}

func (j *journal) keep(line string) {
	if len(j.ring) < journalLines {
		j.ring = append(j.ring, line)
		return
	}
	j.ring[j.oldest] = line
	j.oldest = (j.oldest + 1) % journalLines
}

func (j *journal) watchPanic(line string) {
	if startsPanic(line) {
		j.inPanic, j.panic = true, nil
	}
	if j.inPanic && len(j.panic) < panicLines {
		j.panic = append(j.panic, line)
	}
}

// mayLog charges a line to this second's allowance.
func (j *journal) mayLog(now time.Time) bool {
	if now.Sub(j.second) >= time.Second {
		if j.dropped > 0 {
			j.logger.Warn("plugin logs too much", "dropped_lines", j.dropped)
		}
		j.second, j.logged, j.dropped = now, 0, 0
	}
	j.logged++
	if j.logged > logsPerSecond {
		j.dropped++
		return false
	}
	return true
}

// startsPanic reports whether a line begins the Go runtime's last words.
func startsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// lineMax is the longest line of a plugin's output that is kept whole. A log line has a
// few hundred bytes, a stack frame fewer.
const lineMax = 16 << 10

// readLines calls line for each line of r until r ends, dropping the rest of a line
// that is too long. The slice is only valid during the call.
func readLines(r *bufio.Reader, line func([]byte)) {
	for {
		data, err := r.ReadSlice('\n')
		if len(data) > 0 {
			line(bytes.TrimRight(data, "\r\n"))
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}

// lineWriter splits what is written to it into lines.
type lineWriter struct {
	line    func([]byte)
	partial []byte
}

var _ io.Writer = (*lineWriter)(nil)

// Write never fails.
func (w *lineWriter) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		head, rest, ended := bytes.Cut(data, []byte("\n"))
		if room := lineMax - len(w.partial); len(head) > room {
			head = head[:room]
		}
		w.partial = append(w.partial, head...)
		if ended {
			w.line(w.partial)
			w.partial = w.partial[:0]
		}
		data = rest
	}
	return n, nil
}

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
