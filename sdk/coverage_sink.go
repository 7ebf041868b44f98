package sdk

import (
	"bytes"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/wire"
)

// coverageSink sends what a reader of coverage reports, a suite in as many messages
// as it takes. Nothing waits behind a report: a reader may take long for the next
// one, and what it has read is not lost when it fails there.
type coverageSink struct {
	mu     sync.Mutex // a reader may report from a goroutine of its own
	send   func(*pb.ParseCoverageResponse) error
	closed bool
	err    error
}

func (s *coverageSink) Suite(c SuiteCoverage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, blocks := wire.Name(c.Suite), 0
	for _, f := range c.Files {
		blocks += len(f.Blocks)
	}
	if blocks > MaxBlocks {
		s.post(&pb.ParseCoverageResponse{Errors: []string{
			fmt.Sprintf("%s: it has %d blocks, and %d of a suite can be told", name, blocks, MaxBlocks)}})
		return
	}
	base := len(name) + eventOverhead
	p := &suiteParts{sink: s, next: &pb.SuiteCoverage{Suite: name}, base: base, size: base}
	for _, f := range c.Files {
		p.file(f)
	}
	whole, startUp := trimmed(c.Whole), trimmed(c.StartUp)
	p.room(len(whole) + len(startUp) + eventOverhead)
	p.next.Whole, p.next.StartUp = whole, startUp
	for _, t := range c.Tests {
		m := testCoverageTo(t)
		p.room(proto.Size(m) + eventOverhead)
		p.next.Tests = append(p.next.Tests, m)
	}
	why := wire.Text(c.Why, MaxText)
	p.room(len(why) + eventOverhead)
	p.next.Granularity, p.next.Why = pb.CoverageGranularity(c.Granularity), why
	p.next.Cut, p.next.Last = c.Cut, true
	p.flush()
}

func (s *coverageSink) Error(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.post(&pb.ParseCoverageResponse{Errors: []string{wire.Text(text, MaxText)}})
}

func (s *coverageSink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *coverageSink) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *coverageSink) post(m *pb.ParseCoverageResponse) {
	if !s.closed && s.err == nil {
		s.err = s.send(m)
	}
}

// suiteParts sends the coverage of one suite.
type suiteParts struct {
	sink *coverageSink
	next *pb.SuiteCoverage
	// size is about that of next, and base what it is without content.
	size, base int
}

// file adds a file. Where its blocks do not fit, the next part goes on with it.
func (p *suiteParts) file(f CoveredFile) {
	name := wire.Name(f.File)
	var m *pb.CoveredFile
	begin := func(size int) {
		p.room(len(name) + eventOverhead + size)
		m = &pb.CoveredFile{File: name}
		p.next.Files = append(p.next.Files, m)
	}
	begin(0)
	for _, b := range f.Blocks {
		block := blockTo(b)
		size := proto.Size(block) + blockOverhead
		if p.size+size > batchSize {
			begin(size)
		} else {
			p.size += size
		}
		m.Blocks = append(m.Blocks, block)
	}
}

// blockOverhead is what a block costs in its list: a tag and a length.
const blockOverhead = 2

// room makes space for something of the given size.
func (p *suiteParts) room(size int) {
	if p.size > p.base && p.size+size > batchSize {
		p.flush()
	}
	p.size += size
}

func (p *suiteParts) flush() {
	p.sink.post(&pb.ParseCoverageResponse{Suites: []*pb.SuiteCoverage{p.next}})
	p.next, p.size = &pb.SuiteCoverage{Suite: p.next.GetSuite()}, p.base
}

func blockTo(b Block) *pb.Block {
	return &pb.Block{
		StartLine: clamp32(b.StartLine), StartColumn: clamp32(b.StartColumn),
		EndLine: clamp32(b.EndLine), EndColumn: clamp32(b.EndColumn), Statements: clamp32(b.Statements),
	}
}

func testCoverageTo(t TestCoverage) *pb.TestCoverage {
	m := &pb.TestCoverage{
		Name: wire.Name(t.Name), Blocks: trimmed(t.Blocks),
		Alone: pb.Status(t.Alone), Together: pb.Status(t.Together), ElapsedNanos: nanos(t.Elapsed),
		Opaque: wire.Text(t.Opaque, MaxText), Partial: wire.Text(t.Partial, MaxText),
	}
	size := 0
	for _, read := range t.Reads {
		read = wire.Name(read)
		if size += len(read) + eventOverhead; size > maxReads {
			// Half of what it looked at is no answer.
			if m.Reads = nil; m.GetOpaque() == "" {
				m.Opaque = fmt.Sprintf("it looked at %d files", len(t.Reads))
			}
			break
		}
		m.Reads = append(m.Reads, read)
	}
	return m
}

// maxReads bounds the names of what one test looked at.
const maxReads = 1 << 20

// trimmed leaves out the end of a set, where nothing was executed.
func trimmed(set BlockSet) []byte { return bytes.TrimRight(set, "\x00") }
