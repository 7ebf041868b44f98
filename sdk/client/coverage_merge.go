package client

import (
	"fmt"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// Bounds on a stream that the plugin derives from its own files, in bytes.
const (
	// maxStream bounds all messages of one ParseCoverage or Outline together.
	maxStream = 2 << 30
	// maxWhole bounds, roughly, the memory for one suite of ParseCoverage or one file
	// of Outline.
	maxWhole = 256 << 20
)

// The cost of things besides their texts and sets: the memory they take here. A message
// costs something, too, so that a stream of empty ones ends.
const (
	messageCost = 64
	nameCost    = 16
	fileCost    = 64
	blockCost   = 40
	testCost    = 128
	unitCost    = 96
)

// TooMuchError reports that a plugin sends more than a host keeps.
type TooMuchError struct {
	// What names the part that is too large: a suite, a file, the whole answer.
	What string
	// Limit is how large it may be, in bytes.
	Limit int
}

// Error says what is too large.
func (e *TooMuchError) Error() string {
	return fmt.Sprintf("%s takes more than %d bytes", e.What, e.Limit)
}

// coverageMerger reassembles suites from messages that hold consecutive parts.
type coverageMerger struct {
	sink  sdk.CoverageSink
	limit int
	open  bool
	next  sdk.SuiteCoverage
	cost  int
	// lost are the suites that were given up.
	lost map[string]bool
}

func (c *coverageMerger) add(m *pb.SuiteCoverage) error {
	if c.open && c.next.Suite != m.GetSuite() {
		c.giveUp()
	}
	if c.lost[m.GetSuite()] {
		return nil // the rest of it is incomplete
	}
	if !c.open {
		c.open, c.next, c.cost = true, sdk.SuiteCoverage{Suite: m.GetSuite()}, 0
	}
	if c.cost += partCost(m); c.cost > c.limit {
		return &TooMuchError{What: "what was measured of " + c.next.Suite, Limit: c.limit}
	}
	c.next.Files = appendFiles(c.next.Files, m.GetFiles())
	c.next.Whole, c.next.StartUp = uniteBlocks(c.next.Whole, m.GetWhole()), uniteBlocks(c.next.StartUp, m.GetStartUp())
	for _, t := range m.GetTests() {
		c.next.Tests = append(c.next.Tests, c.testFrom(t))
	}
	if m.GetLast() {
		codec.DecodeLastPart(m, &c.next)
		whole := c.next
		c.open, c.next = false, sdk.SuiteCoverage{}
		c.sink.Suite(whole)
	}
	return nil
}

// giveUp drops a suite whose last part is missing: it may hold half of what a test
// executes, which could not be distinguished from the whole.
func (c *coverageMerger) giveUp() {
	if c.open {
		c.open = false
		if c.lost == nil {
			c.lost = map[string]bool{}
		}
		c.lost[c.next.Suite] = true
		c.sink.Error("what was measured of " + c.next.Suite + " did not arrive in full")
	}
}

// partCost returns the memory that a part of a suite takes.
func partCost(m *pb.SuiteCoverage) int {
	n := len(m.GetWhole()) + len(m.GetStartUp())
	for _, f := range m.GetFiles() {
		n += len(f.GetFile()) + fileCost + len(f.GetBlocks())*blockCost
	}
	for _, t := range m.GetTests() {
		n += len(t.GetName()) + len(t.GetBlocks()) + len(t.GetOpaque()) + len(t.GetPartial()) + testCost
		for _, read := range t.GetReads() {
			n += len(read) + nameCost
		}
	}
	return n
}

// appendFiles continues the last file if the next part does.
func appendFiles(files []sdk.CoveredFile, ms []*pb.CoveredFile) []sdk.CoveredFile {
	for _, m := range ms {
		if n := len(files); n == 0 || files[n-1].File != m.GetFile() {
			files = append(files, sdk.CoveredFile{File: m.GetFile()})
		}
		f := &files[len(files)-1]
		for _, b := range m.GetBlocks() {
			f.Blocks = append(f.Blocks, codec.DecodeBlock(b))
		}
	}
	return files
}

// testFrom treats an unknown status as none, but reports it.
func (c *coverageMerger) testFrom(m *pb.TestCoverage) sdk.TestCoverage {
	t := codec.DecodeTestCoverage(m)
	c.admit(m, m.GetAlone(), t.Alone)
	c.admit(m, m.GetTogether(), t.Together)
	return t
}

func (c *coverageMerger) admit(m *pb.TestCoverage, sent pb.Status, known sdk.Status) {
	if sent != pb.Status_STATUS_UNSPECIFIED && known == "" {
		c.sink.Error(unknownValue("status", int32(sent), c.next.Suite+" "+m.GetName()).Sample)
	}
}

// uniteBlocks returns the blocks of both sets.
func uniteBlocks(set sdk.BlockSet, more []byte) sdk.BlockSet {
	if len(set) == 0 {
		return more
	}
	for i, b := range more {
		if i == len(set) {
			return append(set, more[i:]...)
		}
		set[i] |= b
	}
	return set
}
