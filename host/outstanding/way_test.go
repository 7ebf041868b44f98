package outstanding_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func TestAWayIsProvedByAnEqualOrAWiderOne(t *testing.T) {
	way := outstanding.WayOf
	for _, tc := range []struct {
		now, red *outstanding.Way
		want     bool
	}{
		{way(nil, nil), way(nil, nil), true},
		{way([]string{"b", "a"}, nil), way([]string{"a", "b"}, nil), true},
		{way([]string{"-race"}, nil), way(nil, nil), false},
		{way(nil, nil), way([]string{"-race"}, nil), false},
		{way(nil, nil), way(nil, []string{"-short"}), true},
		{way(nil, []string{"-short"}), way(nil, nil), false},
		{way(nil, []string{"-short"}), way(nil, []string{"-vet=off", "-short"}), true},
		{way([]string{"-race"}, nil), way([]string{"-race"}, []string{"-short"}), true},
		{nil, way([]string{"-race"}, nil), true},
		{way([]string{"-race"}, nil), nil, true},
	} {
		if got := tc.now.Proves(tc.red); got != tc.want {
			t.Errorf("%v proves %v: %v", tc.now.Words(), tc.red.Words(), got)
		}
	}
}

// red is what the table of docs/rerun.md is about: a test in a way.
type red struct {
	test, decides string
	short         bool
}

// ways is the table in its plainest form.
type ways map[red]bool

func (w ways) run(decides string, short bool, happened map[string][]sdk.Status) {
	for test, attempts := range happened {
		switch {
		case slices.Contains(attempts, sdk.Failed) || slices.Contains(attempts, sdk.Unfinished):
			w[red{test, decides, short}] = true // it comes in
		case slices.Contains(attempts, sdk.Passed):
			// It leaves, where it was red in the same way, or in one that does less.
			delete(w, red{test, decides, true})
			if !short {
				delete(w, red{test, decides, false})
			}
		}
	}
}

func (w ways) names() []string {
	list := []string{}
	for r := range w {
		list = append(list, fmt.Sprint(r.test, " ", r.decides, " ", r.short))
	}
	slices.Sort(list)
	return list
}

func namesOfWays(s outstanding.Set) []string {
	list := []string{}
	for _, e := range s.Entries {
		decides := ""
		if len(e.Way.Decides) > 0 {
			decides = e.Way.Decides[0]
		}
		list = append(list, fmt.Sprint(e.Test, " ", decides, " ", len(e.Way.Narrows) > 0))
	}
	slices.Sort(list)
	return list
}

// TestOutstandingFollowsTheTableOfWays runs random sequences of runs with random
// arguments and of reruns, and compares the set after each with the table.
func TestOutstandingFollowsTheTableOfWays(t *testing.T) {
	seed, cases := uint64(time.Now().UnixNano()), 0
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	most, until := 3000, time.Time{}
	if d, err := time.ParseDuration(os.Getenv("PROCTOR_FUZZ")); err == nil {
		until = time.Now().Add(d)
	}
	for ; cases < most || time.Now().Before(until); cases++ {
		if !followsTheTable(t, seed+uint64(cases)) {
			t.Fatalf("PROCTOR_FUZZ_SEED=%d", seed+uint64(cases))
		}
	}
	t.Logf("%d cases from seed %d", cases, seed)
}

func followsTheTable(t *testing.T, seed uint64) bool {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 16))
	current, model := outstanding.Set{}, ways{}
	n := 0
	// run folds one command's results: of the tests that do is true of.
	run := func(decides string, short bool, scope outstanding.Scope, green bool, do func(string) bool) {
		n++
		narrows := []string{}
		if short {
			narrows = append(narrows, "-short")
		}
		words := []string{}
		if decides != "" {
			words = append(words, decides)
		}
		scope.Way, scope.Args = outstanding.WayOf(words, narrows), fmt.Sprint(decides, short)+outstanding.EnvMark
		f := outstanding.NewFold(fmt.Sprint(n), current, scope)
		happened := map[string][]sdk.Status{}
		for i := range 5 {
			name := fmt.Sprint("T", i)
			for range 1 + r.IntN(2) {
				s := statuses[r.IntN(len(statuses))]
				if green {
					s = sdk.Passed
				}
				if do(name) {
					happened[name] = append(happened[name], s)
					f.Listen(&api.TestEnded{Result: result("p", name, s)})
					if s == sdk.Unfinished {
						f.Listen(failed(sdk.TestID{Suite: "p", Test: name}, sdk.KindPanic)) // it kept itself from its end
					}
				}
			}
		}
		f.Listen(suiteEnded("p", sdk.SuiteFailed))
		model.run(decides, short, happened)
		current = f.After(current, outstanding.Partial)
	}
	for step := range 15 {
		if r.IntN(3) > 0 || current.Len() == 0 {
			run([]string{"", "-race", "-tags=x"}[r.IntN(3)], r.IntN(3) == 0, outstanding.Scope{SomeTests: true}, r.IntN(3) == 0,
				func(string) bool { return r.IntN(3) > 0 })
		} else {
			// All ways of a rerun, one after the other.
			green, all := r.IntN(2) == 0, 0
			groups := current.Groups(fmt.Sprint(n))
			for _, group := range groups {
				all += group.Len()
				way := group.Entries[0].Way
				sel := outstanding.Select(group, outstanding.Inventory{}, 100, "")
				asked := targets(sel.Requested)
				decides := ""
				if len(way.Decides) > 0 {
					decides = way.Decides[0]
				}
				run(decides, len(way.Narrows) > 0, outstanding.Scope{Tests: sel.Requested}, green, func(name string) bool { return slices.Contains(asked, "p "+name) })
			}
			if green && current.Len() > 0 {
				t.Errorf("step %d: after a green rerun of %d groups %q is outstanding", step, len(groups), namesOfWays(current))
				return false
			}
		}
		if got, want := namesOfWays(current), model.names(); !slices.Equal(got, want) {
			t.Errorf("step %d: outstanding %q, want %q", step, got, want)
			return false
		}
	}
	return true
}

func TestWhatWasBrokenAsAWholeInAWayStaysWhenAnotherIsGreen(t *testing.T) {
	race, plain := outstanding.WayOf([]string{"-race"}, nil), outstanding.WayOf(nil, nil)
	suite, all := entry("p", "", "", outstanding.ReasonSuite), entry("", "", "", outstanding.ReasonRun)
	for _, e := range []outstanding.Entry{suite, all} {
		e.Way, e.Args = race, "-race"+outstanding.EnvMark
		before := set(e)
		for args, left := range map[string]int{"": 1, "-race": 0} {
			scope := outstanding.Scope{Args: args + outstanding.EnvMark, Way: plain}
			if args != "" {
				scope.Way = race
			}
			f := outstanding.NewFold("now", before, scope)
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
			if got := f.After(before, outstanding.Green); got.Len() != left {
				t.Errorf("%v after a green run with %q: %d outstanding, want %d", e.TestID, args, got.Len(), left)
			}
		}
	}
}

// A whole that is red with fewer arguments than before is red with none left out.
func TestASuiteRedWithoutASelectionIsNotProvedByOne(t *testing.T) {
	plain := outstanding.WayOf(nil, nil)
	e := entry("p", "", "", outstanding.ReasonSuite)
	e.Way, e.Args = plain, "-run\x00X"+outstanding.EnvMark
	current := set(e)
	broken := outstanding.NewFold("two", current, outstanding.Scope{Args: outstanding.EnvMark, Way: plain})
	broken.Listen(suiteEnded("p", sdk.SuiteBuildFailed))
	current = broken.After(current, outstanding.Ended)
	narrow := outstanding.NewFold("three", current, outstanding.Scope{Args: "-run\x00X" + outstanding.EnvMark, Way: plain})
	narrow.Listen(&api.TestEnded{Result: result("p", "X", sdk.Passed)})
	narrow.Listen(suiteEnded("p", sdk.SuitePassed))
	if got := narrow.After(current, outstanding.Green); got.Len() != 1 {
		t.Errorf("%d outstanding", got.Len())
	}
}

// What only never started and skips itself is let go where the runs differ in nothing that
// could be why it skips itself.
func TestASkipInARunOfEverythingLetsGoWhatNeverStarted(t *testing.T) {
	const env = outstanding.EnvMark + "GEO_URL=x"
	usual, short := outstanding.WayOf(nil, nil), outstanding.WayOf(nil, []string{"-short"})
	for _, c := range []struct {
		name        string
		before, now outstanding.Scope
		leaves      bool
	}{
		{"-failfast decides nothing", outstanding.Scope{Args: "-failfast" + env, Way: usual}, outstanding.Scope{Args: env, Way: usual}, true},
		{"-short may be the reason", outstanding.Scope{Args: env, Way: usual}, outstanding.Scope{Args: "-short" + env, Way: short}, false},
		{"its absence may be, too", outstanding.Scope{Args: "-short" + env, Way: short}, outstanding.Scope{Args: env, Way: usual}, false},
		{"the environment may be", outstanding.Scope{Args: "-failfast" + env, Way: usual}, outstanding.Scope{Args: outstanding.EnvMark, Way: usual}, false},
		{"another flag may be", outstanding.Scope{Args: env, Way: usual}, outstanding.Scope{Args: "-timeout=3s" + env, Way: usual}, false},
		{"the selection of a part may be", outstanding.Scope{Args: "-failfast" + env, Way: usual}, outstanding.Scope{Args: env, Way: usual, InsideTests: true}, false},
		{"the same selection may be", outstanding.Scope{Args: "-run=A/x" + env, Way: usual}, outstanding.Scope{Args: "-run=A/x" + env, Way: usual, InsideTests: true}, false},
		{"an unknown way may be", outstanding.Scope{Args: "-failfast" + env}, outstanding.Scope{Args: env}, false},
		{"an unknown environment may be", outstanding.Scope{Args: "-failfast", Way: usual}, outstanding.Scope{Way: usual, Args: env}, false},
	} {
		first := outstanding.NewFold("first", outstanding.Set{}, c.before)
		first.AddNeverStarted(sdk.TestID{Suite: "p", Test: "A"}, "")
		before := first.After(outstanding.Set{}, outstanding.Ended)
		f := outstanding.NewFold("second", before, c.now)
		f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
		f.Listen(suiteEnded("p", sdk.SuitePassed))
		if left := f.After(before, outstanding.Green).Len(); left != 0 == c.leaves {
			t.Errorf("%s: %d left", c.name, left)
		}
	}
}

func TestWhatIsOutstandingInSeveralWaysCountsOnce(t *testing.T) {
	short := outstanding.WayOf(nil, []string{"-short"})
	var set outstanding.Set
	for _, id := range []sdk.TestID{{Suite: "p"}, {Suite: "p", Test: "A"}, {}} {
		set.Entries = append(set.Entries, outstanding.Entry{TestID: id}, outstanding.Entry{TestID: id, Way: short})
	}
	if got, want := set.Counts(), (api.OutstandingCounts{Tests: 1, Suites: 1, Runs: 2}); got != want || set.Len() != 6 {
		t.Errorf("%+v in %d entries", got, set.Len())
	}
}

// A green run in another way says of a test only whether its file is gone.
func TestATestOfAnotherWayLeavesOnlyWithItsFile(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "A"}
	for name, tc := range map[string]struct {
		change func(*outstanding.Fold)
		reach  outstanding.Reach
		left   int
	}{
		"with its file":          {func(*outstanding.Fold) {}, outstanding.Green, 0},
		"the file exists":        {func(f *outstanding.Fold) { f.Knows.Removed = nil }, outstanding.Green, 1},
		"not all is green":       {func(*outstanding.Fold) {}, outstanding.Ended, 1},
		"it skipped itself here": {func(f *outstanding.Fold) { f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)}) }, outstanding.Green, 1},
		"it is listed all the same": {func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}}
		}, outstanding.Green, 1},
		"its suite is not in a whole list": {func(f *outstanding.Fold) { f.Knows.Exists = &outstanding.Inventory{Complete: true} }, outstanding.Green, 0},
		"its suite is not in a part of it": {func(f *outstanding.Fold) { f.Knows.Exists = &outstanding.Inventory{} }, outstanding.Green, 1},
	} {
		e := entry("p", "A", "", outstanding.ReasonFailed)
		e.Way = outstanding.WayOf([]string{"-tags=x"}, nil)
		before := set(e)
		f := outstanding.NewFold("now", before, outstanding.Scope{Way: outstanding.WayOf(nil, nil)})
		f.Listen(&api.TestEnded{Result: result("p", "B", sdk.Passed)})
		f.Listen(suiteEnded("p", sdk.SuitePassed))
		f.Knows.Removed = map[sdk.TestID]bool{id: true}
		tc.change(f)
		if got := f.After(before, tc.reach); got.Len() != tc.left {
			t.Errorf("%s: %d outstanding, want %d", name, got.Len(), tc.left)
		}
	}
}
