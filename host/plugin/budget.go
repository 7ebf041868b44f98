package plugin

import (
	"fmt"
	"sync/atomic"
)

const (
	// freeEvents is how many events a plugin may send regardless of its input: notes,
	// and what it knows from the workspace.
	freeEvents = 10_000
	// freeText is how many bytes of text a plugin may send regardless of its input, and
	// textFactor how many more for each byte of output: what a runner prints once
	// becomes a message, an output and a diff.
	freeText   = 64 << 20
	textFactor = 16
	// knownOutput is how many bytes a command that is known counts as having printed: more
	// than any listing that a plugin keeps.
	knownOutput = 64 << 20
)

// budget bounds the events of a stream by its input, since every test and every failure
// takes at least a byte of the runner's output. So a plugin that reports without end, or
// more than it can have read, cannot fill the disk.
type budget struct {
	sent, events, text atomic.Int64
	// exceeded is called once for events and once for text, with what was too much.
	exceeded func(what string)
}

// earn credits output that was passed on.
func (b *budget) earn(bytes int64) { b.sent.Add(bytes) }

// spend charges an event, and reports whether it may be delivered.
func (b *budget) spend() bool {
	events, sent := b.events.Add(1), b.sent.Load()
	switch limit := sent + freeEvents; {
	case events <= limit:
		return true
	case events == limit+1:
		b.exceeded(fmt.Sprintf("it reported %d events for %d bytes of output", events, sent))
	}
	return false
}

// keep charges recorded text, and reports whether it may be recorded.
func (b *budget) keep(bytes int) bool {
	text, sent := b.text.Add(int64(bytes)), b.sent.Load()
	switch limit := textFactor*sent + freeText; {
	case text <= limit:
		return true
	case text-int64(bytes) <= limit:
		b.exceeded(fmt.Sprintf("it reported %d bytes of text for %d bytes of output", text, sent))
	}
	return false
}
