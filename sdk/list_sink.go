package sdk

import (
	"sync"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/wire"
)

// listSink collects a listing into messages. A suite with more tests than fit
// one message is sent in parts.
type listSink struct {
	mu     sync.Mutex
	send   func(*pb.ParseListResponse) error
	next   *pb.ParseListResponse
	size   int
	closed bool
	err    error
}

func (s *listSink) Suite(suite ListedSuite) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := wire.Name(suite.Suite)
	part := s.part(name, 0)
	for _, test := range suite.Tests {
		m := &pb.ListedTest{Name: wire.Name(test.Name), Location: locationTo(test.Location), OnRequest: test.OnRequest}
		size := len(m.GetName()) + len(m.GetLocation().GetFile()) + eventOverhead
		if s.size+size > batchSize {
			part = s.part(name, size)
		} else {
			s.size += size
		}
		part.Tests = append(part.Tests, m)
	}
}

// part starts a part of a suite with room for size bytes of tests.
func (s *listSink) part(name string, size int) *pb.ListedSuite {
	m := &pb.ListedSuite{Suite: name}
	s.room(len(name) + eventOverhead + size)
	s.next.Suites = append(s.next.Suites, m)
	return m
}

func (s *listSink) Error(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = wire.Text(text, MaxText)
	s.room(len(text) + eventOverhead)
	s.next.Errors = append(s.next.Errors, text)
}

func (s *listSink) urgent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

func (s *listSink) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size > 0
}

func (s *listSink) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	return s.err
}

func (s *listSink) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *listSink) room(size int) {
	if s.size > 0 && s.size+size > batchSize {
		s.flushLocked()
	}
	if s.next == nil {
		s.next = new(pb.ParseListResponse)
	}
	s.size += size
}

func (s *listSink) flushLocked() {
	if s.size > 0 && !s.closed && s.err == nil {
		s.err = s.send(s.next)
	}
	s.next, s.size = nil, 0
}
