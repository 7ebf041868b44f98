package outstanding_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// oracle is the plainest possible model of the outstanding set: what is red enters,
// what passes leaves. A test that only did not finish because of another one, which is
// false here, also leaves by a skip.
type oracle map[string]bool

func (o oracle) apply(statuses map[string][]sdk.Status, blamed map[string]bool) {
	for name, attempts := range statuses {
		failed := slices.Contains(attempts, sdk.Failed)
		cut := slices.Contains(attempts, sdk.Unfinished)
		switch red, was := o[name]; {
		case failed || cut:
			o[name] = red || failed || blamed[name]
		case slices.Contains(attempts, sdk.Passed) || was && !red:
			delete(o, name)
		}
	}
}

func (o oracle) names() []string {
	list := []string{}
	for n := range o {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

var statuses = []sdk.Status{sdk.Passed, sdk.Failed, sdk.Skipped, sdk.Unfinished}

// TestOutstandingFollowsTheOracle runs random sequences of runs and limited
// reruns over tests that come and go, and compares the set after each.
func TestOutstandingFollowsTheOracle(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		current, model := outstanding.Set{}, oracle{}
		for step := range 12 {
			exist := map[string]bool{}
			for i := range 8 {
				exist[fmt.Sprintf("T%d", i)] = r.IntN(6) > 0
			}
			scope := outstanding.Scope{SomeTests: true}
			run := func(string) bool { return r.IntN(3) > 0 }
			if r.IntN(2) == 0 && current.Len() > 0 {
				limit := 1 + r.IntN(4)
				sel := outstanding.Select(current, inventoryOf(exist), limit, "")
				scope = outstanding.Scope{Tests: sel.Requested}
				if got, want := left(current, sel), max(0, current.Len()-len(sel.Gone)-limit); got != want {
					t.Fatalf("seed %d step %d: %d of %d outstanding tests left, want %d", seed, step, got, current.Len(), want)
				}
				asked := targets(sel.Requested)
				run = func(name string) bool { return slices.Contains(asked, "p "+name) }
			}
			f := outstanding.NewFold(fmt.Sprint(step), current, scope)
			happened, blamed := map[string][]sdk.Status{}, map[string]bool{}
			for i := range 8 {
				name := fmt.Sprintf("T%d", i)
				for range 1 + r.IntN(2) {
					if exist[name] && run(name) {
						s := statuses[r.IntN(len(statuses))]
						happened["p "+name] = append(happened["p "+name], s)
						f.Listen(&api.TestEnded{Result: result("p", name, s)})
						if s == sdk.Unfinished && r.IntN(2) == 0 {
							blamed["p "+name] = true
							f.Listen(failed(sdk.TestID{Suite: "p", Test: name}, sdk.KindPanic))
						}
					}
				}
			}
			f.Listen(suiteEnded("p", sdk.SuiteFailed))
			model.apply(happened, blamed)
			current = f.After(current, outstanding.Partial)
			got := names(current)
			slices.Sort(got)
			if want := model.names(); !slices.Equal(got, want) {
				t.Fatalf("seed %d step %d: outstanding %q, want %q", seed, step, got, want)
			}
		}
	}
}

func inventoryOf(exist map[string]bool) outstanding.Inventory {
	inv := outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {}}}
	for name, ok := range exist {
		if ok {
			inv.Tests["p"] = append(inv.Tests["p"], name)
		}
	}
	return inv
}

// TestRerunsConverge: when everything passes that is run, reruns with any limit
// empty the set of existing tests, and never run one twice.
func TestRerunsConverge(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for limit := 1; limit <= 7; limit++ {
			current, inv := outstanding.Set{}, outstanding.Inventory{Complete: true, Tests: map[string][]string{}}
			for i := range n {
				name := fmt.Sprintf("T%d", i)
				inv.Tests["p"] = append(inv.Tests["p"], name)
				current.Entries = append(current.Entries, entry("p", name, "", outstanding.ReasonFailed))
			}
			ran := map[string]int{}
			for reruns := 0; current.Len() > 0; reruns++ {
				if reruns > n {
					t.Fatalf("%d tests, limit %d: no end", n, limit)
				}
				sel := outstanding.Select(current, inv, limit, "")
				f := outstanding.NewFold("now", current, outstanding.Scope{Tests: sel.Requested})
				for _, target := range sel.Targets {
					ran[target.Test]++
					f.Listen(&api.TestEnded{Result: result("p", target.Test, sdk.Passed)})
				}
				f.Listen(suiteEnded("p", sdk.SuitePassed))
				current = f.After(current, outstanding.Partial)
			}
			for name, times := range ran {
				if times != 1 {
					t.Fatalf("%d tests, limit %d: %s ran %d times", n, limit, name, times)
				}
			}
		}
	}
}
