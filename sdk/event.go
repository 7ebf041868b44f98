package sdk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// TestID identifies a test across runs. It is never parsed from a display text.
type TestID struct {
	// Suite is a Go import path, "test/C.t.sol:CTest" or similar.
	Suite string `json:"suite"`
	// Test is the test within the suite: "TestA/sub", "testX(uint256)". Empty
	// names the suite itself.
	Test string `json:"test"`
}

// Location is a place in a source file; a zero Line means unknown.
type Location struct {
	// File is relative to the workspace root, or absolute if outside of it.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Status is how a test ended; "" means unknown.
type Status string

// The statuses of a test.
const (
	// Passed means that the runner said so.
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	// Unfinished means that it started and no end was seen.
	Unfinished Status = "unfinished"
)

// TestResult is the end of one test.
type TestResult struct {
	TestID
	Status  Status        `json:"status"`
	Elapsed time.Duration `json:"-"`
	// Location is where it is declared.
	Location
	// Root is the name of the listed test that it belongs to, if not itself: "TestA"
	// for "TestA/sub".
	Root string `json:"root,omitempty"`
	// Container reports whether it contains other tests.
	Container bool `json:"container,omitempty"`
	// Derived reports whether it failed only because a test inside it did. There is no
	// [Failure] for it then.
	Derived bool `json:"derived,omitempty"`
	// Ended reports whether a Derived test came to its own end, so that every test
	// inside it had its turn. In a suite that ended early a Derived test without it
	// counts as Unfinished: tests inside it may never have started.
	Ended bool `json:"-"`
	// Body is a digest of its body, as made by [DigestBody]; empty if unknown. Two
	// tests with the same digest may be one that was renamed.
	Body string `json:"body,omitempty"`
	// Fixture reports whether it is not a test but something that its suite's tests
	// rely on, such as a set-up. If it failed, the whole suite is outstanding.
	Fixture bool `json:"fixture,omitempty"`
	// Measures are what was measured.
	Measures []Measure `json:"measures,omitempty"`
	// Attributes hold language-specific details, stored and shown unchanged.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Measure is something that a test measured.
type Measure struct {
	// Name says what was measured, in one word of the language.
	Name string `json:"name"`
	// Value is a decimal number.
	Value json.Number `json:"value"`
	// Kind says how it came about, if there are several ways: a mean, a median.
	Kind string `json:"kind,omitempty"`
	// Section is the part of the test that was measured; empty means the whole.
	Section string `json:"section,omitempty"`
	// Runs is how many executions it sums up; 0 means one.
	Runs int64 `json:"runs,omitempty"`
	// Seed is the seed that it depends on; empty if it depends on none.
	Seed string `json:"seed,omitempty"`
}

// SuiteOutcome is how a suite ended.
type SuiteOutcome int

// The ends of a suite.
const (
	SuitePassed SuiteOutcome = iota + 1
	// SuiteFailed means that tests failed, and every selected test ended.
	SuiteFailed
	// SuiteBuildFailed means that none of its tests ran.
	SuiteBuildFailed
	// SuiteAborted means that its process ended early; tests may never have started.
	SuiteAborted
	// SuiteFailedOutsideTests means that it failed although no test did.
	SuiteFailedOutsideTests
	// SuiteNoTests means that it has no tests, or none was selected.
	SuiteNoTests
	// SuiteUnfinished means that it started and no end was seen.
	SuiteUnfinished
)

// SuiteResult is the end of one suite.
type SuiteResult struct {
	Suite   string
	Outcome SuiteOutcome
	Elapsed time.Duration
	// Cached reports whether the runner took it from its cache: nothing of it ran, and
	// its results are those of an earlier run.
	Cached bool
	// Reason is why it was not built, in a line: the first error with its place, as the
	// runner printed it. It is shown while the run is in progress, since the [Failure] may
	// be reported only at the end of the output.
	Reason string
}

// The kinds of [Failure]. A plugin may add its own.
const (
	KindAssertion = "assertion" // a check in the test failed
	KindPanic     = "panic"     // an uncaught exception
	KindFatal     = "fatal"     // the runtime gave up: deadlock, stack overflow, bad memory access
	KindTimeout   = "timeout"   // still running when time ran out for the runner or the host
	KindRace      = "race"      // a data race was detected
	KindExit      = "exit"      // the test ended its process
	KindSignal    = "signal"    // a signal ended the process
	KindBuild     = "build"     // did not compile
	KindVet       = "vet"       // a static check that the runner enforces
	KindSetup     = "setup"     // could not be prepared: dependencies, configuration, fixtures
	KindExample   = "example"   // a documented output differs
	KindFuzz      = "fuzz"      // fuzzing found an input
)

// Failure is one thing that went wrong, with everything a reader needs.
type Failure struct {
	// TestID is the test to blame; without a name the suite itself; without a suite
	// the run.
	TestID
	// Kind is one of the Kind constants or a word of the language.
	Kind string `json:"kind"`
	// Location is the place to look at first.
	Location
	// Precision says how well Location is known.
	Precision Precision `json:"precision,omitempty"`
	// TestFrame is the place within the test's own code, if Location is elsewhere, such
	// as in a helper.
	TestFrame Location `json:"test_frame,omitzero"`
	// Message is what the runner said, without place and decoration. Lists show its
	// first line, and what differs if that line does not say so.
	Message string `json:"message"`
	Diff    Diff   `json:"diff,omitzero"`
	// Also holds further messages of the same failure.
	Also []Also `json:"also,omitempty"`
	// Output is an excerpt of the output around the failure.
	Output          string `json:"output,omitempty"`
	OutputTruncated bool   `json:"output_truncated,omitempty"`
	// Stack holds frames of the project's own code, innermost first.
	Stack []Frame `json:"stack,omitempty"`
	// DerivedFrom names the tests under whose names the runner printed the evidence, if
	// that was not the test to blame.
	DerivedFrom []TestID `json:"derived_from,omitempty"`
	// Blocks names suites that could not run because of this failure, for readers: also
	// report each of them as SuiteBuildFailed, or a rerun leaves them out.
	Blocks []string `json:"blocks,omitempty"`
	// BlockedOn is what the test was waiting for when it was ended, in the runner's
	// words, such as "chan receive, 2 minutes". It is empty if that is nothing or
	// unknown.
	BlockedOn string `json:"blocked_on,omitempty"`
	// Repro is a command that reproduces this failure.
	Repro Command `json:"-"`
	// Attributes hold language-specific details, stored and shown unchanged.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// TruncatedAttribute names, among the attributes of a [Failure], what is missing in it:
// fields that were cut, a message that the test never gave, further attempts. Another
// failure may look the same, so none with it can be known in advance.
const TruncatedAttribute = "proctor.truncated"

// NoMessage, in the [TruncatedAttribute] of a failure, says that the test gave no message.
// What the runner says instead is no cause that it could share with another test.
const NoMessage = "[no message]"

// Precision says how well a place is known; "" means as well as the runner says.
type Precision string

// The precisions.
const (
	// PrecisionDeclaration means where the test is declared. In a plugin without
	// Description.Locate it is the same as PrecisionDeclarationOnly.
	PrecisionDeclaration Precision = "declaration"
	// PrecisionExact means the line that failed, although the runner did not report it.
	PrecisionExact Precision = "exact"
	// PrecisionDeclarationOnly means where the test is declared, and no [RerunRequest]
	// with Locate would find more.
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

// Also is an additional message of a failure.
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
	// Text is a diff as the assertion library printed it, with the legend of its signs:
	// "--- Expected" and "+++ Actual", or a line "(-want +got)".
	Text string `json:"text,omitempty"`
}

// IsZero reports whether nothing was compared.
func (d Diff) IsZero() bool { return d == Diff{} }

// Frame is one frame of a stack.
type Frame struct {
	Function string `json:"function"`
	Location
}

// Refusal is something requested that the runner rejects or does not know: an argument,
// a pattern, the name of a suite.
type Refusal struct {
	// Words are the runner's own.
	Words string
	// Suites are those that did not run because of it; empty if nothing ran.
	Suites []string
}

// Unread counts output that could not be read.
type Unread struct {
	Bytes int64
	// Damaged reports whether the bytes look like a damaged or truncated result, so
	// results may be missing. Foreign text that cannot hide a result is not damage.
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
	// Passed, Failed and Skipped count tests so far; SuitesDone counts suites.
	Passed, Failed, Skipped, SuitesDone int
	// SuitesRunning are the suites that have begun and not ended, at most 16. If a plugin
	// says so once, then later, when there are none, the runner counts as building.
	SuitesRunning []string
}

// RunningTest is a test that has started but not ended.
type RunningTest struct {
	ID      TestID
	Elapsed time.Duration
}

// ListedSuite is a suite and its tests, as far as they can be known without running
// them.
type ListedSuite struct {
	Suite string
	Tests []ListedTest
	// Needs are the parts that it is built from directly; for
	// [ListRequest.Dependencies].
	Needs []string
	// Opaque says why it may depend on more; empty if it is built only from its parts.
	Opaque string
	// Sealed reports whether its tests cannot look at any file except those of its
	// parts.
	Sealed bool
	// Incomplete says why some or all of its tests could not be listed although the
	// suite exists and a run would run it; empty if Tests has them all. It takes the
	// place of an error about the suite.
	Incomplete string
}

// ListedTest is an existing test.
type ListedTest struct {
	Name     string
	Location Location
	// OnRequest reports whether it only runs on request, like a benchmark.
	OnRequest bool
	// Body is a digest of its body, as in a [TestResult].
	Body string
}

// MaxBody bounds the length of a body's digest.
const MaxBody = 64

// DigestBody returns a digest of a test's declaration without its name. Indentation
// does not count.
func DigestBody(text []byte) string {
	h := sha256.New()
	for line := range bytes.Lines(text) {
		h.Write(bytes.TrimSpace(line))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
