package historytest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// model is a history that is kept in the plainest way: a list of runs with their
// results.
type model struct {
	runs []modelRun
	made int
}

type modelRun struct {
	history.Run
	results []history.Result
}

// conclusive are the finished runs that count, the oldest first.
func (m *model) conclusive() []modelRun {
	return slices.DeleteFunc(slices.Clone(m.runs), func(r modelRun) bool {
		return r.State != record.StateFinished || r.Kind == record.KindTriage
	})
}

// suspects names those of a filter, the last first, then by name.
func (m *model) suspects(sessions int, both bool, most int) []string {
	runs := m.conclusive()
	if most > 0 && len(runs) > most {
		runs = runs[len(runs)-most:]
	}
	type suspect struct {
		last     int64
		own      bool
		sessions map[string]bool
		both     bool
	}
	found := map[string]*suspect{}
	for _, run := range runs {
		for _, r := range run.results {
			if !r.Outcome.Bad() {
				continue
			}
			s := found[r.Test.Test]
			if s == nil {
				s = &suspect{sessions: map[string]bool{}}
				found[r.Test.Test] = s
			}
			s.last = run.Order
			s.own = s.own || !r.Derived
			s.sessions[run.SessionID] = true
			s.both = s.both || m.passedOn(run.Run, r.Test)
		}
	}
	var names []string
	for name, s := range found {
		if s.own && len(s.sessions) >= sessions && (s.both || !both) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b].last, found[a].last), cmp.Compare(a, b))
	})
	return names
}

// passedOn tells whether a test passed on the state of a run.
func (m *model) passedOn(on history.Run, test record.Test) bool {
	if on.Fingerprint == "" || on.MixedState {
		return false
	}
	return slices.ContainsFunc(m.conclusive(), func(run modelRun) bool {
		return run.Fingerprint == on.Fingerprint && run.Environment == on.Environment && !run.MixedState &&
			slices.ContainsFunc(run.results, func(r history.Result) bool { return r.Test == test && r.Outcome == history.Passed })
	})
}

// points are the latest of a test.
func (m *model) points(test record.Test, most int) (points []string, cut bool) {
	for _, run := range m.runs {
		for _, r := range run.results {
			if r.Test == test && run.State == record.StateFinished {
				points = append(points, fmt.Sprint(run.ID, r.Outcome, r.Derived, r.Signature))
			}
		}
	}
	if len(points) > most {
		return points[len(points)-most:], true
	}
	return points, false
}

// worst orders outcomes from the best to the worst.
var worst = []history.Outcome{history.Passed, history.Skipped, history.NeverStarted, history.Unfinished, history.Failed}

func (r modelRun) worst() map[string]history.Outcome {
	ends := map[string]history.Outcome{}
	for _, res := range r.results {
		before, ok := ends[res.Test.Test]
		if !ok || slices.Index(worst, res.Outcome) > slices.Index(worst, before) {
			ends[res.Test.Test] = res.Outcome
		}
	}
	return ends
}

// changes compares two runs.
func changes(before, now modelRun) []string {
	var all []string
	b, n := before.worst(), now.worst()
	for name, end := range b {
		if other, ok := n[name]; !ok || other != end {
			all = append(all, fmt.Sprint(name, true, end, ok, other))
		}
	}
	for name, end := range n {
		if _, ok := b[name]; !ok {
			all = append(all, fmt.Sprint(name, false, history.Passed, true, end))
		}
	}
	slices.Sort(all)
	return all
}

// prune removes all but the newest finished runs, and those that run.
func (m *model) prune(most int) (removed []string) {
	left := 0
	for _, r := range m.runs {
		if r.State == record.StateFinished {
			left++
		}
	}
	m.runs = slices.DeleteFunc(m.runs, func(r modelRun) bool {
		if r.State != record.StateFinished || left <= most {
			return false
		}
		left--
		removed = append(removed, r.ID)
		return true
	})
	return removed
}

// testModel does the same to a store and to a model of one, at random, and
// compares what they answer.
func testModel(t *testing.T, open Opener) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		place := filepath.Join(dir, fmt.Sprint(n))
		if err := os.Mkdir(place, 0o755); err != nil {
			rt.Fatal(err)
		}
		store, err := open(t.Context(), place, "/workspace")
		if err != nil {
			rt.Fatal(err)
		}
		defer store.Close()
		m := &model{}
		rt.Repeat(map[string]func(*rapid.T){
			"run": func(rt *rapid.T) { m.record(rt, t, store) },
			"prune": func(rt *rapid.T) {
				most := rapid.IntRange(1, 6).Draw(rt, "most")
				removed, err := store.Prune(t.Context(), history.Retention{Runs: most}, start, nil)
				if err != nil {
					rt.Fatal(err)
				}
				same(rt, "removed", removed, m.prune(most))
			},
			"read": func(rt *rapid.T) { m.check(rt, t, store) },
		})
		m.check(rt, t, store)
	})
}

var (
	drawOutcome = rapid.SampledFrom([]history.Outcome{history.Passed, history.Passed, history.Failed, history.Skipped, history.Unfinished, history.NeverStarted})
	drawName    = rapid.SampledFrom([]string{"a", "b", "c", "d|(", "é"})
	drawResult  = rapid.Custom(func(t *rapid.T) history.Result {
		r := result(drawName.Draw(t, "test"), drawOutcome.Draw(t, "outcome"))
		if r.Outcome == history.Failed {
			r.Derived = rapid.Bool().Draw(t, "derived")
			r.Signature = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "signature")
		}
		return r
	})
)

func (m *model) record(rt *rapid.T, t *testing.T, store history.Store) {
	m.made++
	run := history.Run{
		ID: fmt.Sprintf("run%04d", m.made), SessionID: rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(rt, "session"),
		Kind:     rapid.SampledFrom([]record.Kind{record.KindRun, record.KindRerun, record.KindTriage}).Draw(rt, "kind"),
		Language: "l", State: record.StateRunning, StartedAt: start.Add(time.Duration(m.made) * time.Minute),
		Fingerprint: rapid.SampledFrom([]string{"", "f", "g"}).Draw(rt, "fingerprint"), MixedState: rapid.Bool().Draw(rt, "mixed"),
		Environment: rapid.SampledFrom([]string{"e", "d"}).Draw(rt, "environment"),
	}
	recorder, err := store.Begin(t.Context(), run)
	if err != nil {
		rt.Fatal(err)
	}
	tell := func() []history.Result {
		told := rapid.SliceOfN(drawResult, 0, 8).Draw(rt, "results")
		for _, r := range told {
			recorder.Add(r)
		}
		return told
	}
	told := tell()
	if rapid.Bool().Draw(rt, "reset") {
		if err := recorder.Reset(t.Context()); err != nil {
			rt.Fatal(err)
		}
		told = tell()
	}
	if rapid.IntRange(0, 4).Draw(rt, "killed") == 0 {
		recorder.Abandon()
		told = nil // whatever was written of it, the run does not count
	} else {
		run.State = record.StateFinished
		if err := recorder.Finish(t.Context(), run); err != nil {
			rt.Fatal(err)
		}
	}
	on, err := store.Run(t.Context(), run.ID)
	if err != nil {
		rt.Fatal(err)
	}
	same(rt, "the run", on, func() history.Run { run.Order = on.Order; return run }())
	m.runs = append(m.runs, modelRun{Run: on, results: told})
}

func (m *model) check(rt *rapid.T, t *testing.T, store history.Store) {
	ctx := t.Context()
	fail := func(err error) {
		if err != nil {
			rt.Fatal(err)
		}
	}
	runs, err := store.Runs(ctx, history.RunFilter{})
	fail(err)
	slices.Reverse(runs)
	var want []history.Run
	for _, r := range m.runs {
		want = append(want, r.Run)
	}
	same(rt, "the runs", runs, want)
	for _, f := range []history.SuspectFilter{{}, {Sessions: 2}, {Both: true}, {Runs: 3}, {Runs: 2, Sessions: 2, Both: true}} {
		got, err := store.Suspects(ctx, f)
		fail(err)
		same(rt, fmt.Sprintf("the suspects of %+v", f), names(got), m.suspects(f.Sessions, f.Both, f.Runs))
	}
	for _, name := range []string{"a", "d|("} {
		test := record.Test{Suite: "s", Test: name}
		var points []string
		var cut bool
		fail(store.Timeline(ctx, history.TimelineFilter{Language: "l", Tests: []record.Test{test}, Points: 5}, func(l history.Timeline) bool {
			cut = l.Cut
			for _, p := range l.Points {
				points = append(points, fmt.Sprint(p.RunID, p.Outcome, p.Derived, p.Signature))
			}
			return true
		}))
		wanted, wasCut := m.points(test, 5)
		same(rt, "the points", points, wanted)
		same(rt, "cut", cut, wasCut)
	}
	finished := slices.DeleteFunc(slices.Clone(m.runs), func(r modelRun) bool { return r.State != record.StateFinished })
	if len(finished) > 1 {
		before, now := finished[0], finished[len(finished)-1]
		var got []string
		fail(store.Compare(ctx, before.ID, now.ID, func(c history.Change) bool {
			got = append(got, fmt.Sprint(c.TestKey.Test.Test, c.InBefore, c.Before, c.InNow, c.Now))
			return true
		}))
		slices.Sort(got)
		same(rt, "the changes", got, changes(before, now))
	}
}
