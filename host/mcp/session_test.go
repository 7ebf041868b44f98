package mcp

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// heldTree has a failing test, and one that waits as long as the site holds it.
func heldTree() files {
	return files{"a.tests": shellTests("TestBad", bad, "TestHeld", held)}
}

// arguments of calls.
type with map[string]any

// running starts a run that waits, and returns its id.
func (c *client) running(t *testing.T, s *site, args with) string {
	t.Helper()
	all := with{"wait": 0}
	for name, value := range args {
		all[name] = value
	}
	r := c.call(t, "run_tests", all)
	id := r.str("run_id")
	if r.failed || r.str("status") != "running" || id == "" || !strings.Contains(r.str("message"), id) || !strings.Contains(r.text(), id) {
		t.Fatalf("%q %s", r.texts, r.raw)
	}
	until(t, "a test that waits", s.isHeld)
	return id
}

func TestEachClientHasALastRunOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestBad", bad, "TestGood", "true")})
	one, two := s.connect(t), s.connect(t)
	id := one.call(t, "run_tests", nil).str("run_id")
	for _, tool := range []string{"last_test_failures", "run_failing_tests"} {
		r := two.call(t, tool, nil)
		r.says(t, seedNoRunYet, false)
		// The outstanding tests are reported nevertheless.
		if !strings.Contains(r.text(), id) || !strings.Contains(r.str("more"), id) {
			t.Errorf("%s does not lead to run %s: %q", tool, id, r.texts)
		}
	}
	// By name, anybody can get a run.
	if r := two.call(t, "get_run", with{"run_id": id}); r.str("status") != "failed" {
		t.Errorf("%s", r.raw)
	}
	if r := two.call(t, "last_test_failures", with{"run_id": id}); !strings.Contains(r.text(), "TestBad") {
		t.Errorf("%q", r.texts)
	}
	if r := two.call(t, "run_tests", with{"filter": "TestGood"}); r.str("status") != "passed" {
		t.Errorf("%s", r.raw)
	}
	if r := one.call(t, "get_run", nil); r.str("run_id") != id {
		t.Errorf("the run of another client became the last one: %s", r.raw)
	}
}

func TestARunInProgressIsSeenByOthers(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	one, two := s.connect(t), s.connect(t)
	before := one.call(t, "run_tests", with{"filter": "TestBad"}).str("run_id")
	release := s.hold(t)
	id := one.running(t, s, nil)
	// Reads never wait, and report the last run that has ended.
	r := one.call(t, "last_test_failures", nil)
	if r.str("run_id") != before || r.str("running") != id || !strings.Contains(r.text(), "run "+id+" is still running") {
		t.Errorf("%q %s", r.texts, r.raw)
	}
	for _, c := range []*client{one, two} {
		if r := c.call(t, "get_run", with{"run_id": id}); r.str("status") != "running" || !strings.Contains(r.text(), "is running") {
			t.Errorf("%q %s", r.texts, r.raw)
		}
	}
	waiting := two.begin(t, "get_run", with{"run_id": id, "wait": 60}, nil)
	release()
	if r := waiting.answer(t); r.str("status") != "failed" || r.str("run_id") != id {
		t.Errorf("%s", r.raw)
	}
}

func TestTheSameCallAgainIsTheSameRun(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	release := s.hold(t)
	c := s.connect(t)
	first := c.begin(t, "run_tests", nil, nil)
	until(t, "a test that waits", s.isHeld)
	// However long the call wants to wait, and whatever it wants to see.
	again := c.call(t, "run_tests", with{"wait": "0.01", "timeout": 20})
	id := again.str("run_id")
	if again.str("status") != "running" || !strings.Contains(again.text(), "the same call started") {
		t.Errorf("%q %s", again.texts, again.raw)
	}
	third := c.begin(t, "run_tests", with{"output": "raw"}, nil)
	release()
	a, b := first.answer(t), third.answer(t)
	if a.str("run_id") != id || b.str("run_id") != id || a.str("status") != "failed" || b.str("raw") == "" {
		t.Errorf("run %s: %s %s", id, a.raw, b.raw)
	}
	if next := c.call(t, "run_tests", nil); next.str("run_id") == id {
		t.Error("a run that has ended was given for a new one")
	}
}

func TestOneRunWaitsForAnother(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree(), withLease(0, 10*time.Millisecond))
	one, two := s.connect(t), s.connect(t)
	release := s.hold(t)
	id := one.running(t, s, nil)
	// Another selection by this client, and the same one by another client.
	behind := one.begin(t, "run_tests", with{"filter": "TestBad"}, "behind")
	other := two.begin(t, "run_tests", nil, "other")
	for _, c := range []*client{one, two} {
		until(t, "a run that waits", func() bool {
			r := c.call(t, "get_run", nil)
			return r.str("status") == "queued" && r.str("waits_for") == id && strings.Contains(r.text(), "waiting for run "+id)
		})
		until(t, "progress that says for whom", func() bool {
			for _, p := range c.heard() {
				if strings.Contains(p.Message, "waiting for run "+id+" of session client1") {
					return true
				}
			}
			return false
		})
	}
	release()
	a, b := behind.answer(t), other.answer(t)
	if a.str("status") != "failed" || b.str("status") != "failed" || a.str("run_id") == b.str("run_id") || a.str("run_id") == id {
		t.Errorf("%s %s", a.raw, b.raw)
	}
	// None of them ran in parallel with another.
	runs := []api.Run{s.recorded(t, id), s.recorded(t, a.str("run_id")), s.recorded(t, b.str("run_id"))}
	for i, x := range runs {
		for _, y := range runs[i+1:] {
			if x.StartedAt.Before(ended(y)) && y.StartedAt.Before(ended(x)) {
				t.Errorf("%s (%v to %v) ran beside %s (%v to %v)", x.RunID, x.StartedAt, ended(x), y.RunID, y.StartedAt, ended(y))
			}
		}
	}
}

func ended(r api.Run) time.Time {
	return r.StartedAt.Add(time.Duration(r.DurationS * float64(time.Second)))
}

func TestARunCanBeStopped(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	one, two := s.connect(t), s.connect(t)
	one.call(t, "cancel_run", nil).says(t, "no run of this session is running: nothing was stopped", false)
	defer s.hold(t)()
	id := one.running(t, s, nil)
	if r := two.call(t, "cancel_run", with{"run_id": id}); !r.failed || !strings.Contains(r.text(), "belongs to session client1") {
		t.Errorf("%q", r.texts)
	}
	// A waiting one has nothing to keep.
	behind := one.call(t, "run_tests", with{"filter": "TestBad", "wait": 0}).str("run_id")
	until(t, "a run that waits", func() bool { return one.call(t, "get_run", nil).str("status") == "queued" })
	r := one.call(t, "cancel_run", nil)
	if r.str("run_id") != behind || r.str("status") != "cancelled" || r.failed || !strings.Contains(r.text(), "nothing was run") {
		t.Errorf("isError %v: %q %s", r.failed, r.texts, r.raw)
	}
	// The results of a running one are kept.
	r = one.call(t, "cancel_run", with{"run_id": id})
	if r.str("run_id") != id || r.str("status") != "cancelled" || r.failed || !strings.Contains(r.text(), "cancelled") || !strings.Contains(r.text(), "TestBad") {
		t.Errorf("isError %v: %q %s", r.failed, r.texts, r.raw)
	}
	if r := one.call(t, "last_test_failures", with{"run_id": id}); !strings.Contains(r.text(), "TestBad") {
		t.Errorf("what had failed is gone: %q", r.texts)
	}
	if r := one.call(t, "cancel_run", with{"run_id": id}); r.failed || !strings.Contains(r.text(), "had already ended: nothing was stopped") {
		t.Errorf("%q", r.texts)
	}
	if run := s.recorded(t, id); !run.Cancelled || run.Outstanding != 2 {
		t.Errorf("on record: cancelled %v, %d outstanding", run.Cancelled, run.Outstanding)
	}
}

// A client's own time limit cancels the call. The run goes on, and nothing is lost.
func TestAClientThatCancelsItsCallLosesNothing(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	c := s.connect(t)
	release := s.hold(t)
	call := c.begin(t, "run_tests", nil, nil)
	until(t, "a test that waits", s.isHeld)
	call.cancel()
	<-call.done
	if !errors.Is(call.err, context.Canceled) {
		t.Errorf("the call ended with %v", call.err)
	}
	r := c.call(t, "get_run", nil)
	id := r.str("run_id")
	if r.str("status") != "running" || id == "" {
		t.Errorf("%s", r.raw)
	}
	waiting := c.begin(t, "get_run", with{"wait": "60"}, nil)
	release()
	if r := waiting.answer(t); r.str("run_id") != id || r.str("status") != "failed" {
		t.Errorf("%s", r.raw)
	}
	if r := c.call(t, "last_test_failures", nil); r.str("run_id") != id {
		t.Errorf("%s", r.raw)
	}
}

func TestARunWithoutACallerEnds(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree(), withLease(20*time.Millisecond, time.Second))
	c := s.connect(t)
	defer s.hold(t)()
	call := c.begin(t, "run_tests", nil, nil)
	until(t, "a test that waits", s.isHeld)
	call.cancel()
	<-call.done
	// Asking through the client would count as wanting it.
	until(t, "the end of the run", func() bool { return s.latest(t).State == api.StateFinished })
	r := c.call(t, "get_run", with{"wait": 60})
	if r.str("status") != "cancelled" || !strings.Contains(r.text(), "cancelled") || !strings.Contains(r.text(), "TestBad") {
		t.Errorf("%q %s", r.texts, r.raw)
	}
	for _, text := range []string{r.text(), r.str("message")} {
		if !strings.Contains(text, "the call that waited for it was cut off") {
			t.Errorf("%q", text)
		}
	}
}

// A client that asked once and never comes back must not keep the workspace busy.
func TestAskingRenewsTheLease(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree(), withLease(50*time.Millisecond, time.Second))
	c := s.connect(t)
	defer s.hold(t)()
	call := c.begin(t, "run_tests", nil, nil)
	until(t, "a test that waits", s.isHeld)
	call.cancel()
	<-call.done
	if r := c.call(t, "get_run", nil); r.str("status") != "running" && r.str("status") != "cancelled" {
		t.Errorf("%s", r.raw)
	}
	until(t, "the end of the run", func() bool { return s.latest(t).State == api.StateFinished })
}

func TestAnUnknownRunIsAnError(t *testing.T) {
	t.Parallel()
	c := newShellSite(t, bare()).connect(t)
	for _, when := range []string{"before", "after"} {
		for _, tool := range []string{"get_run", "cancel_run", "last_test_failures", "run_failing_tests", "get_test_output"} {
			r := c.call(t, tool, with{"run_id": "nosuchrun0"})
			if !r.failed || !strings.Contains(r.text(), "nosuchrun0") || !strings.Contains(r.str("message"), "nosuchrun0") {
				t.Errorf("%s %s any run: isError %v: %q", tool, when, r.failed, r.texts)
			}
		}
		c.call(t, "run_tests", nil)
	}
}

func TestACallWaitsAsLongAsItIsTold(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	c := s.connect(t)
	release := s.hold(t)
	id := c.running(t, s, with{"wait": "0.05"})
	for _, wait := range []any{nil, 0, "0.05", -7, -1e308} {
		if r := c.call(t, "get_run", with{"wait": wait}); r.str("status") != "running" || r.str("run_id") != id {
			t.Errorf("wait %v: %s", wait, r.raw)
		}
	}
	long := c.begin(t, "get_run", with{"wait": 1e308}, nil)
	forever := c.begin(t, "run_tests", with{"wait": "99999"}, nil)
	release()
	for _, p := range []*pending{long, forever} {
		if r := p.answer(t); r.str("status") != "failed" || r.str("run_id") != id {
			t.Errorf("%s", r.raw)
		}
	}
}

func TestTheEndOfASessionStopsItsRuns(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	one, two := s.connect(t), s.connect(t)
	defer s.hold(t)()
	id := one.running(t, s, nil)
	queued := one.call(t, "run_tests", with{"filter": "TestBad", "wait": 0}).str("run_id")
	one.hangUp(t)
	if run := s.recorded(t, id); run.State != api.StateFinished || !run.Cancelled {
		t.Errorf("the run is %s, cancelled %v, when its server has ended", run.State, run.Cancelled)
	}
	if r := two.call(t, "get_run", with{"run_id": queued}); !r.failed {
		t.Errorf("what waited has run: %s", r.raw)
	}
	if r := two.call(t, "run_tests", with{"filter": "TestBad"}); r.str("status") != "failed" {
		t.Errorf("the workspace stayed busy: %s", r.raw)
	}
}

func TestProgressGrowsAndEndsWithTheRun(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree(), withLease(0, 10*time.Millisecond))
	c := s.connect(t)
	release := s.hold(t)
	call := c.begin(t, "run_tests", nil, "token")
	const enough = 5
	until(t, "a few beats", func() bool {
		n := 0
		for _, p := range c.heard() {
			if strings.Contains(p.Message, "1 failed") && strings.Contains(p.Message, "TestHeld") {
				n++
			}
		}
		return n >= enough
	})
	release()
	call.answer(t)
	beats := c.heard()
	last := -1.0
	for _, p := range beats {
		if p.ProgressToken != "token" || p.Progress <= last || p.Message == "" {
			t.Errorf("after %v: %+v", last, p)
		}
		last = p.Progress
	}
	// A call without a token receives nothing.
	c.call(t, "run_tests", with{"filter": "TestBad"})
	if n := len(c.heard()); n != len(beats) {
		t.Errorf("%d messages came when nobody waited for any", n-len(beats))
	}
}

// A server may wait for its next call for hours.
func TestMemoryIsGivenBackAfterACall(t *testing.T) {
	s := newSite(t, files{})
	collected := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	before := collected()
	s.connect(t).call(t, "workspace_info", nil)
	if s.server.rest.Stop() { // else it has done so already
		s.server.rest.Reset(0)
	}
	for end := time.Now().Add(patience); collected() == before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no collection within %v", patience)
		}
	}
}
