package sdk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// TestID names one test across runs. It is never parsed out of a display text.
type TestID struct {
	// Suite is a Go import path, "test/C.t.sol:CTest" and the like.
	Suite string `json:"suite"`
	// Test is the test within the suite: "TestA/sub", "testX(uint256)". Empty
	// names the suite itself.
	Test string `json:"test"`
}

// Location is a place in a source file; a zero Line is unknown.
type Location struct {
	// File is relative to the workspace root; absolute when outside of it.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Status is how a test ended; empty is not known.
type Status string

// The ends of a test.
const (
	// Passed: the runner said so.
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	// Unfinished: it started and no end of it was seen.
	Unfinished Status = "unfinished"
)

// TestResult is the end of one test.
type TestResult struct {
	TestID
	Status  Status        `json:"status"`
	Elapsed time.Duration `json:"-"`
	// Location is where it is declared.
	Location
	// Root is the name of the listed test it belongs to, when that is not
	// itself: "TestA" for "TestA/sub".
	Root string `json:"root,omitempty"`
	// Container: it contains other tests.
	Container bool `json:"container,omitempty"`
	// Derived: it failed only because a test inside it did. There is no
	// [Failure] for it then.
	Derived bool `json:"derived,omitempty"`
	// Ended, of a Derived test: it came to its own end, so every test inside it
	// had its turn. In a suite that ended early a Derived test without it counts
	// as Unfinished: tests inside it may never have started.
	Ended bool `json:"-"`
	// Body is a digest of its body, as [DigestBody] makes it; empty is not known. Two
	// tests with one may be one that was renamed.
	Body string `json:"body,omitempty"`
	// Fixture: it is no test of its own but what the tests of its suite stand
	// on, such as a set-up. When it failed, the whole suite is outstanding.
	Fixture bool `json:"fixture,omitempty"`
	// Measures are what was measured.
	Measures []Measure `json:"measures,omitempty"`
	// Attributes hold a language's own detail, stored and shown unchanged.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Measure is something that a test measured.
type Measure struct {
	// Name says what, in one word of the language.
	Name string `json:"name"`
	// Value is a decimal number.
	Value json.Number `json:"value"`
	// Kind says how it came about, where there are several ways: a mean, a
	// median.
	Kind string `json:"kind,omitempty"`
	// Section is the part of the test that was measured, where it was not the
	// whole.
	Section string `json:"section,omitempty"`
	// Runs is how many executions it sums up; 0 is one.
	Runs int64 `json:"runs,omitempty"`
	// Seed is the seed that it depends on; empty where it depends on none.
	Seed string `json:"seed,omitempty"`
}

// SuiteOutcome is how a suite ended.
type SuiteOutcome int

// The ends of a suite.
const (
	SuitePassed SuiteOutcome = iota + 1
	// SuiteFailed: tests failed, and every selected test got to an end.
	SuiteFailed
	// SuiteBuildFailed: none of its tests ran.
	SuiteBuildFailed
	// SuiteAborted: its process ended early; tests may never have started.
	SuiteAborted
	// SuiteFailedOutsideTests: it failed although no test did.
	SuiteFailedOutsideTests
	// SuiteNoTests: it has no tests, or none was selected.
	SuiteNoTests
	// SuiteUnfinished: it started and no end of it was seen.
	SuiteUnfinished
)

// SuiteResult is the end of one suite.
type SuiteResult struct {
	Suite   string
	Outcome SuiteOutcome
	Elapsed time.Duration
}

// The kinds of [Failure]. A plugin may add words of its language.
const (
	KindAssertion = "assertion" // a check in the test failed
	KindPanic     = "panic"     // an exception that nobody caught
	KindFatal     = "fatal"     // the runtime gave up: deadlock, stack overflow, bad memory access
	KindTimeout   = "timeout"   // still running when the runner's or the host's time was up
	KindRace      = "race"      // a data race was detected
	KindExit      = "exit"      // the test ended its process
	KindSignal    = "signal"    // a signal ended the process
	KindBuild     = "build"     // did not compile
	KindVet       = "vet"       // a static check that the runner enforces
	KindSetup     = "setup"     // could not be prepared: dependencies, configuration, fixtures
	KindExample   = "example"   // a documented output differs
	KindFuzz      = "fuzz"      // fuzzing found an input
)

// Failure is one thing that went wrong, with all that a reader needs.
type Failure struct {
	// ID is the test to blame; without a name the suite itself; without a
	// suite the run.
	TestID
	// Kind is one of the Kind constants or a word of the language.
	Kind string `json:"kind"`
	// Location is the place to look at first.
	Location
	// Precision tells how well Location is known.
	Precision Precision `json:"precision,omitempty"`
	// TestFrame is the place within the test's own code, when Location is
	// elsewhere, such as in a helper.
	TestFrame Location `json:"test_frame,omitzero"`
	// Message is what the runner said, without place and decoration. Lists show its
	// first line, and what differs where that line does not say it.
	Message string `json:"message"`
	Diff    Diff   `json:"diff,omitzero"`
	// Also holds further messages of the same failure.
	Also []Also `json:"also,omitempty"`
	// Output is an excerpt of the output around the failure.
	Output          string `json:"output,omitempty"`
	OutputTruncated bool   `json:"output_truncated,omitempty"`
	// Stack holds frames of the project's own code, innermost first.
	Stack []Frame `json:"stack,omitempty"`
	// DerivedFrom names the tests under whose name the runner printed the
	// evidence, where that was not the test to blame.
	DerivedFrom []TestID `json:"derived_from,omitempty"`
	// Blocks names suites that could not run because of this failure. It is for
	// readers: report each of them as SuiteBuildFailed too, or a rerun leaves
	// them out.
	Blocks []string `json:"blocks,omitempty"`
	// Repro is a command that shows this failure again.
	Repro Command `json:"-"`
	// Attributes hold a language's own detail, stored and shown unchanged.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Precision tells how well a place is known; empty is as well as the runner says.
type Precision string

// The precisions.
const (
	// PrecisionDeclaration: it is where the test is declared. In a plugin without
	// Description.Locate it means the same as PrecisionDeclarationOnly.
	PrecisionDeclaration Precision = "declaration"
	// PrecisionExact: it is the line that failed, although the runner did not
	// say it.
	PrecisionExact Precision = "exact"
	// PrecisionDeclarationOnly: it is where the test is declared, and no
	// [RerunRequest] with Locate would find more.
	PrecisionDeclarationOnly Precision = "declaration_only"
)

// IsDeclaration reports whether the place is only where the test is declared.
func (p Precision) IsDeclaration() bool {
	return p == PrecisionDeclaration || p == PrecisionDeclarationOnly
}

// MarshalText leaves out what matters only until the failure is on record: whether
// another run would find the line.
func (p Precision) MarshalText() ([]byte, error) {
	if p.IsDeclaration() {
		p = PrecisionDeclaration
	}
	return []byte(p), nil
}

// Also is a further message of a failure.
type Also struct {
	Location
	Message string `json:"message"`
}

// Diff is what an assertion compared, as far as the runner printed it: a side that it
// did not print stays empty.
type Diff struct {
	// Got is the actual value, Want the expected one.
	Got  string `json:"got,omitempty"`
	Want string `json:"want,omitempty"`
	// Text is a difference as the assertion library printed it, with what its signs
	// mean: "--- Expected" and "+++ Actual", or a line "(-want +got)".
	Text string `json:"text,omitempty"`
}

// IsZero reports whether nothing was compared.
func (d Diff) IsZero() bool { return d == Diff{} }

// Frame is one frame of a stack.
type Frame struct {
	Function string `json:"function"`
	Location
}

// Refusal is something that was asked for and that the runner does not take or know: an
// argument, a pattern, the name of a suite.
type Refusal struct {
	// Words are the runner's own.
	Words string
	// Suites are those that did not run because of it; none where nothing ran.
	Suites []string
}

// Unread counts output that could not be read.
type Unread struct {
	Bytes int64
	// Damaged: the bytes look like a damaged or cut result, so results may be
	// missing. Foreign text that cannot hide a result is not damage.
	Damaged bool
	// Sample is their beginning.
	Sample string
}

// Progress is a snapshot of a running command.
type Progress struct {
	// Running holds the tests running now, longest first, at most 16.
	Running []RunningTest
	// RunningTotal is how many are running.
	RunningTotal int
	// Passed, Failed and Skipped count tests so far, SuitesDone suites.
	Passed, Failed, Skipped, SuitesDone int
}

// RunningTest is a test that has started and not ended.
type RunningTest struct {
	ID      TestID
	Elapsed time.Duration
}

// ListedSuite is one suite and its tests, as far as they can be known without
// running them.
type ListedSuite struct {
	Suite string
	Tests []ListedTest
	// Needs are the parts that it is built from, those that these need left out; for
	// [ListRequest.Dependencies].
	Needs []string
	// Opaque says why it may depend on more than that; empty where the parts are all
	// it is built from.
	Opaque string
	// Sealed: its tests cannot look at any file beside those of its parts.
	Sealed bool
}

// ListedTest is one test that exists.
type ListedTest struct {
	Name     string
	Location Location
	// OnRequest: it exists, and only runs when it is asked for, as benchmarks.
	OnRequest bool
	// Body is a digest of its body, as that of a [TestResult].
	Body string
}

// MaxBody is how long the digest of a body is at most.
const MaxBody = 64

// DigestBody is a digest of what a test's declaration consists of beside its name.
// How much stands at the beginning of a line does not count.
func DigestBody(text []byte) string {
	h := sha256.New()
	for line := range bytes.Lines(text) {
		h.Write(bytes.TrimSpace(line))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
