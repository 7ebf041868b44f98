package tally

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/proctorhq/proctor/host/api"
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

	// Trusts reports whether what the runner has in its cache of a suite will do; nil
	// means that it is not asked for its cache. Otherwise all results wait for the end
	// of their suite, which says whether it ran.
	Trusts func(suite string) bool
	// Recorded reports whether the output is of an earlier time: what it says of a cache
	// matters for the counts only.
	Recorded bool
	// untrusted are suites from the cache that must run, in order.
	untrusted []untrusted

	// waiting are results that the ends of their suites decide about: tests that failed
	// because of others inside and are not known to have ended, and all results that
	// may be from a cache. ends are the suites of this command for which that is known.
	waiting map[string][]api.Result
	ends    map[string]suiteEnd

	// There may be a million of these, so each value is reused.
	test    api.TestEnded
	failure api.FailureFound
	unread  api.Unread
}

// suiteEnd is what the end of a suite says about its results.
type suiteEnd struct{ early, cached bool }

// untrusted is a suite from the cache of which no event was sent.
type untrusted struct {
	suite   sdk.SuiteResult
	results []api.Result
}

// failureKey distinguishes failures, up to their order.
type failureKey struct{ suite, test, kind string }

// NewCollector notifies the listeners in order.
func NewCollector(listeners ...api.Listener) *Collector {
	return &Collector{Tally: NewTally(), listeners: listeners, ordinals: map[failureKey]int{},
		waiting: map[string][]api.Result{}, ends: map[string]suiteEnd{}}
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
	default: // also what a newer plugin may send: it is not known to have ended well
		t.Status = sdk.Unfinished
	}
	t.Measures = slices.DeleteFunc(t.Measures, func(m sdk.Measure) bool { return !isNumber(m.Value) })
	r := api.Result{TestResult: t, DurationS: t.Elapsed.Seconds()}
	end, known := c.ends[r.Suite]
	switch {
	case !known && isUndecided(r), !known && c.Trusts != nil && len(c.waiting[r.Suite]) < c.mostWaiting():
		c.waiting[r.Suite] = append(c.waiting[r.Suite], r)
		return
	case !known && c.Trusts != nil:
		end.cached = !c.Recorded // as far as known, it did not run
	}
	c.tellTest(r, end)
}

// mostWaiting is how many results of a suite may wait for its end.
func (c *Collector) mostWaiting() int {
	if c.Recorded {
		return maxRecorded
	}
	return maxWaiting
}

const (
	maxWaiting  = 100_000
	maxRecorded = 5_000
)

// isUndecided reports whether a test failed because of others inside and is not known to
// have ended.
func isUndecided(r api.Result) bool {
	return r.Derived && r.Status == sdk.Failed && !r.Ended && !r.Fixture
}

// tellTest reports a result. If a suite ended early, the own end of a test that failed
// because of others inside does not count, whatever the runner said: when the process
// dies in a part of it, the parts that follow have no names yet. What is from a cache
// took no time.
func (c *Collector) tellTest(r api.Result, end suiteEnd) {
	if end.early && isUndecided(r) {
		r.Status, r.Derived, r.Container = sdk.Unfinished, false, true
		c.Tally.died++
	}
	if end.cached {
		r.Cached, r.Elapsed, r.DurationS = true, 0, 0
	}
	c.test.Result = r
	c.tell(&c.test)
}

// endSuite reports what waited for the end of a suite.
func (c *Collector) endSuite(suite string, end suiteEnd) {
	waiting := c.waiting[suite]
	delete(c.waiting, suite)
	for _, r := range waiting {
		c.tellTest(r, end)
	}
}

// Untrusted returns the suites that the runner took from its cache and that must run. No
// events were sent of them.
func (c *Collector) Untrusted() []string {
	var suites []string
	for _, u := range c.untrusted {
		suites = append(suites, u.suite.Suite)
	}
	return suites
}

// TellUntrusted sends the events of those of them that did not run after all.
func (c *Collector) TellUntrusted() (told []string) {
	all := c.untrusted
	c.untrusted, c.Trusts = nil, func(string) bool { return true }
	for _, u := range all {
		if _, ran := c.Tally.Suites[u.suite.Suite]; ran {
			continue
		}
		told = append(told, u.suite.Suite)
		c.waiting[u.suite.Suite] = u.results
		c.Suite(u.suite)
	}
	return told
}

// EndCommand ends the output of a command: suites without a reported end have none.
func (c *Collector) EndCommand() {
	for _, suite := range slices.Sorted(maps.Keys(c.waiting)) {
		c.endSuite(suite, suiteEnd{early: true})
	}
	clear(c.ends)
}

// Failure handles a failure and gives it its id.
func (c *Collector) Failure(f sdk.Failure) {
	key := failureKey{f.Suite, f.Test, f.Kind}
	// Ordinals are only needed for duplicate names. Beyond the bound such names may
	// repeat; memory must not grow with failures.
	n := c.ordinals[key]
	if len(c.ordinals) < maxOrdinals {
		c.ordinals[key] = n + 1
	}
	c.failure.Failure = api.Failure{ID: api.FailureID(f.Suite, f.Test, f.Kind, n), Failure: f, Repro: shellLine(f.Repro)}
	c.tell(&c.failure)
}

// maxOrdinals bounds how many failures are distinguished by number.
const maxOrdinals = 20_000

// Suite handles the end of a suite, and decides what waited for it.
func (c *Collector) Suite(s sdk.SuiteResult) {
	green := s.Outcome == sdk.SuitePassed || s.Outcome == sdk.SuiteNoTests
	if s.Cached && green && c.Trusts != nil && !c.Trusts(s.Suite) {
		c.untrusted = append(c.untrusted, untrusted{s, c.waiting[s.Suite]})
		delete(c.waiting, s.Suite)
		return
	}
	before := c.ends[s.Suite]
	end := suiteEnd{before.early || outstanding.EndsEarly(s.Outcome), s.Cached}
	c.ends[s.Suite] = end
	c.endSuite(s.Suite, end)
	c.tell(&api.SuiteEnded{SuiteResult: s})
}

// Progress handles a snapshot. What was reported counts as it will in the end: a plugin
// does not know yet which failures come from others.
func (c *Collector) Progress(p sdk.Progress) {
	n := c.Tally.Counts
	p.Passed, p.Failed, p.Skipped = n.Passed, n.Failed, n.Skipped
	for _, results := range c.waiting {
		for _, r := range results {
			switch {
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

// Unread handles what could not be read.
func (c *Collector) Unread(u sdk.Unread) {
	c.unread.Unread = u
	c.tell(&c.unread)
}

// Note handles a remark about the run.
func (c *Collector) Note(text string) { c.tell(&api.Noted{Text: text}) }

// Refused handles what the runner rejected.
func (c *Collector) Refused(r sdk.Refusal) { c.tell(&api.Refused{Refusal: r}) }

// Condition handles what results depend on.
func (c *Collector) Condition(name, value string) {
	c.tell(&api.ConditionFound{Name: name, Value: value})
}

// RunError handles the runner's explanation of why it could not work.
func (c *Collector) RunError(text string) { c.tell(&api.RunnerFailed{Text: text}) }

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
