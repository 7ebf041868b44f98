package history_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/internal/property"
	"github.com/proctorhq/proctor/sdk"
)

// model is a history kept in the plainest way: a list of runs with their results.
type model struct {
	// runs are in the order in which they began.
	runs []*modelRun
	made int
}

type modelRun struct {
	history.Run
	results []history.Result
	// recorder is nil unless the run is being recorded.
	recorder history.Recorder
}

// pick draws one of the wanted runs, or returns nil.
func (m *model) pick(rt *rapid.T, wanted func(*modelRun) bool) *modelRun {
	var runs []*modelRun
	for _, r := range m.runs {
		if wanted(r) {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return rapid.SampledFrom(runs).Draw(rt, "of the runs")
}

// conclusive returns the finished runs that count, oldest first.
func (m *model) conclusive() []*modelRun {
	return slices.DeleteFunc(slices.Clone(m.runs), func(r *modelRun) bool {
		return r.State != api.StateFinished || r.Kind == api.KindTriage
	})
}

// suspects names the suspects that a filter selects, latest first, then by name.
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
			s := found[r.Test]
			if s == nil {
				s = &suspect{sessions: map[string]bool{}}
				found[r.Test] = s
			}
			s.last = run.Order
			s.own = s.own || !r.Derived
			s.sessions[run.SessionID] = true
			s.both = s.both || m.passedOn(run.Run, r.TestID)
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

// passedOn reports whether a test passed on the state of a run.
func (m *model) passedOn(on history.Run, test sdk.TestID) bool {
	if on.Fingerprint == "" || on.MixedState {
		return false
	}
	return slices.ContainsFunc(m.conclusive(), func(run *modelRun) bool {
		return run.Fingerprint == on.Fingerprint && run.Environment == on.Environment && !run.MixedState &&
			slices.ContainsFunc(run.results, func(r history.Result) bool { return r.TestID == test && r.Outcome == history.Passed })
	})
}

// points returns a test's latest results.
func (m *model) points(test sdk.TestID, most int) (points []string, cut bool) {
	for _, run := range m.runs {
		for _, r := range run.results {
			if r.TestID == test && run.State == api.StateFinished {
				points = append(points, fmt.Sprint(run.ID, r.Outcome, r.Derived, r.Signature))
			}
		}
	}
	if len(points) > most {
		return points[len(points)-most:], true
	}
	return points, false
}

// worst returns each test's worst outcome.
var worst = []history.Outcome{history.Passed, history.Skipped, history.NeverStarted, history.Unfinished, history.Failed}

func (r *modelRun) worst() map[string]history.Outcome {
	ends := map[string]history.Outcome{}
	for _, res := range r.results {
		before, ok := ends[res.Test]
		if !ok || slices.Index(worst, res.Outcome) > slices.Index(worst, before) {
			ends[res.Test] = res.Outcome
		}
	}
	return ends
}

// changes compares two runs.
func changes(before, now *modelRun) []string {
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

// beyond returns the finished runs except the newest, oldest first.
func (m *model) beyond(most int) (ids []string) {
	for _, r := range m.runs {
		if r.State == api.StateFinished {
			ids = append(ids, r.ID)
		}
	}
	return ids[:max(len(ids)-most, 0)]
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
	for _, f := range []history.SuspectFilter{
		{}, {Sessions: 2}, {Sessions: 3}, {Both: true}, {Sessions: 2, Both: true}, {Runs: 3}, {Runs: 2, Sessions: 2, Both: true},
	} {
		got, err := store.Suspects(ctx, f)
		fail(err)
		same(rt, fmt.Sprintf("the suspects of %+v", f), names(got), m.suspects(f.Sessions, f.Both, f.Runs))
	}
	for _, name := range []string{"a", "d|("} {
		test := sdk.TestID{Suite: "s", Test: name}
		var points []string
		var cut bool
		fail(store.Timeline(ctx, history.TimelineFilter{Language: "l", Tests: []sdk.TestID{test}, Points: 5}, func(l history.Timeline) bool {
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
	finished := slices.DeleteFunc(slices.Clone(m.runs), func(r *modelRun) bool { return r.State != api.StateFinished })
	if len(finished) > 1 {
		before, now := finished[0], finished[len(finished)-1]
		var got []string
		fail(store.Compare(ctx, before.ID, now.ID, func(c history.Change) bool {
			got = append(got, fmt.Sprint(c.TestKey.Test, c.InBefore, c.Before, c.InNow, c.Now))
			return true
		}))
		slices.Sort(got)
		same(rt, "the changes", got, changes(before, now))
	}
}

// script does the same random things to a store and to a model of it.
type script struct {
	*model
	t     *testing.T
	store history.Store
}

// testModel compares what a store and a model answer.
func testModel(t *testing.T, open opener) {
	dir, n := t.TempDir(), 0
	property.Check(t, func(rt *rapid.T) {
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
		s := &script{model: &model{}, t: t, store: store}
		rt.Repeat(map[string]func(*rapid.T){
			"run":    func(rt *rapid.T) { s.finish(rt, s.begin(rt)) },
			"begin":  func(rt *rapid.T) { s.begin(rt) },
			"finish": func(rt *rapid.T) { s.finish(rt, s.pick(rt, func(r *modelRun) bool { return r.recorder != nil })) },
			"amend":  s.amend,
			"remove": s.remove,
			"purge":  s.purge,
			"read":   func(rt *rapid.T) { s.check(rt, t, store) },
		})
		s.check(rt, t, store)
	})
}

var (
	drawOutcome = rapid.SampledFrom([]history.Outcome{history.Passed, history.Passed, history.Failed, history.Skipped, history.Unfinished, history.NeverStarted})
	drawName    = rapid.SampledFrom([]string{"a", "b", "c", "d|(", "é"})
	drawKind    = rapid.SampledFrom([]api.Kind{api.KindRun, api.KindRerun, api.KindTriage})
	drawPrint   = rapid.SampledFrom([]string{"", "f", "g"})
	drawResult  = rapid.Custom(func(t *rapid.T) history.Result {
		r := result(drawName.Draw(t, "test"), drawOutcome.Draw(t, "outcome"))
		if r.Outcome == history.Failed {
			r.Derived = rapid.Bool().Draw(t, "derived")
			r.Signature = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "signature")
		}
		return r
	})
)

func (s *script) begin(rt *rapid.T) *modelRun {
	s.made++
	run := history.Run{
		ID: fmt.Sprintf("run%04d", s.made), SessionID: rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(rt, "session"),
		Kind: drawKind.Draw(rt, "kind"), Language: "l", State: api.StateRunning,
		StartedAt:   start.Add(time.Duration(s.made) * time.Minute),
		Fingerprint: drawPrint.Draw(rt, "fingerprint"), MixedState: rapid.IntRange(0, 3).Draw(rt, "mixed") == 0,
		Environment: rapid.SampledFrom([]string{"e", "d"}).Draw(rt, "environment"),
	}
	recorder, err := s.store.Begin(s.t.Context(), run)
	if err != nil {
		rt.Fatal(err)
	}
	r := &modelRun{Run: run, recorder: recorder}
	s.runs = append(s.runs, r)
	s.known(rt, r)
	return r
}

// known checks that a run is on record as the model has it.
func (s *script) known(rt *rapid.T, r *modelRun) {
	on, err := s.store.Run(s.t.Context(), r.ID)
	if err != nil {
		rt.Fatal(err)
	}
	if r.Order == 0 {
		r.Order = on.Order
	}
	same(rt, "the run", on, r.Run)
}

// finish records the results of a run and its end, unless it is killed before.
func (s *script) finish(rt *rapid.T, r *modelRun) {
	if r == nil {
		return
	}
	tell := func() []history.Result {
		told := rapid.SliceOfN(drawResult, 0, 8).Draw(rt, "results")
		for _, result := range told {
			r.recorder.Add(result)
		}
		return told
	}
	told := tell()
	if rapid.Bool().Draw(rt, "reset") {
		if err := r.recorder.Reset(s.t.Context()); err != nil {
			rt.Fatal(err)
		}
		told = tell()
	}
	if rapid.IntRange(0, 4).Draw(rt, "killed") == 0 {
		r.recorder.Abandon() // whatever was written of it, the run does not count
	} else {
		r.State, r.results = api.StateFinished, told
		if err := r.recorder.Finish(s.t.Context(), r.Run); err != nil {
			rt.Fatal(err)
		}
	}
	r.recorder = nil
	s.known(rt, r)
}

// amend changes a finished run, or ends a killed one.
func (s *script) amend(rt *rapid.T) {
	r := s.pick(rt, func(r *modelRun) bool { return r.recorder == nil })
	if r == nil {
		return
	}
	r.Kind, r.Fingerprint, r.MixedState = drawKind.Draw(rt, "kind"), drawPrint.Draw(rt, "fingerprint"), rapid.Bool().Draw(rt, "mixed")
	r.State = rapid.SampledFrom([]api.State{api.StateFinished, api.StateRunning}).Draw(rt, "state")
	if err := s.store.Amend(s.t.Context(), r.Run); err != nil {
		rt.Fatal(err)
	}
	r.results = nil
	err := s.store.Results(s.t.Context(), r.ID, func(result history.Result) bool {
		r.results = append(r.results, result)
		return true
	})
	if err != nil {
		rt.Fatal(err)
	}
	s.known(rt, r)
}

func (s *script) remove(rt *rapid.T) {
	r := s.pick(rt, func(r *modelRun) bool { return r.recorder == nil })
	if r == nil {
		return
	}
	if err := s.store.Remove(s.t.Context(), []string{r.ID}, nil); err != nil {
		rt.Fatal(err)
	}
	s.runs = slices.DeleteFunc(s.runs, func(o *modelRun) bool { return o == r })
}

// purge removes all but the newest finished runs and those in progress, or stops after some
// steps of that.
func (s *script) purge(rt *rapid.T) {
	gone := s.beyond(rapid.IntRange(1, 6).Draw(rt, "most"))
	steps := rapid.IntRange(1, 20).Draw(rt, "steps")
	runs := 0
	err := s.store.Remove(s.t.Context(), gone, func(r history.Removal) bool {
		runs = r.Runs
		steps--
		return steps > 0
	})
	if err != nil {
		rt.Fatal(err)
	}
	s.runs = slices.DeleteFunc(s.runs, func(r *modelRun) bool { return slices.Contains(gone[:runs], r.ID) })
}
