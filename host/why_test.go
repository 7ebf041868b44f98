package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// snap puts the state of the workspace's files on record, and names it.
func (p *past) snap() string {
	p.t.Helper()
	state, err := p.workingTree(p.t.Context())
	if err == nil {
		err = p.history.SaveState(p.t.Context(), state)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return state.ID
}

// keep writes the folder of a run, with its failures.
func (p *past) keep(run history.Run, results []history.Result, failures ...record.Failure) {
	p.t.Helper()
	object := record.Run{
		Schema: record.Schema, RunID: run.ID, SessionID: run.SessionID, Kind: run.Kind, Language: run.Language,
		State: record.StateFinished, Verdict: run.Verdict, Reason: "as it was", StartedAt: run.StartedAt, DurationS: run.Duration.Seconds(),
		Commands: []record.Command{{Argv: []string{"x"}, Dir: "."}}, Failures: failures, FailuresTotal: len(failures),
		Counts: run.Counts, Environment: run.Environment, MixedState: run.MixedState, Origin: run.Origin,
	}
	if run.Fingerprint != "" {
		object.Source = &record.Source{Fingerprint: run.Fingerprint, Kind: "walk", Commit: run.Commit, Branch: run.Branch, Dirty: 1}
	}
	rec, err := p.store.Record(object)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, r := range results {
		rec.Result(record.Result{
			Suite: r.Suite, Test: r.Test.Test, File: r.File, Line: r.Line, DurationS: r.Duration.Seconds(), Root: r.Root,
			Status: record.Status(ended(r.Outcome)),
		})
	}
	for _, f := range failures {
		rec.Failure(f)
	}
	for n, text := range []string{"what it said", "and complained of"} {
		stream, err := rec.Stream(0, []string{"stdout", "stderr"}[n])
		if err != nil {
			p.t.Fatal(err)
		}
		fmt.Fprintln(stream, text)
	}
	if err := rec.Finish(object); err != nil {
		p.t.Fatal(err)
	}
}

func (p *past) why(test string) (record.Why, error) {
	p.t.Helper()
	return p.host.Why(p.t.Context(), WhyRequest{Where: p.where(), Test: test})
}

// suspectNames lists them: "before_failure a.x failure".
func suspectNames(w record.Why) string {
	var lines []string
	for _, s := range w.Suspects {
		lines = append(lines, strings.TrimSpace(s.Since+" "+s.File+" "+s.Role))
	}
	return strings.Join(lines, ", ")
}

func TestSuspectsAreRanked(t *testing.T) {
	p := newPast(t)
	for _, name := range []string{"lib/deep.x", "lib/place.x", "pkg/a_test.x", "pkg/beside.x", "other/far.x", "later.x"} {
		p.writeFile(name, "1")
	}
	good := p.snap()
	p.runAs(history.Run{SessionID: "one", Fingerprint: good, Commit: "c0ffee00c0ffee00"}, passed("pkg/a_test.x", "A"))
	for _, name := range []string{"lib/deep.x", "lib/place.x", "pkg/a_test.x", "pkg/beside.x", "other/far.x"} {
		p.writeFile(name, "2")
	}
	bad := p.snap()
	first := p.runAs(history.Run{SessionID: "two", Fingerprint: bad, Commit: "decade00decade00"}, failed("pkg/a_test.x", "A"))
	p.keep(first, nil, record.Failure{
		ID: "1", Suite: "s", Test: "A", Kind: "panic", File: "lib/place.x", Line: 3, Message: "out of cheese",
		TestFrame: &record.Place{File: "pkg/a_test.x", Line: 9},
		Stack:     []record.Frame{{Function: "deep", File: filepath.Join(p.dir, "lib", "deep.x")}, {Function: "test", File: "pkg/a_test.x"}},
	}, record.Failure{ID: "2", Suite: "s", Test: "B", File: "other/far.x"})
	p.writeFile("later.x", "2")
	p.runAs(history.Run{SessionID: "two", Fingerprint: p.snap()}, failed("pkg/a_test.x", "A"))
	p.writeFile("latest.x", "after the last run")
	w, err := p.why("A")
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
	if s := w.Standing; s == nil || s.Classification != record.Regression || s.SameFailure == nil || s.SameFailure.Run != 2 {
		t.Errorf("standing %+v", s)
	}
}

func TestWhatIsNotKnownIsSaid(t *testing.T) {
	p := newPast(t)
	p.writeFile("a.x", "1")
	state := p.snap()
	p.run("one", passed("a", "NoState"), did("a", "Skipped", history.Skipped))
	p.run("two", failed("a", "NoState"), failed("a", "Never"))
	p.runAs(history.Run{SessionID: "two", Fingerprint: state, Environment: "e"}, passed("a", "NoFailState"), passed("a", "Flaky"))
	p.run("three", failed("a", "NoFailState"), did("a", "Never", history.Skipped))
	p.runAs(history.Run{SessionID: "three", Fingerprint: state, Environment: "e"}, failed("a", "Flaky"))
	p.runAs(history.Run{SessionID: "three", Kind: record.KindTriage}, passed("a", "Never"))
	p.writeFile("a.x", "2")
	for test, says := range map[string]func(w record.Why) bool{
		"NoState": func(w record.Why) bool { return !w.UntilFailure.Known && !w.UntilNow.Known && w.UntilNow.Why != "" },
		"NoFailState": func(w record.Why) bool {
			return !w.UntilFailure.Known && w.UntilNow.Known && suspectNames(w) == "a.x beside"
		},
		"Never": func(w record.Why) bool {
			return w.LastPass == nil && w.FirstFailure.RunID == "run0000002" && w.Skipped.RunID == "run0000004"
		},
		"Skipped": func(w record.Why) bool { return w.Latest == nil && w.Skipped.RunID == "run0000001" },
		"Flaky": func(w record.Why) bool {
			return w.Standing.Flaky != nil && w.UntilFailure.Known && w.UntilFailure.Total == 0
		},
	} {
		w, err := p.why(test)
		if err != nil || !says(w) {
			t.Errorf("%s: %+v, %v", test, w, err)
		}
	}
}

func TestAStateThatDoesNotAddUpIsNotBelieved(t *testing.T) {
	p := newPast(t)
	p.writeFile("a.x", "1")
	good := p.snap()
	forged, ok, err := p.state(t.Context(), good)
	if err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	forged.ID = strings.Repeat("ab", 12)
	if err := p.history.SaveState(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	p.runAs(history.Run{SessionID: "one", Fingerprint: good}, passed("a", "A"))
	p.runAs(history.Run{SessionID: "one", Fingerprint: forged.ID}, failed("a", "A"))
	if w, err := p.why("A"); err != nil || w.UntilFailure.Known {
		t.Errorf("why: %+v, %v", w.UntilFailure, err)
	}
	if d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where()}); err != nil || d.Sources.Known {
		t.Errorf("diff: %+v, %v", d.Sources, err)
	}
	if n := newEdits(t.Context(), p.history).between(good, forged.ID); n != -1 {
		t.Errorf("%d edits", n)
	}
}

func TestAFailureThatIsStaleSaysSo(t *testing.T) {
	p := newPast(t)
	p.writeFile("a.x", "1")
	p.writeFile("b.x", "1")
	p.runAs(history.Run{SessionID: "one", Fingerprint: p.snap()}, failed("a", "Never"), passed("a", "Once"))
	p.runAs(history.Run{SessionID: "one", Fingerprint: p.snap()}, failed("a", "Once"))
	for _, test := range []string{"Never", "Once"} {
		w, err := p.why(test)
		if err != nil || w.SinceFailure == nil || !w.SinceFailure.Known || w.SinceFailure.Total != 0 {
			t.Errorf("%s: %+v, %v", test, w.SinceFailure, err)
		}
	}
	p.writeFile("b.x", "2")
	for _, test := range []string{"Never", "Once"} {
		w, err := p.why(test)
		if err != nil || w.SinceFailure == nil || w.SinceFailure.Total != 1 || w.SinceFailure.Files[0].File != "b.x" {
			t.Errorf("%s: %+v, %v", test, w.SinceFailure, err)
		}
		if text := report.Why(w, report.Style{}); !strings.Contains(text, "Between that failure and the working tree 1 file changed.\n   b.x\n") {
			t.Errorf("%s", text)
		}
	}
}

func TestATestThatFailedByItsPartsNamesThem(t *testing.T) {
	p := newPast(t)
	other := part("A", "A/b", history.Failed)
	other.Suite = "other"
	inner := derived("A/b")
	inner.Root = "A"
	p.run("one", derived("A"), inner, part("A", "A/b/x", history.Failed), part("A", "A/b/y", history.Passed), part("A", "A/bc", history.Failed), other)
	for test, want := range map[string]string{"s/A": "only because of A/b/x, A/bc.", "s/A/b": "only because of A/b/x."} {
		w, err := p.why(test)
		if text := report.Why(w, report.Style{}); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", test, err, text)
		}
	}
	p.run("one", failed("a", "A"), part("A", "A/b/x", history.Failed))
	if w, err := p.why("s/A"); err != nil || w.PartsTotal != 0 {
		t.Errorf("%+v, %v", w.Parts, err)
	}
}

func TestATestThatPassesTellsSinceWhen(t *testing.T) {
	p := newPast(t)
	p.run("one", passed("a", "A"), passed("a", "B"))
	p.run("two", failed("a", "A"))
	p.run("three", passed("a", "A"))
	p.run("four", passed("a", "A"), did("a", "B", history.Skipped))
	w, err := p.why("A")
	if err != nil || w.PassesSince.RunID != "run0000003" || w.LastFailure.RunID != "run0000002" || w.LastFailure.Message != "got 1, want 2" || w.FirstFailure != nil {
		t.Errorf("%+v, %v", w, err)
	}
	w, err = p.why("B")
	if err != nil || w.LastFailure != nil || w.PassesSince.RunID != "run0000001" || w.Skipped.RunID != "run0000004" {
		t.Errorf("%+v, %v", w, err)
	}
}

// What was made earlier and came later is no news.
func TestResultsCountInTheOrderInWhichTheyWereMade(t *testing.T) {
	p := newPast(t)
	p.run("one", passed("a", "A"))
	early := p.now.Add(-1000 * 3600e9)
	p.run("two", failed("a", "A"))
	p.runAs(history.Run{ID: "imported01", SessionID: "import:x", StartedAt: early, Origin: "x.tar.gz"}, passed("a", "A"))
	w, err := p.why("A")
	if err != nil || w.Latest.RunID != "run0000002" || w.LastPass.RunID != "run0000001" {
		t.Errorf("latest %+v, last pass %+v, %v", w.Latest, w.LastPass, err)
	}
}

func TestOneOfSeveralResultsInARunIsTheWorst(t *testing.T) {
	p := newPast(t)
	p.run("one", passed("a", "A"))
	p.run("two", failed("a", "A"), passed("a", "A"))
	w, err := p.why("A")
	if err != nil || w.Latest.Ended != "failed" || w.LastPass.RunID != "run0000001" || w.FailedRuns != 1 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestTwoResultsOfOneNameAreSaid(t *testing.T) {
	p := newPast(t)
	state := history.Run{SessionID: "now", Fingerprint: "f", Environment: "e"}
	p.runAs(state, passed("f", "Twice"), failed("f", "Twice"))
	why, err := p.host.Why(t.Context(), WhyRequest{Where: p.where(), Test: "Twice"})
	if err != nil || why.Results != 2 || why.PassedResults != 1 || why.Standing.Flaky != nil {
		t.Fatalf("%+v, %v", why, err)
	}
	text := report.Why(why, report.Style{})
	if !strings.Contains(text, "2 results of it, 1 of them passed: it ran more than once, or two tests have this name") || strings.Contains(text, "flaky") {
		t.Error(text)
	}
}

func TestWhySaysThatAnotherSettingMadeTheDifference(t *testing.T) {
	p := newPast(t)
	run := history.Run{SessionID: "now", Fingerprint: "f", Environment: "race"}
	p.runAs(run, failed("f", "A"))
	run.Environment = "plain"
	p.runAs(run, passed("f", "A"))
	why, err := p.host.Why(t.Context(), WhyRequest{Where: p.where(), Test: "A"})
	if err != nil || why.Standing.Classification == record.Fixed {
		t.Fatalf("%+v, %v", why.Standing, err)
	}
	const want = "It failed with other arguments, settings or tools on the same sources, in run run0000001, and has not passed with those since."
	if text := report.Why(why, report.Style{}); !strings.Contains(text, want) || strings.Contains(text, "both passed and failed") {
		t.Error(text)
	}
}

func TestWhyNeedsOneTest(t *testing.T) {
	p := newPast(t)
	p.run("one", passed("a", "X/same"), passed("a", "Y/same"), passed("a", "A"))
	for name, text := range map[string]string{
		"same":   `names several tests`,
		"absent": "on record",
	} {
		_, err := p.why(name)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(usage.Error(), text) {
			t.Errorf("why %s: %v", name, err)
		}
	}
	empty := New(Config{Session: "s", StateHome: t.TempDir()})
	_, err := empty.Why(t.Context(), WhyRequest{Where: Where{Dir: t.TempDir(), Exact: true}, Test: "A"})
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Errorf("without any record: %v", err)
	}
}

// The workspace may lie below the top of its repository, and be named by a link.
func TestChangedFilesAreNamedFromTheWorkspace(t *testing.T) {
	p := newPast(t)
	top := filepath.Join(p.dir, "repo")
	link := filepath.Join(p.dir, "link")
	if err := os.MkdirAll(filepath.Join(top, "svc", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "svc"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	h := New(Config{Session: "s", StateHome: t.TempDir()})
	t.Cleanup(func() { h.Close(t.Context()) })
	for _, root := range []string{filepath.Join(top, "svc"), link} {
		store, err := h.store(root)
		if err != nil {
			t.Fatal(err)
		}
		m := &memory{host: h, store: store}
		var got []string
		for _, file := range []string{"svc/a/x.y", "lib/z.y", "svcs/q.y"} {
			got = append(got, fromTop(top, m.rootIn(top), file))
		}
		if want := []string{"a/x.y", "../lib/z.y", "../svcs/q.y"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", root, got, want)
		}
	}
}
