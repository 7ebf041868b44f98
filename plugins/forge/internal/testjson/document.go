package testjson

import "time"

// Document is one line of results.
type Document struct {
	Suites []Suite
	// Length is the number of bytes of the line up to the end of the document, and
	// Sample the beginning of the line.
	Length int64
	Sample string
	// Damaged reports whether the document is truncated or malformed; Suites then holds
	// what was complete. Unread is how many of its bytes are lost, at least 1.
	Damaged bool
	Unread  int64
	// Unended reports whether the output ended without a line end.
	Unended bool
}

// Suite is one test contract, or those of its tests that are on one line.
type Suite struct {
	// Key is "path:Contract".
	Key      string
	Elapsed  time.Duration
	Warnings []string
	Tests    []Test
	// Cut reports whether the document ended within this suite.
	Cut bool
}

// Status is how a test ended according to forge.
type Status int

// The statuses. The zero value is a missing or unknown word.
const (
	Success Status = iota + 1
	Failure
	Skipped
)

// Worse reports whether this status outweighs another one of the same test: failures
// outweigh everything, and passes nothing.
func (s Status) Worse(other Status) bool { return s.weight() > other.weight() }

func (s Status) weight() int {
	switch s {
	case Success:
		return 0
	case Skipped:
		return 1
	case Failure:
		return 3
	}
	return 2
}

// Test is one entry of "test_results".
type Test struct {
	// Name is the signature, or the name of a fixture.
	Name   string
	Status Status
	// Said is the beginning of an unknown status as written.
	Said string
	// Reason is forge's explanation, and HasReason whether there is one: a test may
	// revert with an empty string.
	Reason    string
	HasReason bool
	Elapsed   time.Duration
	Kind      Kind
	// Counterexample holds the calls that broke the test. A fuzz test has one.
	Counterexample []Call
	// Sequence reports whether Counterexample is a sequence of calls, shortened as far
	// as forge could.
	Sequence bool
	// Broken are the invariants that the campaign broke, not necessarily including this
	// one.
	Broken    []Broken
	Snapshots []Snapshot
	Logs      Logs
}

// Kind is what sort of test it was and what it measured. Numbers are decimal text,
// empty if forge gave none.
type Kind struct {
	// Name is forge's word: Unit, Fuzz, Invariant, Table or a newer one. Standard of
	// older versions becomes Unit.
	Name      string
	Gas       string // Unit
	Mean      string // Fuzz and Table
	Median    string
	Runs      int64
	Calls     int64 // Invariant
	Reverts   int64
	Metrics   []Metric
	BestValue string // Invariant: the best value of an optimization
}

// Metric counts the calls of one function in an invariant campaign.
type Metric struct {
	Function                 string
	Calls, Reverts, Discards int64
}

// Call is one call of a counterexample. For a fuzz test only the arguments are set.
type Call struct {
	Warp, Roll, Value         string
	Sender, Address, Calldata string
	Contract, Function        string
	Signature, Args           string
}

// Broken is an invariant that a campaign broke. Forge reports it with every invariant
// of the contract.
type Broken struct {
	// Name has no parameters.
	Name, Reason string
	Calls        []Call
}

// Snapshot is a value that a test recorded.
type Snapshot struct{ Group, Name, Value string }

// Logs holds the beginning and the end of what a test logged.
type Logs struct {
	Head, Tail string
	// Omitted is the number of bytes left out between them.
	Omitted int64
}

// String joins the two with a note of what was left out.
func (l Logs) String() string {
	if l.Omitted == 0 {
		return l.Head + l.Tail
	}
	return l.Head + "\n[" + formatDecimal(l.Omitted) + " bytes left out]\n" + l.Tail
}
