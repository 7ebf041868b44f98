package watch

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

// What says what a round runs.
type What uint8

// What rounds run.
const (
	Changed    What = iota // what is outstanding, then what changes can break
	Everything             // all tests
	Failed                 // what is outstanding
	Affected               // what uncommitted changes can break
	Update                 // the suites with failures, to rewrite their expectations
)

// Narrow is the part of the tests that the user wants to run; empty means all.
type Narrow struct {
	Package, Filter string
	// Suites are those that Package is a part of the names of, by language; none if it is an
	// argument of the runner.
	Suites map[string][]api.ExpectedSuite
}

// IsZero reports whether everything is to run.
func (n Narrow) IsZero() bool { return n.Package == "" && n.Filter == "" }

// Round is what is run together, and why.
type Round struct {
	What   What
	Narrow Narrow
	// State identifies the sources as they were when it began.
	State string
	// Saved are the files whose change began it. Restarted reports whether the change
	// stopped the previous round.
	Saved     []string
	Restarted bool
	// First reports whether it is the first round of the watch.
	First bool
	// Noticed is when the first sign of the change came.
	Noticed time.Time
	// Known is what was found out about these sources in advance; it may be nil.
	Known *ledger.Known
}

// asked reports whether the round does not come from a change.
func (r *Round) asked() bool { return len(r.Saved) == 0 }

// Result is what a round showed.
type Result struct {
	Round Round
	Runs  []api.Run
	// Excerpts are the sources around the failures.
	Excerpts []api.Excerpt
	// Nouns say what the users of each language call a suite.
	Nouns map[string]string
	// Names shorten the names of suites.
	Names api.SuiteNames
	// OnRecord are suites that need not have run, as on a start where nothing has changed, by
	// language.
	OnRecord map[string][]api.ExpectedSuite
	// Updates are the flags with which tests write what they expect anew, by language; ""
	// where its runner has none.
	Updates map[string]string
	// Still is what remains outstanding, in all languages.
	Still api.Outstanding
	// Stopped reports whether the user stopped it.
	Stopped bool
	Took    time.Duration
	Err     error
}

// Action is what a user can ask for.
type Action uint8

// The actions.
const (
	Run       Action = iota // what Command.What says
	SetNarrow               // run a part of the tests from now on, or all
	Stop                    // end the round
	Quit                    // end the watch
	Interrupt               // end the watch, as an interrupted command
)

// Command is what a user asks for.
type Command struct {
	Action Action
	What   What
	Narrow Narrow
}

// Look is the result of looking at the sources.
type Look struct {
	State string
	// Files are those that differ from the last look. Added reports whether all of them
	// are new.
	Files []string
	Added bool
	// Sources is the snapshot; nil only in tests.
	Sources *fingerprint.Snapshot
	// Deaf says why there are no events; empty if there are.
	Deaf string
}

// Sources looks at the sources.
type Sources interface {
	Look(ctx context.Context) (Look, error)
}

// Runner runs a round.
type Runner interface {
	// Prepare finds out what a round of the present sources needs before tests run. It
	// may be cancelled, and its result discarded.
	Prepare(ctx context.Context) *ledger.Known
	Run(ctx context.Context, r Round, l api.Listener) Result
}

// Viewer learns what happens. Events of runs come from another goroutine than the other
// calls.
type Viewer interface {
	api.Listener
	Begin(Round)
	End(Result)
	// Queue tells what runs after this round, Stopping that this round is being stopped,
	// and Note something that the user should know.
	Queue(What)
	Stopping()
	Note(text string)
}

// Watch is a watch over a workspace.
type Watch struct {
	Sources  Sources
	Runner   Runner
	Viewer   Viewer
	Hints    <-chan struct{}
	Commands <-chan Command
	// Explain says what is on record of a test.
	Explain func(context.Context, api.OutstandingTest) (api.Why, error)
	Narrow  Narrow
}
