package coverage

import (
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Suite is what was measured of the tests of one suite, and what that depends on.
type Suite struct {
	Language string
	Suite    string
	// Setting stands for the arguments, settings and tools with which it was built;
	// what was measured with another one says nothing.
	Setting    string
	MeasuredAt time.Time
	// Granularity is [api.GranularityTest] or [api.GranularitySuite]; Why says
	// why not for each test.
	Granularity api.Granularity
	Why         string
	// Cut is as in [sdk.SuiteCoverage].
	Cut bool
	// Partial says why any of its tests may execute more than was measured; empty where
	// they do not.
	Partial string
	// Opaque says why it may depend on more than Inputs; see [sdk.ListedSuite].
	Opaque string
	// Inputs are all files that it was built from and its tests looked at, and the
	// digest of the content that they had: "" of one that was not there, and of a
	// directory that of its list of names. Paths are relative to the workspace and have
	// slashes; absolute outside of it.
	Inputs map[string]string
	// Built tells which of the Inputs it was built from.
	Built map[string]bool
	// Patterns are where a file that appears changes it; see [sdk.ListedPart].
	Patterns []string
	// Sheets are the measured sources and those of the tests, as they were. The blocks
	// of all sheets, in their order, are numbered from 0.
	Sheets []*Sheet
	// Whole and StartUp are as in [sdk.SuiteCoverage].
	Whole, StartUp sdk.BlockSet
	Tests          []Test
}

// Test is what one test executed alone.
type Test struct {
	Name   string
	Blocks sdk.BlockSet
	// Reads are the files and directories that it looked at; their digests are among
	// the Inputs of the suite.
	Reads  []string
	Opaque string
	// Partial says why it may execute more of what its suite is built from than Blocks
	// show; empty where it does not.
	Partial         string
	Alone, Together api.Status
	DurationS       float64
}

// Sheet is a source file as it was when something was measured: enough of it to find
// its lines again after an edit, and to tell which of its declarations changed.
type Sheet struct {
	Path   string
	Digest string
	// Lines are hashes of its lines, without their ends.
	Lines []uint32
	Units []sdk.SourceUnit
	// Blocks are those that were measured; none of a file of tests.
	Blocks []sdk.Block
}
