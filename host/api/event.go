package api

import "github.com/proctorhq/proctor/sdk"

// Event is something that happens during a run: a pointer to one of the types of this
// file. Senders may reuse a value, since a million results must not cost a million
// allocations, so listeners must copy what they keep after Listen returns.
type Event interface{ isEvent() }

// Listener receives events in order. It is called from one goroutine at a time and must
// not block for long, since the run waits for it. It ignores events of no interest.
type Listener interface{ Listen(Event) }

// Listeners are called one after the other.
type Listeners []Listener

// Listen passes an event on.
func (all Listeners) Listen(e Event) {
	for _, l := range all {
		l.Listen(e)
	}
}

// ListenerFunc is a function that listens.
type ListenerFunc func(Event)

// Listen calls the function.
func (f ListenerFunc) Listen(e Event) { f(e) }

// Record reads the record of a run.
type Record interface {
	Results(yield func(Result) bool) error
	Failures(yield func(Failure) bool) error
}

// ExpectedSuite is a suite that a run will have, as far as known, and one of its files, ""
// if none is known.
type ExpectedSuite struct{ Suite, File string }

// The events.
type (
	// Waiting: another run of the workspace is in progress, and this one has not begun. It
	// is sent again when a different run is in progress.
	Waiting struct{ Holder }
	// RunStarted: the run exists and its commands are known. Suites is how many suites the
	// last run of everything had, or how many were named; 0 if unknown. SuiteNoun is what
	// its language calls a suite.
	RunStarted struct {
		Run       Run
		Suites    int
		SuiteNoun string
		// SuitePrefixes are what people need not see of the names of suites.
		SuitePrefixes []string
		// Expected returns these suites; nil if they are unknown. It reads the history, and
		// may be called from any goroutine.
		Expected func() []ExpectedSuite
	}
	// Indexing: it is decided which suites will be measured. The others already have
	// their final state.
	Indexing struct{ Index Index }
	// Retrying: failed tests run again. Try is the number of this attempt and Of the
	// maximum, counting the run itself as the first.
	Retrying struct{ Try, Of, Tests int }
	// TestEnded: a test has a result.
	TestEnded struct{ Result }
	// FailureFound: something failed, usually a test.
	FailureFound struct{ Failure }
	// SuiteEnded: a suite ended.
	SuiteEnded struct{ sdk.SuiteResult }
	// BuildForetold: before any test runs, a check says that a suite is not built. The
	// tests' own command decides.
	BuildForetold struct{ sdk.SuiteResult }
	// Unread: output could not be parsed.
	Unread struct{ sdk.Unread }
	// Refused: the runner rejected what it was asked for.
	Refused struct{ sdk.Refusal }
	// Noted: a note about the run that is not a failure.
	Noted struct{ Text string }
	// RunnerFailed: the runner could not work, with its own explanation.
	RunnerFailed struct{ Text string }
	// ConditionFound: the results depend on this, besides the sources and the seed.
	ConditionFound struct{ Name, Value string }
	// Printed: a part of the output of the requested test.
	Printed struct{ Data []byte }
	// Progressed: the progress of the run, a few times a second.
	Progressed struct{ sdk.Progress }
	// RunFinished: the run has ended and is on record. Record is nil if it could not be
	// recorded.
	RunFinished struct {
		Run    Run
		Record Record
	}
)

func (*Waiting) isEvent()        {}
func (*RunStarted) isEvent()     {}
func (*Indexing) isEvent()       {}
func (*Retrying) isEvent()       {}
func (*TestEnded) isEvent()      {}
func (*FailureFound) isEvent()   {}
func (*SuiteEnded) isEvent()     {}
func (*BuildForetold) isEvent()  {}
func (*Unread) isEvent()         {}
func (*Refused) isEvent()        {}
func (*Noted) isEvent()          {}
func (*RunnerFailed) isEvent()   {}
func (*ConditionFound) isEvent() {}
func (*Printed) isEvent()        {}
func (*Progressed) isEvent()     {}
func (*RunFinished) isEvent()    {}
