package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Asides collect what only the events of runs say, not the Run objects: why tests were
// skipped, which were the slowest, and short names of suites.
type Asides struct {
	// Slow returns from which duration on a test of a run is slow; 0 means never. Without
	// Slow, or if it returns nil, the default applies.
	Slow func(api.Run) *time.Duration
	runs map[string]*aside
}

type aside struct {
	skips []skip
	at    map[string]int // of a reason in skips
	slow  []api.Result   // slowest first
	from  float64        // seconds that a slow test takes; 0 is none
	names api.SuiteNames
	noun  string // for a suite
	// expected returns the suites of the last run of everything.
	expected func() []api.ExpectedSuite
}

// skip is a reason and the tests that gave it.
type skip struct {
	reason string
	total  int
	tests  []sdk.TestID
}

const (
	// maxReasons bounds the distinct reasons for skips, maxSkipped their tests.
	maxReasons = 1000
	maxSkipped = 10000
	// slowest is how many slow tests are named.
	slowest = 3
	// slowSeconds is the default duration from which on a test is slow.
	slowSeconds = 2
)

// Listen collects the results of runs, one run after the other.
func (a *Asides) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.RunStarted:
		a.start(e.Run)
		a.runs[""].noun, a.runs[""].expected = e.SuiteNoun, e.Expected
		a.runs[""].names.LearnPrefixes(e.SuitePrefixes)
	case *api.TestEnded:
		if now := a.runs[""]; now != nil {
			now.add(e.Result)
		}
	case *api.RunFinished:
		if now := a.runs[""]; now != nil {
			a.runs[e.Run.RunID] = now
			now.learnExpected()
		}
	}
}

// start begins the next run. The run in progress is also stored under the empty id.
func (a *Asides) start(run api.Run) {
	if a.runs == nil {
		a.runs = map[string]*aside{}
	}
	now := &aside{at: map[string]int{}, from: slowSeconds}
	if a.Slow != nil {
		if from := a.Slow(run); from != nil {
			now.from = from.Seconds()
		}
	}
	a.runs[""], a.runs[run.RunID] = now, now
}

// Record collects the results that a run carries.
func (a *Asides) Record(run api.Run) {
	a.start(run)
	for _, r := range run.Results {
		a.runs[run.RunID].add(r)
	}
}

// of returns what was collected about a run.
func (a *Asides) of(run api.Run) *aside {
	heard := &aside{}
	if a != nil && a.runs[run.RunID] != nil {
		heard = a.runs[run.RunID]
	}
	for _, f := range run.Failures {
		heard.names.Learn(f.Suite, f.File)
		heard.names.Learn(f.Suite, f.TestFrame.File)
	}
	return heard
}

func (a *aside) add(r api.Result) {
	a.names.Learn(r.Suite, r.File)
	if r.Status == sdk.Skipped {
		a.skip(r)
	}
	if r.Root == "" && r.Status != sdk.Skipped && a.from > 0 && r.DurationS >= a.from {
		a.slow = append(a.slow, r)
		slices.SortStableFunc(a.slow, func(x, y api.Result) int { return cmp.Compare(y.DurationS, x.DurationS) })
		a.slow = a.slow[:min(len(a.slow), slowest)]
	}
}

// learnExpected learns the names of suites from an earlier run where this one did not get
// to a result.
func (a *aside) learnExpected() {
	if !a.names.IsEmpty() || a.expected == nil {
		return
	}
	for _, s := range a.expected() {
		a.names.Learn(s.Suite, s.File)
	}
}

func (a *aside) skip(r api.Result) {
	reason := strings.TrimSpace(strings.TrimPrefix(r.Attributes["reason"], "skipped:"))
	i, known := a.at[reason]
	if !known {
		if len(a.skips) >= maxReasons {
			return // The verdict counts it.
		}
		i = len(a.skips)
		a.at[reason], a.skips = i, append(a.skips, skip{reason: reason})
	}
	if a.skips[i].total++; a.skips[i].total <= maxSkipped {
		a.skips[i].tests = append(a.skips[i].tests, r.TestID)
	}
}
