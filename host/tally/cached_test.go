package tally

import (
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// heard lists what a collector told, in order.
type heard struct{ all []string }

func (h *heard) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		text := e.Suite + " " + e.Test + " " + string(e.Status)
		if e.Cached {
			text += " cached"
		}
		if e.Cached && e.DurationS+e.Elapsed.Seconds() > 0 {
			text += " and took time"
		}
		h.all = append(h.all, text)
	case *api.SuiteEnded:
		h.all = append(h.all, e.Suite+" ended")
	}
}

func (h *heard) take() []string {
	all := h.all
	h.all = nil
	return all
}

func ended(suite, test string, status sdk.Status) sdk.TestResult {
	return sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Status: status, Elapsed: time.Second}
}

func TestTheEndOfASuiteSaysWhetherItsResultsAreFromTheCache(t *testing.T) {
	t.Parallel()
	var h heard
	c := NewCollector(&h)
	c.Trusts = func(string) bool { return true }
	c.Test(ended("a", "A", sdk.Passed))
	c.Test(ended("b", "B", sdk.Passed))
	c.Test(ended("a", "A/x", sdk.Skipped))
	c.Test(ended("c", "C", sdk.Passed))
	if early := h.take(); len(early) > 0 {
		t.Errorf("told before it is known: %q", early)
	}
	c.Suite(sdk.SuiteResult{Suite: "a", Outcome: sdk.SuitePassed, Cached: true})
	c.Suite(sdk.SuiteResult{Suite: "b", Outcome: sdk.SuitePassed})
	c.EndCommand()
	want := []string{"a A passed cached", "a A/x skipped cached", "a ended", "b B passed", "b ended", "c C passed", "c ended"}
	if got := h.take(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	n := c.Tally.Ended()
	if n.Passed != 3 || n.Cached != 1 || n.TestsPassed != 3 || n.TestsCached != 1 || n.Skipped != 1 {
		t.Errorf("%+v", n)
	}
}

func TestAnUntrustedSuiteIsReportedOnceItRan(t *testing.T) {
	t.Parallel()
	var h heard
	c := NewCollector(&h)
	c.Trusts = func(suite string) bool { return suite == "ok" }
	for _, suite := range []string{"ok", "a", "b"} {
		c.Test(ended(suite, "T", sdk.Passed))
		c.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuitePassed, Cached: true})
	}
	c.EndCommand()
	if got := h.take(); !slices.Equal(got, []string{"ok T passed cached", "ok ended"}) || !slices.Equal(c.Untrusted(), []string{"a", "b"}) {
		t.Errorf("told %q, untrusted %q", got, c.Untrusted())
	}
	c.Test(ended("a", "T", sdk.Failed)) // the second command did not get to b
	c.Suite(sdk.SuiteResult{Suite: "a", Outcome: sdk.SuiteFailed})
	c.EndCommand()
	told := c.TellUntrusted()
	if got := h.take(); !slices.Equal(got, []string{"a T failed", "a ended", "b T passed cached", "b ended"}) || !slices.Equal(told, []string{"b"}) {
		t.Errorf("told %q, from the cache after all %q", got, told)
	}
	if n := c.Tally.Ended(); n.Tests != 3 || n.Repeats != 0 || n.TestsCached != 2 || n.Failed != 1 {
		t.Errorf("%+v", n)
	}
}

// A red suite from a cache has been told of by its failures, and hides nothing.
func TestARedSuiteFromTheCacheIsReported(t *testing.T) {
	t.Parallel()
	var h heard
	c := NewCollector(&h)
	c.Trusts = func(string) bool { return false }
	c.Test(ended("a", "T", sdk.Failed))
	c.Suite(sdk.SuiteResult{Suite: "a", Outcome: sdk.SuiteFailed, Cached: true})
	if got := h.take(); !slices.Equal(got, []string{"a T failed cached", "a ended"}) || len(c.Untrusted()) > 0 {
		t.Errorf("told %q, untrusted %q", got, c.Untrusted())
	}
}

// Memory does not grow with the results of a suite: what cannot wait counts as cached,
// which proves less.
func TestResultsBeyondThoseThatMayWaitProveNothing(t *testing.T) {
	t.Parallel()
	c := NewCollector()
	c.Trusts = func(string) bool { return true }
	const more = 3
	for range maxWaiting + more {
		c.Test(ended("a", "T", sdk.Passed))
	}
	c.Suite(sdk.SuiteResult{Suite: "a", Outcome: sdk.SuitePassed})
	if n := c.Tally.Ended(); n.Passed != maxWaiting+more || n.Cached != more {
		t.Errorf("%+v", n)
	}
	c = NewCollector()
	c.Trusts, c.Recorded = func(string) bool { return true }, true
	for range maxRecorded + more {
		c.Test(ended("a", "T", sdk.Passed))
	}
	c.Suite(sdk.SuiteResult{Suite: "a", Outcome: sdk.SuitePassed})
	if n := c.Tally.Ended(); n.Passed != maxRecorded+more || n.Cached != 0 {
		t.Errorf("of a recording, which is no evidence: %+v", n)
	}
}
