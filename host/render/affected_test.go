package render

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func TestALineSaysWhatChangesChoseAndWhatTheyLeftOut(t *testing.T) {
	for want, a := range map[string]api.Affected{
		"affected: chosen by what changed since 0123456789ab: 12 tests and all tests of 1 suite, and 2 suites only to be built; left out: 40 tests and 10 suites": {
			Base: commit, ChangedTotal: 3, ChosenTests: 12, ChosenSuites: 1, BuildOnly: []string{"a", "b"}, LeftOutTests: 40, LeftOutSuites: 10,
		},
		"affected: chosen by what changed since v1.2: 1 test; nothing is left out": {Base: "v1.2", ChangedTotal: 1, ChosenTests: 1},
		"affected: everything was chosen: go.mod is broken": {
			Base: commit, Everything: "go.mod is broken", ChosenTests: 3,
		},
		"affected: nothing was chosen, because no file has changed since HEAD": {Base: "HEAD"},
		"affected: nothing was chosen, because nothing that tests are built from or read has changed since HEAD (changed: a.md, b.md and 3 more)": {
			Base: "HEAD", Changed: []string{"a.md", "b.md"}, ChangedTotal: 5, LeftOutSuites: 2,
		},
		"affected: no test can notice what changed since HEAD; 1 suite is only built, to check that it still builds; left out: 1 test": {
			Base: "HEAD", ChangedTotal: 1, BuildOnly: []string{"a"}, LeftOutTests: 1,
		},
		"affected: no file has changed since HEAD; 2 suites are only built, to check that they still build; left out: 1 test": {
			Base: "HEAD", BuildOnly: []string{"a", "b"}, LeftOutTests: 1,
		},
		"affected: no file has changed since HEAD; chosen all the same: 1 test and all tests of 1 suite, each because it is outstanding, and 1 suite only to be built; left out: 4 suites": {
			Base: "HEAD", ChosenTests: 1, ChosenSuites: 1, BuildOnly: []string{"a"}, LeftOutSuites: 4,
			Chosen: []api.ChosenTest{{Suite: "m/a", Why: "it is outstanding"}, {Suite: "m/b", Test: "TestB", Why: "it is outstanding"}},
		},
		"affected: no file has changed since HEAD; chosen all the same: 2 tests; nothing is left out": {
			Base: "HEAD", ChosenTests: 2, Chosen: []api.ChosenTest{{Suite: "m/a", Test: "TestA", Why: "it is outstanding"}, {Suite: "m/b", Test: "TestB", Why: "it reads x"}},
		},
		"affected: no file has changed since HEAD; chosen all the same: 3 tests; nothing is left out": {
			Base: "HEAD", ChosenTests: 3, Chosen: []api.ChosenTest{{Suite: "m/a", Test: "TestA", Why: "it is outstanding"}},
		},
	} {
		if got := affectedLine(&a); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := affectedLine(nil); got != "" {
		t.Errorf("a run that did not ask for it says %q", got)
	}
}

func TestWhatIsChosenIsNamedByItsReason(t *testing.T) {
	a := api.Affected{Base: "HEAD", Changed: []string{"a.go"}, ChangedTotal: 1, ChosenTests: 13, ChosenSuites: 1, BuildOnly: []string{"m/only"}, LeftOutTests: 2}
	for range 6 {
		a.Chosen = append(a.Chosen, api.ChosenTest{Suite: "m/a", Test: "TestA", Granularity: api.GranularityTest, Why: "it executes Scan, which changed"},
			api.ChosenTest{Suite: "m/b", Granularity: api.GranularityImport, Why: "it is built from go.mod"})
	}
	got := Affected(&a, Style{})
	if strings.Count(got, "      m/a TestA\n") != 5 || strings.Count(got, "      m/b (all tests)\n") != 5 {
		t.Errorf("the first ten are not named:\n%s", got)
	}
	for _, want := range []string{
		"   changed: a.go\n", "   it executes Scan, which changed (test):\n      m/a TestA\n", "   it is built from go.mod (import):\n",
		"   and 4 more; -v names more, and --json\n", "   only built: m/only\n",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if got := Affected(&a, Style{Verbose: true}); strings.Count(got, "TestA") != 6 || !strings.Contains(got, "and 2 more") {
		t.Errorf("not all are named:\n%s", got)
	}
}

func TestNoFileIsReportedAsChangedWhereNoneHas(t *testing.T) {
	a := api.Affected{Base: "HEAD", ChosenTests: 1, Chosen: []api.ChosenTest{{Suite: "m/a", Test: "TestA", Granularity: api.GranularityTest, Why: "it is outstanding"}}}
	want := "affected: no file has changed since HEAD; chosen all the same: 1 test, because it is outstanding; nothing is left out\n   it is outstanding (test):\n      m/a TestA\n"
	if got := Affected(&a, Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestAPassOfWhatWasAffectedIsNotSummedUpAsOneOfEverything(t *testing.T) {
	run := api.Run{
		State: api.StateFinished, Verdict: api.Passed, Reason: "1 test passed", Language: "go", RunID: "k3f9",
		Affected: &api.Affected{Base: "HEAD", ChangedTotal: 1, ChosenTests: 1, LeftOutTests: 41},
		Coverage: &api.Coverage{Statements: 4, Covered: 3, Percent: 75, Indexed: true},
	}
	for _, quiet := range []bool{false, true} {
		got := Summary(run, Style{Quiet: quiet})
		if !strings.Contains(got, "\naffected: chosen by what changed since HEAD: 1 test; left out: 41 tests\n") {
			t.Errorf("quiet %v: what was left out is missing:\n%s", quiet, got)
		}
		if strings.Contains(got, "coverage: 75.0% of statements (3 of 4); from now on it shows which suites execute a line\n") == quiet {
			t.Errorf("quiet %v: the coverage:\n%s", quiet, got)
		}
	}
}

// At a terminal the beginning of the run has said what was chosen, and why.
func TestTheEndOfARunOfWhatWasAffectedSaysOnlyWhatWasLeftOut(t *testing.T) {
	chosen := api.Affected{Base: "HEAD", ChangedTotal: 1, ChosenTests: 1, LeftOutTests: 41, LeftOutSuites: 2}
	all, unknown, none := chosen, chosen, chosen
	all.LeftOutTests, all.LeftOutSuites = 0, 0
	unknown.Everything = "go.mod changed"
	none.ChosenTests = 0
	for _, c := range []struct {
		a     api.Affected
		style Style
		want  string
	}{
		{chosen, Style{Columns: 80}, "affected: 41 tests and 2 suites left out"},
		{all, Style{Columns: 80}, ""},
		{chosen, Style{}, affectedLine(&chosen)},
		{chosen, Style{Columns: 80, Quiet: true}, affectedLine(&chosen)}, // the beginning was quiet
		{unknown, Style{Columns: 80}, affectedLine(&unknown)},
		{none, Style{Columns: 80}, affectedLine(&none)},
	} {
		run := api.Run{State: api.StateFinished, Verdict: api.Passed, Reason: "1 test passed", Affected: &c.a}
		got := strings.Count(Ending(run, nil, c.style), "affected:")
		if again := affectedAgain(&c.a, c.style); again != c.want || got != min(len(c.want), 1) {
			t.Errorf("%+v: %q, %d times in the ending; want %q", c.style, again, got, c.want)
		}
	}
}

func TestNamesOfWhatIsAffectedStayOnTheirLines(t *testing.T) {
	nasty := "x\npassed: 9 tests\x1b[2J"
	a := api.Affected{
		Base: nasty, Changed: []string{nasty}, ChangedTotal: 1, ChosenTests: 1, BuildOnly: []string{nasty},
		Chosen: []api.ChosenTest{{Suite: nasty, Test: nasty, Why: nasty, Granularity: api.Granularity(nasty)}},
	}
	everything := api.Affected{Base: nasty, Everything: nasty}
	for _, got := range []string{Affected(&a, Style{}), Affected(&everything, Style{})} {
		if strings.Contains(got, "\npassed") || strings.Contains(got, "\x1b") {
			t.Errorf("got:\n%q", got)
		}
	}
}
