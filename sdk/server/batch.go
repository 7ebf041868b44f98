package server

import (
	"sync"

	"github.com/proctorhq/proctor/sdk"
)

// batchSize is the size up to which reports share a message. As with [sdk.SendChunk], a
// message beyond 32 KiB is much more expensive to send.
const batchSize = sdk.SendChunk

// batch collects a detector's reports into messages. Sending encodes a message
// immediately, so next is reused for the one after it.
type batch[M any] struct {
	mu   sync.Mutex // a detector may report from a goroutine of its own
	send func(*M) error
	// empty removes what was sent from next.
	empty  func(next *M)
	next   M
	size   int
	hasty  bool // next has a report that must be sent at once
	closed bool
	err    error
}

func (b *batch[M]) urgent() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hasty || b.err != nil
}

func (b *batch[M]) waiting() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size > 0
}

func (b *batch[M]) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
	return b.err
}

func (b *batch[M]) shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// room makes room for a report of the given size. One larger than a batch goes into a
// message of its own.
func (b *batch[M]) room(size int) {
	if b.size > 0 && b.size+size > batchSize {
		b.flushLocked()
	}
	b.size += size
}

func (b *batch[M]) flushLocked() {
	if b.size > 0 {
		b.post(&b.next)
	}
	b.empty(&b.next)
	b.size, b.hasty = 0, false
}

// post sends a message immediately.
func (b *batch[M]) post(m *M) {
	if !b.closed && b.err == nil {
		b.err = b.send(m)
	}
}
