package screen

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/watch"
	"github.com/proctorhq/proctor/sdk"
)

func TestARoundIsReportedInALineAndNoGreenHidesAnOldRed(t *testing.T) {
	t.Parallel()
	saved := watch.Round{Saved: []string{"cart/cart.go"}}
	passed := api.Run{RunID: "now", Verdict: api.Passed, Counts: api.Counts{Tests: 4, TestsPassed: 4}, Affected: &api.Affected{ChosenTests: 4}}
	failed := api.Run{
		RunID: "now", Verdict: api.Failed, Counts: api.Counts{Tests: 4, TestsPassed: 3}, Affected: &api.Affected{ChosenTests: 4},
		Failures: []api.Failure{failure("example.com/shop/cart", "TestTotal/one")}, FailuresTotal: 1,
	}
	beside := passed
	beside.Warnings = []api.Note{{Code: api.NoteNotTested, Text: "not tested: sub: a separate module", Advice: api.Advice{Operation: api.AdviseRunThere, Of: "sub"}}}
	ended := failed
	ended.Counts.Tests, ended.Counts.Unfinished, ended.Counts.NeverStarted = 5, 2, 1
	ended.Counts.SubtestsUnfinished = 1
	excused := failed
	excused.Verdict, excused.Quarantined = api.Passed, 1
	excused.Caveats = []api.Caveat{
		{Code: api.CaveatQuarantined, Text: "1 failure in quarantine (q.toml has uncommitted changes)"}, {Code: api.CaveatFiltered, Text: "filtered"},
	}
	excused.Failures = []api.Failure{failed.Failures[0]}
	excused.Failures[0].Quarantine = "known"
	narrowed := passed
	narrowed.Counts.TestsCached = 4
	narrowed.Caveats = []api.Caveat{{Code: api.CaveatFiltered, Text: "filtered"}, {Code: api.CaveatConfigured, Text: "narrowed by settings: -short in .proctor.toml"}}
	flaky := api.Run{RunID: "now", Verdict: api.Passed, Counts: api.Counts{Tests: 1, Flaky: 1}, Reason: "1 flaky: failed, then passed when retried"}
	quarantined := api.Outstanding{Total: 1, Quarantined: 1, Tests: []api.OutstandingTest{{Suite: "example.com/shop/cart", Test: "TestTotal/one", Reason: "failed", LastRunID: "now", Quarantined: true}}}
	unnoticed := api.Run{RunID: "now", Verdict: api.NothingRan, Affected: &api.Affected{Base: "HEAD", ChangedTotal: 1}}
	outstanding := func(runs ...string) (o api.Outstanding) {
		for _, id := range runs {
			o.Tests = append(o.Tests, api.OutstandingTest{Suite: "example.com/shop/invoice", Test: "TestRenderText", Reason: "failed", RunID: "first", LastRunID: id})
		}
		o.Total = len(runs)
		return o
	}
	var suites api.SuiteNames
	suites.LearnPrefixes([]string{"example.com/shop/v2"})
	for _, c := range []struct {
		name   string
		result watch.Result
		want   string
	}{
		{
			"green", watch.Result{Round: saved, Runs: []api.Run{passed}, Took: 900 * time.Millisecond},
			"✓ cart/cart.go changed · 4 affected tests passed · 0.9s||14:02:11 ✓ 4 affected tests passed (cart/cart.go)",
		},
		{
			"green, but cached, and for what settings leave out", watch.Result{Round: saved, Runs: []api.Run{narrowed}},
			"✓ cart/cart.go changed · 4 affected tests passed, all of them cached (narrowed by settings: -short in .proctor.toml) · 0.0s||14:02:11 ✓ 4 affected tests passed, all of them cached (narrowed by settings: -short in .proctor.toml) (cart/cart.go)",
		},
		{
			"green beside an old red", watch.Result{Round: saved, Runs: []api.Run{passed}, Still: outstanding("before")},
			"✗ cart/cart.go changed · 4 affected tests passed · 0.0s|1 still failing from before: invoice TestRenderText|14:02:11 ✗ invoice TestRenderText (cart/cart.go)",
		},
		{
			"red", watch.Result{Round: saved, Runs: []api.Run{failed}, Still: outstanding("now")},
			"✗ cart/cart.go changed · 1 of 4 affected tests failed · 0.0s||14:02:11 ✗ cart TestTotal/one and 1 more (cart/cart.go)",
		},
		{
			"red again in a test that a panic of a part of it ended", watch.Result{Round: saved, Runs: []api.Run{ended}, Still: outstanding("now")},
			"✗ cart/cart.go changed · 1 of 5 affected tests failed, 2 never got to an end · 0.0s||14:02:11 ✗ cart TestTotal/one and 1 more (cart/cart.go)",
		},
		{
			"red below a module of another version", watch.Result{Round: saved, Still: api.Outstanding{Total: 2, Tests: []api.OutstandingTest{
				{Suite: "example.com/shop/v2", Test: "TestA", Reason: "failed"}, {Suite: "example.com/shop/v2/a/b", Test: "TestB", Reason: "failed"},
			}}},
			"✗ cart/cart.go changed · nothing has changed since the last run|2 still failing from before: shop TestA, a/b TestB|14:02:11 ✗ shop TestA and 1 more (cart/cart.go)",
		},
		{
			"green beside what is in quarantine", watch.Result{Round: saved, Runs: []api.Run{excused}, Still: quarantined},
			"✓ cart/cart.go changed · 3 affected tests passed, 1 failure in quarantine (q.toml has uncommitted changes) · 0.0s||14:02:11 ✓ 3 affected tests passed, 1 failure in quarantine (q.toml has uncommitted changes) (cart/cart.go)",
		},
		{
			"red outside of its tests", watch.Result{Round: saved, Runs: []api.Run{{RunID: "now", Language: "go", Verdict: api.Failed, Reason: "1 suite failed outside of its tests"}}, Nouns: map[string]string{"go": "package"}},
			"✗ cart/cart.go changed · failed: 1 package failed outside of its tests · 0.0s||14:02:11 ✗ failed: 1 package failed outside of its tests (cart/cart.go)",
		},
		{
			"green but for what is flaky", watch.Result{Round: saved, Runs: []api.Run{flaky}},
			"✓ cart/cart.go changed · passed: 1 flaky: failed, then passed when retried · 0.0s||14:02:11 ✓ passed: 1 flaky: failed, then passed when retried (cart/cart.go)",
		},
		{
			"a file of another project", watch.Result{Round: watch.Round{Saved: []string{"sub/a.go"}}, Runs: []api.Run{beside}},
			"– sub/a.go changed · 4 affected tests passed · not tested: sub, a project of its own · 0.0s||14:02:11 – 4 affected tests passed, not tested: sub (sub/a.go)",
		},
		{
			"beside another project", watch.Result{Round: saved, Runs: []api.Run{beside}},
			"✓ cart/cart.go changed · 4 affected tests passed · 0.0s||14:02:11 ✓ 4 affected tests passed (cart/cart.go)",
		},
		{
			"narrowed", watch.Result{Round: watch.Round{Saved: saved.Saved, Narrow: watch.Narrow{Filter: "TestTotal"}}, Runs: []api.Run{passed}},
			"✓ cart/cart.go changed · only tests like TestTotal · 4 affected tests passed · 0.0s||14:02:11 ✓ 4 affected tests passed, only tests like TestTotal (cart/cart.go)",
		},
		{
			"nothing can notice it", watch.Result{Round: watch.Round{Saved: []string{"README.md"}}, Runs: []api.Run{unnoticed}},
			"✓ README.md changed · no test can notice it · 0.0s||14:02:11 ✓ no test can notice it (README.md)",
		},
		{
			"what was outstanding was removed", watch.Result{Round: saved, Runs: []api.Run{
				{RunID: "now", Kind: api.KindRerun, Verdict: api.NothingRan, Integrity: &api.Integrity{GoneTotal: 2}}, passed}},
			"✓ cart/cart.go changed · 2 outstanding tests no longer exist · 4 affected tests passed · 0.0s||14:02:11 ✓ 4 affected tests passed (cart/cart.go)",
		},
		{
			"a part of it was", watch.Result{Round: saved, Runs: []api.Run{
				{RunID: "now", Kind: api.KindRerun, Verdict: api.NothingRan, Reason: "no test ran", Outstanding: 1, Integrity: &api.Integrity{GoneTotal: 2}}}, Still: outstanding("before")},
			"✗ cart/cart.go changed · no test ran · 0.0s|1 still failing from before: invoice TestRenderText|14:02:11 ✗ invoice TestRenderText (cart/cart.go)",
		},
		{
			"does not build", watch.Result{
				Round: saved, Runs: []api.Run{{RunID: "now", Verdict: api.BuildFailed, Failures: []api.Failure{failure("example.com/shop/cart", "")}}},
				Still: api.Outstanding{Total: 1, Tests: []api.OutstandingTest{{Suite: "example.com/shop/cart", LastRunID: "now"}}},
			},
			"✗ cart/cart.go changed · does not build · 0.0s||14:02:11 ✗ cart does not build (cart/cart.go)",
		},
		{
			"shows everything again", watch.Result{Round: watch.Round{What: watch.Changed}, Runs: []api.Run{passed}},
			"✓ what changed since the last round · 4 affected tests passed · 0.0s||14:02:11 ✓ 4 affected tests passed",
		},
		{
			"nothing to do", watch.Result{Round: watch.Round{First: true}},
			"✓ start · nothing has changed since the last run||14:02:11 ✓ nothing ran",
		},
		{
			"what is outstanding would end as it did", watch.Result{Round: watch.Round{What: watch.Failed}, Still: outstanding("before")},
			"✗ failed tests · nothing has changed since the last run|1 still failing from before: invoice TestRenderText|14:02:11 ✗ invoice TestRenderText",
		},
		{
			"stopped", watch.Result{Round: watch.Round{What: watch.Everything}, Stopped: true},
			"✗ all tests · stopped by you||14:02:11 ✗ stopped",
		},
		{
			"nothing to do beside what is in quarantine", watch.Result{Round: watch.Round{First: true}, Still: quarantined},
			"✓ start · nothing has changed since the last run · 1 in quarantine||14:02:11 ✓ nothing ran",
		},
		{
			"stopped in the middle", watch.Result{Round: saved, Stopped: true, Runs: []api.Run{{
				Verdict: api.Incomplete, Cancelled: true, Reason: "interrupted; 1 suite ended early",
				Counts: api.Counts{Tests: 4, TestsPassed: 2, Passed: 2, Failed: 1, Unfinished: 1, NeverStarted: 16},
			}}},
			"✗ cart/cart.go changed · 3 tests done, 1 of them failed, 17 never got to an end · stopped by you · 0.0s||14:02:11 ✗ stopped (cart/cart.go)",
		},
		{
			"nothing is uncommitted", watch.Result{Round: watch.Round{What: watch.Affected}, Runs: []api.Run{{Verdict: api.NothingRan, Affected: &api.Affected{Base: "HEAD"}}}},
			"✓ what uncommitted changes can break · nothing has changed since HEAD · 0.0s||14:02:11 ✓ nothing has changed since HEAD",
		},
		{
			"an error", watch.Result{Round: saved, Err: errors.New("no\nproject")},
			"✗ cart/cart.go changed · no\\nproject||14:02:11 ✗ no\\nproject (cart/cart.go)",
		},
	} {
		line, still := verdict(c.result, suites)
		at := time.Date(2026, 11, 23, 14, 2, 11, 0, time.UTC)
		if got := mark(isGreen(c.result), c.result) + " " + line + "|" + still + "|" + roundLine(c.result, suites, at); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestAViewThatIsCutSaysHowToSeeTheRest(t *testing.T) {
	t.Parallel()
	s := &Screen{area: area{size: func() (int, int) { return 80, 8 }}, last: &watch.Result{
		Nouns: map[string]string{"go": "package"},
		Still: api.Outstanding{Tests: []api.OutstandingTest{{Suite: "example.com/cart", Test: "TestTotal/one two"}}},
	}}
	s.why = func(_ api.OutstandingTest, last watch.Result) string {
		return strings.Repeat("its "+last.Nouns["go"]+"\n", 20)
	}
	s.explain()
	if text := strings.Join(s.lines(), "\n"); !strings.Contains(text, "more lines: proctor why '"+"example.com/cart/TestTotal/one two'") || !strings.Contains(text, "its package") {
		t.Errorf("of a test:\n%s", text)
	}
	s.overlay, s.about = strings.Repeat("key\n", 20), ""
	if text := strings.Join(s.lines(), "\n"); strings.Contains(text, "more lines:") {
		t.Errorf("of something else:\n%s", text)
	}
	s.overlay, s.last.Err = "", errors.New(strings.Repeat("long ", 500))
	if lines := s.lines(); len(lines) > 7 || !strings.HasPrefix(lines[len(lines)-1], "[Enter] all") {
		t.Errorf("of a long error:\n%s", strings.Join(lines, "\n"))
	}
}

func TestWhatIsPastedIsNoKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, typed, prompt, commands string }{
		{"a text", "\x1b[200~vacuum quit\r\x1b[201~", "", ""},
		{"into a prompt", "t\x1b[200~TestTotal\rquit\r\x1b[201~/one", "TestTotal/one", ""},
		{"longer than one read", "t\x1b[200~" + strings.Repeat("äöü€", 2000) + "\x1b[201~", strings.Repeat("äöü€", 2000), ""},
		{"with other control characters", "t\x1b[200~\tTest\x08\x7f\tTotal\x1b[201~", "TestTotal", ""},
		{"a line of a megabyte", "t\x1b[200~" + strings.Repeat("x", 1<<20) + "\x1b[201~", strings.Repeat("x", 1<<20), ""},
		{"whose end is lost", "tx\x1b[200~y\x03", "x", "interrupt"},
		{"arrows, function keys and Alt", "tx\x1b[Ay\x1bOPz\x1b[15~\x1bq", "xyz", ""},
		{"Esc, an arrow and a key", "tx\x1b\x1b[Af", "", "2"},
		{"Alt-[ and Ctrl-C", "tx\x1b[\x03", "x", "interrupt"},
		{"Esc and Enter", "tx\x1b\r", "", "1"},
		{"Esc", "tx\x1b", "", ""},
	} {
		s := &Screen{area: area{out: io.Discard, size: func() (int, int) { return 60, 20 }}, commands: make(chan watch.Command, 9)}
		s.readKeys(t.Context(), strings.NewReader(c.typed))
		close(s.commands)
		prompt, commands := "", ""
		if s.prompt != nil {
			prompt = s.prompt.text
		}
		for command := range s.commands {
			if commands += fmt.Sprint(command.What); command.Action == watch.Interrupt {
				commands = "interrupt"
			}
		}
		if prompt != c.prompt || commands != c.commands {
			t.Errorf("%s: %q and %q", c.name, prompt, commands)
		}
	}
}

func TestAWatchThatIsQuitLeavesItsFailures(t *testing.T) {
	t.Parallel()
	run := api.Run{Verdict: api.Failed, Failures: []api.Failure{failure("example.com/shop/cart", "TestTotal")}, FailuresTotal: 1, Counts: api.Counts{Tests: 2}}
	for name, s := range map[string]*Screen{
		"after a round": {last: &watch.Result{Round: watch.Round{First: true}, Runs: []api.Run{run}}},
		"in a round":    {round: &watch.Round{}, failures: []string{"✗ cart TestTotal"}},
	} {
		var out strings.Builder
		s.out, s.size = &out, func() (int, int) { return 80, 24 }
		s.close()
		if got := out.String(); !strings.Contains(got, "TestTotal") || strings.Contains(got, "[q]") || !strings.HasSuffix(got, "\r\n") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// tmux takes a line whose end was erased to be as long as before, and wraps it when the
// terminal becomes narrower: then the view does not begin where it is sought.
func TestALineIsErasedFromItsBeginning(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	a := area{out: &out, size: func() (int, int) { return 80, 24 }}
	a.replace([]string{"a long line", "another one"})
	out.Reset()
	a.above("note")
	a.replace([]string{"a", "b"})
	if want := "\r\x1b[1A\x1b[Knote\r\n\x1b[J\r\x1b[Ka\r\n\x1b[Kb\x1b[J"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func failure(suite, test string) (f api.Failure) {
	f.Suite, f.Test = suite, test
	return f
}

func TestTextIsWrappedAtSpacesAndKeepsItsColors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"one two three four", "one two|three four"},
		{"abcdefghijklmnop", "abcdefghij|klmnop"},
		{"\x1b[31mone two three\x1b[0m four", "\x1b[31mone two\x1b[0m|\x1b[31mthree\x1b[0m four"},
		{"a\n\tb\n", "a|    b"},
		{"日本語日本語", "日本語日本|語"},
	} {
		if got := strings.Join(wrap(c.text, 10), "|"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAFailureOfARoundIsNamedInShort(t *testing.T) {
	t.Parallel()
	var s Screen
	f := failure("example.com/shop/cart", "TestTotal")
	f.File, f.Line = "cart/cart_test.go", 7
	s.Listen(&api.FailureFound{Failure: f})
	if want := "✗ cart TestTotal  cart/cart_test.go:7"; len(s.failures) != 1 || !strings.HasPrefix(s.failures[0], want) {
		t.Errorf("got %q, want %q", s.failures, want)
	}
}

// The place of a failure says nothing of its suite's name where it is in another's helper.
func TestAFailureInAHelperOfAnotherSuiteIsNamedInShort(t *testing.T) {
	t.Parallel()
	f := failure("example.com/shop/cart", "TestTotal")
	f.File, f.Line = "check/check.go", 7
	run := api.Run{Verdict: api.Failed, Failures: []api.Failure{f}, FailuresTotal: 1}
	ended := &api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: f.TestID, Location: sdk.Location{File: "cart/cart_test.go"}}}}
	var out strings.Builder
	p, s := &plain{out: &out}, &Screen{last: &watch.Result{Runs: []api.Run{run}}}
	p.Listen(ended)
	p.End(*s.last)
	s.Listen(ended)
	for _, got := range []string{out.String(), s.body(80)} {
		if !strings.HasPrefix(got, "✗ cart TestTotal\n") {
			t.Errorf("got %q", got)
		}
	}
}

func TestAPromptShowsWhatTheTextMatches(t *testing.T) {
	t.Parallel()
	s := &Screen{area: area{out: io.Discard, size: func() (int, int) { return 60, 20 }}}
	shown := func(key rune, text string) string {
		s.prompt = nil
		for _, key := range string(key) + text {
			s.press(key)
		}
		return strings.Join(s.foot(59), "|")
	}
	if got := shown('t', "Tot"); got != "test: Tot" {
		t.Errorf("before any test: %q", got)
	}
	s.names.LearnPrefixes([]string{"example.com/shop"})
	for _, id := range []sdk.TestID{{Suite: "example.com/shop/cart", Test: "TestTotal"}, {Suite: "example.com/shop/geo/map", Test: "TestTotals"}, {Suite: "example.com/shop/cart", Test: "TestAdd"}} {
		s.known.learn(api.Result{TestResult: sdk.TestResult{TestID: id}}, "go")
	}
	s.known.learn(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "example.com/shop/cart", Test: "TestTotal/one"}, Root: "TestTotal"}}, "go")
	for _, c := range []struct {
		key        rune
		text, want string
	}{
		{'t', "Tot", "2 known tests: TestTotal, TestTotals|test: Tot"},
		{'t', "Total$/one", "1 known test: TestTotal|test: Total$/one"},
		{'t', "(", "not a regular expression|test: ("},
		{'t', "Nope", "no known test|test: Nope"},
		{'p', "car", "1 known package: cart|package: car"},
		{'p', "./car", "package: ./car"}, // as the runner takes it
		{'p', "", "2 known packages: cart, geo/map|package: "},
		{'t', strings.Repeat("long ", 100) + "x", "no known test|test: …" + strings.Repeat(" long", 10) + " x"},
	} {
		if got := shown(c.key, c.text); got != c.want {
			t.Errorf("%c%s: %q, want %q", c.key, c.text, got, c.want)
		}
	}
	for text, want := range map[string]watch.Narrow{
		"a":        {Package: "a", Suites: map[string][]api.ExpectedSuite{"go": {{Suite: "example.com/shop/cart"}, {Suite: "example.com/shop/geo/map"}}}}, // what it showed
		"./cart":   {Package: "./cart"},
		"cart/...": {Package: "cart/..."},
		"tax":      {Package: "tax"},
		"":         {},
	} {
		s.prompt, s.narrow = nil, watch.Narrow{}
		s.press('p')
		for _, key := range text {
			s.press(key)
		}
		if command, ok := s.press(enter); !ok || command.Narrow.Package != want.Package || !reflect.DeepEqual(command.Narrow.Suites["go"], want.Suites["go"]) {
			t.Errorf("p%s: %+v, want %+v", text, command.Narrow, want)
		}
	}
}

func TestHelpFitsIntoANarrowTerminal(t *testing.T) {
	t.Parallel()
	s := &Screen{area: area{out: io.Discard, size: func() (int, int) { return 60, 20 }}, overlay: "why a test failed"}
	for _, want := range []string{keysHelp, "", keysHelp} {
		if s.press('?'); s.overlay != want {
			t.Errorf("? shows %q", s.overlay)
		}
	}
	if lines := strings.Count(keysHelp, "\n") + 1; lines > 13 { // beside a rule, two lines each of the verdict and of what is still red, and the keys
		t.Errorf("%d lines", lines)
	}
	for _, text := range []string{keysHelp, confirmUpdate(map[string]string{"go": "-update", "solidity": ""}), confirmUpdate(nil)} {
		if lines := wrap(text, 59); len(lines) != 1+strings.Count(text, "\n") {
			t.Errorf("it is wrapped:\n%s", strings.Join(lines, "\n"))
		}
	}
}
