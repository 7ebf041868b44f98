package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/record"
)

func TestNoAnswerIsKeptOfATestThatIsFlaky(t *testing.T) {
	p := newPast(t)
	test := record.Test{Suite: "s", Test: "A"}
	ask := &triage{host: p.host, memory: p.memory, base: fingerprint.State{ID: "base"}}
	s := suspect{Test: test}
	seen := observation{Behaviour: doesPass, At: p.now}
	flaky := map[record.Test]record.Standing{test: {Flaky: &record.Flaky{}}}
	ask.standings = flaky
	ask.keep(t.Context(), s, seen)
	ask.standings = nil
	if _, ok := ask.recalled(t.Context(), s); ok {
		t.Error("what a flaky test did once was kept")
	}
	ask.keep(t.Context(), s, seen)
	if _, ok := ask.recalled(t.Context(), s); !ok {
		t.Error("what a test did was not kept")
	}
	ask.standings = flaky
	if _, ok := ask.recalled(t.Context(), s); ok {
		t.Error("an old answer was given for a test that is flaky now")
	}
}
