//go:build unix

package plugin

import (
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// Everything about a run was asked of the plugin as it first described itself.
func TestAPluginThatIsStartedAgainIsTheSame(t *testing.T) {
	f := newFixture(t, "changes-its-mind")
	p := f.start(t)
	kill(t, p, syscall.SIGKILL)
	for range 2 {
		_, err := p.TestCmd(t.Context(), sdk.TestRequest{})
		if _, ok := errors.AsType[*ProtocolError](err); !ok || !strings.Contains(err.Error(), "differently than before") {
			t.Fatalf("another plugin goes on in its place: %v", err)
		}
	}
	if !p.Stopped() {
		t.Error("it does not say that it is no longer usable")
	}
}

// guarded returns what a plugin reports through the guard, given this many bytes of
// output.
func guarded(sent int, report func(eventGuard)) (got []any, exceeded string) {
	sink, b := &anySink{}, &budget{exceeded: func(what string) { exceeded += what }}
	b.earn(int64(sent))
	report(eventGuard{sink: sink, gate: gate{restingWatch(), b}, violated: func(v *violation) { exceeded += v.reason }})
	return sink.got, exceeded
}

// An overflowing sum of unread bytes is negative, which does no harm.
func TestMoreThanWasSentCannotGoUnread(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int64{math.MaxInt64, math.MaxInt64 / 2, -1, math.MinInt64} {
		got, _ := guarded(40, func(g eventGuard) { g.Unread(sdk.Unread{Bytes: bytes, Damaged: true}) })
		if u := got[0].(sdk.Unread); u.Bytes < 0 || u.Bytes > 40 || !u.Damaged {
			t.Errorf("%d became %+v", bytes, u)
		}
	}
}

func TestAnErrorWithoutATextIsOne(t *testing.T) {
	t.Parallel()
	if got, _ := guarded(40, func(g eventGuard) { g.RunError("") }); got[0] == "" {
		t.Error("the runner's error is lost")
	}
}

func TestATestDoesNotEndBeforeItBegan(t *testing.T) {
	t.Parallel()
	got, _ := guarded(40, func(g eventGuard) {
		g.Test(sdk.TestResult{TestID: sdk.TestID{Test: "t"}, Status: sdk.Passed, Elapsed: math.MinInt64})
	})
	if took := got[0].(sdk.TestResult).Elapsed; took != 0 {
		t.Errorf("it took %v", took)
	}
}

// A few bytes of output do not justify a gigabyte on record.
func TestTextIsBoundedByTheOutputThatItIsAbout(t *testing.T) {
	t.Parallel()
	failure := sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Output: strings.Repeat("o", sdk.MaxOutput)}
	report := func(g eventGuard) {
		for range 2 * freeText / sdk.MaxOutput {
			g.Failure(failure)
		}
	}
	got, exceeded := guarded(40, report)
	if n := len(got); n >= freeText/sdk.MaxOutput+1 || n == 0 || strings.Count(exceeded, "bytes of text") != 1 {
		t.Errorf("%d failures arrived: %q", n, exceeded)
	}
	got, exceeded = guarded(2*freeText, report)
	if len(got) != 2*freeText/sdk.MaxOutput || exceeded != "" {
		t.Errorf("%d failures of as much output arrived: %q", len(got), exceeded)
	}
	got, exceeded = guarded(40, func(g eventGuard) {
		for range 2 * freeText / sdk.MaxName {
			g.budget.earn(1) // else there are too many events
			g.Suite(sdk.SuiteResult{Suite: strings.Repeat("s", sdk.MaxName)})
		}
	})
	if n := len(got); n == 2*freeText/sdk.MaxName || n == 0 || strings.Count(exceeded, "bytes of text") != 1 {
		t.Errorf("%d suites arrived: %q", n, exceeded)
	}
	if n := textOf(sdk.TestResult{Attributes: map[string]string{"k": "value"}, Measures: []sdk.Measure{{Name: "gas"}}}); n != 9 {
		t.Errorf("a result has %d bytes", n)
	}
}
