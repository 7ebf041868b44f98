package selection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
)

type test = selection.Test

func parseTests(text string) []test {
	var all []test
	for word := range strings.FieldsSeq(text) {
		suite, name, _ := strings.Cut(word, "/")
		all = append(all, test{Suite: "test/" + strings.Replace(suite, ":", ".t.sol:", 1), Name: name})
	}
	return all
}

func TestThePlanIsExactAndSmall(t *testing.T) {
	for _, tt := range []struct {
		name, targets, all string
		commands           int
	}{
		{"one test", "a:A/x()", "a:A/x() a:A/xy() a:A/y() b:B/x()", 1},
		{"two in a suite", "a:A/x() a:A/y()", "a:A/x() a:A/y() a:A/z()", 1},
		{"overloads", "a:A/x(uint256)", "a:A/x() a:A/x(uint256) a:A/x(uint256,bool)", 1},
		{"the same names in two contracts", "a:A/x() b:B/y()", "a:A/x() a:A/y() b:B/x() b:B/y()", 2},
		{"different names in two contracts", "a:A/x() b:B/y()", "a:A/x() a:A/z() b:B/z() b:B/y()", 1},
		{"the same contract in two files", "a:A/x() b:A/y()", "a:A/x() a:A/y() b:A/x() b:A/y()", 2},
		{"the same contract and test in two files", "a:A/x() b:A/x()", "a:A/x() a:A/y() b:A/x() b:A/y()", 1},
		{"one of two files", "b:A/x()", "a:A/x() b:A/x()", 1},
		{"crosswise contracts", "a:A/x() b:B/x()", "a:A/x() a:B/x() b:A/x() b:B/x()", 2},
		{"names shared by suites that differ", "a:A/x() b:B/x() b:B/y() c:C/y()", "a:A/x() a:A/y() b:B/x() b:B/y() c:C/x() c:C/y()", 2},
		{"whole suites", "a:A b:B", "a:A/x() b:B/x() c:C/x()", 1},
		{"whole suites crosswise", "a:A b:B", "a:A/x() b:B/x() b:A/x()", 2},
		{"a whole suite beside a test", "a:A b:B/x()", "a:A/x() b:B/x()", 2},
		{"a whole suite takes its tests", "a:A a:A/x()", "a:A/x()", 1},
		{"twice the same", "a:A/x() a:A/x()", "a:A/x()", 1},
		{"a prefix of another contract", "a:A/x() a:AB/y()", "a:A/x() a:A/y() a:AB/y() a:ABC/x()", 2},
		{"no longer known", "z:Z/gone()", "a:A/x()", 1},
		{"nothing known", "a:A/x() b:B/y()", "", 2},
		{"nothing", "", "a:A/x()", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			targets, all := parseTests(tt.targets), parseTests(tt.all)
			plan := selection.Plan(targets, all)
			if len(plan) != tt.commands {
				t.Errorf("%d commands, want %d: %+v", len(plan), tt.commands, plan)
			}
			checkExact(t, plan, targets, all)
		})
	}
}

// Words to draw from, each a trap for one of the filters.
var (
	files     = []string{"test/a.t.sol", "test/b.t.sol", "test/x/a.t.sol", "test/we ird [x]{y},z.t.sol", "test/aXt.sol", "a.t.sol", "test/*.t.sol", "test/{a,b}.t.sol", "test/a:b.t.sol", "test/ä?.t.sol", `test/a\.t.sol`}
	contracts = []string{"A", "AB", "BA", "A$", "_A", "a"}
	names     = []string{"x()", "xy()", "y()", "x(uint256)", "x(uint256[])", "x((uint256,bytes)[2])", "yx()", "X()", "x$()"}
)

func TestRandomPlansAreExactAndTheFewest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string, n int) string { return from[random.IntN(min(n, len(from)))] }
	for round := range 3000 {
		kinds := 2 + random.IntN(10)
		exists := map[test]bool{}
		for range 1 + random.IntN(14) {
			exists[test{Suite: pick(files, kinds) + ":" + pick(contracts, kinds), Name: pick(names, kinds)}] = true
		}
		var all, targets []test
		for one := range exists {
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b test) int { return strings.Compare(a.Suite+a.Name, b.Suite+b.Name) })
		for _, one := range all {
			switch random.IntN(8) {
			case 0, 1, 2:
				targets = append(targets, one)
			case 3:
				if round%3 == 0 {
					targets = append(targets, test{Suite: one.Suite})
				}
			}
		}
		plan := selection.Plan(targets, all)
		checkExact(t, plan, targets, all)
		if want := fewestParts(targets, all); len(plan) != want {
			t.Errorf("%d commands, %d suffice for %q of %q", len(plan), want, targets, all)
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

func TestPatternsStayBelowTheLimitOfAnArgument(t *testing.T) {
	var all []test
	for i := range 1500 {
		all = append(all, test{Suite: "test/A.t.sol:A", Name: fmt.Sprintf("test_%s_%d()", strings.Repeat("x", 90), i)})
		all = append(all, test{Suite: fmt.Sprintf("test/%s/%d.t.sol:C", strings.Repeat("y", 90), i), Name: "test()"})
	}
	plan := selection.Plan(all, all)
	if len(plan) < 2 || len(plan) > 4 {
		t.Errorf("%d commands", len(plan))
	}
	selected := 0
	for _, f := range plan {
		selected += len(f.Tests)
		if longest := max(len(f.Path), len(f.Contract), len(f.Test)); longest > 110_000 {
			t.Errorf("a pattern of %d bytes", longest)
		}
	}
	if selected != len(all) {
		t.Errorf("%d of %d tests", selected, len(all))
	}
}

func TestManySuitesNeedFewCommands(t *testing.T) {
	all, targets := manySuites("test/%d.t.sol:C%d", 4000)
	if plan := selection.Plan(targets, all); len(plan) > 10 {
		t.Errorf("%d commands, 5 suffice", len(plan))
	}
}

// BenchmarkPlan shows whether the time grows linearly with the number of suites.
func BenchmarkPlan(b *testing.B) {
	for _, suites := range []string{"test/%d.t.sol:C%d", "test/%d.t.sol:C", "test/C.t.sol:C%d"} {
		for _, n := range []int{250, 1000, 4000} {
			all, targets := manySuites(suites, n)
			b.Run(fmt.Sprintf("%s x %d", strings.ReplaceAll(suites, "/", "_"), n), func(b *testing.B) {
				for b.Loop() {
					selection.Plan(targets, all)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/suite")
			})
		}
	}
}

// manySuites returns n suites of five tests, one of which is wanted in each. name has a
// number for each suite.
func manySuites(name string, n int) (all, targets []test) {
	for i := range n {
		suite := strings.ReplaceAll(name, "%d", strconv.Itoa(i))
		for j := range 5 {
			all = append(all, test{suite, fmt.Sprintf("test%d()", j)})
		}
		targets = append(targets, test{suite, fmt.Sprintf("test%d()", i%5)})
	}
	return all, targets
}

func TestAnInvalidSuiteIsInNoFilter(t *testing.T) {
	for _, suite := range []string{"", "A", ":A", "test/a.t.sol:", "test/a\x00.t.sol:A"} {
		if plan := selection.Plan([]test{{suite, "x()"}, {suite, ""}}, nil); len(plan) != 0 {
			t.Errorf("%q: %+v", suite, plan)
		}
	}
}

// checkExact runs the plan through [matcher].
func checkExact(t *testing.T, plan []selection.Filter, targets, all []test) {
	t.Helper()
	world := slices.Concat(all, slices.DeleteFunc(slices.Clone(targets), func(one test) bool { return one.Name == "" }))
	ran, want := map[test]int{}, map[test]int{}
	for _, f := range plan {
		m := newMatcher(t, f)
		once := map[test]bool{}
		for _, one := range world {
			if m.selects(one) && !once[one] {
				once[one] = true
				ran[one]++
			}
		}
	}
	for _, one := range world {
		if slices.Contains(targets, one) || slices.Contains(targets, test{Suite: one.Suite}) {
			want[one] = 1
		}
	}
	if diff := cmp.Diff(want, ran); diff != "" {
		t.Errorf("what runs differs (-want +got):\n%s\nplan: %+v", diff, plan)
	}
}

func TestSplitUsesTheLastColon(t *testing.T) {
	for suite, want := range map[string][2]string{
		"test/C.t.sol:CTest": {"test/C.t.sol", "CTest"}, "a:b.sol:C": {"a:b.sol", "C"},
		"": {}, ":": {}, "C": {}, ":C": {}, "a.sol:": {}, "a\x00.sol:C": {},
	} {
		path, contract, ok := selection.Split(suite)
		if path != want[0] || contract != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: %q, %q, %v", suite, path, contract, ok)
		}
	}
}
