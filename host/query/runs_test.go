package query

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func listedIDs(list api.Runs) string {
	var ids []string
	for _, r := range list.Runs {
		ids = append(ids, r.RunID)
	}
	return strings.Join(ids, " ")
}

func TestRunsAreListedNewestFirst(t *testing.T) {
	p := ledgertest.New(t)
	p.RunAs(history.Run{ID: "aaaa000001", SessionID: "other", Whole: true, Fingerprint: "feed", Commit: "c0ffee", Branch: "b"}, historytest.Passed("a", "A"))
	kept := p.RunAs(history.Run{ID: "bbbb000002", SessionID: "now", Fingerprint: "beef"}, historytest.Failed("a", "A"))
	p.Keep(kept, nil)
	p.RunAs(history.Run{ID: "cccc000003", SessionID: "now", Language: "y"}, historytest.Passed("a", "A"))
	// One with only a folder: the history could not be written then.
	p.Keep(history.Run{ID: "dddd000004", SessionID: "now", Language: "x", Kind: api.KindRun, Verdict: api.Failed, StartedAt: p.Now.Add(-100 * time.Minute)}, nil)
	for _, tc := range []struct {
		req   api.RunsRequest
		want  string
		total int
	}{
		{api.RunsRequest{}, "cccc000003 bbbb000002 dddd000004 aaaa000001", 4},
		{api.RunsRequest{Session: api.ThisSession}, "cccc000003 bbbb000002 dddd000004", 3},
		{api.RunsRequest{Session: "other"}, "aaaa000001", 1},
		{api.RunsRequest{Language: "x", Limit: 2}, "bbbb000002 dddd000004", 3},
		{api.RunsRequest{Limit: -5}, "cccc000003", 4},
		{api.RunsRequest{Session: "none"}, "", 0},
	} {
		tc.req.Where = p.Where()
		list, err := Runs(t.Context(), p.Keeper, tc.req)
		if got := listedIDs(list); err != nil || got != tc.want || list.Total != tc.total {
			t.Errorf("%+v: %s of %d, %v; want %s of %d", tc.req, got, list.Total, err, tc.want, tc.total)
		}
	}
	list, _ := Runs(t.Context(), p.Keeper, api.RunsRequest{Where: p.Where()})
	first, old := list.Runs[1], list.Runs[3]
	if first.Source == nil || first.Source.Dirty != 1 || first.Verdict != api.Failed || first.Prefix != "bbbb" {
		t.Errorf("%+v", first)
	}
	if old.Source == nil || old.Source.Dirty != -1 || old.Source.Branch != "b" || !old.Whole || old.AgeS <= 0 {
		t.Errorf("%+v", old)
	}
}

func TestARunIsNamedByItsShortestUniquePrefix(t *testing.T) {
	runs := []history.Run{{ID: "abcdefgh"}, {ID: "abcdxfgh"}, {ID: "abcdxfzz"}, {ID: "zzzz"}, {ID: "ab"}}
	got := prefixesOf(runs)
	want := map[string]string{"abcdefgh": "abcde", "abcdxfgh": "abcdxfg", "abcdxfzz": "abcdxfz", "zzzz": "zzzz", "ab": "ab"}
	for id, prefix := range want {
		if got[id] != prefix {
			t.Errorf("%s: %s, want %s", id, got[id], prefix)
		}
	}
}

func TestAKilledAndARunningRunAreListed(t *testing.T) {
	p := ledgertest.New(t)
	begin := func(id string) func() {
		run := api.Run{
			Schema: api.Schema, RunID: id, SessionID: "now", Kind: api.KindRun, Language: "x",
			State: api.StateRunning, StartedAt: p.Now, Commands: []api.Command{},
		}
		rec, err := artifacts.NewRecorder(p.Artifacts, run)
		if err != nil {
			t.Fatal(err)
		}
		h, err := p.History.Begin(t.Context(), ledger.ToHistoryRun(run))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Abandon)
		return func() {
			// The operating system does this when a process ends.
			rec.Finish(run)
		}
	}
	defer begin("goeson0001")() // until then its lock is held
	begin("killed0001")()
	list, err := Runs(t.Context(), p.Keeper, api.RunsRequest{Where: p.Where()})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]string{}
	for _, r := range list.Runs {
		ends[r.RunID] = fmt.Sprint(r.State, " ", r.Verdict)
	}
	if ends["goeson0001"] != "running " || ends["killed0001"] != "finished incomplete" {
		t.Errorf("%v", ends)
	}
}

func TestAnAmbiguousPrefixNamesTheRuns(t *testing.T) {
	p := ledgertest.New(t)
	p.RunAs(history.Run{ID: "abcd000001", SessionID: "now"}, historytest.Passed("a", "A"))
	p.RunAs(history.Run{ID: "abcd000002", SessionID: "now"}, historytest.Failed("a", "A"))
	for ref, want := range map[string]string{"abcd000001": "abcd000001", "abcd000002": "abcd000002", "last": "abcd000002", "prev": "abcd000001"} {
		if id, err := ledger.FindRunID(t.Context(), p.Keeper, p.Where(), ref); err != nil || id != want {
			t.Errorf("%s is %s, %v", ref, id, err)
		}
	}
	var usage *api.UsageError
	_, err := ledger.FindRunID(t.Context(), p.Keeper, p.Where(), "abcd")
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "abcd000001 (run, passed)") || !strings.Contains(err.Error(), "abcd000002 (run, failed)") {
		t.Errorf("%v", err)
	}
	for _, ref := range []string{"zzzz", "", "../runs"} {
		if _, err := ledger.FindRunID(t.Context(), p.Keeper, p.Where(), ref); !errors.As(err, &usage) {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestPruneRemovesRowsAndFoldersTogether(t *testing.T) {
	for _, tc := range []struct {
		name string
		req  api.PruneRequest
		want string // what goes, and why
	}{
		{"nothing by default", api.PruneRequest{}, ""},
		{"beyond a number", api.PruneRequest{Runs: 3}, "run0000001 runs"},
		{"beyond an age", api.PruneRequest{Age: time.Hour}, "run0000001 age, run0000003 age"},
		{"beyond a size", api.PruneRequest{Bytes: 1}, "run0000001 size, run0000003 size, run0000004 size"},
		{"beyond several", api.PruneRequest{Runs: 2, Age: 210 * time.Minute}, "run0000001 runs, run0000003 runs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := ledgertest.New(t)
			var runs []history.Run
			for range 4 {
				run := p.Run("now", historytest.Passed("a", "A"))
				p.Keep(run, nil)
				runs = append(runs, run)
			}
			// The second one is the last of another session.
			object, err := p.Artifacts.Object(runs[1].ID)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Artifacts.Finish(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			tc.req.Where, tc.req.DryRun = p.Where(), true
			planned, err := ledger.PruneRuns(t.Context(), p.Keeper, tc.req)
			if err != nil || len(p.Folders()) != 4 {
				t.Fatalf("a dry run left %v, %v", p.Folders(), err)
			}
			tc.req.DryRun = false
			done, err := ledger.PruneRuns(t.Context(), p.Keeper, tc.req)
			if err != nil {
				t.Fatal(err)
			}
			var gone, left []string
			for _, r := range done.Removed {
				gone = append(gone, r.RunID+" "+r.Limit)
			}
			if got := strings.Join(gone, ", "); got != tc.want || fmt.Sprint(planned.Removed) != fmt.Sprint(done.Removed) {
				t.Errorf("removed %s, want %s; planned %v", got, tc.want, planned.Removed)
			}
			rows, err := p.History.Runs(t.Context(), history.RunFilter{})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				left = append(left, row.ID)
			}
			slices.Sort(left)
			if !slices.Equal(left, p.Folders()) || len(left)+done.RemovedTotal != 4 || done.Kept != len(left) || !slices.Contains(left, runs[1].ID) {
				t.Errorf("rows %v, folders %v", left, p.Folders())
			}
			wantBeyond := map[string]string{"beyond an age": "age 1", "beyond a size": "size 1"}[tc.name]
			for _, answer := range []api.Pruned{planned, done} {
				got := ""
				if len(answer.Beyond) > 0 {
					got = fmt.Sprintf("%s %d", strings.Join(answer.Beyond, " "), answer.Held)
				}
				if got != wantBeyond {
					t.Errorf("beyond its limits: %q, want %q", got, wantBeyond)
				}
			}
			if len(gone) > 0 && done.FreedBytes <= 0 {
				t.Errorf("freed %d", done.FreedBytes)
			}
		})
	}
}

func TestAnInterruptedPruneSaysWhatItRemovedAndTheNextContinues(t *testing.T) {
	p := ledgertest.New(t)
	const runs = 8
	for range runs {
		p.Keep(p.Run("now", historytest.Passed("a", "A"), historytest.Failed("a", "B")), nil)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	last := api.Pruning{}
	done, err := ledger.PruneRuns(ctx, p.Keeper, api.PruneRequest{Where: p.Where(), Runs: 3, Progress: func(now api.Pruning) {
		if now.Runs < last.Runs || now.RunsTotal != runs-3 {
			t.Errorf("%+v after %+v", now, last)
		}
		last = now
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || !done.Interrupted || done.RemovedTotal != last.Runs || done.Kept != runs-last.Runs || last.Cleared == 1 {
		t.Errorf("%+v, %v, after %+v", done, err, last)
	}
	if left := p.Folders(); len(left) != done.Kept {
		t.Errorf("folders %v", left)
	}
	done, err = ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where(), Runs: 3, Progress: func(now api.Pruning) { last = now }})
	if err != nil || done.Interrupted || done.Kept != 3 || last.Cleared != 1 || len(p.Folders()) != 3 {
		t.Errorf("%+v, %v, left %v", done, err, p.Folders())
	}
}

func TestPruneLeavesARunInProgress(t *testing.T) {
	p := ledgertest.New(t)
	run := api.Run{Schema: api.Schema, RunID: "goeson0001", SessionID: "now", Language: "x", State: api.StateRunning, StartedAt: p.Now.Add(-9000 * time.Hour)}
	rec, err := artifacts.NewRecorder(p.Artifacts, run)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Finish(run)
	p.Run("now", historytest.Passed("a", "A"))
	done, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where(), Runs: 1, Age: time.Hour})
	if err != nil || !slices.Contains(p.Folders(), run.RunID) {
		t.Errorf("%+v, %v, left %v", done, err, p.Folders())
	}
}

func TestTheLimitsAreThoseOfTheWorkspace(t *testing.T) {
	p := ledgertest.New(t)
	for range 3 {
		p.Run("now", historytest.Passed("a", "A"))
	}
	p.WriteFile(".proctor.toml", "[history]\nruns = 2\n")
	done, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where()})
	if err != nil || done.RemovedTotal != 1 || done.MaxRuns != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	p.WriteFile(".proctor.toml", "[history]\nruns = 0\n")
	var usage *api.UsageError
	if _, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where()}); !errors.As(err, &usage) {
		t.Errorf("a bad file: %v", err)
	}
}

// The last runs of many sessions exceed any limit.
func TestPruneSaysWhatKeepsItFromTheLimits(t *testing.T) {
	p := ledgertest.New(t)
	for _, session := range []string{"one", "two", "three"} {
		k := ledger.New(project.Config{Session: session, StateHome: t.TempDir()})
		store, err := k.Store(p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		run := p.Run(session, historytest.Passed("a", "A"))
		p.Keep(run, nil)
		object, err := p.Artifacts.Object(run.ID)
		if err == nil {
			err = store.Finish(t.Context(), object)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Run("now", historytest.Passed("a", "A"))
	done, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where(), Runs: 2})
	if err != nil || done.RemovedTotal != 1 || done.Kept != 3 || !slices.Equal(done.Beyond, []string{"runs"}) || done.Held != 3 {
		t.Errorf("%+v, %v", done, err)
	}
	if done, err = ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where(), Runs: 3}); err != nil || done.Beyond != nil || done.Held != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestARunOfSomeTestsIsListedAsSuch(t *testing.T) {
	p := ledgertest.New(t)
	keep := func(run history.Run, selection api.Selection) {
		p.Keep(run, nil)
		object, err := p.Artifacts.Object(run.ID)
		if err != nil {
			t.Fatal(err)
		}
		object.Selection = selection
		if err := artifacts.RemoveRun(p.Artifacts, run.ID); err != nil {
			t.Fatal(err)
		}
		rec, err := artifacts.NewRecorder(p.Artifacts, object)
		if err == nil {
			err = rec.Finish(object)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{}
	for _, tc := range []struct {
		run       history.Run
		selection api.Selection
		kept      bool
		partial   bool
	}{
		{history.Run{Whole: true}, api.Selection{}, true, false},
		{history.Run{}, api.Selection{Filter: "A"}, true, true},
		{history.Run{}, api.Selection{Packages: []string{"./a"}}, true, true},
		{history.Run{}, api.Selection{RunnerArgs: []string{"-run", "A"}}, true, true},
		{history.Run{}, api.Selection{}, true, false}, // it did not reach its end
		{history.Run{Kind: api.KindRerun}, api.Selection{}, true, false},
		{history.Run{}, api.Selection{}, false, true}, // only its row is left
		{history.Run{Whole: true}, api.Selection{}, false, false},
	} {
		tc.run.SessionID = "now"
		run := p.RunAs(tc.run, historytest.Passed("a", "A"))
		if tc.kept {
			keep(run, tc.selection)
		}
		want[run.ID] = tc.partial
	}
	list, err := Runs(t.Context(), p.Keeper, api.RunsRequest{Where: p.Where()})
	if err != nil || len(list.Runs) != len(want) {
		t.Fatalf("%d runs, %v", len(list.Runs), err)
	}
	for _, run := range list.Runs {
		if run.Partial != want[run.RunID] {
			t.Errorf("%s: partial %t", run.RunID, run.Partial)
		}
	}
}

// An unreadable session may name any run as its last.
func TestPruneStopsWhereASessionCannotBeRead(t *testing.T) {
	p := ledgertest.New(t)
	p.Keep(p.Run("now", historytest.Passed("a", "A")), nil)
	p.Run("now", historytest.Passed("a", "A"))
	testfiles.Write(t, filepath.Join(p.Dir, ".proctor", "sessions", "x.json"), "{")
	if _, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where(), Runs: 1}); err == nil || len(p.Folders()) != 1 {
		t.Errorf("%v, left %v", err, p.Folders())
	}
}
