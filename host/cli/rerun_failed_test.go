package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestRerunRunsExactlyWhatFailed(t *testing.T) {
	tell(t, []story{
		{
			name: "a failed test that was fixed", shell: true,
			tree: files{"a.tests": shellTests("a", "TestA", shellPass, "TestB", shellBroken, "TestC", shellPass)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestA, a TestB, a TestC"},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB", requested: "a TestB: passed"},
				{call: "rerun", ran: "-", says: []string{"nothing to rerun"}},
			},
		},
		{
			name: "a failed test that still fails", shell: true,
			tree: files{"a.tests": shellTests("a", "TestA", shellPass, "TestB", shellFail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestB", requested: "a TestB: failed"},
				{call: "rerun", code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestB", requested: "a TestB: failed"},
			},
		},
		{
			name: "one subtest",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", broken))},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestT, a TestT/y", requested: "a TestT/y: passed"},
			},
		},
		{
			name: "subtests of the same name in two tests, each failing in another",
			tree: files{"a/a_test.go": tests("a",
				"TestT", sub("x", broken)+sub("y", pass), "TestU", sub("x", pass)+sub("y", broken))},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestT, a TestT/x, a TestU, a TestU/y",
					requested: "a TestT/x: passed, a TestU/y: passed"},
			},
		},
		{
			name: "tests of the same name in two packages, one of which failed", shell: true,
			tree: files{
				"a.tests": shellTests("a", "TestSame", shellBroken, "TestA", shellPass),
				"b.tests": shellTests("b", "TestSame", shellPass, "TestB", shellBroken),
			},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestSame, b TestB",
					requested: "a TestSame: passed, b TestB: passed"},
			},
		},
		{
			name: "subtests with names that are no regular expressions",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("a|b (c)", broken)+sub("a", pass)+sub("b (c)", pass)+
				sub("$HOME;`id`", broken)+sub("x/y", broken)+sub("x", pass)+sub("", broken)+sub("", pass))},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 4},
				// A subtest "x" cannot be told from the way to "x/y".
				{call: "rerun", env: fixed, verdict: api.Passed,
					ran:       "a TestT, a TestT/#00, a TestT/$HOME;`id`, a TestT/a|b_(c), a TestT/x, a TestT/x/y",
					requested: "a TestT/#00: passed, a TestT/$HOME;`id`: passed, a TestT/a|b_(c): passed, a TestT/x/y: passed"},
			},
		},
		{
			name: "a test with a failure of its own beside that of a subtest",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", broken)+broken, "TestU", pass)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestT, a TestT/x, a TestT/y",
					requested: "a TestT: passed, a TestT/y: passed"},
			},
		},
		{
			name: "a test that failed in one of several rounds",
			tree: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", `if os.Getenv("FIXED") == "" && rounds.Add(1) == 2 { t.Error("wrong") }`)},
			steps: []step{
				{call: "run -- -count=3", code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB"},
			},
		},
	})
}

func TestRerunOfMoreThanTenPackagesStaysExact(t *testing.T) {
	tree, all := files{}, []string{}
	for i := range 11 {
		p := fmt.Sprintf("p%02d", i)
		tree[p+"/p_test.go"] = tests(p, "TestGood", pass, "TestBad"+p, broken)
		all = append(all, p+" TestBad"+p)
	}
	tree["q/q_test.go"] = tests("q", "TestGood", pass)
	tell(t, []story{{
		name: "eleven packages", tree: tree,
		steps: []step{
			{code: 1, verdict: api.Failed, outstanding: 11},
			{call: "rerun", env: fixed, verdict: api.Passed, ran: strings.Join(all, ", ")},
		},
	}})
}

func TestRerunWithALimitDrainsWhatIsLeft(t *testing.T) {
	tell(t, []story{{
		name: "five tests, two at a time", shell: true,
		tree: files{
			"a.tests": shellTests("a", "TestA", shellBroken, "TestB", shellBroken, "TestC", shellBroken),
			"b.tests": shellTests("b", "TestD", shellBroken, "TestE", shellBroken),
		},
		steps: []step{
			{code: 1, verdict: api.Failed, outstanding: 5},
			{call: "rerun --limit 2", env: fixed, code: exitOutstanding, verdict: api.Passed, outstanding: 3,
				ran: "a TestA, a TestB", says: []string{"3 tests still outstanding"}},
			{call: "rerun --limit 2", code: exitOutstanding, verdict: api.Passed, outstanding: 1, ran: "a TestC, b TestD",
				says: []string{"1 test still outstanding"}},
			{call: "rerun --limit 2", verdict: api.Passed, ran: "b TestE"},
			{call: "rerun --limit 2", ran: "-", says: []string{"nothing to rerun"}},
		},
	}})
}

func TestWhatFailedStaysOutstandingUntilItPasses(t *testing.T) {
	tree := files{
		"a/a_test.go": tests("a", "TestA", broken, "TestB", pass, "TestT", sub("x", broken)+sub("y", pass)),
		"b/b_test.go": tests("b", "TestC", pass),
	}
	tell(t, []story{
		{
			name: "through green runs of other tests", tree: tree,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "run ./b", verdict: api.Passed, outstanding: 2, says: []string{"(filtered: 1 of 4 tests)"}},
				{call: "run -f TestB", verdict: api.Passed, outstanding: 2},
				{call: "run -f TestT/y", verdict: api.Passed, outstanding: 2, says: []string{"1 test, 1 subtest still outstanding"}},
				{call: "run -f TestA", env: fixed, verdict: api.Passed, outstanding: 1},
				{call: "rerun", verdict: api.Passed, ran: "", requested: "a TestT/x: passed"},
			},
		},
		{
			name: "until a green run of everything", tree: tree,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{env: fixed, verdict: api.Passed},
			},
		},
		{
			name: "when it is skipped instead of fixed",
			tree: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", fail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", skip)},
					code: exitNothingRan, verdict: api.NothingRan, outstanding: 1, ran: "a TestB", requested: "a TestB: skipped"},
				{verdict: api.Passed, outstanding: 1, says: []string{"1 test still outstanding"}},
			},
		},
	})
}

func TestRerunBeforeAnyRun(t *testing.T) {
	tell(t, []story{{
		name: "says so and is not green", tree: files{"a/a_test.go": tests("a", "TestA", pass)},
		steps: []step{{call: "rerun", code: exitNothingRan, ran: "-", says: []string{noRunYet}}},
	}})
}
