package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestMoreFailuresThanFitAreOnFurtherPages(t *testing.T) {
	t.Parallel()
	const total = 120
	var many []string
	for i := range total {
		many = append(many, fmt.Sprintf("TestMany/case%03d", i), fmt.Sprintf("echo failed; echo %01500d; false", i))
	}
	s := newShellSite(t, files{"m.tests": shellTests(many...)})
	c := s.connect(t)
	run := c.call(t, "run_tests", nil)
	seen := map[string]bool{}
	pages := 0
	for offset := 0.0; pages < total; pages++ {
		r := c.call(t, "last_test_failures", map[string]any{"limit": 50, "offset": offset})
		var o failuresObject
		r.into(t, &o)
		if o.FailuresTotal != total || o.RunID != run.str("run_id") || o.Verdict != api.Failed {
			t.Fatalf("%d of run %s", o.FailuresTotal, o.RunID)
		}
		for _, f := range o.Failures {
			seen[f.Test] = true
			if !strings.Contains(r.text(), ". m/"+f.Test+"\n") {
				t.Errorf("the text lacks %s", f.Test)
			}
		}
		if o.NextOffset == 0 {
			break
		}
		offset = float64(o.NextOffset)
	}
	if len(seen) != total || pages != 2 {
		t.Errorf("%d of %d failures on %d pages", len(seen), total, pages)
	}
	r := c.call(t, "last_test_failures", map[string]any{"limit": 2, "offset": 118})
	if !strings.Contains(r.text(), "120. m/TestMany/case119") || r.object["next_offset"] != nil {
		t.Errorf("the last page is %q", r.text())
	}
	r = c.call(t, "last_test_failures", map[string]any{"offset": 1000})
	if !strings.HasPrefix(r.text(), "120 test failure(s)") || !strings.Contains(r.text(), "no failure is on record at or after offset 1000") {
		t.Errorf("beyond the last: %q", r.text())
	}
}

func TestTheFailuresOfEachLanguageAreReported(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestRed", bad)}, withPlugin(t, fakeOther))
	c := s.connect(t)
	c.call(t, "run_tests", map[string]any{"language": fakeShell})
	c.call(t, "run_tests", map[string]any{"language": "other"})
	r := c.call(t, "last_test_failures", nil)
	var o failuresOfEach
	r.into(t, &o)
	if o.FailuresTotal != 1 || len(o.Runs) != 2 || o.Runs[1].Language != fakeShell || len(o.Runs[1].Failures) != 1 || o.Runs[0].Verdict != api.Passed {
		t.Errorf("%s", r.raw)
	}
	if text := r.text(); !strings.Contains(text, "1 test failure(s) from last run_tests call (shell, ") || !strings.Contains(text, "last run_tests had no failures (1 tests passed, other, ") {
		t.Errorf("%q", text)
	}
	one := c.call(t, "last_test_failures", map[string]any{"language": "other"})
	if one.object["failures_total"] != 0.0 || !strings.HasPrefix(one.str("message"), "last run_tests had no failures") {
		t.Errorf("%s", one.raw)
	}
	// Another session has no run, but learns what this one left.
	other := s.connect(t)
	none := other.call(t, "last_test_failures", nil)
	none.says(t, seedNoRunYet, false)
	if !strings.Contains(none.str("more"), "last_test_failures{\"run_id\":\"") {
		t.Errorf("%s", none.raw)
	}
	id := o.Runs[1].RunID
	named := other.call(t, "last_test_failures", map[string]any{"run_id": id})
	if !strings.HasPrefix(named.text(), fmt.Sprintf("1 test failure(s) from run %s (shell, ", id)) {
		t.Errorf("%q", named.text())
	}
	unknown := c.call(t, "last_test_failures", map[string]any{"run_id": "zzzz"})
	if !unknown.failed || strings.Contains(unknown.text(), "`proctor") {
		t.Errorf("%v %q", unknown.failed, unknown.text())
	}
}

func TestDuringARunTheLastFinishedOneIsReported(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestRed", bad, "TestHeld", held)})
	c := s.connect(t)
	first := c.call(t, "run_tests", nil)
	release := s.hold(t)
	second := c.call(t, "run_tests", map[string]any{"wait": 0})
	id := second.str("run_id")
	until(t, "a test that waits", s.isHeld)
	r := c.call(t, "last_test_failures", nil)
	if r.str("run_id") != first.str("run_id") || r.str("running") != id || r.object["failures_total"] != 1.0 {
		t.Errorf("%s", r.raw)
	}
	if !strings.Contains(r.text(), "run "+id+" is still running: get_run shows it") {
		t.Errorf("%q", r.texts)
	}
	going := c.call(t, "last_test_failures", map[string]any{"run_id": id})
	if !strings.HasPrefix(going.text(), "run "+id+" is still running") || going.str("verdict") != "" {
		t.Errorf("%q %s", going.texts, going.raw)
	}
	release()
	if r := c.call(t, "get_run", map[string]any{"run_id": id, "wait": 60}); r.str("status") != "failed" {
		t.Errorf("%s", r.raw)
	}
}
