package sdk

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/wire"
)

// batchSize is the size up to which events share a message. As for
// [SendChunk], a message beyond 32 KiB is much more expensive to send.
const batchSize = SendChunk

// eventOverhead is more than what an event costs in a message beside its texts.
const eventOverhead = 48

// eventSink collects a parser's reports into messages. Sending encodes a
// message at once, so its parts are used again for the next.
type eventSink struct {
	mu     sync.Mutex // a parser may report from a goroutine of its own
	send   func(*pb.ParseTestFailuresResponse) error
	next   pb.ParseTestFailuresResponse
	size   int
	tests  []*testSlot // the storage of next.Tests, grown on demand
	hasty  bool
	closed bool
	err    error
}

// testSlot is the storage of one test result: a run has hundreds of thousands.
type testSlot struct {
	result   pb.TestResult
	id       pb.TestId
	location pb.Location
}

func (s *eventSink) Test(t TestResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	suite, name, root, file := wire.Name(t.ID.Suite), wire.Name(t.ID.Name), wire.Name(t.Root), wire.Name(t.Location.File)
	measures, measured := measuresTo(t.Measures)
	attributes := wire.Attributes(t.Attributes)
	s.room(len(suite) + len(name) + len(root) + len(file) + measured + wire.AttributesSize(attributes) + eventOverhead)
	n := len(s.next.Tests)
	if n == len(s.tests) {
		s.tests = append(s.tests, new(testSlot))
	}
	slot := s.tests[n]
	slot.id.Suite, slot.id.Name = suite, name
	m := &slot.result
	m.Id, m.Status, m.ElapsedNanos = &slot.id, pb.Status(t.Status), nanos(t.Elapsed)
	m.Root, m.Container, m.Derived, m.Ended, m.Fixture = root, t.Container, t.Derived, t.Ended, t.Fixture
	m.Body = wire.Text(t.Body, MaxBody)
	m.Measures, m.Attributes = measures, attributes
	m.Location = nil
	if t.Location != (Location{}) {
		slot.location.File, slot.location.Line, slot.location.Column = file, clamp32(t.Location.Line), clamp32(t.Location.Column)
		m.Location = &slot.location
	}
	s.next.Tests = append(s.next.Tests, m)
}

func (s *eventSink) Failure(f Failure) {
	m, shortened := failureTo(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(proto.Size(m) + eventOverhead)
	s.next.Failures = append(s.next.Failures, m)
	if len(shortened) > 0 {
		s.note("a failure of " + strings.TrimSpace(m.GetId().GetSuite()+" "+m.GetId().GetName()) +
			" was too large; left out at the end of: " + strings.Join(shortened, ", "))
	}
	s.hasty = true
}

func (s *eventSink) Suite(r SuiteResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := wire.Name(r.Suite)
	s.room(len(name) + eventOverhead)
	s.next.Suites = append(s.next.Suites, &pb.SuiteResult{
		Suite: name, Outcome: pb.SuiteOutcome(r.Outcome), ElapsedNanos: nanos(r.Elapsed),
	})
}

func (s *eventSink) Unread(u Unread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sample := wire.Text(u.Sample, MaxSample)
	s.room(len(sample) + eventOverhead)
	s.next.Unread = append(s.next.Unread, &pb.Unread{Bytes: max(u.Bytes, 0), Damaged: u.Damaged, Sample: sample})
}

func (s *eventSink) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(text)
}

func (s *eventSink) note(text string) {
	text = wire.Text(text, MaxText)
	s.room(len(text) + eventOverhead)
	s.next.Notes = append(s.next.Notes, text)
}

func (s *eventSink) RunError(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = wire.Text(text, MaxText)
	s.room(len(text) + eventOverhead)
	s.next.RunErrors = append(s.next.RunErrors, text)
	s.hasty = true
}

// Refused implements [RefusalSink].
func (s *eventSink) Refused(r Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &pb.Refusal{Words: wire.Text(r.Words, MaxText)}
	for _, suite := range r.Suites {
		m.Suites = append(m.Suites, wire.Name(suite))
	}
	s.room(proto.Size(m) + eventOverhead)
	s.next.Refusals = append(s.next.Refusals, m)
}

func (s *eventSink) Condition(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, value = wire.Name(name), wire.Name(value)
	s.room(len(name) + len(value) + eventOverhead)
	if s.next.Conditions == nil {
		s.next.Conditions = map[string]string{}
	}
	s.next.Conditions[name] = value
}

func (s *eventSink) Output(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(data) > 0 {
		n := min(len(data), batchSize-eventOverhead)
		s.room(n + eventOverhead)
		s.next.Output = append(s.next.Output, data[:n]...)
		data = data[n:]
	}
}

// progress sends a snapshot together with what waits.
func (s *eventSink) progress(p Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := progressTo(p)
	s.room(proto.Size(m))
	s.next.Progress = m
	s.flushLocked()
	return s.err
}

func (s *eventSink) urgent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasty || s.err != nil
}

func (s *eventSink) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size > 0
}

func (s *eventSink) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	return s.err
}

func (s *eventSink) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// room makes space for an event of the given size. An event of more than a
// batch goes in a message of its own.
func (s *eventSink) room(size int) {
	if s.size > 0 && s.size+size > batchSize {
		s.flushLocked()
	}
	s.size += size
}

func (s *eventSink) flushLocked() {
	if s.size > 0 && !s.closed && s.err == nil {
		s.err = s.send(&s.next)
	}
	m := &s.next
	clear(m.Failures)
	m.Tests, m.Failures, m.Suites, m.Unread = m.Tests[:0], m.Failures[:0], m.Suites[:0], m.Unread[:0]
	m.Notes, m.RunErrors, m.Output, m.Progress, m.Refusals = m.Notes[:0], m.RunErrors[:0], m.Output[:0], nil, nil
	clear(m.Conditions)
	s.size, s.hasty = 0, false
}
