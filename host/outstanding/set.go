package outstanding

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

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

// hadNoTests reports whether a suite is known to have none.
func (s Set) hadNoTests(suite string) bool {
	known := s.Known[suite]
	return known != nil && len(known) == 0
}

// Why tells more of a [Reason]. It is for the reader, and empty where nothing more is
// known.
type Why string

// What there is to tell.
const (
	// Of a suite or a run.
	WhyUnbuilt Why = "did_not_build"
	WhySetup   Why = "setup_failed"
	WhyCut     Why = "cut_off" // by its time, a signal or the user
	// Of a suite alone.
	WhyOutside Why = "failed_outside_tests"
	WhyEarly   Why = "ended_early"
	WhyFixture Why = "fixture_failed"
	// Of a run alone.
	WhyTool      Why = "tool_failed"   // the runner, or who reads it
	WhyNoEnd     Why = "no_end"        // nothing tells how it ended
	WhyUnwritten Why = "end_unwritten" // it ended, and that could not be put on record
	WhyLost      Why = "record_lost"   // with what had been outstanding
	// Of a test that did not finish: its process ended inside of it, so that parts of
	// it may never have started; or by what something else did.
	WhyParts  Why = "parts_unknown"
	WhyBeside Why = "ended_beside"
	// WhyUntold: of a test that never started as far as anybody knows. Its runner was
	// stopped before it had said anything.
	WhyUntold Why = "no_result"
)

// Groups splits the set by the ways in which its tests were red, and where these are
// not known by the runner arguments with which they came in. A
// group that has a test which was red in the run last comes first: that is what
// somebody works on. Of several such, as otherwise, the longest outstanding is first.
func (s Set) Groups(last string) []Set {
	index := map[string]int{}
	var groups []Set
	first := -1
	for _, e := range s.Entries {
		args, _, known := strings.Cut(e.Args, EnvMark)
		if !known {
			args += EnvMark // of a killed run: they are no others' arguments
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

// Late is the set with those marked that the last rerun asked for in vain.
func (s Set) Late(inVain map[api.Test]bool) Set {
	if len(inVain) == 0 {
		return s
	}
	late := Set{Known: s.Known, Entries: slices.Clone(s.Entries)}
	for i := range late.Entries {
		late.Entries[i].Late = inVain[late.Entries[i].Test]
	}
	return late
}

// Only is the part of the set for whose entries keep says so.
func (s Set) Only(keep func(Entry) bool) Set {
	only := Set{Known: s.Known}
	for _, e := range s.Entries {
		if keep(e) {
			only.Entries = append(only.Entries, e)
		}
	}
	return only
}

// Within returns those of the requested tests that lie within the listed tests
// of others, these included.
func Within(requested, others []Target) []Target {
	roots := map[api.Test]bool{}
	for _, t := range others {
		roots[t.listed()] = true
	}
	within := []Target{}
	for _, t := range requested {
		if t.Test.Test != "" && roots[t.listed()] {
			within = append(within, t)
		}
	}
	return within
}

// listed is the listed test that a target is, or belongs to.
func (t Target) listed() api.Test {
	if t.Root != "" {
		return api.Test{Suite: t.Suite, Test: t.Root}
	}
	return t.Test
}
