package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// alike returns failures at one place with long messages that differ in one line.
func alike(n int) []api.Failure {
	var all []api.Failure
	for i := range n {
		message := strings.Repeat("the same\n", 15) + fmt.Sprintf("- %d\n+ %d\n", i, i+1) + strings.Repeat("the same\n", 15)
		all = append(all, api.Failure{ID: fmt.Sprintf("%012x", i), Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprintf("T/%d", i)}, Kind: "assertion", Location: sdk.Location{File: "a_test.go", Line: 7}, Message: message,
			Diff: sdk.Diff{Got: message, Want: message, Text: message}, Attributes: map[string]string{"trace": message},
		}})
	}
	return all
}

func TestManyFailuresAtOnePlaceAreShortened(t *testing.T) {
	t.Parallel()
	const n = 50
	page := newFailuresPage(api.FailuresPage{Recorded: n, Run: api.Run{RunID: "r", Language: "go", Verdict: api.Failed, FailuresTotal: n, Failures: alike(n)}})
	a := page.answer(n)
	raw, err := prose.JSON(a.object)
	if text := strings.Join(a.text, "\n"); err != nil || len(text) > 40<<10 || len(raw) > 40<<10 || !strings.Contains(text, "from the third failure at one place on") {
		t.Errorf("%d and %d bytes, %v; %q", len(text), len(raw), err, a.text[len(a.text)-1])
	}
	o := a.object.(failuresObject)
	for i, f := range o.Failures {
		if i < 2 && f.Message != alike(n)[i].Message {
			t.Errorf("failure %d is cut: %q", i, f.Message)
		}
		if i >= 2 && (len(f.Message) > limits.RepeatedBytes+40 || !strings.Contains(f.Message, fmt.Sprintf("- %d\n+ %d\n", i, i+1)) || !strings.Contains(f.Message, "[cut: ")) {
			t.Errorf("failure %d is %q", i, f.Message)
		}
	}
	if !strings.Contains(o.More, "from the third failure at one place on") {
		t.Errorf("the object does not say it: %q", o.More)
	}
	// Short ones, and those at other places, are complete.
	short := alike(5)
	for i := range short {
		short[i].Line = i
	}
	if _, from := limitFailures(short); from != len(short) {
		t.Errorf("failure %d at a place of its own is cut", from)
	}
	whole := page.answer(2)
	if strings.Contains(strings.Join(whole.text, "\n"), "from the third") {
		t.Errorf("%q", whole.text)
	}
}

func TestFailuresOfARunThatDidNotFinishSaySo(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestSlow", "sleep 60", "TestZ", "true")})
	c := s.connect(t)
	c.call(t, "run_tests", with{"timeout": 1})
	r := c.call(t, "last_test_failures", nil)
	if r.str("status") != "timeout" || r.object["counts"] == nil || r.object["outstanding"] == 0.0 {
		t.Errorf("%s", r.raw)
	}
	// On a busy machine time runs out before the first test has begun.
	told := regexp.MustCompile(`(?s)timed out.*[12] tests? (never started|without a result)`)
	for _, text := range []string{r.text(), r.str("more")} {
		if !told.MatchString(text) || !strings.Contains(text, "outstanding") {
			t.Errorf("the end of the run is not told: %q", text)
		}
	}
}

func TestFailuresOfAPassSayWhatIsStillOutstanding(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestRed", bad, "TestGood", "true")})
	c := s.connect(t)
	c.call(t, "run_tests", nil)
	c.call(t, "run_tests", with{"filter": "TestGood"})
	r := c.call(t, "last_test_failures", nil)
	if !strings.HasPrefix(r.texts[0], "last run_tests had no failures (1 tests passed, shell, ") || r.object["outstanding"] != 1.0 {
		t.Errorf("%q %s", r.texts, r.raw)
	}
	for _, text := range []string{r.text(), r.str("more")} {
		if !strings.Contains(text, "1 test still outstanding: run_failing_tests") {
			t.Errorf("what is outstanding is not told: %q", text)
		}
	}
}

// An older run never replaces the last one, even if that one's record is gone.
func TestFailuresOfARunWhoseRecordIsGoneAreReported(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestGood", "true", "TestRed", bad)})
	c := s.connect(t)
	c.call(t, "run_tests", with{"filter": "TestGood"})
	run := c.call(t, "run_tests", nil).str("run_id")
	if err := os.RemoveAll(filepath.Join(s.dir, ".proctor")); err != nil {
		t.Fatal(err)
	}
	for _, args := range []with{nil, {"run_id": run}} {
		r := c.call(t, "last_test_failures", args)
		if r.failed || r.str("run_id") != run || r.object["failures_total"] != 1.0 || !strings.Contains(r.text(), "TestRed") {
			t.Errorf("%v: %q", args, r.texts)
		}
		if r := c.call(t, "get_test_output", args); r.failed || !strings.Contains(r.text(), run+" is ") || !strings.Contains(r.text(), "on record") {
			t.Errorf("%v: %q", args, r.texts)
		}
	}
}

// Sources that came with a call leave no record, but are the last run.
func TestFailuresOfARunThatWasNeverOnRecordAreReported(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestGood", "true")})
	session := s.server.session(s.keeper)
	defer session.end()
	c := &call{session: session, args: []byte("{}")}
	where, err := c.findWhere(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	run := func(id string, upload bool) {
		session.jobs.start(task{id: id, where: where, args: id, tests: true}, func(ctx context.Context, l api.Listener) (outcome, error) {
			if upload {
				failed := api.Run{RunID: id, Language: fakeShell, Verdict: api.Failed, StartedAt: time.Now(), FailuresTotal: 1, Failures: alike(1), State: api.StateFinished}
				return outcome{run: &failed}, nil
			}
			recorded, err := engine.Run(ctx, s.keeper, api.RunRequest{Where: where, RunID: id}, l)
			if err != nil {
				return outcome{}, err
			}
			return outcome{run: &recorded[0]}, nil
		}, nil)
		session.jobs.drain()
	}
	run("recorded01", false)
	for _, id := range []string{"upload0001", "upload0002"} {
		run(id, true)
		a, err := handleLastTestFailures(t.Context(), c, lastTestFailuresArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if o := a.object.(failuresObject); o.RunID != id || o.FailuresTotal != 1 || o.Verdict != api.Failed || !strings.Contains(strings.Join(a.text, "\n"), "run "+id+" is not on record") {
			t.Errorf("%q %+v", a.text, o)
		}
		out, err := handleGetTestOutput(t.Context(), c, getTestOutputArgs{})
		if err != nil || !strings.Contains(out.text[0], "run "+id+" is not on record") {
			t.Errorf("%q, %v", out.text, err)
		}
	}
	// By name both can be found.
	for id, total := range map[string]int{"recorded01": 0, "upload0001": 1} {
		a, err := handleLastTestFailures(t.Context(), c, lastTestFailuresArgs{FailuresRequest: api.FailuresRequest{LastRun: api.LastRun{Ref: id}}})
		if err != nil || a.object.(failuresObject).RunID != id || a.object.(failuresObject).FailuresTotal != total {
			t.Errorf("%s: %+v, %v", id, a.object, err)
		}
	}
}

func TestAPassWithFlakyTestsIsGivenItsReason(t *testing.T) {
	t.Parallel()
	run := api.Run{RunID: "r", State: api.StateFinished, Verdict: api.Passed, Reason: "1 flaky: failed, then passed when retried (allowed by the settings: x has uncommitted changes)", FailuresTotal: 1, Failures: make([]api.Failure, 1)}
	run.Counts.Flaky = 1
	o, ok := newFailuresPage(api.FailuresPage{Run: run}).answer(1).object.(failuresObject)
	if !ok || o.Reason != run.Reason {
		t.Errorf("reason %q", o.Reason)
	}
}
