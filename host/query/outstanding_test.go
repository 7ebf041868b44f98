package query

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

func TestOutstandingItemsAreListedAndCanBeDropped(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	defer k.Close(t.Context())
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	led, err := ledger.OpenHistory(t.Context(), k, store)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{RunID: "first00000", SessionID: "other", Kind: api.KindRun, Language: "toy", State: api.StateFinished, StartedAt: time.Now()}
	c, err := ledger.NewWriter(t.Context(), led, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(t.Context(), run, false, nil); err != nil {
		t.Fatal(err)
	}
	set := outstanding.Set{Entries: []outstanding.Entry{
		{TestID: sdk.TestID{Suite: "p", Test: "A"}, Reason: outstanding.ReasonFailed, RunID: run.RunID, LastRunID: run.RunID},
		{Reason: outstanding.ReasonRun, RunID: "gone000000", LastRunID: "gone000000", Args: "-tags\x00nosuch" + outstanding.EnvMark + "\x00X=1"},
	}}
	if _, err := led.UpdateOutstanding(t.Context(), "toy", func(outstanding.Set) outstanding.Set { return set }); err != nil {
		t.Fatal(err)
	}
	here := api.OutstandingRequest{Where: api.Where{Dir: root, Exact: true}}
	answer, err := Outstanding(t.Context(), k, here)
	if err != nil || answer.Total != 2 || len(answer.Tests) != 2 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if a := answer.Tests[0]; a.Test != "A" || a.SessionID != "other" || a.At.IsZero() {
		t.Errorf("the first is %+v", a)
	}
	if b := answer.Tests[1]; b.Suite != "" || !slices.Equal(b.RunnerArgs, []string{"-tags", "nosuch"}) || !slices.Equal(b.Environment, []string{"X=1"}) || !b.At.IsZero() {
		t.Errorf("the second is %+v", b)
	}
	here.Drop = []string{"nosuch"}
	var usage *api.UsageError
	if answer, err = Outstanding(t.Context(), k, here); !errors.As(err, &usage) || answer.Total != 2 {
		t.Errorf("a name that is not there: %+v, %v", answer, err)
	}
	set.Entries = append(set.Entries, outstanding.Entry{TestID: sdk.TestID{Suite: "p", Test: "test_Ceil(uint256)"}, Reason: outstanding.ReasonFailed})
	if _, err := led.UpdateOutstanding(t.Context(), "toy", func(outstanding.Set) outstanding.Set { return set }); err != nil {
		t.Fatal(err)
	}
	here.Drop = []string{"test_Cell"}
	if _, err = Outstanding(t.Context(), k, here); !errors.As(err, &usage) || usage.Fix != "did you mean p/test_Ceil(uint256)?" {
		t.Errorf("a slip: %v", err)
	}
	here.Drop = []string{"test_Ceil"}
	if answer, err = Outstanding(t.Context(), k, here); err != nil || answer.Total != 2 || len(answer.Dropped) != 1 || answer.Dropped[0].Test != "test_Ceil(uint256)" {
		t.Errorf("a name as one writes it: %+v, %v", answer, err)
	}
	here.Drop = []string{"(the run)"}
	if answer, err = Outstanding(t.Context(), k, here); err != nil || answer.Total != 1 || len(answer.Dropped) != 1 || answer.Tests[0].Test != "A" {
		t.Errorf("taken off: %+v, %v", answer, err)
	}
}
