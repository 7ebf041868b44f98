package coverage

import (
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Suite is what was measured of a suite's tests, and what that depends on.
type Suite struct {
	Language string
	Suite    string
	// Setting identifies the arguments, settings and tools it was built with;
	// measurements in another setting prove nothing.
	Setting    string
	MeasuredAt time.Time
	// Granularity is [api.GranularityTest] or [api.GranularitySuite]; Why says why it
	// is not by test.
	Granularity api.Granularity
	Why         string
	// Cut is as in [sdk.SuiteCoverage].
	Cut bool
	// Partial says why any of its tests may execute more than was measured; empty if
	// none may.
	Partial string
	// Opaque says why it may depend on more than Inputs; see [sdk.ListedSuite].
	Opaque string
	// Inputs maps all files that it was built from or that its tests looked at to the
	// digest of their content: "" for one that did not exist; for a directory, of its
	// list of names. Paths are slash-separated and relative to the workspace, or
	// absolute if outside of it.
	Inputs map[string]string
	// Built says which of the Inputs it was built from.
	Built map[string]bool
	// Patterns are where a new file changes it; see [sdk.ListedPart].
	Patterns []string
	// Sheets are the measured sources and those of the tests, as measured. The blocks
	// of all sheets are numbered consecutively from 0.
	Sheets []*Sheet
	// Whole and StartUp are as in [sdk.SuiteCoverage].
	Whole, StartUp sdk.BlockSet
	Tests          []Test
}

// Test is what one test executed alone.
type Test struct {
	Name   string
	Blocks sdk.BlockSet
	// Reads are the files and directories that it looked at; the suite's Inputs have
	// their digests.
	Reads  []string
	Opaque string
	// Partial says why it may execute more of its suite's sources than Blocks shows;
	// empty if it may not.
	Partial         string
	Alone, Together sdk.Status
	DurationS       float64
}

// Sheet is a source file as it was measured: enough to find its lines after an edit,
// and to tell which declarations changed.
type Sheet struct {
	Path   string
	Digest string
	// Lines are hashes of its lines, without their ends.
	Lines []uint32
	Units []sdk.SourceUnit
	// Blocks are the measured ones; empty for a file of tests.
	Blocks []sdk.Block
}
