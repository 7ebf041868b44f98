package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

func measuredAt() *time.Time {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &at
}

func TestCoveringIsATableOfTestsAndTheLinesThatNoneExecutes(t *testing.T) {
	c := api.Covering{
		File: "json/scanner.go", Lines: "40-52", Granularity: api.GranularityImport, Stale: true, MeasuredAt: measuredAt(), AgeS: 7200, Total: 9,
		Message: "9 tests execute json/scanner.go:40-52, or may", Advice: api.Advice{Operation: api.AdviseIndexAgain}, Warnings: api.Notes("", "one\ntwo"),
		Uncovered: []string{"44", "46-48"}, NoCode: []string{"41"}, Unmapped: []string{"50"},
		Tests: []api.CoveringTest{
			{Suite: "example.com/m/json", Test: "TestScan", Granularity: api.GranularityTest, Lines: []string{"40", "42-43"}},
			{Suite: "example.com/m/json", Test: "TestOld", Granularity: api.GranularityTest, Stale: true, Lines: []string{"40"}},
			{Suite: "example.com/m/cmd", Granularity: api.GranularitySuite, Lines: []string{"40"}, Why: "starting it takes 3 s"},
			{Suite: "example.com/m/new", Granularity: api.GranularityImport, Why: "it is built from it"},
		},
	}
	want := `9 tests execute json/scanner.go:40-52, or may
some rows are suites, not measured: built from it, the rest was measured 2h ago; STALE: sources changed since, so that other tests may execute it now

   test            40, 42-43  example.com/m/json TestScan
   test, stale     40         example.com/m/json TestOld
   package         40         example.com/m/cmd (any of its tests): starting it takes 3 s
   import                     example.com/m/new (any of its tests): it is built from it
   and 5 more; a larger --limit shows them

no test executes: 44, 46-48
no code: 41
written since it was measured: 50
note: one
      two
` + "`proctor covering index` measures again what changed\n"
	if got := render.Covering(c, render.Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestTestsOfTheSameLinesAndReasonShareARow(t *testing.T) {
	c := api.Covering{File: "a.go", Granularity: api.GranularityTest, Message: "m", Total: 3}
	for _, name := range []string{"TestA", "TestB", "TestC"} {
		c.Tests = append(c.Tests, api.CoveringTest{Suite: "s", Test: name, Granularity: api.GranularityTest, Stale: true, Lines: []string{"9"}, Why: "it executed the function around it"})
	}
	c.Tests[2].Lines = []string{"9-12"}
	want := `m
measured test by test

   test, stale     9     it executed the function around it:
                     s TestA
                     s TestB
   test, stale     9-12  s TestC: it executed the function around it
`
	if got := render.Covering(c, render.Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
	c.Granularity, c.Tests = api.GranularityImport, []api.CoveringTest{{Suite: "s", Granularity: api.GranularityImport, Why: "it is built from it"}}
	if got := render.Covering(c, render.Style{}); strings.Count(got, "built from it") != 1 {
		t.Errorf("its only row says it already:\n%s", got)
	}
}

func TestWhatIsNotKnownNeverLooksLikeNoTest(t *testing.T) {
	c := api.Covering{File: "a.go", Granularity: api.GranularityUnknown, Message: "it is not known which tests execute a.go", Advice: api.Advice{Operation: api.AdviseIndex}}
	want := "it is not known which tests execute a.go\nthis says nothing about any test\n`proctor covering index` finds out which lines each test executes\n"
	if got := render.Covering(c, render.Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
	d := api.CoveringDiff{Message: "m", Granularity: api.GranularityUnknown, FilesTotal: 2, Files: []api.Covering{
		c, {File: "b.go", Lines: "3,5-6", Granularity: api.GranularityTest, Uncovered: []string{"3", "5-6"}},
	}}
	got := render.CoveringDiff(d, render.Style{})
	d.Total, d.Tests = 1, []api.CoveringTest{{Suite: "s", Test: "T", Granularity: api.GranularityTest}}
	if part := render.CoveringDiff(d, render.Style{}); !strings.Contains(part, "\nof some of it nothing is known\n") {
		t.Errorf("got:\n%s", part)
	}
	for _, want := range []string{"a.go  unknown\n", "b.go:3, 5-6  no test (measured test by test)\n   no test executes: 3, 5-6\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}

func TestTheDiffCountsWhatItLeavesOut(t *testing.T) {
	d := api.CoveringDiff{
		Message: "4 tests execute what changed since HEAD", Granularity: api.GranularityTest, FilesTotal: 3, Total: 4,
		Files: []api.Covering{{File: "a.go", Lines: "1", Granularity: api.GranularityTest, Stale: true, Total: 4}},
		Tests: []api.CoveringTest{{Suite: "s", Test: "T", Granularity: api.GranularityTest}},
	}
	want := `4 tests execute what changed since HEAD
measured test by test

a.go:1  4 tests (measured test by test, stale)
and 2 more files; --json has them

   test            s T
   and 3 more; a larger --limit shows them
`
	if got := render.CoveringDiff(d, render.Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
	d.Files[0].Granularity = api.GranularitySuite
	for _, suite := range []string{"s", "t", "u", "v"} {
		d.Files[0].Tests = append(d.Files[0].Tests, api.CoveringTest{Suite: suite, Granularity: api.GranularitySuite})
	}
	if got := render.CoveringDiff(d, render.Style{Noun: "package"}); !strings.Contains(got, "4 packages (measured only as a whole, stale)") {
		t.Errorf("got:\n%s", got)
	}
	d.Files[0].Tests[0].Test = "T"
	if got := render.CoveringDiff(d, render.Style{Noun: "package"}); !strings.Contains(got, "4 tests or packages (measured only as a whole, stale)") {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnswersAboutCoverageStayOnTheirLines(t *testing.T) {
	nasty := "x\n9 tests\x1b[2J\u202e"
	test := api.CoveringTest{Suite: nasty, Test: nasty, Why: nasty, Granularity: api.Granularity(nasty), Lines: []string{nasty}}
	c := api.Covering{
		File: nasty, Lines: nasty, Message: nasty, Granularity: api.Granularity(nasty), Tests: []api.CoveringTest{test}, Total: 1,
		Uncovered: []string{nasty}, NoCode: []string{nasty}, Unmapped: []string{nasty}, Warnings: api.Notes("", nasty),
	}
	d := api.CoveringDiff{Message: nasty, Files: []api.Covering{c}, FilesTotal: 1, Tests: c.Tests, Total: 1, Warnings: c.Warnings}
	for _, got := range []string{render.Covering(c, render.Style{}), render.CoveringDiff(d, render.Style{})} {
		if strings.Contains(got, "\n9 tests") || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("got:\n%q", got)
		}
	}
}
