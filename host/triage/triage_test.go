package triage

import (
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/sdk"
)

func TestNoAnswerIsKeptOfATestThatIsFlaky(t *testing.T) {
	p := ledgertest.New(t)
	test := sdk.TestID{Suite: "s", Test: "A"}
	ask := &triage{keeper: p.Keeper, ledger: p.Ledger, base: fingerprint.State{ID: "base"}}
	s := suspect{TestID: test}
	seen := observation{Behavior: doesPass, At: p.Now}
	flaky := map[sdk.TestID]api.Standing{test: {Flaky: &api.Flaky{}}}
	ask.standings = flaky
	ask.keep(t.Context(), s, seen)
	ask.standings = nil
	if _, ok := ask.recall(t.Context(), s); ok {
		t.Error("what a flaky test did once was kept")
	}
	ask.keep(t.Context(), s, seen)
	if _, ok := ask.recall(t.Context(), s); !ok {
		t.Error("what a test did was not kept")
	}
	ask.standings = flaky
	if _, ok := ask.recall(t.Context(), s); ok {
		t.Error("an old answer was given for a test that is flaky now")
	}
}

func TestOldAnswersGoWithOldRecordsAndOthersStay(t *testing.T) {
	p := ledgertest.New(t)
	ask := &triage{keeper: p.Keeper, ledger: p.Ledger, base: fingerprint.State{ID: "base"}}
	ask.keep(t.Context(), suspect{TestID: sdk.TestID{Suite: "s", Test: "A"}}, observation{Behavior: doesPass, At: p.Now})
	keys := []string{ask.key(suspect{TestID: sdk.TestID{Suite: "s", Test: "A"}}), "lost/v1", "outputs/v1", "context/v7"}
	for _, key := range keys[1:] {
		if err := p.History.Put(t.Context(), key, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name  string
		later time.Duration
		left  int
	}{
		{"at once", 0, 4},
		{"within a day", ledger.MaxAnswerAge - time.Hour, 4},
		{"after a day", ledger.MaxAnswerAge + time.Minute, 3},
	} {
		p.Now = time.Now().Add(step.later)
		if err := p.Prune(t.Context(), config.History{Runs: 100, Age: time.Hour, Bytes: 1 << 40}); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, key := range keys {
			_, ok, err := p.History.Get(t.Context(), key)
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
