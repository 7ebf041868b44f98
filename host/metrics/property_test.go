package metrics_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/sdk"
)

// rounds is the number of random pairs of runs per property.
const rounds = 2000

// randomSet is a run with few tests and few values, so that many coincide.
func randomSet(rng *rand.Rand) metrics.Set {
	s := metrics.Set{Run: api.Run{RunID: fmt.Sprint(rng.Uint32()), Kind: api.KindRun, Verdict: api.Passed}}
	if rng.IntN(4) == 0 {
		s.Run.Kind = api.KindRerun
	}
	if rng.IntN(4) == 0 {
		s.Run.Conditions = map[string]string{"tool": strconv.Itoa(rng.IntN(2))}
	}
	statuses := []sdk.Status{sdk.Passed, sdk.Passed, sdk.Passed, sdk.Passed, sdk.Failed, sdk.Skipped, sdk.Unfinished}
	for range rng.IntN(10) {
		r := api.Result{TestResult: sdk.TestResult{
			TestID: sdk.TestID{Suite: fmt.Sprintf("s%d", rng.IntN(2)), Test: fmt.Sprintf("t%d", rng.IntN(6))}, Status: statuses[rng.IntN(len(statuses))],
			Fixture: rng.IntN(12) == 0,
		}}
		for range rng.IntN(4) {
			m := sdk.Measure{Name: []string{"cost", "size"}[rng.IntN(2)], Value: json.Number(strconv.Itoa(rng.IntN(5) * 100))}
			m.Kind = []string{"", "unit", "mean", "median"}[rng.IntN(4)]
			if rng.IntN(3) == 0 {
				m.Section = "part"
			}
			if rng.IntN(4) == 0 {
				m.Seed = strconv.Itoa(rng.IntN(2))
			}
			if rng.IntN(10) == 0 {
				m.Value = json.Number([]string{"x", "1e99", "-3.25", "1e999999999", "", "0x1p4"}[rng.IntN(6)])
			}
			r.Measures = append(r.Measures, m)
		}
		s.Results = append(s.Results, r)
	}
	return s
}

// edited is another run of mostly the same tests.
func edited(rng *rand.Rand, s metrics.Set) metrics.Set {
	next := metrics.Set{Run: s.Run}
	next.Run.RunID = fmt.Sprint(rng.Uint32())
	for _, r := range s.Results {
		r.Measures = slices.Clone(r.Measures)
		for i := range r.Measures {
			if rng.IntN(2) == 0 {
				r.Measures[i].Value = json.Number(strconv.Itoa(rng.IntN(400)))
			}
		}
		if rng.IntN(8) > 0 {
			next.Results = append(next.Results, r)
		}
	}
	return next
}

// each calls property with random pairs of runs and names the seed of a failing one.
func each(t *testing.T, property func(t *testing.T, rng *rand.Rand, before, now metrics.Set)) {
	t.Helper()
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		before, now := randomSet(rng), randomSet(rng)
		if seed%2 == 0 {
			now = edited(rng, before)
		}
		property(t, rng, before, now)
		if t.Failed() {
			t.Fatalf("seed %d\nbefore %+v\nnow    %+v", seed, before, now)
		}
	}
}

func compare(before, now metrics.Set) metrics.Comparison {
	return metrics.Compare(metrics.Request{Before: before, Now: now})
}

func TestARunDoesNotDifferFromItself(t *testing.T) {
	compared := 0
	each(t, func(t *testing.T, _ *rand.Rand, s, _ metrics.Set) {
		c := compare(s, s)
		compared += c.Counts.Measures
		if len(c.Changes) > 0 || c.Counts.Equal != c.Counts.Measures {
			t.Errorf("got %+v", c)
		}
		for _, i := range c.Incomparable {
			if i.Reason != metrics.Ambiguous && i.Reason != metrics.NoNumber && !strings.HasSuffix(string(i.Reason), "_now") {
				t.Errorf("got %+v", i)
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared at all")
	}
}

func TestSwappingTheRunsReversesEveryDifference(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, before, now metrics.Set) {
		there, back := compare(before, now), compare(now, before)
		if there.Counts.Increased != back.Counts.Decreased || there.Counts.Measures != back.Counts.Measures || len(there.Changes) != len(back.Changes) {
			t.Errorf("%+v and %+v", there.Counts, back.Counts)
		}
		for i, c := range there.Changes {
			o := back.Changes[i]
			if o.Test != c.Test || o.Before != c.After || o.After != c.Before || rat(t, o.Delta).Cmp(new(big.Rat).Neg(rat(t, c.Delta))) != 0 {
				t.Errorf("%+v and %+v", c, o)
			}
		}
	})
}

func TestTheOrderOfResultsChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, before, now metrics.Set) {
		want := compare(before, now)
		for _, s := range []*metrics.Set{&before, &now} {
			s.Results = slices.Clone(s.Results)
			rng.Shuffle(len(s.Results), func(i, j int) { s.Results[i], s.Results[j] = s.Results[j], s.Results[i] })
		}
		if got := compare(before, now); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}

// Nothing slips through: every measure of this run is compared or named with a reason,
// and the counts agree.
func TestEveryMeasuredTestIsComparedOrNamed(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, before, now metrics.Set) {
		c := compare(before, now)
		n := c.Counts
		if n.Equal+n.Within+n.Increased+n.Decreased != n.Measures || n.Increased+n.Decreased != len(c.Changes) || n.Incomparable != len(c.Incomparable) {
			t.Errorf("the figures do not add up: %+v", n)
		}
		named := map[sdk.TestID]bool{}
		for _, i := range c.Incomparable {
			named[sdk.TestID{Suite: i.Suite, Test: i.Test}] = true
		}
		if m, _ := now.CountMeasured(); m > n.Tests+len(named) {
			t.Errorf("%d tests were measured, %d are compared and %d named", m, n.Tests, len(named))
		}
		passed := passedTests(before)
		for _, change := range c.Changes {
			test := sdk.TestID{Suite: change.Suite, Test: change.Test}
			if !passed[test] || !passedTests(now)[test] || len(c.Conditions) > 0 {
				t.Errorf("%v must not be compared", test)
			}
		}
	})
}

// passedTests are those that only passed.
func passedTests(s metrics.Set) map[sdk.TestID]bool {
	passed := map[sdk.TestID]bool{}
	for _, r := range s.Results {
		test := r.TestID
		if r.Fixture || r.Status == sdk.Skipped {
			continue
		}
		before, seen := passed[test]
		passed[test] = (before || !seen) && r.Status == sdk.Passed
	}
	return passed
}

func TestAComparisonOfNothingNeverSaysThatThereIsNoDifference(t *testing.T) {
	empty, full := 0, 0
	each(t, func(t *testing.T, _ *rand.Rand, before, now metrics.Set) {
		c := compare(before, now)
		said := strings.Contains(c.Message, "no difference")
		if c.IsEmpty() {
			empty++
			if said || !strings.HasPrefix(c.Message, "nothing could be compared: ") {
				t.Errorf("it says %q", c.Message)
			}
			return
		}
		full++
		if said != (len(c.Changes) == 0) || !strings.Contains(c.Message, " compared") {
			t.Errorf("it says %q of %+v", c.Message, c.Counts)
		}
	})
	if empty == 0 || full == 0 {
		t.Errorf("%d empty comparisons, %d others", empty, full)
	}
}

func TestAThresholdOnlyLeavesOutSmallChanges(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, before, now metrics.Set) {
		percent := []float64{0.5, 33.4, 50, 100, 300}[rng.IntN(5)]
		all := compare(before, now)
		some := metrics.Compare(metrics.Request{Before: before, Now: now, ThresholdPercent: percent})
		want := slices.DeleteFunc(slices.Clone(all.Changes), func(c metrics.Change) bool {
			return c.Percent != nil && max(*c.Percent, -*c.Percent) <= percent
		})
		if len(some.Changes) != len(want) || len(want) > 0 && !reflect.DeepEqual(some.Changes, want) {
			t.Errorf("%g%%: got %+v, want %+v", percent, some.Changes, want)
		}
		if some.Counts.Within != len(all.Changes)-len(want) || !reflect.DeepEqual(some.Totals, all.Totals) {
			t.Errorf("%g%%: %+v", percent, some.Counts)
		}
	})
}

func TestTheLargestDifferenceComesFirstAndTotalsAddUp(t *testing.T) {
	several := 0
	each(t, func(t *testing.T, _ *rand.Rand, before, now metrics.Set) {
		c := compare(before, now)
		if len(c.Changes) > 2 {
			several++
		}
		last := new(big.Rat).SetInt64(-1)
		sums := map[string]*big.Rat{}
		for _, change := range c.Changes {
			size := new(big.Rat).Abs(rat(t, change.Delta))
			if last.Sign() >= 0 && size.Cmp(last) > 0 {
				t.Errorf("%s comes after a smaller one", change.Delta)
			}
			last = size
			if sums[change.Name] == nil {
				sums[change.Name] = new(big.Rat)
			}
			sums[change.Name].Add(sums[change.Name], rat(t, change.Delta))
		}
		suites := map[string]*big.Rat{}
		for _, s := range c.Suites {
			if suites[s.Name] == nil {
				suites[s.Name] = new(big.Rat)
			}
			suites[s.Name].Add(suites[s.Name], rat(t, s.Delta))
		}
		for _, total := range c.Totals {
			of := sums[total.Name]
			if of == nil {
				of = new(big.Rat)
			}
			if rat(t, total.Delta).Cmp(of) != 0 || suites[total.Name].Cmp(of) != 0 {
				t.Errorf("%s: in all %s, suites %s, changes %s", total.Name, total.Delta, suites[total.Name].RatString(), of.RatString())
			}
		}
		if raw, err := json.Marshal(c); err != nil || !json.Valid(raw) || strings.Contains(string(raw), "null") {
			t.Errorf("%v in %s", err, raw)
		}
	})
	if several < rounds/20 {
		t.Errorf("only %d comparisons had several changes", several)
	}
}

func rat(t *testing.T, n json.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r
}
