package server

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

func TestCoverageIsSentInBoundedMessages(t *testing.T) {
	const blocks, tests = 20_000, 300
	messages, seen, last := 0, 0, 0
	sink := newCoverageSink(func(m *pb.ParseCoverageResponse) error {
		messages++
		if n := proto.Size(m); n > batchSize {
			t.Errorf("a message of %d bytes", n)
		}
		for _, suite := range m.GetSuites() {
			for _, f := range suite.GetFiles() {
				seen += len(f.GetBlocks())
			}
			if suite.GetLast() {
				last++
			}
		}
		return nil
	})
	c := sdk.SuiteCoverage{Suite: strings.Repeat("s", 400), Files: []sdk.CoveredFile{{File: "f", Blocks: make([]sdk.Block, blocks)}}}
	for i := range c.Files[0].Blocks {
		c.Files[0].Blocks[i] = sdk.Block{StartLine: 1 << 30, StartColumn: 1 << 30, EndLine: 1 << 30, EndColumn: 1 << 30, Statements: 1 << 30}
	}
	for i := range tests {
		c.Tests = append(c.Tests, sdk.TestCoverage{Name: fmt.Sprint("Test", i), Blocks: sdk.BlockSet(nil).Add(blocks - 1), Reads: []string{"testdata"}})
	}
	sink.Suite(c)
	if err := sink.flush(); err != nil || seen != blocks || last != 1 {
		t.Errorf("%d blocks and %d last parts arrived, %v", seen, last, err)
	}
	before := messages
	sink.shut()
	sink.Suite(sdk.SuiteCoverage{Suite: "late"})
	if messages != before {
		t.Error("a suite was sent after the end")
	}
}

func TestOutlinesAreSentInBoundedMessages(t *testing.T) {
	const files, units = 50, 2000
	seen := map[string]int{}
	sink := newOutlineSink(func(m *pb.OutlineResponse) error {
		if n := proto.Size(m); n > batchSize {
			t.Errorf("a message of %d bytes", n)
		}
		for _, f := range m.GetFiles() {
			seen[f.GetFile()] += len(f.GetUnits())
		}
		return nil
	})
	f := sdk.OutlinedFile{}
	for i := range units {
		f.Units = append(f.Units, sdk.SourceUnit{Name: fmt.Sprint("unit", i), Kind: sdk.UnitBody, StartLine: 1, EndLine: 1, Digest: strings.Repeat("d", 32)})
	}
	for i := range files {
		f.File = fmt.Sprintf("%0400d", i)
		sink.File(f)
	}
	if err := sink.flush(); err != nil || len(seen) != files || seen[f.File] != units {
		t.Errorf("%d files, %d units of the last, %v", len(seen), seen[f.File], err)
	}
}
