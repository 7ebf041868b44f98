package sdk

import (
	"context"
	"time"
)

// CoverageReader is implemented by a detector whose commands measure which lines
// tests execute: those of a [TestRequest] with Cover, where [Description.Cover]
// says so, and those of an [Indexer].
type CoverageReader interface {
	// ParseCoverage reads the files that a command with Covers left in its scratch
	// directory, and reports what they say. A suite is measured by one command. It is total: what is missing, cut or
	// cannot be read is reported with [CoverageSink.Error], and what was measured of
	// other suites is reported all the same.
	ParseCoverage(ctx context.Context, req CoverageRequest, sink CoverageSink) error
}

// Indexer is implemented by a detector that can find out which lines each test
// executes, by running it alone.
type Indexer interface {
	CoverageReader
	// IndexCmd composes the commands. Their output is read by ParseTestFailures,
	// for its suites, failures to build and progress; what their tests end like
	// proves nothing. What they leave is read by ParseCoverage. A command ends by
	// itself before the deadline, with what it has, and tells for which suites that
	// is not all.
	IndexCmd(ctx context.Context, req IndexRequest) (Plan, error)
}

// Outliner is implemented by a detector that can divide source files into
// declarations, so that it can be told which of them an edit changed.
type Outliner interface {
	// Outline reports the files that it can read. Equal sources have equal outlines.
	Outline(ctx context.Context, req OutlineRequest, sink OutlineSink) error
}

// IndexRequest asks for commands that find out which lines each test executes.
type IndexRequest struct {
	Workspace Workspace
	// Suites are those to measure.
	Suites []string
	// RunnerArgs decide how tests are built, as in [ListRequest].
	RunnerArgs []string
	// Deadline is as in [TestRequest].
	Deadline time.Duration
	// SuiteBudget is the most that the tests of one suite may take longer alone than
	// together. A suite beyond it is measured as a whole, and says so. 0 is no limit.
	SuiteBudget time.Duration
}

// CoverageRequest names what a command left.
type CoverageRequest struct {
	Workspace Workspace
	// Command is as it was composed.
	Command Command
	// Scratch is the absolute path of its scratch directory.
	Scratch string
	// Exit is how it ended.
	Exit Exit
}

// CoverageSink takes what a reader of coverage finds.
type CoverageSink interface {
	// Suite reports what the tests of a suite executed, all at once.
	Suite(SuiteCoverage)
	// Error tells what could not be read, and why.
	Error(text string)
}

// CoverageGranularity is how exactly it is known which test executes a block.
type CoverageGranularity int

// The granularities.
const (
	// CoveragePerTest: for each test of the suite.
	CoveragePerTest CoverageGranularity = iota + 1
	// CoveragePerSuite: for all tests of the suite together.
	CoveragePerSuite
	// CoverageNone: nothing was measured, as where the suite was not built.
	CoverageNone
)

// SuiteCoverage is what the tests of one suite executed.
type SuiteCoverage struct {
	Suite string
	// Granularity is how exactly it is known, and Why, for users, says why not for
	// each test.
	Granularity CoverageGranularity
	Why         string
	// Cut: the deadline came before everything was measured that can be, so that it is
	// worth asking again.
	Cut bool
	// Files were measured. Their blocks, in their order, are numbered from 0, and
	// that is what the sets mean.
	Files []CoveredFile
	// Whole are the blocks that all its tests together executed.
	Whole BlockSet
	// StartUp are the blocks that are executed before any test. An edit there
	// changes every test.
	StartUp BlockSet
	// Tests are those that ran alone; none where that was not done.
	Tests []TestCoverage
}

// CoveredFile is a file whose execution was measured.
type CoveredFile struct {
	// File is as in [Location].
	File   string
	Blocks []Block
}

// Block is code that is executed as a whole or not at all. Lines and columns count
// from 1, columns in bytes; EndColumn is behind the end.
type Block struct {
	StartLine, StartColumn int
	EndLine, EndColumn     int
	// Statements is how many it has.
	Statements int
}

// BlockSet is a set of blocks by their numbers: N is bit N%8 of byte N/8.
type BlockSet []byte

// Has reports whether block n is in the set.
func (s BlockSet) Has(n int) bool { return n >= 0 && n/8 < len(s) && s[n/8]>>(n%8)&1 == 1 }

// Add returns the set with block n in it; the set itself may change.
func (s BlockSet) Add(n int) BlockSet {
	if n < 0 {
		return s
	}
	for n/8 >= len(s) {
		s = append(s, 0)
	}
	s[n/8] |= 1 << (n % 8)
	return s
}

// TestCoverage is what one test did when it ran alone.
type TestCoverage struct {
	Name string
	// Blocks are those that it executed, those of the start-up left out.
	Blocks BlockSet
	// Alone is how it ended alone, Together how it ended among the others; zero
	// where it did not run so.
	Alone, Together Status
	// Elapsed is how long it took alone, with the start of its process.
	Elapsed time.Duration
	// Reads are the files and directories that it looked at, relative to the root
	// and with slashes; those outside of the workspace are left out.
	Reads []string
	// Opaque says why it may depend on more than Blocks and Reads show, such as that
	// it started another program; empty where it does not.
	Opaque string
	// Partial says why it may execute more of what its suite is built from than Blocks
	// show, such as that a part of it was skipped; empty where it does not.
	Partial string
}

// ListedPart is a part of the sources that is built as one, such as a package, a
// file of a compiler, the files that say which versions are used.
type ListedPart struct {
	// Name is its name within the listing.
	Name string
	// Files are those that it is built from, what is embedded in it too: relative to
	// the root and with slashes, absolute outside of it.
	Files []string
	// Patterns are where a file that appears or disappears changes the part: paths as
	// in Files, in which the last element may be a pattern with "*" as of
	// [path.Match], or "**" for everything below.
	Patterns []string
	// Needs are the parts that it is built with.
	Needs []string
	// Tools: its files are of the tools that build, and of no source. Where nothing is
	// known of an earlier state of them, they are taken to be as they were.
	Tools bool
}

// OutlineRequest asks about source files.
type OutlineRequest struct {
	Workspace Workspace
	// Files are relative to the root and with slashes, or absolute.
	Files []string
}

// OutlineSink takes outlines.
type OutlineSink interface {
	File(OutlinedFile)
}

// OutlinedFile is a source file and its declarations. What is in no unit changes
// nothing when it changes.
type OutlinedFile struct {
	// File is as it was asked for.
	File  string
	Units []SourceUnit
}

// UnitKind is what it means for tests when a unit changes.
type UnitKind int

// The kinds of units.
const (
	// UnitDeclaration: anything that is built from the file may change with it, also
	// when it appears or disappears.
	UnitDeclaration UnitKind = iota + 1
	// UnitName is as a declaration, but changes nothing when it appears or
	// disappears: what uses it would change as well.
	UnitName
	// UnitBody is code that matters to the tests that execute a block of it and to no
	// other.
	UnitBody
	// UnitTest is the declaration of a test, which nothing else uses.
	UnitTest
)

// SourceUnit is a declaration, or a part of one.
type SourceUnit struct {
	// Name is its name among the units of the file and its kind.
	Name string
	Kind UnitKind
	// StartLine and EndLine count from 1; both are part of it.
	StartLine, EndLine int
	// Digest identifies its content. Where it is, and comments without a meaning, do
	// not count.
	Digest string
	// Test is the test that it declares, of UnitTest.
	Test string
	// Positions: it looks at the places of code, such as line numbers. Where it is
	// built in, it matters when other units move.
	Positions bool
	// Measuring: it asks whether, or how, it is being measured, so that what executes it
	// may execute something else when it is not. That is meant of UnitBody and UnitTest
	// for what executes them, and of others for every test.
	Measuring bool
	State     UnitState
}

// UnitState says what a unit has to do with what outlives a test and what tests may so
// leave for each other, such as a variable of a package. Names are any texts, of which
// equal ones mean the same in all files.
type UnitState struct {
	// Defines are the names by which other units reach it, and Mentions those of others
	// that it mentions.
	Defines, Mentions []string
	// Writes are the mentioned names of state that it may change. Lends are those that it
	// hands on as they are: who gets them may change what is shared.
	Writes, Lends []string
	// Shared are those of Defines that stand for something that can be changed without
	// their names, by whoever was handed them.
	Shared []string
	// Leaves is what it may change for other tests and what has no name here, for users,
	// such as "files (os.WriteFile)".
	Leaves []string
}
