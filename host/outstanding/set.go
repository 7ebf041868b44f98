package outstanding

import "github.com/proctorhq/proctor/host/api"

// Reason tells why a test is outstanding.
type Reason string

// The reasons.
const (
	ReasonFailed       Reason = "failed"
	ReasonUnfinished   Reason = "unfinished"
	ReasonNeverStarted Reason = "never_started"
	// ReasonSuite: the suite as a whole: it did not build, failed although no
	// test did, or ended early and its tests are not known.
	ReasonSuite Reason = "suite"
	// ReasonRun: the run as a whole: it is red and what it left undone cannot
	// be told by name.
	ReasonRun Reason = "run"
)

// Entry is one outstanding test. An empty Test stands for the whole suite, an
// empty Suite beside it for everything.
type Entry struct {
	api.Test
	// Root is the listed test that it belongs to, if not itself.
	Root   string `json:"root,omitempty"`
	Reason Reason `json:"reason"`
	Why    Why    `json:"why,omitempty"`
	// RunID is the run that made it outstanding.
	RunID string `json:"run_id"`
	// LastRunID is the run in which it was red last.
	LastRunID string `json:"last_run_id"`
	// Args are that run's runner arguments, see [Scope].
	Args string `json:"args,omitempty"`
	// Way is in which way it was red; nil is not known.
	Way *Way `json:"way,omitempty"`
	// Was is the name that the test had when it came in, where it was renamed since.
	Was string `json:"was,omitempty"`
	// Late reports whether the last rerun asked for it in vain, as its time was over
	// before. Others have their turn first.
	Late bool `json:"-"`
}

// wasOnlyCutShort reports whether nothing else is known of a test than that runs
// ended before it did, or before it started.
func (e Entry) wasOnlyCutShort() bool {
	return e.Test.Test != "" && (e.Reason == ReasonNeverStarted || e.Reason == ReasonUnfinished && e.Why == WhyBeside)
}

// listed is the name under which the inventory has the test.
func (e Entry) listed() string {
	if e.Root != "" {
		return e.Root
	}
	return e.Test.Test
}

// everything is the entry's or target's name that stands for the whole run.
var everything = api.Test{}

// Set is the outstanding set in the order in which its tests came in. Known
// holds, for each suite with outstanding tests that once ran whole, the listed
// tests it had then: what is not among them is new.
type Set struct {
	Entries []Entry             `json:"entries"`
	Known   map[string][]string `json:"known,omitempty"`
}

// Len is the number of outstanding tests.
func (s Set) Len() int { return len(s.Entries) }

// Counts are the kinds of what is outstanding.
func (s Set) Counts() (c api.OutstandingCounts) {
	for _, e := range s.Entries {
		switch {
		case e.Suite == "" && e.Test.Test == "":
			c.Runs++
		case e.Test.Test == "":
			c.Suites++
		case e.listed() != e.Test.Test:
			c.Subtests++
		default:
			c.Tests++
		}
	}
	return c
}

func (s Set) index() map[identity]int {
	index := make(map[identity]int, len(s.Entries))
	for i, e := range s.Entries {
		index[e.identity()] = i
	}
	return index
}
