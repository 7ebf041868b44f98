package plugin

import (
	"fmt"
	"math/bits"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// coverageGuard is the eventGuard of measurements.
type coverageGuard struct {
	*reception
	sink sdk.CoverageSink
	// seen are the suites reported so far.
	seen map[string]bool
}

var (
	_ sdk.CoverageSink = coverageGuard{}
	_ client.Witness   = coverageGuard{}
)

func (g coverageGuard) Suite(c sdk.SuiteCoverage) {
	if !g.admit() {
		return
	}
	defer g.watch.dealtWith()
	v := checkCoverage(c)
	if v == nil && g.seen[c.Suite] {
		v = violates("suite", "%s was reported twice", cleanLine(c.Suite, 64))
	}
	if v != nil {
		g.violated(v)
		return
	}
	g.seen[c.Suite] = true
	g.sink.Suite(boundCoverage(c))
}

func (g coverageGuard) Error(text string) {
	if !g.admit() {
		return
	}
	defer g.watch.dealtWith()
	g.sink.Error(bound(text, sdk.MaxText))
}

// checkCoverage validates a suite's measurement: every number must be meaningful within
// it.
func checkCoverage(c sdk.SuiteCoverage) *violation {
	if c.Suite == "" {
		return violates("suite", "it has no name")
	}
	blocks := 0
	for i, f := range c.Files {
		if f.File == "" {
			return violates(fmt.Sprintf("files[%d].file", i), "it has no name")
		}
		for j, b := range f.Blocks {
			if !orderedBlock(b) {
				return violates(fmt.Sprintf("files[%d].blocks[%d]", i, j), "it begins at %d:%d and ends at %d:%d",
					b.StartLine, b.StartColumn, b.EndLine, b.EndColumn)
			}
		}
		blocks += len(f.Blocks)
	}
	if blocks > sdk.MaxBlocks {
		return violates("files", "there are %d blocks and may be %d", blocks, sdk.MaxBlocks)
	}
	if v := checkSet("whole", c.Whole, blocks); v != nil {
		return v
	}
	if v := checkSet("start_up", c.StartUp, blocks); v != nil {
		return v
	}
	return checkCovered(c.Tests, blocks)
}

func orderedBlock(b sdk.Block) bool {
	return b.StartLine >= 1 && b.StartColumn >= 0 && b.EndColumn >= 0 &&
		(b.EndLine > b.StartLine || b.EndLine == b.StartLine && b.EndColumn >= b.StartColumn)
}

func checkCovered(tests []sdk.TestCoverage, blocks int) *violation {
	seen := make(map[string]bool, len(tests))
	for i, t := range tests {
		field := fmt.Sprintf("tests[%d].", i)
		switch {
		case t.Name == "":
			return violates(field+"name", "it has none")
		case seen[t.Name]:
			return violates(field+"name", "%s is there twice", cleanLine(t.Name, 64))
		}
		seen[t.Name] = true
		if v := checkSet(field+"blocks", t.Blocks, blocks); v != nil {
			return v
		}
		for j, read := range t.Reads {
			if read == "" || !localPath(read) {
				return violates(fmt.Sprintf("%sreads[%d]", field, j), "%q leaves the workspace", cleanLine(read, 256))
			}
		}
	}
	return nil
}

// checkSet validates a set of blocks.
func checkSet(field string, set sdk.BlockSet, blocks int) *violation {
	if len(set) > (blocks+7)/8 {
		return violates(field, "it has %d bytes for %d blocks", len(set), blocks)
	}
	if n := len(set); n > 0 {
		if last := 8*(n-1) + bits.Len8(set[n-1]) - 1; last >= blocks {
			return violates(field, "block %d is in it, and there are %d", last, blocks)
		}
	}
	return nil
}

func boundCoverage(c sdk.SuiteCoverage) sdk.SuiteCoverage {
	c.Suite, c.Why = boundName(c.Suite), bound(c.Why, sdk.MaxText)
	for i := range c.Files {
		c.Files[i].File = boundName(c.Files[i].File)
	}
	for i, t := range c.Tests {
		c.Tests[i].Name, c.Tests[i].Opaque, c.Tests[i].Partial = boundName(t.Name), bound(t.Opaque, sdk.MaxText), bound(t.Partial, sdk.MaxText)
		c.Tests[i].Reads = boundNames(t.Reads)
	}
	return c
}
