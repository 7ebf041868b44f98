package plugin

import (
	"runtime/debug"
	"sync"
)

// Reading a long stream makes much garbage and leaves little. Meanwhile this process
// collects garbage more often: that costs a hundredth of the time and saves 10 MiB.
const (
	// longStream is how many output messages make a stream long: 2 MiB.
	longStream = 64
	// thriftyPercent is how much the heap may grow between two collections.
	thriftyPercent = 40
)

// thrift is global, like the collector.
var thrift thriftiness

// thriftiness counts the long streams being read.
type thriftiness struct {
	mu      sync.Mutex
	streams int
	// before is the previous percentage.
	before int
}

// begin makes the collector run more often, unless the user chose a lower value or
// switched it off.
func (t *thriftiness) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams++; t.streams > 1 {
		return
	}
	if t.before = debug.SetGCPercent(thriftyPercent); t.before < thriftyPercent {
		debug.SetGCPercent(t.before)
	}
}

// end ends a stream that began.
func (t *thriftiness) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams--; t.streams == 0 {
		debug.SetGCPercent(t.before)
	}
}

// sent counts an output message.
func (s *ParseStream) sent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.messages++; s.messages == longStream && !s.ended {
		s.thrifty = true
		thrift.begin()
	}
}

// over is called at every end of a stream.
func (s *ParseStream) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.thrifty {
		s.thrifty = false
		thrift.end()
	}
}
