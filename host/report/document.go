package report

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Collector remembers the runs that it hears end.
type Collector struct {
	mu   sync.Mutex
	ends []api.RunFinished
}

// Listen hears an event.
func (c *Collector) Listen(e api.Event) {
	if ended, ok := e.(*api.RunFinished); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ends = append(c.ends, *ended)
	}
}

// Runs returns how many runs have ended.
func (c *Collector) Runs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ends)
}

// Document reads what is on record of the runs.
func (c *Collector) Document() *Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	return NewDocument(c.ends...)
}

// Document is what every format writes: the runs of one command, each with its tests.
type Document struct {
	Runs []*Run
}

// Run is a run with a case for each of its tests.
type Run struct {
	Object api.Run
	// Record is what is on record of it, for a format that writes that itself.
	Record api.Record
	Suites []*Suite
	Counts Counts
	// IsLost reports whether the record lacks results, as after a full disk.
	IsLost bool
}

// Suite is a suite with its cases.
type Suite struct {
	// Name is its name as shown, and ID as it is.
	Name, ID string
	Cases    []*Case
	// DurationS is the sum of its cases' times.
	DurationS float64
	// Cached reports whether the runner took it from its cache.
	Cached bool
	Counts Counts
}

// Counts are how many cases have each status.
type Counts [statuses]int

// Total is how many cases there are.
func (c Counts) Total() (n int) {
	for _, of := range c {
		n += of
	}
	return n
}

// Red is how many cases keep a reader from calling the run green.
func (c Counts) Red() (n int) {
	for s, of := range c {
		if Status(s).IsRed() {
			n += of
		}
	}
	return n
}

// Status is how a test ended, all of its executions together.
type Status uint8

// The statuses of a case.
const (
	// Passed and Skipped are as the runner says.
	Passed Status = iota
	Skipped
	// Quarantined means that it failed in a way that the project knows, and that this
	// does not decide.
	Quarantined
	// Failed means that a check failed, or that the test broke.
	Failed
	// Errored means that something other than a test's check went wrong: a build, a
	// set-up, the end of a process. So does what keeps a run from being whole.
	Errored
	// Unfinished means that it started and that no end was seen.
	Unfinished
	// NeverStarted means that it was selected and did not run.
	NeverStarted
	// DidNotRun means that a rerun requested it, and that it did not run.
	DidNotRun
	statuses int = iota
)

// String returns the status as it is written.
func (s Status) String() string {
	return [statuses]string{"passed", "skipped", "quarantined", "failed", "error", "unfinished", "never_started", "did_not_run"}[s]
}

// IsRed reports whether a run with it cannot be green.
func (s Status) IsRed() bool { return s >= Failed }

// Case is a test and how it ended, once however often it ran.
type Case struct {
	// Name is its name as shown, which no other case of the suite has: "(suite)" for the
	// suite itself. Test is the name as it is.
	Name, Test string
	DurationS  float64
	// File and Line are where it is declared, if known.
	File   string
	Line   int32
	Status Status
	Cached bool
	// Flaky reports whether it failed, and passed when it was retried.
	Flaky bool
	// Synthetic reports whether the case is not a test but says something about the run.
	Synthetic bool
	// Trouble is set for a case that did not simply pass, and for a skip with a reason.
	Trouble *Trouble
}

// Trouble is what happened to a test.
type Trouble struct {
	// Kind is that of the failure that decides, or else the status.
	Kind string
	// Message says in one line what happened.
	Message string
	// Failures are its failures, cut to what a report holds; see [maxTexts].
	Failures []api.Failure
	// Tries are the further executions of a test that failed.
	Tries []api.Attempt
	text  string
}

// Kind returns the kind of what happened, or the status.
func (c *Case) Kind() string {
	if c.Trouble != nil && c.Trouble.Kind != "" {
		return c.Trouble.Kind
	}
	return c.Status.String()
}

// Message says in one line what happened; empty for a plain pass.
func (c *Case) Message() string {
	if c.Trouble == nil {
		return ""
	}
	return c.Trouble.Message
}

// Failures returns the failures of the test.
func (c *Case) Failures() []api.Failure {
	if c.Trouble == nil {
		return nil
	}
	return c.Trouble.Failures
}

// Tries returns the further executions of the test.
func (c *Case) Tries() []api.Attempt {
	if c.Trouble == nil {
		return nil
	}
	return c.Trouble.Tries
}

// Text returns the full text of the test's failures, without its name.
func (c *Case) Text() string {
	if c.Trouble == nil || len(c.Trouble.Failures) == 0 {
		return ""
	}
	if c.Trouble.text == "" {
		c.Trouble.text = failureTexts(c.Trouble.Failures)
	}
	return c.Trouble.text
}

// Place returns where to look first: the failure, or else the declaration.
func (c *Case) Place() (file string, line int) {
	if failures := c.Failures(); len(failures) > 0 && failures[0].File != "" {
		return failures[0].File, failures[0].Line
	}
	return c.File, int(c.Line)
}

// NewDocument reads the record of runs.
func NewDocument(ends ...api.RunFinished) *Document {
	d, taken := &Document{}, map[string]*names{}
	for _, e := range ends {
		d.Runs = append(d.Runs, readRun(e, taken))
	}
	return d
}

// Ended is the end of a command without a run: it failed, or had nothing to run. The
// report says so.
func Ended(v api.Verdict, reason string) *api.RunFinished {
	return &api.RunFinished{Run: api.Run{Schema: api.Schema, Kind: api.KindRun, State: api.StateFinished, Verdict: v, Reason: reason, ExitCode: -1}}
}

// shown returns a name as every format writes it.
func shown(name string) string {
	name = prose.Line(name)
	if strings.ContainsAny(name, "\ufffe\uffff") { // XML cannot express these
		name = strings.NewReplacer("\ufffe", `\ufffe`, "\uffff", `\uffff`).Replace(name)
	}
	return name
}

// shownSuite returns the name of a suite. Cases of no suite get a suite of their own.
func shownSuite(run api.Run, suite string) string {
	if name := shown(suite); name != "" {
		return name
	}
	return strings.TrimSuffix("proctor."+shown(run.Language), ".")
}

// shownTest returns the name of a test.
func shownTest(suite, test string) string {
	switch name := shown(test); {
	case name != "":
		return name
	case test != "":
		return "(unnamed)"
	case suite == "":
		return "(run)"
	}
	return "(suite)"
}

// names are the names taken in one shown suite, by all suites and runs shown under that name.
type names struct {
	// plain are the cases of each such suite by their real names, under which nearly all
	// are shown.
	plain []map[string]*Case
	other map[string]bool
}

func (n *names) isTaken(name string) bool {
	return n.other[name] || slices.ContainsFunc(n.plain, func(cases map[string]*Case) bool { return cases[name] != nil })
}

// distinct returns a name that no other test has: of several cases with one name readers
// use only the first.
func (n *names) distinct(shown, test string) string {
	name := shown
	for i := 2; n.isTaken(name); i++ {
		name = fmt.Sprintf("%s (%d)", shown, i)
	}
	if name != test {
		if n.other == nil {
			n.other = map[string]bool{}
		}
		n.other[name] = true
	}
	return name
}

// isError reports whether a kind of failure means that something other than a test's
// check went wrong.
func isError(kind string) bool {
	switch kind {
	case sdk.KindBuild, sdk.KindVet, sdk.KindSetup, sdk.KindExit, sdk.KindSignal, sdk.KindTimeout:
		return true
	}
	return false
}
