package upload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
)

// lasting is a host that lives for many runs, with other changes to its workspace
// meanwhile.
type lasting struct{ *bench }

func newLasting(t *testing.T) lasting { return lasting{newBench(t, nil, "plain")} }

func (l lasting) where() api.Where { return api.Where{Dir: l.project, Exact: true} }

func (l lasting) records() string { return filepath.Join(l.project, ".proctor") }

// run runs a script in the workspace.
func (l lasting) run(k *ledger.Keeper, script string) api.Run {
	l.t.Helper()
	l.write(filepath.Join(l.project, "run.sh"), script)
	runs, err := engine.Run(l.t.Context(), k, api.RunRequest{Where: l.where(), Timeout: time.Minute})
	if err != nil || len(runs) != 1 {
		l.t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0]
}

func (l lasting) remove() {
	l.t.Helper()
	if err := os.RemoveAll(l.records()); err != nil {
		l.t.Fatal(err)
	}
}

// other is another process.
func (l lasting) other() *ledger.Keeper {
	k := ledger.New(project.Config{Env: []string{"PATH=" + os.Getenv("PATH")}, Session: "other"})
	l.t.Cleanup(func() { k.Close(context.Background()) })
	return k
}

// outstanding returns the names that a host finds outstanding, "" for everything.
func (l lasting) outstanding(k *ledger.Keeper) []string {
	l.t.Helper()
	list, err := query.Outstanding(l.t.Context(), k, api.OutstandingRequest{Where: l.where()})
	var none *api.NoRunError
	if err != nil && !errors.As(err, &none) {
		l.t.Fatal(err)
	}
	var names []string
	for _, t := range list.Tests {
		names = append(names, t.Test)
	}
	return names
}

// isLast expects that a red run is still the session's last one.
func (l lasting) isLast(k *ledger.Keeper, want api.Run, failures ...string) api.FailuresPage {
	l.t.Helper()
	page, err := query.FailuresFrom(l.t.Context(), k, api.LastRun{Where: l.where()}, 0, 10)
	if err != nil {
		l.t.Fatal(err)
	}
	var names []string
	for _, f := range page.Run.Failures {
		names = append(names, f.Test)
	}
	if page.Run.RunID != want.RunID || page.Run.Verdict != want.Verdict || !slices.Equal(names, failures) {
		l.t.Errorf("the last run is %s, %s, with %q; want %s, %s, with %q", page.Run.RunID, page.Run.Verdict, names, want.RunID, want.Verdict, failures)
	}
	return page
}

const oneRed = "echo ok A; echo not ok B; exit 1"

func TestAFailureOutlivesTheRecordThatWasRemovedAfterIt(t *testing.T) {
	l := newLasting(t)
	red := l.run(l.keeper, oneRed)
	l.remove()
	page := l.isLast(l.keeper, red, "B")
	if len(page.Notes) != 1 || !strings.Contains(page.Notes[0].Text, "the last run "+red.RunID+" is not on record (its record was removed)") {
		t.Errorf("notes %q", page.Notes)
	}
	if run, _, err := query.Show(t.Context(), l.keeper, api.LastRun{Where: l.where(), Ref: red.RunID[:6]}); err != nil || run.RunID != red.RunID {
		t.Errorf("by the beginning of its id: %s, %v", run.RunID, err)
	}
	if _, err := os.Lstat(l.records()); err == nil {
		t.Error("a read made the records again")
	}
	if got := l.outstanding(l.keeper); !slices.Equal(got, []string{"B"}) {
		t.Errorf("outstanding here: %q", got)
	}
	if got := l.outstanding(l.other()); !slices.Equal(got, []string{"B"}) {
		t.Errorf("outstanding for others: %q", got)
	}
	if run, _, err := query.Failures(t.Context(), l.other(), api.LastRun{Where: l.where(), Ref: red.RunID}, 10); err != nil || len(run.Failures) != 1 {
		t.Errorf("the run for others: %+v, %v", run.Failures, err)
	}
	l.remove()
	answer, err := engine.Rerun(t.Context(), l.keeper, api.RerunRequest{Where: l.where()})
	if err != nil || len(answer.Runs) != 1 || answer.Runs[0].Outstanding != 1 || len(answer.Runs[0].Warnings) > 1 {
		t.Fatalf("rerun: %+v, %v", answer, err)
	}
	l.isLast(l.keeper, answer.Runs[0], "B")
	if page, err := query.Runs(t.Context(), l.other(), api.RunsRequest{Where: l.where()}); err != nil || len(page.Runs) != 2 {
		t.Errorf("on record for others: %+v, %v", page.Runs, err)
	}
	green := l.run(l.keeper, "echo ok A; echo ok B")
	if green.Verdict != api.Passed || green.Outstanding != 0 {
		t.Errorf("%s, %d outstanding", green.Verdict, green.Outstanding)
	}
	l.remove()
	if here, there := l.outstanding(l.keeper), l.outstanding(l.other()); len(here)+len(there) > 0 {
		t.Errorf("after a green: %q, %q", here, there)
	}
}

func TestAFailureOutlivesTheRecordThatWasRemovedDuringIt(t *testing.T) {
	l := newLasting(t)
	l.run(l.keeper, "echo ok A; echo ok B")
	red := l.run(l.keeper, "rm -rf .proctor; "+oneRed)
	if len(red.Warnings) == 0 {
		t.Error("nobody is told")
	}
	for _, w := range red.Warnings {
		if strings.Contains(w.Text, "old records") {
			t.Errorf("warning %q", w)
		}
	}
	if got := l.outstanding(l.other()); !slices.Equal(got, []string{"B"}) {
		t.Errorf("outstanding for others: %q", got)
	}
	if page := l.isLast(l.keeper, red, "B"); len(page.Notes) > 0 {
		t.Errorf("notes %q", page.Notes)
	}
	if got := l.outstanding(l.keeper); !slices.Equal(got, []string{"B"}) {
		t.Errorf("outstanding: %q", got)
	}
	page, err := query.Runs(t.Context(), l.other(), api.RunsRequest{Where: l.where()})
	if err != nil || len(page.Runs) != 2 || page.Runs[0].Verdict != api.Failed {
		t.Errorf("on record: %+v, %v", page.Runs, err)
	}
}

func TestAFailureThatCannotBeWrittenIsRecordedAsSoonAsItCan(t *testing.T) {
	l := newLasting(t)
	k := ledger.New(project.Config{Plugins: map[string]string{"plain": pluginOf(l)}, Env: []string{"PATH=" + os.Getenv("PATH")}, Session: "s"})
	t.Cleanup(func() { k.Close(context.Background()) })
	l.run(k, "echo ok A; echo ok B")
	red := l.run(k, "rm -rf .proctor; echo > .proctor; "+oneRed)
	if page := l.isLast(k, red, "B"); len(page.Notes) == 0 || !strings.Contains(page.Notes[0].Text, "not on record") {
		t.Errorf("notes %q", page.Notes)
	}
	l.remove()
	if got := l.outstanding(k); !slices.Equal(got, []string{"B"}) {
		t.Errorf("outstanding: %q", got)
	}
	if got := l.outstanding(l.other()); !slices.Equal(got, []string{"B"}) {
		t.Errorf("outstanding for others: %q", got)
	}
	if page := l.isLast(k, red, "B"); len(page.Notes) > 0 {
		t.Errorf("notes %q", page.Notes)
	}
}

func pluginOf(l lasting) string {
	self, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	path := filepath.Join(l.t.TempDir(), fakePrefix+"plain")
	if err := os.Symlink(self, path); err != nil {
		l.t.Skip("no symbolic links here:", err)
	}
	return path
}

func TestADamagedHistoryIsSetAsideWhileTheHostLives(t *testing.T) {
	l := newLasting(t)
	red := l.run(l.keeper, oneRed)
	noise := []byte(strings.Repeat("noise ", 50_000))
	damage := func() {
		files, err := filepath.Glob(filepath.Join(l.records(), "history.db*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, ".lock") || strings.Contains(name, ".corrupt-") {
				continue // mapped into memory: SQLite itself would not survive every change
			}
			if err := os.WriteFile(name, noise, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	damage()
	l.isLast(l.keeper, red, "B")
	if got := l.outstanding(l.keeper); !slices.Contains(got, "B") || !slices.Contains(got, "") {
		t.Errorf("outstanding: %q, want what is known and everything", got)
	}
	damage()
	if err := os.Truncate(filepath.Join(l.records(), "history.db"), 0); err != nil {
		t.Fatal(err)
	}
	green := l.run(l.keeper, "echo ok A; echo ok B")
	if green.Verdict != api.Passed {
		t.Errorf("%s with %q", green.Verdict, green.Warnings)
	}
	l.isLast(l.keeper, green)
	if list, err := query.Runs(t.Context(), l.other(), api.RunsRequest{Where: l.where()}); err != nil || len(list.Runs) == 0 || list.Runs[0].RunID != green.RunID {
		t.Errorf("on record: %+v, %v", list.Runs, err)
	}
	if got := l.outstanding(l.other()); len(got) > 0 {
		t.Errorf("outstanding after a green: %q", got)
	}
}

// Results that another process recorded since stay, and so does our red.
func TestARecordRecreatedByAnotherProcessIsJoined(t *testing.T) {
	l := newLasting(t)
	l.run(l.keeper, oneRed)
	l.remove()
	other := ledger.New(project.Config{Plugins: map[string]string{"plain": pluginOf(l)}, Env: []string{"PATH=" + os.Getenv("PATH")}, Session: "other"})
	t.Cleanup(func() { other.Close(context.Background()) })
	l.run(other, "echo not ok C; exit 1")
	if got := l.outstanding(l.keeper); !slices.Equal(got, []string{"B", "C"}) {
		t.Errorf("outstanding: %q", got)
	}
	if got := l.outstanding(other); !slices.Equal(got, []string{"B", "C"}) {
		t.Errorf("outstanding there: %q", got)
	}
}

func TestAWorkspaceThatIsMadeAgainIsRunAgain(t *testing.T) {
	l := newLasting(t)
	l.run(l.keeper, oneRed)
	if err := os.RemoveAll(l.project); err != nil {
		t.Fatal(err)
	}
	if _, err := query.Runs(t.Context(), l.keeper, api.RunsRequest{Where: l.where()}); err == nil {
		t.Error("a workspace that is gone has runs")
	}
	if _, err := os.Lstat(l.project); err == nil {
		t.Fatal("a question made the workspace again")
	}
	l.write(filepath.Join(l.project, "project.txt"), "")
	green := l.run(l.keeper, "echo ok A; echo ok B")
	if green.Verdict != api.Passed || green.Outstanding != 0 || slices.ContainsFunc(green.Warnings, func(n api.Note) bool { return n.Code == api.NoteUnrecorded }) {
		t.Errorf("%s, %d outstanding, %q", green.Verdict, green.Outstanding, green.Warnings)
	}
	l.isLast(l.keeper, green)
}

// A record that comes and goes disturbs no session, and loses no red.
func TestSessionsContinueWhileTheirRecordIsRemoved(t *testing.T) {
	l := newLasting(t)
	l.run(l.keeper, oneRed)
	done := make(chan struct{})
	var wg, remover sync.WaitGroup
	remover.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				_ = os.RemoveAll(l.records())
			}
		}
	})
	for _, id := range []string{"one", "two", "three"} {
		k := l.keeper.InSession(id)
		wg.Go(func() {
			for range 3 {
				runs, err := engine.Run(t.Context(), k, api.RunRequest{Where: l.where(), Timeout: time.Minute})
				if err != nil || runs[0].Verdict != api.Failed {
					t.Errorf("%+v, %v", runs, err)
					return
				}
				page, err := query.FailuresFrom(t.Context(), k, api.LastRun{Where: l.where()}, 0, 10)
				if err != nil || page.Run.RunID != runs[0].RunID || len(page.Run.Failures) != 1 {
					t.Errorf("the last run is %s with %+v, %v; want %s", page.Run.RunID, page.Run.Failures, err, runs[0].RunID)
				}
			}
		})
	}
	wg.Wait()
	close(done)
	remover.Wait()
	if got := l.outstanding(l.keeper); !slices.Contains(got, "B") {
		t.Errorf("outstanding: %q", got)
	}
	// A read creates no records: others see it again with the next run.
	l.run(l.keeper, oneRed)
	if got := l.outstanding(l.other()); !slices.Contains(got, "B") {
		t.Errorf("outstanding for others: %q", got)
	}
}

func TestOutputThatIsGoneIsNotAnEmptyOne(t *testing.T) {
	l := newLasting(t)
	red := l.run(l.keeper, oneRed)
	l.remove()
	out, err := query.Output(t.Context(), l.keeper, api.LastRun{Where: l.where()}, "B")
	if err == nil || !strings.Contains(err.Error(), red.RunID) {
		t.Errorf("%q, %v", out.Text, err)
	}
}
