package query

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
)

func TestWhatIsOutstandingIsListedAndCanBeTakenOff(t *testing.T) {
	root := t.TempDir()
	h := ledger.New(project.Config{Session: "s"})
	defer h.Close(t.Context())
	store, err := h.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ledger.OpenHistory(t.Context(), h, store)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{RunID: "first00000", SessionID: "other", Kind: api.KindRun, Language: "toy", State: api.StateFinished, StartedAt: time.Now()}
	c, err := ledger.NewWriter(t.Context(), m, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(t.Context(), run, false, nil); err != nil {
		t.Fatal(err)
	}
	set := outstanding.Set{Entries: []outstanding.Entry{
		{Test: api.Test{Suite: "p", Test: "A"}, Reason: outstanding.ReasonFailed, RunID: run.RunID, LastRunID: run.RunID},
		{Reason: outstanding.ReasonRun, RunID: "gone000000", LastRunID: "gone000000", Args: "-tags\x00nosuch" + outstanding.EnvMark + "\x00X=1"},
	}}
	if _, err := m.UpdateOutstanding(t.Context(), "toy", func(outstanding.Set) outstanding.Set { return set }); err != nil {
		t.Fatal(err)
	}
	here := api.OutstandingRequest{Where: api.Where{Dir: root, Exact: true}}
	answer, err := Outstanding(t.Context(), h, here)
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
	if answer, err = Outstanding(t.Context(), h, here); !errors.As(err, &usage) || answer.Total != 2 {
		t.Errorf("a name that is not there: %+v, %v", answer, err)
	}
	set.Entries = append(set.Entries, outstanding.Entry{Test: api.Test{Suite: "p", Test: "test_Ceil(uint256)"}, Reason: outstanding.ReasonFailed})
	if _, err := m.UpdateOutstanding(t.Context(), "toy", func(outstanding.Set) outstanding.Set { return set }); err != nil {
		t.Fatal(err)
	}
	here.Drop = []string{"test_Cell"}
	if _, err = Outstanding(t.Context(), h, here); !errors.As(err, &usage) || usage.Fix != "did you mean p/test_Ceil(uint256)?" {
		t.Errorf("a slip: %v", err)
	}
	here.Drop = []string{"test_Ceil"}
	if answer, err = Outstanding(t.Context(), h, here); err != nil || answer.Total != 2 || len(answer.Dropped) != 1 || answer.Dropped[0].Test != "test_Ceil(uint256)" {
		t.Errorf("a name as one writes it: %+v, %v", answer, err)
	}
	here.Drop = []string{"(the run)"}
	if answer, err = Outstanding(t.Context(), h, here); err != nil || answer.Total != 1 || len(answer.Dropped) != 1 || answer.Tests[0].Test != "A" {
		t.Errorf("taken off: %+v, %v", answer, err)
	}
}

// Recorded output belongs where it was made; our own runs keep their order whatever the
// clock said.
func TestForeignPointsArePlacedByTimeAndOurOwnByOrder(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(int64(60*minutes), 0) }
	points := []history.Point{
		{RunID: "a", At: at(10)}, {RunID: "b", At: at(5)}, {RunID: "c", At: at(20)},
		{RunID: "ci", At: at(15), RunKind: api.KindIngest}, {RunID: "new", At: at(30), SessionID: history.ImportedSession + "x"},
	}
	var order []string
	for _, p := range standing.Placed(points) {
		order = append(order, p.RunID)
	}
	if want := []string{"a", "b", "ci", "c", "new"}; !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

// A run that was shown but not recorded must not leave the set unchanged.
func TestARunThatIsNotOnRecordLeavesEverythingOutstanding(t *testing.T) {
	named := outstanding.Set{Entries: []outstanding.Entry{{Test: api.Test{Suite: "p", Test: "A"}}}}
	for _, c := range []struct {
		name        string
		gaps        ledger.Gaps
		set         outstanding.Set
		known, lost bool
		want        int
		everything  bool
	}{
		{"as it was read", ledger.Gaps{Last: "x"}, named, true, false, 1, false},
		{"before the first run", ledger.Gaps{}, outstanding.Set{}, false, false, 0, false},
		{"there were runs before the history", ledger.Gaps{Begun: true}, outstanding.Set{}, false, false, 1, true},
		{"of another language since", ledger.Gaps{Begun: true}, named, true, false, 1, false},
		{"the session had a run, the history has none", ledger.Gaps{Last: "x"}, outstanding.Set{}, false, false, 1, true},
		{"the last run is not in it", ledger.Gaps{Last: "x", Unrecorded: true}, named, true, false, 2, true},
		{"set aside", ledger.Gaps{}, named, true, true, 1, true},
	} {
		got := c.gaps.Fill(c.set, c.known, c.lost)
		all := slices.ContainsFunc(got.Entries, func(e outstanding.Entry) bool { return e.Test == api.Test{} })
		if got.Len() != c.want || all != c.everything {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
