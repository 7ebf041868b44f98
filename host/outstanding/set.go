package outstanding

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Reason says why a test is outstanding.
type Reason string

// The reasons.
const (
	ReasonFailed       Reason = "failed"
	ReasonUnfinished   Reason = "unfinished"
	ReasonNeverStarted Reason = "never_started"
	// ReasonSuite is for a suite as a whole: it did not build, failed although no test
	// did, or ended early with unknown tests.
	ReasonSuite Reason = "suite"
	// ReasonRun is for a run as a whole: it is red and what it left undone cannot be
	// named.
	ReasonRun Reason = "run"
)

// Entry is one outstanding test. An empty Test stands for the whole suite; if Suite is
// empty, too, for everything.
type Entry struct {
	sdk.TestID
	// Root is the listed test that it belongs to, if not itself.
	Root   string `json:"root,omitempty"`
	Reason Reason `json:"reason"`
	Why    Why    `json:"why,omitempty"`
	// RunID is the run that made it outstanding.
	RunID string `json:"run_id"`
	// LastRunID is the run in which it was last red.
	LastRunID string `json:"last_run_id"`
	// Args are that run's runner arguments, see [Scope].
	Args string `json:"args,omitempty"`
	// Way is the way in which it was red; nil if unknown.
	Way *Way `json:"way,omitempty"`
	// Was is the test's original name, if it was renamed since, with its suite if it was moved.
	Was string `json:"was,omitempty"`
	// Late reports whether the last rerun requested it and timed out before it had a
	// result. Others go first.
	Late bool `json:"-"`
}

// wasOnlyCutShort reports whether all that is known of a test is that runs ended before
// it did, or before it started.
func (e Entry) wasOnlyCutShort() bool {
	return e.Test != "" && (e.Reason == ReasonNeverStarted || e.Reason == ReasonUnfinished && e.Why == WhyBeside)
}

// listed returns the name under which the inventory has the test.
func (e *Entry) listed() string {
	if e.Root != "" {
		return e.Root
	}
	return e.Test
}

// everything is the entry's or target's name that stands for the whole run.
var everything = sdk.TestID{}

// Set is the outstanding set in the order in which its tests were added. Known holds, for
// each suite with outstanding tests that ran whole before, the listed tests it had then.
// Any other test is new.
type Set struct {
	Entries []Entry             `json:"entries"`
	Known   map[string][]string `json:"known,omitempty"`
}

// Len returns the number of entries: one for each way in which a test is outstanding.
func (s Set) Len() int { return len(s.Entries) }

// Distinct returns the first entry of each test and suite, and all of runs. The caller must
// not change them.
func (s Set) Distinct() []Entry {
	if s.isOfOneWay() {
		return s.Entries
	}
	known := map[sdk.TestID]bool{}
	var entries []Entry
	for _, e := range s.Entries {
		if !known[e.TestID] || e.TestID == everything {
			known[e.TestID] = true
			entries = append(entries, e)
		}
	}
	return entries
}

// isOfOneWay reports whether all entries were red in the same way, so that no two are of one
// test.
func (s Set) isOfOneWay() bool {
	for i := range s.Entries {
		if !s.Entries[i].Way.equals(s.Entries[0].Way) {
			return false
		}
	}
	return true
}

// Counts returns the counts by kind. A test or suite that is outstanding in several ways
// counts once.
func (s Set) Counts() (c api.OutstandingCounts) {
	entries := s.Distinct()
	for i := range entries {
		switch e := &entries[i]; {
		case e.TestID == everything:
			c.Runs++
		case e.Test == "":
			c.Suites++
		case e.listed() != e.Test:
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

// hadNoTests reports whether a suite is known to have none.
func (s Set) hadNoTests(suite string) bool {
	known := s.Known[suite]
	return known != nil && len(known) == 0
}

// Why details a [Reason], for the reader; empty if nothing more is known.
type Why string

// The details.
const (
	// For a suite or a run.
	WhyUnbuilt Why = "did_not_build"
	WhySetup   Why = "setup_failed"
	WhyCut     Why = "cut_off" // by a timeout, a signal or the user
	// For a suite only.
	WhyOutside Why = "failed_outside_tests"
	WhyEarly   Why = "ended_early"
	WhyFixture Why = "fixture_failed"
	// For a run only.
	WhyTool      Why = "tool_failed"   // the runner or the plugin
	WhyNoEnd     Why = "no_end"        // nothing shows how it ended
	WhyUnwritten Why = "end_unwritten" // it ended, but that could not be recorded
	WhyLost      Why = "record_lost"   // the earlier outstanding set is lost
	WhyMisplaced Why = "misplaced"     // it found a quarantine of a test that does not exist
	// For a test that did not finish: its process ended inside it, so that parts of it
	// may never have started, or something else ended the process.
	WhyParts  Why = "parts_unknown"
	WhyBeside Why = "ended_beside"
	// WhyUntold is for a test that never started as far as known: its runner was
	// stopped before it reported anything.
	WhyUntold Why = "no_result"
)

// Groups splits the set by the ways in which its tests were red or, if these are
// unknown, by the runner arguments they were added with. A group with a test that was
// red in the run last comes first: that is what somebody works on. Otherwise the
// longest outstanding one is first.
func (s Set) Groups(last string) []Set {
	index := map[string]int{}
	var groups []Set
	first := -1
	for _, e := range s.Entries {
		args, _, known := strings.Cut(e.Args, EnvMark)
		if !known {
			args += EnvMark // of a killed run, which has a group of its own
		}
		if e.Way != nil {
			args = "\x02" + e.Way.key()
		}
		i, ok := index[args]
		if !ok {
			i = len(groups)
			index[args] = i
			groups = append(groups, Set{Known: s.Known})
		}
		if first < 0 && last != "" && e.LastRunID == last {
			first = i
		}
		groups[i].Entries = append(groups[i].Entries, e)
	}
	if first > 0 {
		chosen := groups[first]
		groups = slices.Insert(slices.Delete(groups, first, first+1), 0, chosen)
	}
	return groups
}

// Late returns the set with the given tests marked as late.
func (s Set) Late(inVain map[sdk.TestID]bool) Set {
	if len(inVain) == 0 {
		return s
	}
	late := Set{Known: s.Known, Entries: slices.Clone(s.Entries)}
	for i := range late.Entries {
		late.Entries[i].Late = inVain[late.Entries[i].TestID]
	}
	return late
}

// Only returns the entries that keep accepts.
func (s Set) Only(keep func(Entry) bool) Set {
	only := Set{Known: s.Known}
	for _, e := range s.Entries {
		if keep(e) {
			only.Entries = append(only.Entries, e)
		}
	}
	return only
}

// Within returns the requested tests that belong to the listed tests of others.
func Within(requested, others []Target) []Target {
	roots := map[sdk.TestID]bool{}
	for _, t := range others {
		roots[t.listed()] = true
	}
	within := []Target{}
	for _, t := range requested {
		if t.Test != "" && roots[t.listed()] {
			within = append(within, t)
		}
	}
	return within
}

// listed returns the listed test that a target is, or belongs to.
func (t Target) listed() sdk.TestID {
	if t.Root != "" {
		return sdk.TestID{Suite: t.Suite, Test: t.Root}
	}
	return t.TestID
}
