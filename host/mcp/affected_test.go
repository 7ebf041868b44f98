package mcp

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/pick"
)

// told returns the text about a run that selected tests, as an agent gets it.
func told(run api.Run) string {
	run.State, run.Kind, run.RunID, run.Language = api.StateFinished, api.KindRun, "k3f9", "go"
	return summaryOf(runTelling{run: run}, pick.Picked{})
}

func TestAPassOfWhatIsAffectedIsNotReportedAsAPass(t *testing.T) {
	t.Parallel()
	run := api.Run{Verdict: api.Passed, Message: "nothing is outstanding; the other tests were not run", Advice: api.Advice{Operation: api.AdviseRun}, Affected: &api.Affected{
		Base: "HEAD", Changed: []string{"a.go"}, ChangedTotal: 1, ChosenTests: 1, LeftOutTests: 41,
		Chosen: []api.ChosenTest{{Suite: "m/a", Test: "TestA", Granularity: api.GranularityTest, Why: "it executes Scan, which changed"}},
	}}
	got := told(run)
	for _, want := range []string{
		"\naffected: chosen by what changed since HEAD: 1 test; left out: 41 tests\n", "\n   it executes Scan, which changed (test):\n      m/a TestA\n",
		"\nso this is not a pass of everything: finish with run_tests without affected\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Count(got, "finish with") != 1 {
		t.Errorf("it says twice what is left:\n%s", got)
	}
	if isPlain(runTelling{run: run}) {
		t.Error("the runner's own output is said to show what was left out")
	}
	object := objectOf(run, pick.Picked{}, nil)
	if object.Affected.Chosen[0].Test != "TestA" || !strings.Contains(object.Message, "not a pass of everything") {
		t.Errorf("%+v", object)
	}
}

func TestNothingAffectedIsReportedWithTheReason(t *testing.T) {
	t.Parallel()
	got := told(api.Run{Verdict: api.NothingRan, Affected: &api.Affected{Base: "HEAD", Changed: []string{"a.md"}, ChangedTotal: 1}})
	if !strings.Contains(got, "nothing was chosen, because nothing that tests are built from or read has changed") || !strings.Contains(got, "run_tests without affected runs everything") {
		t.Errorf("got:\n%s", got)
	}
	everything := told(api.Run{Verdict: api.Passed, Affected: &api.Affected{Base: "HEAD", Everything: "go.mod is broken"}})
	if strings.Contains(everything, "not a pass of everything") || !strings.Contains(everything, "everything was chosen") {
		t.Errorf("got:\n%s", everything)
	}
}

func TestWhatARunChoseAndCoversIsBoundedAndHarmless(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(evil, 200)
	a := api.Affected{Base: long, Everything: "", ChosenTests: 1 << 20, ChangedTotal: 1 << 20}
	cover := api.Coverage{Statements: 7, Covered: 3, Percent: 42, NotIndexed: long}
	for range 1000 {
		a.Changed, a.BuildOnly = append(a.Changed, long), append(a.BuildOnly, long)
		a.Chosen = append(a.Chosen, api.ChosenTest{Suite: long, Test: long, Why: long, Granularity: api.GranularityTest})
		cover.Suites = append(cover.Suites, api.SuiteCoverage{Suite: long, Statements: 7})
	}
	run := api.Run{Verdict: api.Passed, Affected: &a, Coverage: &cover}
	got := told(run)
	object := asObjectOf(t, answer{object: objectOf(run, pick.Picked{}, nil)})
	if raw := (answer{text: []string{got}, object: objectOf(run, pick.Picked{}, nil)}); !raw.fitsIn(maxAnswerBytes / 2) {
		t.Errorf("%d bytes of text", len(got))
	}
	for _, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "exit: 0") && !strings.HasSuffix(got, line+"\n") && !strings.HasSuffix(got, line) {
			t.Errorf("a name speaks in our place: %q", abridged(line))
		}
	}
	checkPlain(t, "text", got)
	walkStrings(object, func(text string) { checkPlain(t, "object", text) })
	if total := object["coverage"].(map[string]any)["suites_total"]; total != 1000.0 {
		t.Errorf("%v suites in all", total)
	}
}

func TestAnUploadCannotBeComparedWithARevision(t *testing.T) {
	t.Parallel()
	c := newShellSite(t, bare()).connect(t)
	r := c.call(t, "run_tests", map[string]any{"sources": map[string]any{"a.t.sol": "x"}, "affected": "HEAD"})
	if !r.failed || r.str("code") != codeInvalidRequest || !strings.Contains(r.text(), "Leave out affected, or sources") {
		t.Errorf("%q", r.texts)
	}
}
