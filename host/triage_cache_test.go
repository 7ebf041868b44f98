package host

import (
	"testing"
	"time"

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

func TestOldAnswersGoWithOldRecordsAndOthersStay(t *testing.T) {
	p := newPast(t)
	ask := &triage{host: p.host, memory: p.memory, base: fingerprint.State{ID: "base"}}
	ask.keep(t.Context(), suspect{Test: record.Test{Suite: "s", Test: "A"}}, observation{Behaviour: doesPass, At: p.now})
	keys := []string{ask.key(suspect{Test: record.Test{Suite: "s", Test: "A"}}), lostKey, outputsKey, spotsKey}
	for _, key := range keys[1:] {
		if err := p.history.Put(t.Context(), key, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name  string
		later time.Duration
		left  int
	}{
		{"at once", 0, 4},
		{"within a day", maxAnswerAge - time.Hour, 4},
		{"after a day", maxAnswerAge + time.Minute, 3},
	} {
		p.now = time.Now().Add(step.later)
		if err := p.prune(t.Context(), retention{Runs: 100, Age: time.Hour, Bytes: 1 << 40}); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, key := range keys {
			_, ok, err := p.history.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				left = append(left, key)
			}
		}
		if len(left) != step.left {
			t.Errorf("%s: left are %v", step.name, left)
		}
	}
}
