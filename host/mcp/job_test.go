package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/sdk"
)

func TestAClientThatChoseHowLongToWaitIsNotConsideredGone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	j := newJob(task{}, "", ctx, func(error) {})
	cancel()
	j.removeFollower(ctx, false, time.Hour)
	if !j.abandoned || j.lease == nil {
		t.Fatal("a call that was cut off leaves no lease")
	}
	if j.letContinue(); j.abandoned || j.lease != nil {
		t.Error("the lease goes on")
	}
}

// However many cancel at once, the last one stops the job, and nobody joins it from then on.
func TestTheLastToCancelStopsTheJob(t *testing.T) {
	t.Parallel()
	hungUp, hangUp := context.WithCancel(t.Context())
	hangUp()
	begin := func() *job {
		ctx, stop := context.WithCancelCause(t.Context())
		return newJob(task{}, "", ctx, stop)
	}
	j := begin()
	if !j.addFollower() {
		t.Error("a job in progress cannot be followed")
	}
	if j.removeFollower(hungUp, true, time.Hour); j.isStopping() {
		t.Fatal("it was stopped, and another call waits for it")
	}
	if j.removeFollower(hungUp, true, time.Hour); !j.isStopping() || j.addFollower() {
		t.Error("the last one did not stop it, or it can still be followed")
	}
	if j.finish(outcome{}, nil, true); j.addFollower() {
		t.Error("its end can be followed")
	}
	j = begin()
	j.finish(outcome{}, nil, false)
	if j.stop(nil); !j.addFollower() {
		t.Error("what ended by itself cannot be followed")
	}
}

func TestAWaitForARunOfAnotherSessionIsReported(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	one, two := s.connect(t), s.connect(t)
	release := s.hold(t)
	id := one.running(t, s, nil)
	waiting := two.begin(t, "get_run", with{"run_id": id, "wait": 60}, "token")
	until(t, "progress", func() bool {
		for _, p := range two.heard() {
			if strings.Contains(p.Message, "run "+id+" of session client1 is running") {
				return true
			}
		}
		return false
	})
	release()
	if r := waiting.answer(t); r.str("status") != "failed" {
		t.Errorf("%s", r.raw)
	}
}

// Before its first command a run can be stopped without a trace, whatever it was doing.
func TestARunThatIsStoppedBeforeItBeganLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, bare(), withoutGo(), withPlugin(t, fakeHang))
	c := s.connect(t)
	id := c.call(t, "run_tests", with{"wait": 0, "workspace": s.dir}).str("run_id")
	r := c.call(t, "cancel_run", nil)
	if r.failed || r.str("status") != "cancelled" || r.str("run_id") != id || !strings.Contains(r.text(), "was stopped before it began: nothing was run") {
		t.Errorf("isError %v: %q %s", r.failed, r.texts, r.raw)
	}
	c.call(t, "get_run", with{"workspace": s.dir}).says(t, seedNoRunYet, false)
}

func TestARerunThatIsStoppedAtOnceAddsNothing(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestBad", bad)})
	c := s.connect(t)
	c.call(t, "run_tests", nil)
	c.call(t, "run_failing_tests", with{"wait": 0})
	if r := c.call(t, "cancel_run", nil); r.failed || r.str("status") == "tool_error" {
		t.Errorf("isError %v: %q %s", r.failed, r.texts, r.raw)
	}
	left, err := query.Outstanding(t.Context(), s.keeper, api.OutstandingRequest{Where: api.Where{Dir: s.dir, Exact: true}})
	if err != nil || left.Total != 1 {
		t.Errorf("%+v, %v", left, err)
	}
}

func TestARerunTakesTheLanguageOfWhatIsOutstanding(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestBad", bad)}, withPlugin(t, fakeOther))
	c := s.connect(t)
	c.call(t, "run_tests", with{"language": fakeShell})
	if r := c.call(t, "run_tests", with{"language": fakeOther}); r.str("status") != "passed" {
		t.Fatalf("%s", r.raw)
	}
	if r := c.call(t, "run_failing_tests", nil); r.str("status") != "failed" || r.str("language") != fakeShell {
		t.Errorf("%q %s", r.texts, r.raw)
	}
	// A call that names another language finds it.
	r := c.call(t, "run_failing_tests", with{"language": fakeOther})
	r.says(t, "last run_tests had no failures — nothing to rerun (other)", false)
	if want := "outstanding in shell, too: 1 test; run_failing_tests{\"language\":\"shell\"} runs them"; !strings.Contains(r.text(), want) || !strings.Contains(r.str("more"), want) {
		t.Errorf("%q %s", r.texts, r.raw)
	}
}

// What another session left in another language is outstanding, too: an agent must not read
// "nothing is outstanding" as a word about the workspace.
func TestARerunSaysWhatIsOutstandingInALanguageOfAnotherSession(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestBad", bad)}, withPlugin(t, fakeOther))
	s.connect(t).call(t, "run_tests", with{"language": fakeShell})

	c := s.connect(t)
	c.call(t, "run_tests", with{"language": fakeOther})
	r := c.call(t, "run_failing_tests", nil)
	r.says(t, "last run_tests had no failures — nothing to rerun (other)", false)
	if want := "outstanding in shell, too: 1 test; run_tests{\"language\":\"shell\"} runs them"; !strings.Contains(r.text(), want) || !strings.Contains(r.str("more"), want) {
		t.Errorf("%q %s", r.texts, r.raw)
	}

	// A pass of what was outstanding is a word about its language, too.
	led, err := ledger.OpenSetsAt(t.Context(), s.keeper, api.Where{Dir: s.dir, Exact: true})
	if err == nil {
		_, err = led.UpdateOutstanding(t.Context(), "third", func(set outstanding.Set) outstanding.Set {
			set.Entries = []outstanding.Entry{{TestID: sdk.TestID{Suite: "s", Test: "t"}, Reason: outstanding.ReasonFailed}}
			return set
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, files{"a.tests": shellTests("TestBad", "true")})
	c.call(t, "run_tests", with{"language": fakeShell, "filter": "None"})
	r = c.call(t, "run_failing_tests", with{"language": fakeShell})
	for _, want := range []string{"nothing is outstanding in shell any more", "outstanding in third, too: 1 test"} {
		if r.str("status") != "passed" || !strings.Contains(r.text(), want) || !strings.Contains(r.str("message"), want) {
			t.Errorf("no %q: %q %s", want, r.texts, r.raw)
		}
	}
}

func TestAnUploadNeedsNoProject(t *testing.T) {
	t.Parallel()
	s := &Server{cfg: Config{Place: directory.Server{Dir: "/here"}}}
	c := &call{session: &session{server: s}}
	if got, err := placeAround(c, api.Where{Dir: "/ws", Exact: true}, nil); err != nil || got != (api.Where{Dir: "/ws"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := placeAround(c, api.Where{}, &noPlaceError{}); err != nil || got != (api.Where{Dir: "/here"}) {
		t.Errorf("%+v, %v", got, err)
	}
	s.cfg.Place.Allowed = []string{"/only"}
	if got, err := placeAround(c, api.Where{Dir: "/only", Exact: true}, nil); err != nil || !got.Exact {
		t.Errorf("%+v, %v: it can be looked for outside of what is allowed", got, err)
	}
}
