package testjson

import "time"

// Document is one line of results.
type Document struct {
	Suites []Suite
	// Length is that of the line up to the end of the document, in bytes, and
	// Sample how the line begins.
	Length int64
	Sample string
	// Damaged reports whether the document ends early or is broken; what was complete
	// before is in Suites. Unread is how many bytes of it are not, at least 1.
	Damaged bool
	Unread  int64
	// Unended reports whether the output ended before the line did.
	Unended bool
}

// Suite is one test contract, or the tests of it that one line holds.
type Suite struct {
	// Key is "path:Contract".
	Key      string
	Elapsed  time.Duration
	Warnings []string
	Tests    []Test
	// Cut reports whether the document ended inside this suite.
	Cut bool
}

// Status is how forge says that a test ended.
type Status int

// The ends of a test. Zero is a word this package does not know, or none.
const (
	Success Status = iota + 1
	Failure
	Skipped
)

// Worse reports whether a test of which something says this, and something else
// the other, has ended so: a pass is the last to be believed, and a failure the
// first.
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
	// Said is the status as it was written where it is not known, or the
	// beginning of it.
	Said string
	// Reason is what forge says, and HasReason whether it says anything: a test
	// may revert with an empty text.
	Reason    string
	HasReason bool
	Elapsed   time.Duration
	Kind      Kind
	// Counterexample holds the calls that broke the test; one for a fuzz test.
	Counterexample []Call
	// Sequence reports whether Counterexample is a sequence of calls, of which the
	// shortest that was found is left.
	Sequence bool
	// Broken are the invariants that the campaign broke, this one or others.
	Broken    []Broken
	Snapshots []Snapshot
	Logs      Logs
}

// Kind is what sort of test it was and what it measured. Numbers are decimal
// text; empty where forge gave none.
type Kind struct {
	// Name is forge's word: Unit, Fuzz, Invariant, Table or a newer one.
	// Standard of older versions is Unit.
	Name      string
	Gas       string // Unit
	Mean      string // Fuzz and Table
	Median    string
	Runs      int64
	Calls     int64 // Invariant
	Reverts   int64
	Metrics   []Metric
	BestValue string // Invariant: the best value of an optimisation
}

// Metric counts the calls of one function in an invariant campaign.
type Metric struct {
	Function                 string
	Calls, Reverts, Discards int64
}

// Call is one call of a counterexample. A fuzz test has arguments only.
type Call struct {
	Warp, Roll, Value         string
	Sender, Address, Calldata string
	Contract, Function        string
	Signature, Args           string
}

// Broken is one of the invariants that a campaign broke. It is reported with
// every invariant of its contract.
type Broken struct {
	// Name is without parameters.
	Name, Reason string
	Calls        []Call
}

// Snapshot is a value that a test recorded.
type Snapshot struct{ Group, Name, Value string }

// Logs are the beginning and the end of what a test logged.
type Logs struct {
	Head, Tail string
	// Omitted is how many bytes between them were left out.
	Omitted int64
}

// String joins the two, and says what was left out.
func (l Logs) String() string {
	if l.Omitted == 0 {
		return l.Head + l.Tail
	}
	return l.Head + "\n[" + decimal(l.Omitted) + " bytes left out]\n" + l.Tail
}
