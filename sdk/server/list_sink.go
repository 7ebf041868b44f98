package server

import (
	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// listSink collects a listing into messages. It sends a suite or a part of the sources
// in pieces if it does not fit one message.
type listSink struct {
	batch[pb.ParseListResponse]
}

func newListSink(send func(*pb.ParseListResponse) error) *listSink {
	return &listSink{batch[pb.ParseListResponse]{send: send, empty: (*pb.ParseListResponse).Reset}}
}

func (s *listSink) Suite(suite sdk.ListedSuite) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := codec.EncodeListedSuite(suite)
	name, part := first.GetSuite(), s.addSuite(first, len(first.GetOpaque())+len(first.GetIncomplete()))
	for _, test := range suite.Tests {
		m := codec.EncodeListedTest(test)
		size := len(m.GetName()) + len(m.GetLocation().GetFile()) + len(m.GetBody()) + codec.Overhead
		if s.size+size > batchSize {
			part = s.addSuite(&pb.ListedSuite{Suite: name}, size)
		} else {
			s.size += size
		}
		part.Tests = append(part.Tests, m)
	}
	for _, need := range suite.Needs {
		need = fit.Name(need)
		if size := len(need) + textOverhead; s.size+size > batchSize {
			part = s.addSuite(&pb.ListedSuite{Suite: name}, size)
		} else {
			s.size += size
		}
		part.Needs = append(part.Needs, need)
	}
}

// textOverhead is what a text costs in its list: a tag and a length.
const textOverhead = 4

// addSuite starts a part of a suite with room for size more bytes.
func (s *listSink) addSuite(m *pb.ListedSuite, size int) *pb.ListedSuite {
	s.room(len(m.GetSuite()) + codec.Overhead + size)
	s.next.Suites = append(s.next.Suites, m)
	return m
}

func (s *listSink) Part(p sdk.ListedPart) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.addPart(codec.EncodeListedPart(p), 0)
	name := m.GetName()
	add := func(texts []string, list func(*pb.ListedPart) *[]string) {
		for _, text := range texts {
			text = fit.Name(text)
			if size := len(text) + textOverhead; s.size+size > batchSize {
				m = s.addPart(&pb.ListedPart{Name: name}, size)
			} else {
				s.size += size
			}
			*list(m) = append(*list(m), text)
		}
	}
	add(p.Files, func(m *pb.ListedPart) *[]string { return &m.Files })
	add(p.Patterns, func(m *pb.ListedPart) *[]string { return &m.Patterns })
	add(p.Needs, func(m *pb.ListedPart) *[]string { return &m.Needs })
}

// addPart starts a piece of a part of the sources, with room for size more bytes.
func (s *listSink) addPart(m *pb.ListedPart, size int) *pb.ListedPart {
	s.room(len(m.GetName()) + codec.Overhead + size)
	s.next.Parts = append(s.next.Parts, m)
	return m
}

func (s *listSink) Error(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = fit.Text(text, sdk.MaxText)
	s.room(len(text) + codec.Overhead)
	s.next.Errors = append(s.next.Errors, text)
}
