package api

import "github.com/proctorhq/proctor/sdk"

// Event is something that happens on the way of a run. The set is closed: it is the
// types of this file, each behind a pointer. Who tells events may use one value for
// many, as a million results must not cost a million allocations: what a listener wants
// to have after Listen has returned, it copies.
type Event interface{ isEvent() }

// Listener hears what happens, in the order in which it does. It is called from one
// goroutine at a time and must not block for long: the run waits for it. What a
// listener has no use for it lets pass.
type Listener interface{ Listen(Event) }

// Listeners hear everything one after the other.
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

// Record reads what is on record of a run.
type Record interface {
	Results(yield func(Result) bool) error
	Failures(yield func(Failure) bool) error
}

// The events.
type (
	// Waiting: another run of the workspace goes on, and this one has not begun. It is
	// told again when it is another one's turn.
	Waiting struct{ Holder }
	// RunStarted: the run exists and its commands are known. Suites is how many suites
	// the last run of everything had, for a run of everything; 0 is not known. SuiteNoun
	// is what its language calls a suite.
	RunStarted struct {
		Run       Run
		Suites    int
		SuiteNoun string
	}
	// Indexing: it is known which suites an index measures. Those that it does not have
	// their state already.
	Indexing struct{ Index Index }
	// Retrying: tests that failed run again. Try is the number of this attempt and Of the
	// most there will be, the run itself being the first.
	Retrying struct{ Try, Of, Tests int }
	// TestEnded: a test has a result.
	TestEnded struct{ Result }
	// FailureFound: something failed, as a rule a test.
	FailureFound struct{ Failure }
	// SuiteEnded: a suite came to an end.
	SuiteEnded struct{ sdk.SuiteResult }
	// Unread: output could not be read.
	Unread struct{ sdk.Unread }
	// Refused: the runner did not take what it was asked for.
	Refused struct{ sdk.Refusal }
	// Noted: there is something to know about the run that is no failure.
	Noted struct{ Text string }
	// RunnerFailed: the runner could not work, in its own words.
	RunnerFailed struct{ Text string }
	// ConditionFound: the results depend on this beside the sources and the seed.
	ConditionFound struct{ Name, Value string }
	// Printed: a piece of the output of the test that was asked for.
	Printed struct{ Data []byte }
	// Progressed: this is how far the run is, a few times a second.
	Progressed struct{ sdk.Progress }
	// RunFinished: the run is over and on record. Record is nil if it could only be
	// shown.
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
func (*Unread) isEvent()         {}
func (*Refused) isEvent()        {}
func (*Noted) isEvent()          {}
func (*RunnerFailed) isEvent()   {}
func (*ConditionFound) isEvent() {}
func (*Printed) isEvent()        {}
func (*Progressed) isEvent()     {}
func (*RunFinished) isEvent()    {}
