package server

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// eventSink collects a parser's reports.
type eventSink struct {
	batch[codec.Report]
}

func newEventSink(send func(*codec.Report) error) *eventSink {
	return &eventSink{batch[codec.Report]{send: send, empty: (*codec.Report).Empty}}
}

func (s *eventSink) Test(t sdk.TestResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(s.next.EncodeTest(t))
	s.next.AddTest()
}

func (s *eventSink) Failure(f sdk.Failure) {
	m, shortened := codec.EncodeFailure(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(proto.Size(m) + codec.Overhead)
	s.next.Rest.Failures = append(s.next.Rest.Failures, m)
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
	s.next.Rest.Suites = append(s.next.Rest.Suites, m)
}

func (s *eventSink) Unread(u sdk.Unread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeUnread(u)
	s.room(len(m.GetSample()) + codec.Overhead)
	s.next.Rest.Unread = append(s.next.Rest.Unread, m)
}

func (s *eventSink) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addNote(text)
}

func (s *eventSink) addNote(text string) {
	text = fit.Text(text, sdk.MaxText)
	s.room(len(text) + codec.Overhead)
	s.next.Rest.Notes = append(s.next.Rest.Notes, text)
}

func (s *eventSink) RunError(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = fit.Text(text, sdk.MaxText)
	s.room(len(text) + codec.Overhead)
	s.next.Rest.RunErrors = append(s.next.Rest.RunErrors, text)
	s.hasty = true
}

// Refused implements [sdk.RefusalSink].
func (s *eventSink) Refused(r sdk.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeRefusal(r)
	s.room(proto.Size(m) + codec.Overhead)
	s.next.Rest.Refusals = append(s.next.Rest.Refusals, m)
}

func (s *eventSink) Condition(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, value = fit.Name(name), fit.Name(value)
	s.room(len(name) + len(value) + codec.Overhead)
	if s.next.Rest.Conditions == nil {
		s.next.Rest.Conditions = map[string]string{}
	}
	s.next.Rest.Conditions[name] = value
}

func (s *eventSink) Output(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(data) > 0 {
		n := min(len(data), batchSize-codec.Overhead)
		s.room(n + codec.Overhead)
		s.next.Rest.Output = append(s.next.Rest.Output, data[:n]...)
		data = data[n:]
	}
}

// sendProgress sends a snapshot together with what is waiting.
func (s *eventSink) sendProgress(p sdk.Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := codec.EncodeProgress(p)
	s.room(proto.Size(m))
	s.next.Rest.Progress = m
	s.flushLocked()
	return s.err
}

// sendFileRead says how many bytes of files were read, together with what is waiting.
func (s *eventSink) sendFileRead(total int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(codec.Overhead)
	s.next.Rest.FileBytesRead = total
	s.flushLocked()
	return s.err
}
