package plugin

import "sync/atomic"

// freeEvents is how many events a plugin may send whatever it was given: notes,
// and what it knows from the workspace rather than from the output.
const freeEvents = 10_000

// budget bounds the events of a stream by what was sent into it: every test and
// every failure takes at least a byte of the runner's output. A plugin that reports
// without end, or more than it can have read, fills no disk.
type budget struct {
	sent, events atomic.Int64
	// exceeded is called once.
	exceeded func(events, sent int64)
}

// earn counts output that was passed on.
func (b *budget) earn(bytes int) { b.sent.Add(int64(bytes)) }

// spend counts an event, and tells whether it may be delivered.
func (b *budget) spend() bool {
	events, sent := b.events.Add(1), b.sent.Load()
	switch limit := sent + freeEvents; {
	case events <= limit:
		return true
	case events == limit+1:
		b.exceeded(events, sent)
	}
	return false
}
