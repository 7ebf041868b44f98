package mcp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/fakeplugin"
)

// The sentences in this file are those of the seed documents, word for word. They are
// written out, because a test that took them from the code could not notice a change.

const seedNoRunYet = "no run_tests call yet in this session"

// bare returns tests that pass.
func bare() files { return files{"a.tests": shellTests("TestOne", "true", "TestTwo", "true")} }

func TestBeforeTheFirstRunNothingIsAnError(t *testing.T) {
	t.Parallel()
	c := newShellSite(t, bare()).connect(t)
	for _, tool := range []string{"last_test_failures", "run_failing_tests", "get_run", "get_test_output"} {
		c.call(t, tool, nil).says(t, seedNoRunYet, false)
	}
}

func TestAPassedRunHasNoFailuresAndNothingToRerun(t *testing.T) {
	t.Parallel()
	clock := newClock()
	c := newShellSite(t, bare(), withClock(clock)).connect(t)
	if r := c.call(t, "run_tests", nil); r.failed || r.str("status") != "passed" || lastLine(r) != "exit: 0" {
		t.Errorf("%s %s", r.texts, r.raw)
	}
	clock.advance(41 * time.Second)
	c.call(t, "last_test_failures", nil).says(t, "last run_tests had no failures (2 tests passed, shell, 41s ago)", false)
	c.call(t, "run_failing_tests", nil).says(t, "last run_tests had no failures — nothing to rerun (shell)", false)
}

func TestNothingToRerunAfterARunOfNothingIsNoLackOfTheParser(t *testing.T) {
	t.Parallel()
	c := newSite(t, files{"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Skip() }\n"}).connect(t)
	c.call(t, "run_tests", nil)
	c.call(t, "run_failing_tests", nil).says(t, "nothing is outstanding, and the last run is not a pass: nothing ran: the only test that ran was skipped (go)", false)
}

func TestARunWithoutACommandIsNoLackOfTheParser(t *testing.T) {
	t.Parallel()
	c := newSite(t, files{"go.mod": "module example.com/m\n\ngo 1.20\n"}, withClock(newClock())).connect(t)
	c.call(t, "run_tests", nil)
	c.call(t, "last_test_failures", nil).says(t, "the last run_tests call recorded no failure and is not a pass: nothing_ran: no test ran (go, 0s ago)", false)
	c.call(t, "run_failing_tests", nil).says(t, "nothing is outstanding, and the last run is not a pass: nothing ran: no test ran (go)", false)
}

// lastLine returns the last line of the first block.
func lastLine(r result) string {
	lines := strings.Split(r.texts[0], "\n")
	return lines[len(lines)-1]
}

func TestFailuresAreListedInBlocks(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := newSite(t, files{"a_test.go": `package m

import "testing"

func TestValidate(t *testing.T) {
	t.Run("empty input", func(t *testing.T) {
		t.Errorf("expected error for empty input, got nil")
	})
}

func TestBaz(t *testing.T) {
	t.Errorf("mismatch\ngot: 5\nwant: 3")
}

func TestGood(t *testing.T) {}
`}, withClock(clock))
	c := s.connect(t)
	run := c.call(t, "run_tests", nil)
	if run.failed || run.str("status") != "failed" || lastLine(run) != "exit: 1" {
		t.Errorf("a red run is a result, and no error of the tool: %q %s", run.texts, run.raw)
	}
	clock.advance(3 * time.Second)
	r := c.call(t, "last_test_failures", nil)
	if want := `2 test failure(s) from last run_tests call (go, 3s ago):

1. example.com/m/TestValidate/empty_input
   a_test.go:7
   expected error for empty input, got nil

2. example.com/m/TestBaz
   a_test.go:12
   mismatch
   --- diff ---
   got: 5
   want: 3`; !slices.Contains(r.texts, want) && !slices.Contains(r.texts, want+"\n") {
		t.Errorf("got\n%s\nwant\n%s", r.text(), want)
	}
	var o struct {
		Total    int `json:"failures_total"`
		Failures []api.Failure
	}
	r.into(t, &o)
	if o.Total != 2 || len(o.Failures) != 2 || o.Failures[1].Line != 12 || o.Failures[1].Diff.Got != "5" {
		t.Errorf("%s", r.raw)
	}
	if message := r.str("message"); message != "2 test failure(s) from last run_tests call (go, 3s ago):" {
		t.Errorf("the message is %q", message)
	}

	again := c.call(t, "run_failing_tests", with{"output": "raw"})
	if lastLine(again) != "exit: 1" || strings.Contains(again.text(), "TestGood") || !strings.Contains(again.text(), `"Test":"TestValidate/empty_input"`) {
		t.Errorf("%q", again.text())
	}
	if command := again.str("command"); !strings.HasPrefix(command, "go test -json -count=1 ") || !strings.Contains(command, "TestBaz") || !strings.Contains(command, "TestValidate") {
		t.Errorf("the command is %q", command)
	}
}

func TestTheRawFormIsThatOfTheSeedDocument(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"README": ""}, withoutGo(), withPlugin(t, fakeOther))
	c := s.connect(t)
	for command, want := range map[string]string{
		"echo to stdout":                             "to stdout\nexit: 0",
		"echo to stderr >&2":                         "--- stderr ---\nto stderr\nexit: 0",
		"echo to stdout; echo to stderr >&2; exit 3": "to stdout\n--- stderr ---\nto stderr\nexit: 3",
		"printf 'no line end'; exit 1":               "no line end\nexit: 1",
		"true":                                       "exit: 0",
	} {
		s.executes(t, command)
		r := c.call(t, "run_tests", with{"output": "raw"})
		// A command that prints nothing passes nothing, and its exit must not hide a red.
		if silent := command == "true"; (len(r.texts) == 1) == silent || r.texts[0] != want || r.str("raw") != want {
			t.Errorf("%q: got %q and %q, want %q", command, r.texts, r.str("raw"), want)
		}
		if !strings.Contains(command, "exit") && r.failed {
			t.Errorf("%q is an error of the tool: %s", command, r.raw)
		}
	}
}

// executes makes the fake plugin execute a command of the shell.
func (s *site) executes(t *testing.T, command string) {
	t.Helper()
	s.write(t, files{fakeplugin.CommandFile: "sh\n-c\n" + command})
}

func TestATimeoutIsAResultWithExit124(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"README": ""}, withoutGo(), withPlugin(t, fakeOther))
	s.executes(t, "echo to stdout; echo to stderr >&2; exec sleep 3600")
	c := s.connect(t)
	r := c.call(t, "run_tests", with{"output": "raw", "timeout": "1"})
	if want := "to stdout\n--- stderr ---\nto stderr\ntimed out after 1s\nexit: 124"; len(r.texts) != 1 || r.texts[0] != want {
		t.Errorf("got %q, want %q", r.texts, want)
	}
	if r.failed || r.str("status") != "timeout" || r.object["exit_code"] != 124.0 || !strings.Contains(r.str("message"), "timed out after 1s") {
		t.Errorf("isError %v: %s", r.failed, r.raw)
	}
	again := c.call(t, "get_run", nil)
	if !strings.HasSuffix(again.texts[0], "timed out after 1s\nexit: 124") {
		t.Errorf("the summary is %q", again.texts)
	}
}

// A language's plugin may be able to run tests but not to parse their output.
func TestALanguageWithoutAParserSaysSo(t *testing.T) {
	t.Parallel()
	clock := newClock()
	c := newSite(t, bare(), withoutGo(), withPlugin(t, fakeMute), withClock(clock)).connect(t)
	if r := c.call(t, "run_tests", with{"output": "raw"}); r.failed || !strings.HasPrefix(r.text(), "go version ") || lastLine(r) != "exit: 0" {
		t.Errorf("%q", r.texts)
	}
	clock.advance(12 * time.Second)
	c.call(t, "last_test_failures", nil).says(t, "no structured failures available for mute (last run_tests 12s ago)", false)
	c.call(t, "run_failing_tests", nil).says(t, "run_failing_tests: mute detector has no structured failures; rerun run_tests manually", false)
}

func TestWithoutAProjectARunIsAnError(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"README.md": "nothing to test\n"})
	if err := os.Remove(filepath.Join(s.dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	c := s.connect(t)
	// Named, so that nothing above it is searched.
	r := c.call(t, "run_tests", with{"workspace": s.dir})
	r.says(t, "no supported project detected in workspace root", true)
	if r.object["code"] != "INVALID_REQUEST" || r.object["retry"] != false {
		t.Errorf("%s", r.raw)
	}
}

func TestAMissingProgramIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	c := newSite(t, bare(), withoutGo(), withPlugin(t, fakeNoTool)).connect(t)
	r := c.call(t, "run_tests", nil)
	if !r.failed || !strings.Contains(r.text(), "no-such-program-for-proctor") || !strings.Contains(r.str("message")+r.str("more")+r.str("run_error")+r.str("reason"), "no-such-program-for-proctor") {
		t.Errorf("isError %v: %q %s", r.failed, r.texts, r.raw)
	}
}

func TestSeveralLanguagesAreNamedAndNoneIsRun(t *testing.T) {
	t.Parallel()
	c := newShellSite(t, bare(), withPlugin(t, fakeOther)).connect(t)
	r := c.call(t, "run_tests", nil)
	if !r.failed || !strings.Contains(r.text(), "other, shell") || !strings.Contains(r.str("message"), "language") {
		t.Errorf("isError %v: %q %s", r.failed, r.texts, r.raw)
	}
	c.call(t, "last_test_failures", nil).says(t, seedNoRunYet, false)
	if r := c.call(t, "run_tests", with{"language": "other"}); r.failed || r.str("language") != "other" {
		t.Errorf("%s", r.raw)
	}
	r = c.call(t, "run_tests", with{"language": "cobol"})
	if !r.failed || !strings.Contains(r.text(), "cobol") || !strings.Contains(r.text(), "shell") {
		t.Errorf("isError %v: %q", r.failed, r.texts)
	}
}

func TestATimeLimitOutOfRangeIsClamped(t *testing.T) {
	t.Parallel()
	s := newSite(t, bare(), withoutGo(), withPlugin(t, fakeOther))
	c := s.connect(t)
	for timeout, want := range map[any]float64{99999: 1800, "1e9": 1800, 1e308: 1800, 0: 300, -5: 300, nil: 300, 700.5: 700.5} {
		r := c.call(t, "run_tests", with{"timeout": timeout})
		if run := s.recorded(t, r.str("run_id")); run.TimeoutS != want {
			t.Errorf("a timeout of %v became %v s, want %v", timeout, run.TimeoutS, want)
		}
	}
}

func TestACountOutOfRangeIsClamped(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestA", bad, "TestB", bad, "TestC", bad)})
	c := s.connect(t)
	c.call(t, "run_tests", nil)
	for limit, want := range map[any]int{5.7: 3, -5: 3, 0: 3, 1e308: 3, "2": 2, 2.9: 2, 1: 1} {
		r := c.call(t, "last_test_failures", with{"limit": limit})
		var o struct{ Failures []api.Failure }
		if r.into(t, &o); len(o.Failures) != want {
			t.Errorf("a limit of %v gave %d failures, want %d", limit, len(o.Failures), want)
		}
	}
	// One test of three; the others stay outstanding.
	r := c.call(t, "run_failing_tests", with{"limit": "1.9", "timeout": 1e308})
	if run := s.recorded(t, r.str("run_id")); len(run.Requested) != 1 || run.TimeoutS != 1800 || r.object["outstanding"] != 3.0 {
		t.Errorf("%s", r.raw)
	}
	if r := c.call(t, "run_failing_tests", with{"limit": -1}); len(s.recorded(t, r.str("run_id")).Requested) != 3 {
		t.Errorf("%s", r.raw)
	}
}

func TestTheSentencesAreThoseOfTheSeeds(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		noRunYet: seedNoRunYet,
		noStructuredFailures("rust", 12*time.Second): "no structured failures available for rust (last run_tests 12s ago)",
		lastHadNoFailures(42, "go", 3*time.Second):   "last run_tests had no failures (42 tests passed, go, 3s ago)",
		rerunUnsupported("node"):                     "run_failing_tests: node detector has no structured failures; rerun run_tests manually",
		nothingToRerun("go"):                         "last run_tests had no failures — nothing to rerun (go)",
	} {
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
