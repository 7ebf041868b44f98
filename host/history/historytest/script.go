package historytest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// script does the same to a store and to a model of one, at random.
type script struct {
	*model
	t     *testing.T
	store history.Store
}

// testModel compares what a store and a model answer.
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

// known looks whether a run is on record as it is.
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

// finish tells the results of a run, and its end, unless it is killed before.
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

// amend changes a run that is over, or ends one that was killed.
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

// purge removes all but the newest finished runs, and those that go on, or stops
// after some steps of that.
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
