package tally

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Collector turns what a plugin reports about a run's commands into events. It is
// called from one goroutine.
type Collector struct {
	// Tally receives every event first.
	Tally     *Tally
	listeners api.Listeners
	ordinals  map[failureKey]int
	missing   missing

	// Portable replaces paths that another machine has elsewhere, for the signatures of what
	// goes on record; nil if nothing does.
	Portable func(string) string
	// Trusts reports whether the runner's cached result of a suite is acceptable; nil
	// means that the runner does not use its cache. If it does, all results wait for the
	// end of their suite, which says whether it ran.
	Trusts func(suite string) bool
	// Recorded reports whether the output was recorded earlier, so that what it says
	// about a cache affects only the counts.
	Recorded bool
	// untrusted are suites whose cached results are not acceptable, in order.
	untrusted []untrusted

	// suites are those of this command. The results of one mostly come in a row, so the
	// last one is remembered: last is suites[lastName].
	suites   map[string]*suiteState
	lastName string
	last     *suiteState
	// spare are lists of results that no longer wait for a suite.
	spare [][]api.Result

	// There may be a million of these, so each value is reused.
	test    api.TestEnded
	failure api.FailureFound
	unread  api.Unread
}

// suiteState is what is known of a suite while its command runs.
type suiteState struct {
	// waiting are results that depend on the end of the suite: those of tests that
	// failed because of others inside and are not known to have ended, and all that may
	// be from a cache.
	waiting []api.Result
	end     suiteEnd
	ended   bool
	// begun reports whether something of it has a result, so that it must have an end.
	begun bool
	told  *told // nil if nothing is red
}

// suiteEnd is what the end of a suite says about its results.
type suiteEnd struct{ early, cached bool }

// untrusted is a cached suite for which no events have been sent.
type untrusted struct {
	suite   sdk.SuiteResult
	results []api.Result
}

// failureKey is what the id of a failure is made of, apart from its ordinal.
type failureKey struct{ suite, test, kind string }

// NewCollector returns a Collector that notifies the listeners in order.
func NewCollector(listeners ...api.Listener) *Collector {
	return &Collector{Tally: NewTally(), listeners: listeners, ordinals: map[failureKey]int{}, suites: map[string]*suiteState{}, missing: newMissing()}
}

// AddListener adds a listener for what follows.
func (c *Collector) AddListener(l api.Listener) { c.listeners = append(c.listeners, l) }

// Replay sends an event of an earlier run.
func (c *Collector) Replay(e api.Event) { c.tell(e) }

func (c *Collector) tell(e api.Event) {
	c.Tally.Listen(e)
	c.listeners.Listen(e)
}

// Test handles the end of a test.
func (c *Collector) Test(t sdk.TestResult) {
	switch t.Status {
	case sdk.Passed, sdk.Failed, sdk.Skipped:
	default: // including statuses of newer plugins, which may not be a good end
		t.Status = sdk.Unfinished
	}
	t.Measures = slices.DeleteFunc(t.Measures, func(m sdk.Measure) bool { return !isNumber(m.Value) })
	r := api.Result{TestResult: t, DurationS: t.Elapsed.Seconds()}
	s := c.suite(r.Suite)
	s.begun = true
	c.missing.reds = c.missing.reds || t.Status == sdk.Failed || t.Status == sdk.Unfinished
	end := s.end
	switch {
	case !s.ended && isUndecided(&r), !s.ended && c.Trusts != nil && len(s.waiting) < c.mostWaiting():
		c.wait(s, &r)
		return
	case !s.ended && c.Trusts != nil:
		end.cached = !c.Recorded // without proof that it ran
	}
	c.tellTest(s, &r, end)
}

// suite returns what is known of a suite, at first nothing.
func (c *Collector) suite(name string) *suiteState {
	if c.last != nil && c.lastName == name {
		return c.last
	}
	s := c.suites[name]
	if s == nil {
		s = &suiteState{}
		c.suites[strings.Clone(name)] = s // which may lie in a large buffer
	}
	c.lastName, c.last = name, s
	return s
}

// wait keeps a result until the end of its suite.
func (c *Collector) wait(s *suiteState, r *api.Result) {
	if s.waiting == nil && len(c.spare) > 0 {
		s.waiting, c.spare = c.spare[len(c.spare)-1], c.spare[:len(c.spare)-1]
	}
	s.waiting = append(s.waiting, *r)
}

// mostWaiting returns how many results of a suite may wait for its end.
func (c *Collector) mostWaiting() int {
	if c.Recorded {
		return maxRecorded
	}
	return maxWaiting
}

const (
	maxWaiting  = 100_000
	maxRecorded = 5_000
	// As many lists as suites are open at a time are used again, except long ones, which
	// would hold memory that hardly any suite needs.
	maxSpare       = 8
	maxSpareLength = 1_000
)

// isUndecided reports whether a test failed because of others inside and is not known to
// have ended.
func isUndecided(r *api.Result) bool {
	return r.Derived && r.Status == sdk.Failed && !r.Ended && !r.Fixture
}

// tellTest reports a result. If the suite ended early, a test that failed because of
// others inside counts as unfinished, whatever the runner said: when the process dies in
// one part of it, the following parts have no names yet. A cached result took no time.
func (c *Collector) tellTest(s *suiteState, r *api.Result, end suiteEnd) {
	if end.early && isUndecided(r) {
		r.Status, r.Derived, r.Container = sdk.Unfinished, false, true
		c.Tally.died++
	}
	if end.cached {
		r.Cached, r.Elapsed, r.DurationS = true, 0, 0
	}
	c.missing.test(s, r)
	c.test.Result = *r
	c.tell(&c.test)
}

// release reports the results that waited for the end of a suite.
func (c *Collector) release(s *suiteState, end suiteEnd) {
	waiting := s.waiting
	s.waiting = nil
	for i := range waiting {
		c.tellTest(s, &waiting[i], end)
	}
	if n := cap(waiting); n > 0 && n <= maxSpareLength && len(c.spare) < maxSpare {
		clear(waiting)
		c.spare = append(c.spare, waiting[:0])
	}
}

// Untrusted returns the suites that the runner took from its cache and that must run. No
// events have been sent for them.
func (c *Collector) Untrusted() []string {
	var suites []string
	for _, u := range c.untrusted {
		suites = append(suites, u.suite.Suite)
	}
	return suites
}

// TellUntrusted sends the events of the untrusted suites that did not run after all.
func (c *Collector) TellUntrusted() (told []string) {
	all := c.untrusted
	c.untrusted, c.Trusts = nil, func(string) bool { return true }
	for _, u := range all {
		if _, ran := c.Tally.Suites[u.suite.Suite]; ran {
			continue
		}
		told = append(told, u.suite.Suite)
		c.suite(u.suite.Suite).waiting = u.results
		c.Suite(u.suite)
	}
	return told
}

// HasRed reports whether anything of the command is red, and so may explain its exit.
func (c *Collector) HasRed() bool { return c.missing.reds }

// EndCommand handles the end of a command's output: suites without a reported end ended
// early, and what is red without a failure gets one.
func (c *Collector) EndCommand() {
	for _, suite := range slices.Sorted(maps.Keys(c.suites)) {
		if s := c.suites[suite]; s.begun && !s.ended {
			c.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteUnfinished})
		}
	}
	c.tellMissing()
	clear(c.suites)
	c.lastName, c.last = "", nil
}

// Failure handles a failure and gives it its id.
func (c *Collector) Failure(f sdk.Failure) {
	c.missing.failure(c, &f)
	key := failureKey{f.Suite, f.Test, f.Kind}
	// Ordinals are only needed for duplicate names. Beyond the bound such names may
	// repeat; memory must not grow with failures.
	n := c.ordinals[key]
	if len(c.ordinals) < maxOrdinals {
		c.ordinals[key] = n + 1
	}
	c.failure.Failure = api.Failure{ID: api.FailureID(f.Suite, f.Test, f.Kind, n), Failure: f, Repro: shellLine(f.Repro)}
	if c.Portable != nil {
		classify.Sign(&c.failure.Failure, c.Portable)
	}
	c.tell(&c.failure)
}

// maxOrdinals bounds how many failures are distinguished by number.
const maxOrdinals = 20_000

// Suite handles the end of a suite, and reports the results that waited for it.
func (c *Collector) Suite(s sdk.SuiteResult) {
	green := s.Outcome == sdk.SuitePassed || s.Outcome == sdk.SuiteNoTests
	state := c.suite(s.Suite)
	if s.Cached && green && c.Trusts != nil && !c.Trusts(s.Suite) {
		c.untrusted = append(c.untrusted, untrusted{s, state.waiting})
		state.waiting, state.begun = nil, false
		return
	}
	state.end, state.ended = suiteEnd{state.end.early || outstanding.EndsEarly(s.Outcome), s.Cached}, true
	c.release(state, state.end)
	c.missing.suite(state, &s)
	c.tell(&api.SuiteEnded{SuiteResult: s})
}

// Progress handles a snapshot. It replaces the plugin's counts by ours: a plugin does not
// know yet which failures are derived from others.
func (c *Collector) Progress(p sdk.Progress) {
	n := c.Tally.Counts
	p.Passed, p.Failed, p.Skipped = n.Passed, n.Failed, n.Skipped
	for _, s := range c.suites {
		for i := range s.waiting {
			switch r := &s.waiting[i]; {
			case r.Fixture:
			case r.Status == sdk.Passed:
				p.Passed++
			case r.Status == sdk.Skipped:
				p.Skipped++
			case r.Status == sdk.Failed && !r.Derived:
				p.Failed++
			}
		}
	}
	c.tell(&api.Progressed{Progress: p})
}

// Unread handles output that could not be read.
func (c *Collector) Unread(u sdk.Unread) {
	c.missing.reds = c.missing.reds || u.Damaged
	c.unread.Unread = u
	c.tell(&c.unread)
}

// Note handles a remark about the run.
func (c *Collector) Note(text string) { c.tell(&api.Noted{Text: text}) }

// Refused handles a request that the runner rejected.
func (c *Collector) Refused(r sdk.Refusal) {
	c.missing.refused = cmp.Or(c.missing.refused, r.Words, "it refused something and does not say what")
	c.tell(&api.Refused{Refusal: r})
}

// Condition handles a condition that the results depend on.
func (c *Collector) Condition(name, value string) {
	c.tell(&api.ConditionFound{Name: name, Value: value})
}

// RunError handles the runner's explanation of why it could not work.
func (c *Collector) RunError(text string) {
	c.missing.reds = true
	c.tell(&api.RunnerFailed{Text: text})
}

// Output handles a piece of the requested output.
func (c *Collector) Output(data []byte) { c.tell(&api.Printed{Data: data}) }

// isNumber reports whether a measure is a JSON number: anything else would make the
// record unreadable.
func isNumber(n json.Number) bool {
	return json.Valid([]byte(n)) && strings.Trim(n.String(), "-+.0123456789eE") == ""
}

// shellLine formats a command for pasting into a shell.
func shellLine(c sdk.Command) string {
	if len(c.Argv) == 0 {
		return ""
	}
	var words []string
	keys := make([]string, 0, len(c.Env))
	for k := range c.Env {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		words = append(words, k+"="+prose.ShellWord(c.Env[k]))
	}
	line := strings.Join(append(words, prose.ShellLine(c.Argv)), " ")
	if c.Dir != "" && c.Dir != "." {
		line = fmt.Sprintf("(cd %s && %s)", prose.ShellWord(c.Dir), line)
	}
	return line
}
