package outstanding_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// TestASetIsStoredAsItIs writes and reads random sets, in which neighbors share little or
// much.
func TestASetIsStoredAsItIs(t *testing.T) {
	ways := []*outstanding.Way{nil, {}, {Decides: []string{"-race"}}, {Decides: []string{"-race"}}, {Narrows: []string{"-short"}}}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
		var set outstanding.Set
		for range r.IntN(12) {
			set.Entries = append(set.Entries, outstanding.Entry{
				TestID: sdk.TestID{Suite: one("", "a", "a", "b"), Test: one("", "T", "T/x", "U")}, Root: one("", "", "T"),
				Reason: outstanding.Reason(one("failed", "failed", "suite")), Why: outstanding.Why(one("", "", "cut_off")),
				RunID: one("1", "1", "2"), LastRunID: one("2", "2", "3"), Args: one("", "", "-v"), Way: ways[r.IntN(len(ways))], Was: one("", "", "Old"),
			})
		}
		if r.IntN(2) == 0 {
			set.Known = map[string][]string{"a": {"T", "U"}, "none": {}}
		}
		raw, err := json.Marshal(set)
		if err != nil {
			t.Fatal(err)
		}
		var read outstanding.Set
		if err := json.Unmarshal(raw, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(set, read, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: %s\n%s", seed, diff, raw)
		}
	}
}

// TestNeighborsAreStoredOnce counts bytes: what a thousand subtests share is not stored a
// thousand times.
func TestNeighborsAreStoredOnce(t *testing.T) {
	var set outstanding.Set
	for range 1000 {
		set.Entries = append(set.Entries, outstanding.Entry{
			TestID: sdk.TestID{Suite: "example.com/m", Test: "TestA/x"}, Root: "TestA", Reason: outstanding.ReasonFailed, RunID: "1", LastRunID: "1",
		})
	}
	if raw, err := json.Marshal(set); err != nil || len(raw) > 11*1000 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}
