package query

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// unbuilt is the result of suite "s" if it does not build.
func unbuilt() history.Result {
	r := historytest.Did("", "", history.Failed)
	r.Kind, r.Excerpt = "build", "undefined: y"
	return r
}

func TestWhyAndHistoryBeginWithWhatKeptATestFromRunning(t *testing.T) {
	whole := history.Run{SessionID: "now", Whole: true}
	broken := history.Run{SessionID: "now", Counts: api.Counts{BuildFailed: 1}, Whole: true}
	sound := historytest.Did("", "", history.Passed)
	a, b := historytest.Passed("a", "A"), historytest.Passed("a", "B")
	for name, tc := range map[string]struct {
		later  func(p *ledgertest.Workspace)
		reason string
	}{
		"it ran last":              {func(p *ledgertest.Workspace) { p.RunAs(whole, a, b) }, ""},
		"it vanished":              {func(p *ledgertest.Workspace) { p.RunAs(whole, b) }, api.Vanished},
		"a run of some tests":      {func(p *ledgertest.Workspace) { p.Run("now", b) }, ""},
		"its suite does not build": {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()) }, api.NotBuilt},
		"the run does not build":   {func(p *ledgertest.Workspace) { r := unbuilt(); r.Suite = ""; p.RunAs(broken, r) }, api.NotBuilt},
		"it builds again":          {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.Run("now", sound, b) }, ""},
		"it builds and ran":        {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.Run("now", sound, a) }, ""},
		"it was cut out then":      {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.RunAs(whole, sound, b) }, api.Vanished},
		"its suite is gone then":   {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.RunAs(whole, b) }, api.Vanished},
		"its suite exits":          {func(p *ledgertest.Workspace) { r := unbuilt(); r.Kind = "exit"; p.Run("now", r) }, ""},
		"a triage does not build":  {func(p *ledgertest.Workspace) { p.RunAs(history.Run{SessionID: "now", Kind: api.KindTriage}, unbuilt()) }, ""},
		"an import from before that": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "import:x", Origin: "x", Whole: true, StartedAt: p.Now.Add(-1e15)}, b)
		}, ""},
		"an ingested result, then gone": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "ci", Kind: api.KindIngest, Origin: "f", Environment: "ci", StartedAt: p.Now}, a)
			p.RunAs(whole, b)
		}, api.Vanished},
		"another environment": {func(p *ledgertest.Workspace) { w := whole; w.Environment = "other"; p.RunAs(w, b) }, ""},
	} {
		p := ledgertest.New(t)
		first := whole
		first.Environment = "env"
		if name != "another environment" {
			first.Environment = ""
		}
		p.RunAs(first, sound, a, b)
		tc.later(p)
		w, err := why(p, "A")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if w.Absence != nil {
			got = w.Absence.Reason
		}
		if got != tc.reason {
			t.Errorf("%s: %q, want %q", name, got, tc.reason)
			continue
		}
		answer, err := History(t.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Name: "A"})
		if err != nil || (answer.Message != "") != (got != "") {
			t.Errorf("%s: history says %q, %v", name, answer.Message, err)
		}
		lines := strings.Split(render.Why(w, render.Style{}), "\n")
		if said := strings.Contains(lines[1], "vanished") || strings.Contains(lines[1], "not build"); said != (got != "") {
			t.Errorf("%s: the first line is %q", name, lines[1])
		}
		if got == api.NotBuilt && !strings.Contains(lines[2], "undefined: y") {
			t.Errorf("%s: %q", name, lines[2])
		}
	}
}

// In a failing test, parts may not be reached.
func TestAPartOfATestThatFailsHasNotVanished(t *testing.T) {
	p := ledgertest.New(t)
	whole := history.Run{SessionID: "now", Whole: true}
	p.RunAs(whole, historytest.Passed("a", "A"), historytest.Part("A", "A/x", history.Passed))
	p.RunAs(whole, historytest.Failed("a", "A"))
	if w, err := why(p, "A/x"); err != nil || w.Absence != nil {
		t.Errorf("%+v, %v", w.Absence, err)
	}
	p.RunAs(whole, historytest.Passed("a", "A"))
	if w, err := why(p, "A/x"); err != nil || w.Absence == nil || w.Absence.Reason != api.Vanished {
		t.Errorf("%+v, %v", w.Absence, err)
	}
}

func why(p *ledgertest.Workspace, test string) (api.Why, error) {
	p.T.Helper()
	return Why(p.T.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: test})
}

// suspectNames lists them: "before_failure a.x failure".
func suspectNames(w api.Why) string {
	var lines []string
	for _, s := range w.Suspects {
		lines = append(lines, strings.TrimSpace(s.Since+" "+s.File+" "+s.Role))
	}
	return strings.Join(lines, ", ")
}

func TestSuspectsAreRanked(t *testing.T) {
	p := ledgertest.New(t)
	for _, name := range []string{"lib/deep.x", "lib/place.x", "pkg/a_test.x", "pkg/beside.x", "other/far.x", "later.x"} {
		p.WriteFile(name, "1")
	}
	good := p.Snap()
	p.RunAs(history.Run{SessionID: "one", Fingerprint: good, Commit: "c0ffee00c0ffee00"}, historytest.Passed("pkg/a_test.x", "A"))
	for _, name := range []string{"lib/deep.x", "lib/place.x", "pkg/a_test.x", "pkg/beside.x", "other/far.x"} {
		p.WriteFile(name, "2")
	}
	bad := p.Snap()
	first := p.RunAs(history.Run{SessionID: "two", Fingerprint: bad, Commit: "decade00decade00"}, historytest.Failed("pkg/a_test.x", "A"))
	p.Keep(first, nil, api.Failure{ID: "1", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "A"}, Kind: "panic", Location: sdk.Location{File: "lib/place.x", Line: 3}, Message: "out of cheese",
		TestFrame: sdk.Location{File: "pkg/a_test.x", Line: 9},
		Stack:     []sdk.Frame{{Function: "deep", Location: sdk.Location{File: filepath.Join(p.Dir, "lib", "deep.x")}}, {Function: "test", Location: sdk.Location{File: "pkg/a_test.x"}}},
	}}, api.Failure{ID: "2", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "B"}, Location: sdk.Location{File: "other/far.x"}}})
	p.WriteFile("later.x", "2")
	p.RunAs(history.Run{SessionID: "two", Fingerprint: p.Snap()}, historytest.Failed("pkg/a_test.x", "A"))
	p.WriteFile("latest.x", "after the last run")
	w, err := why(p, "A")
	if err != nil {
		t.Fatal(err)
	}
	want := "before_failure lib/place.x failure, before_failure lib/deep.x stack, before_failure pkg/a_test.x test, " +
		"before_failure pkg/beside.x beside, before_failure other/far.x other, after_failure later.x other, after_failure latest.x other"
	if got := suspectNames(w); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if w.LastPass == nil || w.LastPass.RunID != "run0000001" || w.LastPass.Commit != "c0ffee00c0ffee00" || w.LastPass.SessionID != "one" {
		t.Errorf("last pass: %+v", w.LastPass)
	}
	if w.FirstFailure.RunID != "run0000002" || w.FirstFailure.Commit != "decade00decade00" || w.FailedRuns != 2 || w.Latest.RunID != "run0000003" {
		t.Errorf("first failure %+v, %d runs, latest %+v", w.FirstFailure, w.FailedRuns, w.Latest)
	}
	if w.UntilFailure.Total != 5 || w.UntilNow.Total != 7 || len(w.FailedStates) != 2 || w.FailedStates[0] != bad {
		t.Errorf("until the failure %+v, until now %+v, states %v", w.UntilFailure, w.UntilNow, w.FailedStates)
	}
	if s := w.Standing; s == nil || s.Classification != api.Regression || s.SameFailure == nil || s.SameFailure.Run != 2 {
		t.Errorf("standing %+v", s)
	}
}

func TestWhatIsUnknownIsReported(t *testing.T) {
	p := ledgertest.New(t)
	p.WriteFile("a.x", "1")
	state := p.Snap()
	p.Run("one", historytest.Passed("a", "NoState"), historytest.Did("a", "Skipped", history.Skipped))
	p.Run("two", historytest.Failed("a", "NoState"), historytest.Failed("a", "Never"))
	p.RunAs(history.Run{SessionID: "two", Fingerprint: state, Environment: "e"}, historytest.Passed("a", "NoFailState"), historytest.Passed("a", "Flaky"))
	p.Run("three", historytest.Failed("a", "NoFailState"), historytest.Did("a", "Never", history.Skipped))
	p.RunAs(history.Run{SessionID: "three", Fingerprint: state, Environment: "e"}, historytest.Failed("a", "Flaky"))
	p.RunAs(history.Run{SessionID: "three", Kind: api.KindTriage}, historytest.Passed("a", "Never"))
	p.WriteFile("a.x", "2")
	for test, says := range map[string]func(w api.Why) bool{
		"NoState": func(w api.Why) bool { return !w.UntilFailure.Known && !w.UntilNow.Known && w.UntilNow.Why != "" },
		"NoFailState": func(w api.Why) bool {
			return !w.UntilFailure.Known && w.UntilNow.Known && suspectNames(w) == "a.x beside"
		},
		"Never": func(w api.Why) bool {
			return w.LastPass == nil && w.FirstFailure.RunID == "run0000002" && w.Skipped.RunID == "run0000004"
		},
		"Skipped": func(w api.Why) bool { return w.Latest == nil && w.Skipped.RunID == "run0000001" },
		"Flaky": func(w api.Why) bool {
			return w.Standing.Flaky != nil && w.UntilFailure.Known && w.UntilFailure.Total == 0
		},
	} {
		w, err := why(p, test)
		if err != nil || !says(w) {
			t.Errorf("%s: %+v, %v", test, w, err)
		}
	}
}

func TestAStateThatDoesNotAddUpIsUnknown(t *testing.T) {
	p := ledgertest.New(t)
	p.WriteFile("a.x", "1")
	good := p.Snap()
	forged, ok, err := p.State(t.Context(), good)
	if err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	forged.ID = strings.Repeat("ab", 12)
	if err := p.History.SaveState(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	p.RunAs(history.Run{SessionID: "one", Fingerprint: good}, historytest.Passed("a", "A"))
	p.RunAs(history.Run{SessionID: "one", Fingerprint: forged.ID}, historytest.Failed("a", "A"))
	if w, err := why(p, "A"); err != nil || w.UntilFailure.Known {
		t.Errorf("why: %+v, %v", w.UntilFailure, err)
	}
	if d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()}); err != nil || d.Sources.Known {
		t.Errorf("diff: %+v, %v", d.Sources, err)
	}
}

func TestAFailureThatIsStaleSaysSo(t *testing.T) {
	p := ledgertest.New(t)
	p.WriteFile("a.x", "1")
	p.WriteFile("b.x", "1")
	p.RunAs(history.Run{SessionID: "one", Fingerprint: p.Snap()}, historytest.Failed("a", "Never"), historytest.Passed("a", "Once"))
	p.RunAs(history.Run{SessionID: "one", Fingerprint: p.Snap()}, historytest.Failed("a", "Once"))
	for _, test := range []string{"Never", "Once"} {
		w, err := why(p, test)
		if err != nil || w.SinceFailure == nil || !w.SinceFailure.Known || w.SinceFailure.Total != 0 {
			t.Errorf("%s: %+v, %v", test, w.SinceFailure, err)
		}
	}
	p.WriteFile("b.x", "2")
	for _, test := range []string{"Never", "Once"} {
		w, err := why(p, test)
		if err != nil || w.SinceFailure == nil || w.SinceFailure.Total != 1 || w.SinceFailure.Files[0].File != "b.x" {
			t.Errorf("%s: %+v, %v", test, w.SinceFailure, err)
		}
		if text := render.Why(w, render.Style{}); !strings.Contains(text, "Between that failure and the working tree 1 file changed.\n   b.x\n") {
			t.Errorf("%s", text)
		}
	}
}

func TestATestThatFailedByItsPartsNamesThem(t *testing.T) {
	p := ledgertest.New(t)
	other := historytest.Part("A", "A/b", history.Failed)
	other.Suite = "other"
	inner := derived("A/b")
	inner.Root = "A"
	p.Run("one", derived("A"), inner, historytest.Part("A", "A/b/x", history.Failed), historytest.Part("A", "A/b/y", history.Passed), historytest.Part("A", "A/bc", history.Failed), other)
	for test, want := range map[string]string{"s/A": "only because of A/b/x, A/bc.", "s/A/b": "only because of A/b/x."} {
		w, err := why(p, test)
		if text := render.Why(w, render.Style{}); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", test, err, text)
		}
	}
	p.Run("one", historytest.Failed("a", "A"), historytest.Part("A", "A/b/x", history.Failed))
	if w, err := why(p, "s/A"); err != nil || w.PartsTotal != 0 {
		t.Errorf("%+v, %v", w.Parts, err)
	}
}

func TestAPassingTestSaysSinceWhen(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("one", historytest.Passed("a", "A"), historytest.Passed("a", "B"))
	p.Run("two", historytest.Failed("a", "A"))
	p.Run("three", historytest.Passed("a", "A"))
	p.Run("four", historytest.Passed("a", "A"), historytest.Did("a", "B", history.Skipped))
	w, err := why(p, "A")
	if err != nil || w.PassesSince.RunID != "run0000003" || w.LastFailure.RunID != "run0000002" || w.LastFailure.Message != "got 1, want 2" || w.FirstFailure != nil {
		t.Errorf("%+v, %v", w, err)
	}
	w, err = why(p, "B")
	if err != nil || w.LastFailure != nil || w.PassesSince.RunID != "run0000001" || w.Skipped.RunID != "run0000004" {
		t.Errorf("%+v, %v", w, err)
	}
}

// A result that is older but arrived later is not news.
func TestResultsCountInTheOrderInWhichTheyWereMade(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("one", historytest.Passed("a", "A"))
	early := p.Now.Add(-1000 * 3600e9)
	p.Run("two", historytest.Failed("a", "A"))
	p.RunAs(history.Run{ID: "imported01", SessionID: "import:x", StartedAt: early, Origin: "x.tar.gz"}, historytest.Passed("a", "A"))
	w, err := why(p, "A")
	if err != nil || w.Latest.RunID != "run0000002" || w.LastPass.RunID != "run0000001" {
		t.Errorf("latest %+v, last pass %+v, %v", w.Latest, w.LastPass, err)
	}
}

func TestOneOfSeveralResultsInARunIsTheWorst(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("one", historytest.Passed("a", "A"))
	p.Run("two", historytest.Failed("a", "A"), historytest.Passed("a", "A"))
	w, err := why(p, "A")
	if err != nil || w.Latest.Ended != "failed" || w.LastPass.RunID != "run0000001" || w.FailedRuns != 1 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestTwoResultsOfOneNameAreReported(t *testing.T) {
	p := ledgertest.New(t)
	state := history.Run{SessionID: "now", Fingerprint: "f", Environment: "e"}
	p.RunAs(state, historytest.Passed("f", "Twice"), historytest.Failed("f", "Twice"))
	why, err := Why(t.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: "Twice"})
	if err != nil || why.Results != 2 || why.PassedResults != 1 || why.Standing.Flaky != nil {
		t.Fatalf("%+v, %v", why, err)
	}
	text := render.Why(why, render.Style{})
	if !strings.Contains(text, "2 results of it, 1 of them passed: it ran more than once, or two tests have this name") || strings.Contains(text, "flaky") {
		t.Error(text)
	}
}

func TestWhySaysThatAnotherSettingMadeTheDifference(t *testing.T) {
	p := ledgertest.New(t)
	run := history.Run{SessionID: "now", Fingerprint: "f", Environment: "race"}
	p.RunAs(run, historytest.Failed("f", "A"))
	run.Environment = "plain"
	p.RunAs(run, historytest.Passed("f", "A"))
	why, err := Why(t.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: "A"})
	if err != nil || why.Standing.Classification == api.Fixed {
		t.Fatalf("%+v, %v", why.Standing, err)
	}
	const want = "It failed with other arguments, settings or tools on the same sources, in run run0000001, and has not passed with those since."
	if text := render.Why(why, render.Style{}); !strings.Contains(text, want) || strings.Contains(text, "both passed and failed") {
		t.Error(text)
	}
}

func TestWhyNeedsOneTest(t *testing.T) {
	p := ledgertest.New(t)
	inB := historytest.Passed("b/f", "Other")
	inB.Suite = "example.com/m/b"
	same := inB
	same.Suite, same.Test = "example.com/m/b", "X/same"
	p.Run("one", historytest.Passed("a", "X/same"), historytest.Passed("a", "Y/same"), historytest.Passed("a", "A"), inB, same)
	for name, text := range map[string]string{
		"same":   `names several tests: b/X/same, s/X/same, s/Y/same`,
		"Othr":   `did you mean b/Other?`,
		"absent": "on record",
	} {
		_, err := why(p, name)
		if usage, ok := errors.AsType[*api.UsageError](err); !ok || !strings.Contains(usage.Error(), text) {
			t.Errorf("why %s: %v", name, err)
		}
	}
	empty := ledger.New(project.Config{Session: "s", StateHome: t.TempDir()})
	_, err := Why(t.Context(), empty, api.WhyRequest{Where: api.Where{Dir: t.TempDir(), Exact: true}, Test: "A"})
	if _, ok := errors.AsType[*api.UsageError](err); !ok {
		t.Errorf("without any record: %v", err)
	}
}

// The workspace may be below the top of its repository, and be named by a link.
func TestChangedFilesAreNamedFromTheWorkspace(t *testing.T) {
	p := ledgertest.New(t)
	top := filepath.Join(p.Dir, "repo")
	link := filepath.Join(p.Dir, "link")
	if err := os.MkdirAll(filepath.Join(top, "svc", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "svc"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	k := ledger.New(project.Config{Session: "s", StateHome: t.TempDir()})
	t.Cleanup(func() { k.Close(t.Context()) })
	for _, root := range []string{filepath.Join(top, "svc"), link} {
		store, err := k.Store(root)
		if err != nil {
			t.Fatal(err)
		}
		led := &ledger.Ledger{Keeper: k, Artifacts: store}
		var got []string
		for _, file := range []string{"svc/a/x.y", "lib/z.y", "svcs/q.y"} {
			got = append(got, ledger.RelateToWorkspace(top, ledger.RootIn(led, top), file))
		}
		if want := []string{"a/x.y", "../lib/z.y", "../svcs/q.y"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", root, got, want)
		}
	}
}
