package server

import (
	"sync"

	"github.com/proctorhq/proctor/sdk"
)

// batchSize is the size up to which reports share a message. As for
// [sdk.SendChunk], a message beyond 32 KiB is much more expensive to send.
const batchSize = sdk.SendChunk

// batch collects what a detector reports into messages. Sending encodes a message at
// once, so next is used again for the one after it.
type batch[M any] struct {
	mu   sync.Mutex // a detector may report from a goroutine of its own
	send func(*M) error
	// empty takes out of next what was sent.
	empty  func(next *M)
	next   M
	size   int
	hasty  bool
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

// room makes space for a report of the given size, and reports whether what waited was
// sent for that. A report of more than a batch goes in a message of its own.
func (b *batch[M]) room(size int) (sent bool) {
	if b.size > 0 && b.size+size > batchSize {
		b.flushLocked()
		sent = true
	}
	b.size += size
	return sent
}

func (b *batch[M]) flushLocked() {
	if b.size > 0 {
		b.post(&b.next)
	}
	b.empty(&b.next)
	b.size, b.hasty = 0, false
}

// post sends a message at once.
func (b *batch[M]) post(m *M) {
	if !b.closed && b.err == nil {
		b.err = b.send(m)
	}
}
