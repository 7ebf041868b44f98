package query

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// telling plays a random history and compares every answer after each run.
type telling struct {
	*ledgertest.Workspace
	lore
	r        *rand.Rand
	exist    []string
	session  string
	state, n int
	entries  map[string]string // by file and session
	answers  int
}

func (p *telling) add(file string) string {
	p.n++
	name := fmt.Sprintf("T%d", p.n)
	p.files[name], p.exist = file, append(p.exist, name)
	return name
}

// step changes something, and runs something.
func (p *telling) step() {
	if p.r.IntN(3) == 0 {
		p.session = string("abcdef"[p.r.IntN(6)])
	}
	if p.r.IntN(2) == 0 {
		p.state++
	}
	switch at := p.r.IntN(max(len(p.exist), 1)); p.r.IntN(8) {
	case 0: // deleted
		if len(p.exist) > 1 {
			p.exist, p.state = slices.Delete(p.exist, at, at+1), p.state+1
		}
	case 1: // renamed
		if len(p.exist) > 0 {
			file := p.files[p.exist[at]]
			p.exist, p.state = slices.Delete(p.exist, at, at+1), p.state+1
			p.add(file)
		}
	case 2:
		p.add([]string{"f", "g"}[p.r.IntN(2)])
		p.state++
	}
	run := happened{session: p.session, state: fmt.Sprint("state", p.state), whole: p.r.IntN(2) == 0, ended: map[string]rune{}}
	for _, t := range p.exist {
		if run.whole || p.r.IntN(3) == 0 {
			run.ended[t] = rune("PPPPFFFS"[p.r.IntN(8)])
		}
	}
	if len(run.ended) > 0 {
		p.happen(run)
	}
}

// happen records a run as proctor does.
func (p *telling) happen(h happened) {
	p.T.Helper()
	ctx := p.T.Context()
	p.runs = append(p.runs, h)
	var results []history.Result
	set, err := p.Ledger.Outstanding(ctx, "x")
	if err != nil {
		p.T.Fatal(err)
	}
	fold := outstanding.NewFold(fmt.Sprintf("run%07d", p.Workspace.N+1), set, outstanding.Scope{SomeTests: !h.whole})
	end := sdk.SuitePassed
	for _, t := range slices.Sorted(maps.Keys(h.ended)) {
		outcome := map[rune]history.Outcome{'P': history.Passed, 'F': history.Failed, 'S': history.Skipped}[h.ended[t]]
		status := map[rune]sdk.Status{'P': sdk.Passed, 'F': sdk.Failed, 'S': sdk.Skipped}[h.ended[t]]
		results = append(results, historytest.Did(p.files[t], t, outcome))
		fold.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: t}, Status: status}}})
		if status == sdk.Failed {
			end = sdk.SuiteFailed
		}
	}
	fold.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: end}})
	run := p.RunAs(history.Run{SessionID: h.session, Fingerprint: h.state, Environment: "e", Whole: h.whole}, results...)
	if fold.RanWhole() {
		inv := outstanding.Inventory{Complete: true, Tests: map[string][]string{"s": p.exist}}
		of := project.Project{}
		of.ID.Language, of.Root.Path = "x", p.Dir
		fold.Knows.Absent = engine.FindAbsences(ctx, p.Workspace.Ledger, of, fold.FindUnprovenAlike(), inv)
	}
	if _, err := p.UpdateOutstanding(ctx, "x", func(current outstanding.Set) outstanding.Set { return fold.After(current, outstanding.Ended) }); err != nil {
		p.T.Fatal(err)
	}
	if err := standing.Record(ctx, p.Workspace.Ledger, &api.Run{RunID: run.ID, Kind: run.Kind, Language: "x"}, 1000); err != nil {
		p.T.Fatal(err)
	}
	now := len(p.runs) - 1
	for _, file := range []string{"f", "g"} {
		if !slices.ContainsFunc(p.of(file), func(t string) bool { return h.ended[t] != 0 }) || !p.told(file, now) {
			continue
		}
		if class, bad := p.file(file, h.session, now); class != "" {
			status := "passed"
			if len(bad) > 0 {
				status = "unresolved"
			} else if class == "fixed" {
				status = "fixed"
			}
			p.entries[file+" "+h.session] = class + " " + status
		}
	}
}

// compare asks everything and returns the differences.
func (p *telling) compare() []string {
	p.T.Helper()
	ctx, where := p.T.Context(), p.Where()
	var wrong []string
	is := func(what string, got, want any) {
		p.answers++
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			wrong = append(wrong, fmt.Sprintf("%s: %s, want %s", what, g, w))
		}
	}
	fail := func(err error) {
		p.T.Helper()
		if err != nil {
			p.T.Fatal(err)
		}
	}
	told := func(class string, failed int, recurring, flaky bool) string {
		return fmt.Sprintf("%s %d recurring=%t flaky=%t", class, failed, recurring, flaky)
	}
	shown := func(t api.TestHistory) string {
		return told(string(t.Classification), t.FailedSessions, t.Recurring, t.Flaky != nil)
	}
	now := len(p.runs) - 1
	listed, want := map[string]string{}, map[string]string{}
	answer, err := History(ctx, p.Keeper, api.HistoryRequest{Where: where, Limit: 500})
	fail(err)
	for _, t := range answer.Tests {
		listed[t.Test] = shown(t)
	}
	for t := range p.files {
		class, failed, recurring, flaky := p.test(t)
		if p.suspect(t, now) && p.exists(t) && (recurring || flaky || class != "passed") {
			want[t] = told(class, failed, recurring, flaky)
		}
		if class == "" {
			continue
		}
		one, err := History(ctx, p.Keeper, api.HistoryRequest{Where: where, Name: "s " + t})
		fail(err)
		is("history "+t, shown(one.Tests[0]), told(class, failed, recurring, flaky))
		is("whether it is told that "+t+" is gone", strings.Contains(one.Message, "vanished"), !p.exists(t))
	}
	is("history", listed, want)

	exported, err := Entries(ctx, p.Keeper, where)
	fail(err)
	got := map[string]string{}
	for _, e := range exported {
		got[e.File+" "+e.SessionID] = string(e.Classification) + " " + string(e.Status)
	}
	is("the export", got, p.entries)
	for _, file := range []string{"f", "g"} {
		if !slices.ContainsFunc(p.of(file), func(t string) bool {
			return slices.ContainsFunc(p.runs, func(r happened) bool { return r.ended[t] != 0 })
		}) {
			continue
		}
		one, err := History(ctx, p.Keeper, api.HistoryRequest{Where: where, Name: file, Limit: 500})
		fail(err)
		got, stand, want := map[string]string{}, map[string]string{}, map[string]string{}
		for _, e := range one.Entries {
			got[e.File+" "+e.SessionID] = string(e.Classification) + " " + string(e.Status)
		}
		entries := maps.Clone(p.entries)
		maps.DeleteFunc(entries, func(k, _ string) bool { return !strings.HasPrefix(k, file+" ") })
		is("history "+file, got, entries)
		for _, t := range one.Tests {
			stand[t.Test] = shown(t)
		}
		for _, t := range p.of(file) {
			if class, failed, recurring, flaky := p.test(t); class != "" && p.exists(t) {
				want[t] = told(class, failed, recurring, flaky)
			}
		}
		is("the tests of "+file, stand, want)
	}

	note, err := Context(ctx, p.Keeper, where)
	fail(err)
	for what, spots := range map[string]struct {
		got  []api.Spot
		want func(string) bool
	}{"recurring": {note.Recurring, p.recurs}, "regressions": {note.Regressions, p.regressed}, "flaky": {note.Flaky, p.unsteady}} {
		var named, meant []string
		for _, s := range spots.got {
			named = append(named, s.File)
			for _, t := range s.Tests {
				is("whether "+t.Test+" of the note is bad", slices.Contains(p.bad(s.File, now), t.Test), true)
			}
		}
		for _, file := range []string{"f", "g"} {
			if spots.want(file) {
				meant = append(meant, file)
			}
		}
		slices.Sort(named)
		is("the note's "+what, named, meant)
	}
	is("what is outstanding by the note", note.Outstanding, len(p.outstanding()))

	red, err := Outstanding(ctx, p.Keeper, api.OutstandingRequest{Where: where})
	fail(err)
	var names []string
	for _, t := range red.Tests {
		names = append(names, t.Test)
	}
	slices.Sort(names)
	is("outstanding", names, p.outstanding())
	return wrong
}

// fuzzed returns the first seed, and when to stop.
func fuzzed(t *testing.T, long time.Duration) (seed uint64, until time.Time) {
	t.Helper()
	var err error
	if seed = uint64(time.Now().UnixNano()); os.Getenv("PROCTOR_FUZZ_SEED") != "" {
		if seed, err = strconv.ParseUint(os.Getenv("PROCTOR_FUZZ_SEED"), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv("PROCTOR_FUZZ"); text != "" {
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seeds from PROCTOR_FUZZ_SEED=%d on", seed)
	return seed, time.Now().Add(long)
}

// TestTheHistoryFollowsTheOracle plays random histories: PROCTOR_FUZZ=5m runs for that
// long, PROCTOR_FUZZ_SEED repeats a case.
func TestTheHistoryFollowsTheOracle(t *testing.T) {
	seed, until := fuzzed(t, 3*time.Second)
	answers, cases := 0, 0
	for ; cases == 0 || time.Now().Before(until); cases++ {
		ok := t.Run(fmt.Sprint(seed+uint64(cases)), func(t *testing.T) {
			p := &telling{Workspace: ledgertest.New(t), lore: lore{files: map[string]string{}}, r: rand.New(rand.NewPCG(seed+uint64(cases), 1)), session: "a", entries: map[string]string{}}
			for range 3 {
				p.add([]string{"f", "g"}[p.r.IntN(2)])
			}
			for range 15 {
				before := len(p.runs)
				if p.step(); len(p.runs) == before {
					continue
				}
				if wrong := p.compare(); len(wrong) > 0 {
					for i, r := range p.runs {
						var ended []string
						for _, t := range slices.Sorted(maps.Keys(r.ended)) {
							ended = append(ended, t+"("+p.files[t]+"):"+string(r.ended[t]))
						}
						t.Logf("run %d of session %s on %s, whole %t: %s", i+1, r.session, r.state, r.whole, strings.Join(ended, " "))
					}
					t.Fatalf("PROCTOR_FUZZ_SEED=%d:\n%s", seed+uint64(cases), strings.Join(wrong, "\n"))
				}
			}
			answers += p.answers
		})
		if !ok {
			return
		}
	}
	t.Logf("%d histories, %d answers", cases, answers)
}
