package sdk

import (
	"context"
	"time"
)

// CoverageReader is implemented by a detector whose commands measure which lines tests
// execute: those of a [TestRequest] with Cover, if [Description.Cover] is set, and
// those of an [Indexer].
type CoverageReader interface {
	// ParseCoverage reads the files that a command with Covers left in its scratch
	// directory, and reports what they say. A suite is measured by one command. It is
	// total: it reports whatever is missing, truncated or unreadable with
	// [CoverageSink.Error], and still reports what was measured of other suites.
	ParseCoverage(ctx context.Context, req CoverageRequest, sink CoverageSink) error
}

// Indexer is implemented by a detector that can find out which lines each test executes
// by running it alone.
type Indexer interface {
	CoverageReader
	// IndexCmd composes the commands. ParseTestFailures reads their output for suites,
	// build failures and progress; how their tests end proves nothing. ParseCoverage
	// reads what they leave. A command ends by itself before the deadline, with what it
	// has, and reports which suites are incomplete.
	IndexCmd(ctx context.Context, req IndexRequest) (Plan, error)
}

// Outliner is implemented by a detector that can split source files into declarations,
// which shows what an edit changed.
type Outliner interface {
	// Outline reports the files that it can read. Equal sources have equal outlines.
	Outline(ctx context.Context, req OutlineRequest, sink OutlineSink) error
}

// IndexRequest asks for commands that find out which lines each test executes.
type IndexRequest struct {
	Workspace Workspace
	// Suites are those to measure.
	Suites []string
	// RunnerArgs affect how tests are built, as in [ListRequest].
	RunnerArgs []string
	// Deadline is as in [TestRequest].
	Deadline time.Duration
	// SuiteBudget is how much longer the tests of a suite may take alone than together.
	// A suite beyond it is measured as a whole, and says so. 0 means no limit.
	SuiteBudget time.Duration
}

// CoverageRequest names what a command left.
type CoverageRequest struct {
	Workspace Workspace
	// Command is as composed.
	Command Command
	// Scratch is the absolute path of its scratch directory.
	Scratch string
	// Exit is how it ended.
	Exit Exit
}

// CoverageSink receives what a reader of coverage finds.
type CoverageSink interface {
	// Suite reports everything that the tests of a suite executed.
	Suite(SuiteCoverage)
	// Error reports what could not be read, and why.
	Error(text string)
}

// CoverageGranularity is how precisely it is known which test executes a block.
type CoverageGranularity int

// The granularities.
const (
	// CoveragePerTest means for each test of the suite.
	CoveragePerTest CoverageGranularity = iota + 1
	// CoveragePerSuite means for all tests of the suite together.
	CoveragePerSuite
	// CoverageNone means that nothing was measured, as when the suite was not built.
	CoverageNone
)

// SuiteCoverage is what the tests of one suite executed.
type SuiteCoverage struct {
	Suite string
	// Granularity is how precisely it is known, and Why tells users why it is not known
	// for each test.
	Granularity CoverageGranularity
	Why         string
	// Cut reports whether the deadline came before everything was measured, so that it
	// is worth asking again.
	Cut bool
	// Files are the measured files. Their blocks are numbered consecutively from 0; the
	// sets refer to these numbers.
	Files []CoveredFile
	// Whole are the blocks that all its tests together executed.
	Whole BlockSet
	// StartUp are the blocks that are executed before any test. An edit there affects
	// every test.
	StartUp BlockSet
	// Tests are those that ran alone; empty if none did.
	Tests []TestCoverage
}

// CoveredFile is a file whose execution was measured.
type CoveredFile struct {
	// File is as in [Location].
	File   string
	Blocks []Block
}

// Block is code that is executed as a whole or not at all. Lines and columns count from
// 1, columns in bytes; EndColumn is exclusive.
type Block struct {
	StartLine, StartColumn int
	EndLine, EndColumn     int
	// Statements is the number of statements.
	Statements int
}

// BlockSet is a set of block numbers: N is bit N%8 of byte N/8.
type BlockSet []byte

// Has reports whether block n is in the set.
func (s BlockSet) Has(n int) bool { return n >= 0 && n/8 < len(s) && s[n/8]>>(n%8)&1 == 1 }

// Add returns the set with block n added; it may modify the set itself.
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
	// Blocks are those that it executed, without the start-up.
	Blocks BlockSet
	// Alone is how it ended alone, Together how it ended among the others; zero if it
	// did not run that way.
	Alone, Together Status
	// Elapsed is how long it took alone, including the start of its process.
	Elapsed time.Duration
	// Reads are the files and directories that it looked at, slash-separated and
	// relative to the root, without those outside of the workspace.
	Reads []string
	// Opaque says why it may depend on more than Blocks and Reads show, such as that it
	// started another program; empty if it does not.
	Opaque string
	// Partial says why it may execute more of its suite's sources than Blocks show,
	// such as that a part of it was skipped; empty if it does not.
	Partial string
}

// ListedPart is a part of the sources that is built as one, such as a package, a
// compiler's source file, or the files that pin versions.
type ListedPart struct {
	// Name is its name within the listing.
	Name string
	// Files are those that it is built from, including embedded ones: slash-separated
	// and relative to the root, or absolute outside of it.
	Files []string
	// Patterns are where a new or removed file changes the part: paths as in Files,
	// whose last element may be a pattern with "*" as in [path.Match], or "**" for
	// everything below.
	Patterns []string
	// Needs are the parts that it is built with.
	Needs []string
	// Tools reports whether its files belong to build tools and are not sources. If
	// nothing is known of their earlier state, they count as unchanged.
	Tools bool
}

// OutlineRequest asks about source files.
type OutlineRequest struct {
	Workspace Workspace
	// Files are slash-separated and relative to the root, or absolute.
	Files []string
}

// OutlineSink receives outlines.
type OutlineSink interface {
	File(OutlinedFile)
}

// OutlinedFile is a source file and its declarations. Changes outside of all units have
// no effect.
type OutlinedFile struct {
	// File is as requested.
	File  string
	Units []SourceUnit
}

// UnitKind says what a change of a unit means for tests.
type UnitKind int

// The kinds of units.
const (
	// UnitDeclaration may affect anything built from the file, also when it appears or
	// disappears.
	UnitDeclaration UnitKind = iota + 1
	// UnitName is like a declaration, but has no effect when it appears or disappears:
	// its users would change as well.
	UnitName
	// UnitBody is code that matters only to the tests that execute a block of it.
	UnitBody
	// UnitTest is the declaration of a test, which nothing else uses.
	UnitTest
)

// SourceUnit is a declaration, or a part of one.
type SourceUnit struct {
	// Name identifies it among the units of its kind in the file.
	Name string
	Kind UnitKind
	// StartLine and EndLine count from 1 and are inclusive.
	StartLine, EndLine int
	// Digest identifies its content, without its position and meaningless comments.
	Digest string
	// Test is the test that a UnitTest declares.
	Test string
	// Positions reports whether it inspects code positions, such as line numbers. What
	// is built with it is affected when other units move.
	Positions bool
	// Measuring reports whether it asks if, or how, it is being measured, so that its
	// users may execute something else otherwise. For UnitBody and UnitTest the users
	// are those that execute it; for others, every test.
	Measuring bool
	State     UnitState
}

// UnitState describes how a unit uses what outlives a test, and what tests may leave
// for each other through it, such as a package variable. Names are arbitrary texts;
// equal ones mean the same in all files.
type UnitState struct {
	// Defines are the names by which other units reach it, Mentions the names of others
	// that it mentions.
	Defines, Mentions []string
	// Writes are the mentioned names of state that it may change. Lends are those that
	// it passes on as they are: the recipient may change what is shared.
	Writes, Lends []string
	// Shared are the Defines that stand for something that can be changed without its
	// name, by whoever received it.
	Shared []string
	// Leaves is what it may change for other tests that has no name here, for users,
	// such as "files (os.WriteFile)".
	Leaves []string
}
