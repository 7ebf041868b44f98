package plugin

import (
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
