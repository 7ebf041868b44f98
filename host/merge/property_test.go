package merge

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/portable"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a project and what becomes of its tests.
type world struct {
	r      *rand.Rand
	suites []shard.Suite
	ends   map[sdk.TestID]sdk.Status
	plan   shard.Plan
}

func newWorld(r *rand.Rand, red bool) *world {
	w := &world{r: r, ends: map[sdk.TestID]sdk.Status{}}
	for i := range 1 + r.IntN(12) {
		s := shard.Suite{Name: fmt.Sprintf("m/%c%d", 'a'+i, i), Whole: r.IntN(4) == 0}
		for t := range r.IntN(9) {
			name := fmt.Sprintf("Test%d", t)
			s.Tests = append(s.Tests, name)
			end := sdk.Passed
			switch r.IntN(12) {
			case 0:
				end = sdk.Skipped
			case 1:
				if red {
					end = sdk.Failed
				}
			}
			w.ends[sdk.TestID{Suite: s.Name, Test: name}] = end
		}
		w.suites = append(w.suites, s)
	}
	w.plan = shard.Plan{
		Language: "x", Parts: shard.Split(w.suites, 1+r.IntN(6), shard.Timings{}),
		Selection: api.Selection{Filter: []string{"", "A"}[r.IntN(2)]}, Fingerprint: "abc123", Timings: []string{"", "t1"}[r.IntN(2)],
	}
	return w
}

// run makes the run of some pieces.
func (w *world) run(pieces []shard.Piece) api.Run {
	run := api.Run{
		Schema: api.Schema, RunID: strings.Map(func(rune) rune { return rune('a' + w.r.IntN(26)) }, "0123456789"), Kind: api.KindRun, State: api.StateFinished, Verdict: api.Passed,
		Language: "x", Plugin: api.Plugin{Name: "x"}, StartedAt: now, DurationS: 1, Selection: w.plan.Selection, Environment: "e1",
		Source: &api.Source{Fingerprint: w.plan.Fingerprint, Commit: "c0ffee"}, Results: []api.Result{}, Failures: []api.Failure{},
	}
	t := tally.NewTally()
	for _, p := range pieces {
		tests := p.Tests
		if tests == nil {
			for _, s := range w.suites {
				if s.Name == p.Suite {
					tests = s.Tests
				}
			}
		}
		for _, name := range tests {
			res := api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: p.Suite, Test: name}, Status: w.ends[sdk.TestID{Suite: p.Suite, Test: name}]}, DurationS: 0.1}
			run.Results = append(run.Results, res)
			t.Listen(&api.TestEnded{Result: res})
			if res.Status == sdk.Failed {
				run.Failures = append(run.Failures, api.Failure{ID: api.FailureID(p.Suite, name, "assertion", 0), Failure: sdk.Failure{TestID: res.TestID, Kind: sdk.KindAssertion, Message: "no"}})
				run.Verdict = api.Failed
			}
		}
	}
	run.Counts, run.FailuresTotal = t.Counted(), len(run.Failures)
	if run.Counts.Passed == 0 && run.Verdict == api.Passed && run.Counts.Skipped > 0 {
		run.Verdict = api.NothingRan
	}
	return run
}

func (w *world) endOf(p shard.Piece) api.SuiteEnd {
	end := api.SuiteEndNoTests
	for _, s := range w.suites {
		for _, name := range s.Tests {
			if s.Name != p.Suite || p.Tests != nil && !slices.Contains(p.Tests, name) {
				continue
			}
			if w.ends[sdk.TestID{Suite: s.Name, Test: name}] == sdk.Failed {
				return api.SuiteEndFailed
			}
			end = api.SuiteEndPassed
		}
	}
	return end
}

// shards makes the runs of all parts.
func (w *world) shards() []api.Run {
	var runs []api.Run
	for i, part := range w.plan.Parts {
		run := w.run(part)
		about := w.plan.Of(i + 1)
		about.Attempt, about.Everything = 1, true
		for n, p := range part {
			about.Planned[n].Ended = w.endOf(p)
		}
		run.Shard, run.Selection.Shard = &about, about.String()
		runs = append(runs, run)
	}
	return runs
}

func line(t testing.TB, run api.Run) []byte {
	t.Helper()
	raw, err := prose.JSON(run)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// mergeFiles reads files as the command does, and merges them.
func mergeFiles(files [][]byte, expect int) shard.Merge {
	read := &portable.Files{Now: now}
	for i, raw := range files {
		read.AddReports(fmt.Sprintf("%d.json", i), raw)
	}
	in := sortByLanguage(read)
	m := shard.Merge{Problems: []string{"nothing came"}}
	if len(in.reports["x"]) > 0 {
		m = shard.Of(in.reports["x"], expect)
	}
	m.Problems = slices.Concat(in.problems, m.Problems)
	return m
}

func isGreen(m shard.Merge) bool { return len(m.Problems) == 0 && !m.IsRed() && len(m.Flaky) == 0 }

// faults spoil the reports of shards, one each. They return nothing if they do not apply.
var faults = map[string]func(t testing.TB, w *world, runs []api.Run) [][]byte{
	"a shard is missing": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := w.r.IntN(len(runs))
		return lines(t, slices.Delete(slices.Clone(runs), i, i+1))
	},
	"a shard is there twice": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		again := runs[w.r.IntN(len(runs))]
		again.RunID = "zzzzzzzzzz"
		return lines(t, append(slices.Clone(runs), again))
	},
	"a file is torn": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		files := lines(t, runs)
		i := w.r.IntN(len(files))
		files[i] = files[i][:w.r.IntN(len(files[i])-1)]
		return files
	},
	"a shard is of another plan": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		other := *w
		other.plan.Timings = "other"
		runs = slices.Clone(runs)
		i := w.r.IntN(len(runs))
		if len(runs) == 1 {
			return nil // it is a plan of its own
		}
		runs[i] = other.shards()[i]
		return lines(t, runs)
	},
	"a shard saw other sources": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		runs = slices.Clone(runs)
		i := w.r.IntN(len(runs))
		runs[i].Source = &api.Source{Fingerprint: "other1"}
		return lines(t, runs)
	},
	"files changed during a shard": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		runs = slices.Clone(runs)
		runs[w.r.IntN(len(runs))].MixedState = true
		return lines(t, runs)
	},
	"a shard ran in another setting": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		if len(runs) == 1 {
			return nil
		}
		runs = slices.Clone(runs)
		runs[w.r.IntN(len(runs))].Environment = "e2"
		return lines(t, runs)
	},
	"a suite is dropped from a plan": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := w.r.IntN(len(runs))
		if len(runs[i].Shard.Planned) == 0 {
			return nil
		}
		pieces := w.plan.Parts[i][1:]
		about := *runs[i].Shard
		about.Planned = about.Planned[1:]
		runs = slices.Clone(runs)
		run := w.run(pieces)
		run.Shard, run.Selection.Shard = &about, about.String()
		runs[i] = run
		return lines(t, runs)
	},
	"a suite has no end": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := w.r.IntN(len(runs))
		if len(runs[i].Shard.Planned) == 0 {
			return nil
		}
		about := *runs[i].Shard
		about.Planned = slices.Clone(about.Planned)
		about.Planned[w.r.IntN(len(about.Planned))].Ended = ""
		runs = slices.Clone(runs)
		runs[i].Shard = &about
		return lines(t, runs)
	},
	"a test of a piece has no result": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		for i, part := range w.plan.Parts {
			for n, p := range part {
				if p.Tests == nil {
					continue
				}
				pieces := slices.Clone(part)
				pieces[n].Tests = p.Tests[1:]
				run := w.run(pieces)
				if len(pieces[n].Tests) == 0 {
					run = w.run(slices.Delete(pieces, n, n+1))
				}
				run.Shard, run.Selection.Shard = runs[i].Shard, runs[i].Selection.Shard
				runs = slices.Clone(runs)
				runs[i] = run
				return lines(t, runs)
			}
		}
		return nil
	},
	"a result is flipped": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := w.r.IntN(len(runs))
		if len(runs[i].Results) == 0 {
			return nil
		}
		runs = slices.Clone(runs)
		runs[i].Results = slices.Clone(runs[i].Results)
		res := &runs[i].Results[w.r.IntN(len(runs[i].Results))]
		res.Status = map[sdk.Status]sdk.Status{sdk.Passed: sdk.Failed, sdk.Failed: sdk.Passed, sdk.Skipped: sdk.Failed}[res.Status]
		return lines(t, runs)
	},
	"a result is dropped": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := w.r.IntN(len(runs))
		if len(runs[i].Results) == 0 {
			return nil
		}
		runs = slices.Clone(runs)
		runs[i].Results = runs[i].Results[1:]
		return lines(t, runs)
	},
	"something ran that was not planned": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := w.r.IntN(len(runs))
		w.suites = append(w.suites, shard.Suite{Name: "m/zz", Tests: []string{"TestZ"}})
		w.ends[sdk.TestID{Suite: "m/zz", Test: "TestZ"}] = sdk.Passed
		run := w.run(append(slices.Clone(w.plan.Parts[i]), shard.Piece{Suite: "m/zz"}))
		run.Shard, run.Selection.Shard = runs[i].Shard, runs[i].Selection.Shard
		runs = slices.Clone(runs)
		runs[i] = run
		return lines(t, runs)
	},
	"a shard was cut off": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		runs = slices.Clone(runs)
		i := w.r.IntN(len(runs))
		runs[i].Verdict, runs[i].Reason = api.Incomplete, "interrupted"
		return lines(t, runs)
	},
	"a member is there twice": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		files := lines(t, runs)
		i := w.r.IntN(len(files))
		files[i] = bytes.Replace(files[i], []byte(`"verdict":`), []byte(`"Verdict":"passed","verdict":`), 1)
		return files
	},
	"a failure is hidden behind a pass": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := slices.IndexFunc(runs, func(r api.Run) bool { return len(r.Failures) > 0 })
		if i < 0 {
			return nil
		}
		runs = slices.Clone(runs)
		runs[i].Verdict = api.Passed
		return lines(t, runs)
	},
	"a fixture failed beside a pass": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := slices.IndexFunc(runs, func(r api.Run) bool { return len(r.Results) > 0 && r.Verdict == api.Passed })
		if i < 0 {
			return nil
		}
		runs = slices.Clone(runs)
		fixture := api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: runs[i].Results[0].Suite, Test: "setUp()"}, Status: sdk.Failed, Fixture: true}}
		runs[i].Results = append(slices.Clone(runs[i].Results), fixture)
		runs[i].Counts.Failed++
		return lines(t, runs)
	},
	"the last attempt of a shard ran nothing": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		void := voidOf(runs[w.r.IntN(len(runs))])
		void.Shard.Attempt = 2
		return lines(t, append(slices.Clone(runs), void))
	},
	"an attempt replaces a red one": func(t testing.TB, w *world, runs []api.Run) [][]byte {
		i := slices.IndexFunc(runs, func(r api.Run) bool { return len(r.Results) > 0 && r.Verdict == api.Passed })
		if i < 0 {
			return nil
		}
		id := runs[i].Results[0].TestID
		was := w.ends[id]
		w.ends[id] = sdk.Failed
		red := w.run(w.plan.Parts[i])
		about := *runs[i].Shard
		about.Planned = slices.Clone(about.Planned)
		for n, p := range w.plan.Parts[i] {
			about.Planned[n].Ended = w.endOf(p)
		}
		w.ends[id] = was
		red.Shard, red.Selection.Shard = &about, about.String()
		again := runs[i]
		second := *again.Shard
		second.Attempt = 2
		again.Shard = &second
		runs = append(slices.Clone(runs), red)
		runs[i] = again
		return lines(t, runs)
	},
}

// voidOf makes an attempt of a shard that ran nothing, as its plugin failed.
func voidOf(run api.Run) api.Run {
	about := api.Shard{Index: run.Shard.Index, Of: run.Shard.Of, Attempt: 1, Planned: []api.PlannedSuite{}, Elsewhere: []api.ShardPart{}}
	run.RunID, run.Verdict, run.Reason, run.Shard = "zzzzzzzzzz", api.ToolError, "no tool", &about
	run.Counts, run.Results, run.Failures, run.FailuresTotal, run.Environment = api.Counts{}, []api.Result{}, []api.Failure{}, 0, "e2"
	return run
}

func lines(t testing.TB, runs []api.Run) [][]byte {
	files := [][]byte{}
	for _, run := range runs {
		files = append(files, line(t, run))
	}
	return files
}

// rounds is how many worlds each test draws: the same in each run of the suite, unless
// PROCTOR_FUZZ asks for others for that long.
const rounds = 120

func draw(t *testing.T, f func(t *testing.T, r *rand.Rand)) {
	until := time.Time{}
	if d, err := time.ParseDuration(os.Getenv("PROCTOR_FUZZ")); err == nil {
		until = time.Now().Add(d)
	}
	for seed := uint64(1); seed <= rounds || time.Now().Before(until); seed++ {
		if seed > rounds {
			seed = rand.Uint64()
		}
		f(t, rand.New(rand.NewPCG(seed, 7)))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func TestAMergeWithAFaultIsNeverGreen(t *testing.T) {
	t.Parallel()
	applied := map[string]int{}
	draw(t, func(t *testing.T, r *rand.Rand) {
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range faults {
				if !yield(name) {
					return
				}
			}
		}) {
			w := newWorld(r, r.IntN(3) == 0)
			of := len(w.plan.Parts)
			files := faults[name](t, w, w.shards())
			if files == nil {
				continue
			}
			applied[name]++
			r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			if isGreen(mergeFiles(files, of)) {
				t.Errorf("%s, and the merge of %d shards is green", name, of)
			}
		}
	})
	for name := range faults {
		if applied[name] < rounds/20 {
			t.Errorf("%s: drawn only %d times", name, applied[name])
		}
	}
}

func TestAWholeMergeIsTheRunOfEverything(t *testing.T) {
	t.Parallel()
	draw(t, func(t *testing.T, r *rand.Rand) {
		w := newWorld(r, r.IntN(2) == 0)
		var everything []shard.Piece
		for _, s := range w.suites {
			everything = append(everything, shard.Piece{Suite: s.Name})
		}
		one := w.run(everything)
		shards := w.shards()
		void := voidOf(shards[0])
		shards[0].Shard.Attempt = 2
		files := lines(t, append(shards, void))
		r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		m := mergeFiles(files, len(w.plan.Parts))
		if len(m.Problems) > 0 {
			t.Errorf("a whole merge has problems: %q", m.Problems)
		}
		if red := one.Verdict == api.Failed; m.IsRed() != red {
			t.Errorf("one run is red: %t, the merge: %t", red, m.IsRed())
		}
		tests := func(results []api.Result) []string {
			var names []string
			for _, r := range results {
				names = append(names, fmt.Sprintf("%s %s %s", r.Suite, r.Test, r.Status))
			}
			slices.Sort(names)
			return names
		}
		if got, want := tests(m.Results), tests(one.Results); !slices.Equal(got, want) {
			t.Errorf("results %q, want %q", got, want)
		}
		ids := func(failures []api.Failure) []string {
			var ids []string
			for _, f := range failures {
				ids = append(ids, f.ID)
			}
			slices.SortFunc(ids, cmp.Compare)
			return ids
		}
		if got, want := ids(m.Failures), ids(one.Failures); !slices.Equal(got, want) {
			t.Errorf("failures %q, want %q", got, want)
		}
		suites := map[string]bool{}
		for _, end := range m.Ends {
			suites[end.Suite] = true
		}
		if len(suites) != len(w.suites) {
			t.Errorf("%d suites have an end, of %d", len(suites), len(w.suites))
		}
	})
}
