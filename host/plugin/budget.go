package plugin

import (
	"fmt"
	"sync/atomic"
)

const (
	// freeEvents is how many events a plugin may send whatever it was given: notes,
	// and what it knows from the workspace rather than from the output.
	freeEvents = 10_000
	// freeText is how many bytes of text, and textFactor how many more for each byte
	// of output: what a runner prints once is a message, an output and a diff.
	freeText   = 64 << 20
	textFactor = 16
)

// budget bounds the events of a stream by what was sent into it: every test and
// every failure takes at least a byte of the runner's output. A plugin that reports
// without end, or more than it can have read, fills no disk.
type budget struct {
	sent, events, text atomic.Int64
	// exceeded is called with what was too much, once for events and once for text.
	exceeded func(what string)
}

// earn counts output that was passed on.
func (b *budget) earn(bytes int) { b.sent.Add(int64(bytes)) }

// spend counts an event, and reports whether it may be delivered.
func (b *budget) spend() bool {
	events, sent := b.events.Add(1), b.sent.Load()
	switch limit := sent + freeEvents; {
	case events <= limit:
		return true
	case events == limit+1:
		b.exceeded(fmt.Sprintf("it reported %d events of %d bytes of output", events, sent))
	}
	return false
}

// keep counts text that goes on record, and reports whether it may.
func (b *budget) keep(bytes int) bool {
	text, sent := b.text.Add(int64(bytes)), b.sent.Load()
	switch limit := textFactor*sent + freeText; {
	case text <= limit:
		return true
	case text-int64(bytes) <= limit:
		b.exceeded(fmt.Sprintf("it reported %d bytes of text of %d bytes of output", text, sent))
	}
	return false
}
