package outstanding_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// cameIn is an outstanding test that came in with arguments, in an environment, and
// was red last in a run.
func cameIn(name, args, env, last string) outstanding.Entry {
	e := entry("p", name, "", outstanding.ReasonFailed)
	e.LastRunID, e.Args = last, args+outstanding.EnvMark+env
	return e
}

func TestGroups(t *testing.T) {
	killed := entry("", "", "", outstanding.ReasonRun)
	killed.LastRunID = "killed"
	for _, tc := range []struct {
		name, last string
		set        outstanding.Set
		want       string
	}{
		{"one", "r9", set(cameIn("A", "", "", "r1")), "A"},
		{"the environment does not count", "", set(cameIn("A", "", "HOME=1", "r1"), cameIn("B", "", "HOME=2", "r2")), "A B"},
		{"arguments do, the longest outstanding first", "", set(cameIn("A", "-race", "", "r1"), cameIn("B", "", "", "r2"), cameIn("C", "-race", "", "r3")), "A C; B"},
		{"but what was red last comes before", "r3", set(cameIn("A", "-race", "", "r1"), cameIn("B", "-tags", "", "r2"), cameIn("C", "", "", "r3")), "C; A; B"},
		{"no run is no run", "", set(cameIn("A", "-race", "", ""), cameIn("B", "", "", "")), "A; B"},
		{"the first of several that were red last", "r3", set(cameIn("A", "-race", "", "r3"), cameIn("B", "", "", "r3")), "A; B"},
		{"a killed run had any arguments", "", set(killed, cameIn("A", "", "", "r1")), "; A"},
	} {
		var got []string
		for _, group := range tc.set.Groups(tc.last) {
			var names []string
			for _, e := range group.Entries {
				names = append(names, e.Test)
			}
			got = append(got, strings.Join(names, " "))
		}
		if text := strings.Join(got, "; "); text != tc.want {
			t.Errorf("%s: groups are %q, want %q", tc.name, text, tc.want)
		}
	}
}

// TestNothingIsLostBetweenGroups: every outstanding test is in one group, in order.
func TestNothingIsLostBetweenGroups(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		whole := outstanding.Set{Known: map[string][]string{"p": {"T0"}}}
		for i := range r.IntN(12) {
			e := cameIn(fmt.Sprintf("T%02d", i), fmt.Sprint("-", r.IntN(3)), fmt.Sprint(r.IntN(2)), fmt.Sprint("r", r.IntN(3)))
			if r.IntN(5) == 0 {
				e.Args = ""
			}
			whole.Entries = append(whole.Entries, e)
		}
		var all []string
		for _, group := range whole.Groups(fmt.Sprint("r", r.IntN(4))) {
			if args := func(e outstanding.Entry) string {
				a, _, ok := strings.Cut(e.Args, outstanding.EnvMark)
				return fmt.Sprint(a, ok)
			}; !slices.IsSorted(names(group)) ||
				slices.ContainsFunc(group.Entries, func(e outstanding.Entry) bool { return args(e) != args(group.Entries[0]) }) || len(group.Known) != 1 {
				t.Fatalf("seed %d: the group %+v is no part of %+v", seed, group, whole)
			}
			all = append(all, names(group)...)
		}
		slices.Sort(all)
		if !slices.Equal(all, names(whole)) && whole.Len() > 0 {
			t.Fatalf("seed %d: of %q the groups have %q", seed, names(whole), all)
		}
	}
}

// TestAGreenRunRemovesOnlyWhatIsGone runs green runs of everything in changing
// environments over files that come and go, against the plainest model: a test that
// did not run leaves when its file is gone, or when it came in just as the run is and
// is not listed. A run that is not green takes off only the latter.
func TestAGreenRunRemovesOnlyWhatIsGone(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 11))
		current, inv := outstanding.Set{}, outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {}}}
		removed, want := map[sdk.TestID]bool{}, []string{}
		f := func() *outstanding.Fold {
			for i := range 8 {
				e := cameIn(fmt.Sprintf("T%d", i), "", fmt.Sprint(r.IntN(2)), "r1")
				current.Entries = append(current.Entries, e)
				listed, gone := r.IntN(2) == 0, r.IntN(2) == 0
				if listed {
					inv.Tests["p"] = append(inv.Tests["p"], e.Test)
				}
				if gone {
					removed[e.TestID] = true
				}
				if listed || !gone && e.Args != outstanding.EnvMark+"0" {
					want = append(want, "p "+e.Test)
				}
			}
			return outstanding.NewFold("now", current, outstanding.Scope{Args: outstanding.EnvMark + "0"})
		}()
		f.Knows.Exists = &inv
		f.Knows.Removed = removed
		alike := current.Only(func(e outstanding.Entry) bool { return e.Args == outstanding.EnvMark+"0" })
		f.Knows.Absent = inv.Absent(alike.Entries, func(sdk.TestID, outstanding.Entry) bool { return false })
		if got := names(f.After(current, outstanding.Green)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: outstanding %q, want %q", seed, got, want)
		}
		for _, e := range current.Entries {
			listed := slices.Contains(inv.Tests["p"], e.Test)
			left := !slices.Contains(names(f.After(current, outstanding.Ended)), "p "+e.Test)
			if want := !listed && e.Args == outstanding.EnvMark+"0"; left != want {
				t.Fatalf("seed %d: a run that is not green took %v off: %v, want %v", seed, e, left, want)
			}
		}
	}
}
