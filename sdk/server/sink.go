package server

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// eventSink collects a parser's reports.
type eventSink struct {
	batch[pb.ParseTestFailuresResponse]
	tests []*codec.TestSlot // storage of next.Tests, grown on demand
}

func newEventSink(send func(*pb.ParseTestFailuresResponse) error) *eventSink {
	return &eventSink{batch: batch[pb.ParseTestFailuresResponse]{send: send, empty: emptyEvents}}
}

// emptyEvents keeps the storage of the lists for the next message.
func emptyEvents(m *pb.ParseTestFailuresResponse) {
	clear(m.Failures)
	m.Tests, m.Failures, m.Suites, m.Unread = m.Tests[:0], m.Failures[:0], m.Suites[:0], m.Unread[:0]
	m.Notes, m.RunErrors, m.Output, m.Progress, m.Refusals = m.Notes[:0], m.RunErrors[:0], m.Output[:0], nil, nil
	clear(m.Conditions)
}

func (s *eventSink) Test(t sdk.TestResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.next.Tests)
	if n == len(s.tests) {
		s.tests = append(s.tests, new(codec.TestSlot))
	}
	m, size := s.tests[n].Encode(t)
	if s.room(size) { // the slots of what was sent are free again
		s.tests[0], s.tests[n] = s.tests[n], s.tests[0]
	}
	s.next.Tests = append(s.next.Tests, m)
}

func (s *eventSink) Failure(f sdk.Failure) {
	m, shortened := codec.EncodeFailure(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(proto.Size(m) + codec.Overhead)
	s.next.Failures = append(s.next.Failures, m)
	if len(shortened) > 0 {
		s.addNote("a failure of " + strings.TrimSpace(m.GetId().GetSuite()+" "+m.GetId().GetName()) +
			" was too large; left out at the end of: " + strings.Join(shortened, ", "))
	}
	s.hasty = true
}

func (s *eventSink) Suite(r sdk.SuiteResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeSuite(r)
	s.room(len(m.GetSuite()) + codec.Overhead)
	s.next.Suites = append(s.next.Suites, m)
}

func (s *eventSink) Unread(u sdk.Unread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeUnread(u)
	s.room(len(m.GetSample()) + codec.Overhead)
	s.next.Unread = append(s.next.Unread, m)
}

func (s *eventSink) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addNote(text)
}

func (s *eventSink) addNote(text string) {
	text = fit.Text(text, sdk.MaxText)
	s.room(len(text) + codec.Overhead)
	s.next.Notes = append(s.next.Notes, text)
}

func (s *eventSink) RunError(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = fit.Text(text, sdk.MaxText)
	s.room(len(text) + codec.Overhead)
	s.next.RunErrors = append(s.next.RunErrors, text)
	s.hasty = true
}

// Refused implements [sdk.RefusalSink].
func (s *eventSink) Refused(r sdk.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeRefusal(r)
	s.room(proto.Size(m) + codec.Overhead)
	s.next.Refusals = append(s.next.Refusals, m)
}

func (s *eventSink) Condition(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, value = fit.Name(name), fit.Name(value)
	s.room(len(name) + len(value) + codec.Overhead)
	if s.next.Conditions == nil {
		s.next.Conditions = map[string]string{}
	}
	s.next.Conditions[name] = value
}

func (s *eventSink) Output(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(data) > 0 {
		n := min(len(data), batchSize-codec.Overhead)
		s.room(n + codec.Overhead)
		s.next.Output = append(s.next.Output, data[:n]...)
		data = data[n:]
	}
}

// sendProgress sends a snapshot together with what is waiting.
func (s *eventSink) sendProgress(p sdk.Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeProgress(p)
	s.room(proto.Size(m))
	s.next.Progress = m
	s.flushLocked()
	return s.err
}
