package server

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// coverageSink sends what a reader of coverage reports, splitting a suite into as many
// messages as necessary. It sends everything at once: a reader may take long until its
// next report, and if it then fails, what it had read is not lost.
type coverageSink struct {
	batch[pb.ParseCoverageResponse]
}

func newCoverageSink(send func(*pb.ParseCoverageResponse) error) *coverageSink {
	return &coverageSink{batch[pb.ParseCoverageResponse]{send: send, empty: (*pb.ParseCoverageResponse).Reset}}
}

func (s *coverageSink) Suite(c sdk.SuiteCoverage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, blocks := codec.EncodeLastPart(c), 0
	name := last.GetSuite()
	for _, f := range c.Files {
		blocks += len(f.Blocks)
	}
	if blocks > sdk.MaxBlocks {
		s.post(&pb.ParseCoverageResponse{Errors: []string{
			fmt.Sprintf("%s: it has %d blocks, but at most %d of a suite can be reported", name, blocks, sdk.MaxBlocks)}})
		return
	}
	base := len(name) + codec.Overhead
	p := &suiteParts{sink: s, next: &pb.SuiteCoverage{Suite: name}, base: base, size: base}
	for _, f := range c.Files {
		p.addFile(f)
	}
	whole, startUp := codec.EncodeBlockSet(c.Whole), codec.EncodeBlockSet(c.StartUp)
	p.makeRoom(len(whole) + len(startUp) + codec.Overhead)
	p.next.Whole, p.next.StartUp = whole, startUp
	for _, t := range c.Tests {
		m := codec.EncodeTestCoverage(t)
		p.makeRoom(proto.Size(m) + codec.Overhead)
		p.next.Tests = append(p.next.Tests, m)
	}
	p.makeRoom(len(last.GetWhy()) + codec.Overhead)
	p.next.Granularity, p.next.Why, p.next.Cut, p.next.Last = last.GetGranularity(), last.GetWhy(), last.GetCut(), last.GetLast()
	p.flush()
}

func (s *coverageSink) Error(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.post(&pb.ParseCoverageResponse{Errors: []string{fit.Text(text, sdk.MaxText)}})
}

// suiteParts sends the coverage of one suite.
type suiteParts struct {
	sink *coverageSink
	next *pb.SuiteCoverage
	// size is the approximate size of next, and base its size without content.
	size, base int
}

// addFile adds a file. If its blocks do not fit, the next part continues it.
func (p *suiteParts) addFile(f sdk.CoveredFile) {
	name := fit.Name(f.File)
	var m *pb.CoveredFile
	begin := func(size int) {
		p.makeRoom(len(name) + codec.Overhead + size)
		m = &pb.CoveredFile{File: name}
		p.next.Files = append(p.next.Files, m)
	}
	begin(0)
	for _, b := range f.Blocks {
		block := codec.EncodeBlock(b)
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

// makeRoom makes room for something of the given size.
func (p *suiteParts) makeRoom(size int) {
	if p.size > p.base && p.size+size > batchSize {
		p.flush()
	}
	p.size += size
}

func (p *suiteParts) flush() {
	p.sink.post(&pb.ParseCoverageResponse{Suites: []*pb.SuiteCoverage{p.next}})
	p.next, p.size = &pb.SuiteCoverage{Suite: p.next.GetSuite()}, p.base
}
