package host

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

func TestWhatIsOutstandingIsListedAndCanBeTakenOff(t *testing.T) {
	root := t.TempDir()
	h := New(Config{Session: "s"})
	defer h.Close(t.Context())
	store, err := h.store(root)
	if err != nil {
		t.Fatal(err)
	}
	m, err := h.remember(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	run := record.Run{RunID: "first00000", SessionID: "other", Kind: record.KindRun, Language: "toy", State: record.StateFinished, StartedAt: time.Now()}
	c, err := m.chronicle(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.finish(t.Context(), run, false, nil); err != nil {
		t.Fatal(err)
	}
	set := rerun.Set{Entries: []rerun.Entry{
		{Test: record.Test{Suite: "p", Test: "A"}, Reason: rerun.ReasonFailed, RunID: run.RunID, LastRunID: run.RunID},
		{Reason: rerun.ReasonRun, RunID: "gone000000", LastRunID: "gone000000", Args: "-tags\x00nosuch" + rerun.EnvMark + "\x00X=1"},
	}}
	if _, err := m.updateOutstanding(t.Context(), "toy", func(rerun.Set) rerun.Set { return set }); err != nil {
		t.Fatal(err)
	}
	here := OutstandingRequest{Where: Where{Dir: root, Exact: true}}
	answer, err := h.Outstanding(t.Context(), here)
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
	var usage *UsageError
	if answer, err = h.Outstanding(t.Context(), here); !errors.As(err, &usage) || answer.Total != 2 {
		t.Errorf("a name that is not there: %+v, %v", answer, err)
	}
	set.Entries = append(set.Entries, rerun.Entry{Test: record.Test{Suite: "p", Test: "test_Ceil(uint256)"}, Reason: rerun.ReasonFailed})
	if _, err := m.updateOutstanding(t.Context(), "toy", func(rerun.Set) rerun.Set { return set }); err != nil {
		t.Fatal(err)
	}
	here.Drop = []string{"test_Cell"}
	if _, err = h.Outstanding(t.Context(), here); !errors.As(err, &usage) || usage.Fix != "did you mean p/test_Ceil(uint256)?" {
		t.Errorf("a slip: %v", err)
	}
	here.Drop = []string{"test_Ceil"}
	if answer, err = h.Outstanding(t.Context(), here); err != nil || answer.Total != 2 || len(answer.Dropped) != 1 || answer.Dropped[0].Test != "test_Ceil(uint256)" {
		t.Errorf("a name as one writes it: %+v, %v", answer, err)
	}
	here.Drop = []string{"(the run)"}
	if answer, err = h.Outstanding(t.Context(), here); err != nil || answer.Total != 1 || len(answer.Dropped) != 1 || answer.Tests[0].Test != "A" {
		t.Errorf("taken off: %+v, %v", answer, err)
	}
}

// A recorded output belongs where it was made; our own runs stay in their order
// whatever the clock said.
func TestForeignPointsArePlacedByTimeAndOurOwnByOrder(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(int64(60*minutes), 0) }
	points := []history.Point{
		{RunID: "a", At: at(10)}, {RunID: "b", At: at(5)}, {RunID: "c", At: at(20)},
		{RunID: "ci", At: at(15), RunKind: record.KindIngest}, {RunID: "new", At: at(30), SessionID: history.ImportedSession + "x"},
	}
	var order []string
	for _, p := range placed(points) {
		order = append(order, p.RunID)
	}
	if want := []string{"a", "b", "ci", "c", "new"}; !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

// A run that was shown but not recorded must not leave the set as it was.
func TestARunThatIsNotOnRecordLeavesEverythingOutstanding(t *testing.T) {
	named := rerun.Set{Entries: []rerun.Entry{{Test: record.Test{Suite: "p", Test: "A"}}}}
	for _, c := range []struct {
		name        string
		gaps        gaps
		set         rerun.Set
		known, lost bool
		want        int
		everything  bool
	}{
		{"as it was read", gaps{last: "x"}, named, true, false, 1, false},
		{"before the first run", gaps{}, rerun.Set{}, false, false, 0, false},
		{"there were runs before the history", gaps{begun: true}, rerun.Set{}, false, false, 1, true},
		{"of another language since", gaps{begun: true}, named, true, false, 1, false},
		{"the session had a run, the history has none", gaps{last: "x"}, rerun.Set{}, false, false, 1, true},
		{"the last run is not in it", gaps{last: "x", unrecorded: true}, named, true, false, 2, true},
		{"set aside", gaps{}, named, true, true, 1, true},
	} {
		got := c.gaps.fill(c.set, c.known, c.lost)
		all := slices.ContainsFunc(got.Entries, func(e rerun.Entry) bool { return e.Test == record.Test{} })
		if got.Len() != c.want || all != c.everything {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
