package standing

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/sdk"
)

// everythingJudged judges all files by the whole record, in the plainest way.
func everythingJudged(p *ledgertest.Workspace) (spots []api.Spot, namesakes []string) {
	p.T.Helper()
	ctx := p.T.Context()
	j := &judgment{Ledger: p.Ledger, extent: p.Extent}
	deferred, err := Deferrals(ctx, p.Ledger)
	p.Must(err)
	files := allSuspects(p)
	type dated struct {
		api.Spot
		order    int64
		language string
	}
	var all []dated
	for at, timelines := range files {
		whole, err := CompleteRuns(ctx, p.Ledger, at.language, 0)
		p.Must(err)
		spot, order, err := j.spot(ctx, at, classify.FileSubject{Suspects: timelines, Complete: whole, Deferred: in(deferred)})
		p.Must(err)
		if spot.Recurring || spot.Regressed || len(spot.Flaky) > 0 {
			all = append(all, dated{spot, order, at.language})
		}
	}
	slices.SortFunc(all, func(a, b dated) int {
		return cmp.Or(cmp.Compare(b.order, a.order), cmp.Compare(a.File, b.File), cmp.Compare(a.language, b.language))
	})
	for _, d := range all {
		spots = append(spots, d.Spot)
	}
	tests, err := p.History.Tests(ctx, history.TestFilter{})
	p.Must(err)
	named := map[string]bool{}
	for _, file := range classify.Named(spots) {
		for _, t := range tests {
			if t.File != "" && lastName(t.File) == lastName(file) {
				named[t.File] = true
			}
		}
	}
	return spots, slices.Sorted(maps.Keys(named))
}

func lastName(file string) string {
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' {
			return file[i+1:]
		}
	}
	return file
}

// allSuspects are the timelines of the suspects, by file.
func allSuspects(p *ledgertest.Workspace) map[sourceFile][]history.Timeline {
	p.T.Helper()
	ctx := p.T.Context()
	tests, err := p.History.Suspects(ctx, history.SuspectFilter{Limit: p.Extent.From})
	p.Must(err)
	files, each, total := map[sourceFile][]history.Timeline{}, map[sourceFile]int{}, 0
	var hidden []history.Test
	for again := true; again; {
		most, whole := p.Extent.Tests-total, len(hidden) > 0
		if total < p.Extent.Full {
			most, whole = p.Extent.Full-total, true
		}
		again, tests, hidden = whole, slices.Concat(hidden, tests), nil
		var chosen []history.Test
		if chosen, tests = choose(tests, maps.Clone(each), p.Extent.Each, most); len(chosen) == 0 {
			break
		}
		for _, one := range chosen {
			filter := history.TimelineFilter{
				Language: one.Language, Tests: []sdk.TestID{one.TestKey.TestID}, Points: p.Extent.Points, Ends: whole,
			}
			p.Must(Timelines(ctx, p.Ledger, filter, func(t history.Timeline) {
				at := sourceFile{one.Language, t.File}
				own, foreign := splitForeign(t.Points)
				if t.Cut && !whole && len(foreign) > 0 {
					hidden, again = append(hidden, t.Test), true
					return
				}
				if len(own) == 0 || anyBad(foreign) && !anyBad(own) {
					again = true
					return
				}
				each[at]++
				total++
				t.Points = own
				files[at] = append(files[at], t)
			}))
		}
	}
	return files
}

// life is a random history of a workspace.
type life struct {
	*ledgertest.Workspace
	*rand.Rand
	// at maps the existing tests to the file that declares them; sessions are in
	// progress.
	at      map[string]string
	session int
	// whole is how many of four runs, plus one, are of everything.
	whole int
	// open are runs in progress.
	open []openRun
	log  []string
	// held counts the runs after which what is stored of the files still held.
	held int
}

type openRun struct {
	run      history.Run
	recorder history.Recorder
}

var lifeFiles = []string{"p/a_test.x", "q/a_test.x", "p/b_test.x", "a_test.x", "r/s/c_test.x", "c_test.x"}

func (l *life) file() string { return lifeFiles[l.IntN(len(lifeFiles))] }

// soundFile is mostly one in which nothing ever fails.
func (l *life) soundFile() string {
	if l.IntN(4) == 0 {
		return l.file()
	}
	return []string{"sound/s_test.x", "sound/a_test.x"}[l.IntN(4)/3]
}

func (l *life) begin() openRun {
	l.N++
	l.Now = l.Now.Add(time.Hour)
	if l.IntN(4) == 0 {
		l.session++
	}
	run := history.Run{
		ID: fmt.Sprintf("run%07d", l.N), SessionID: fmt.Sprint("s", l.session-l.IntN(2)), Kind: api.KindRun, Language: "x",
		StartedAt: l.Now, State: api.StateRunning, Environment: history.ShortOf(fmt.Sprint(l.IntN(5) / 4)),
	}
	switch l.IntN(12) {
	case 0:
		run.Kind, run.Origin = api.KindIngest, "ci.json"
	case 1:
		run.SessionID, run.Origin = history.ImportedSession+"i", "x.tar.gz"
	case 2:
		run.Kind = api.KindTriage
	case 3:
		run.Language = "y"
	case 4:
		run.Kind = api.KindRerun
	}
	recorder, err := l.History.Begin(l.T.Context(), run)
	l.Must(err)
	return openRun{run, recorder}
}

// end ends a run of everything, or of some tests.
func (l *life) end(o openRun) {
	run := o.run
	share := 1 + l.IntN(4)
	onlySound := l.IntN(3) == 0
	if run.Whole = l.IntN(4) <= l.whole; run.Whole {
		share = 1
	}
	run.Verdict = api.Passed
	for _, name := range slices.Sorted(maps.Keys(l.at)) {
		if sound := strings.HasPrefix(name, "Sound"); l.IntN(share) > 0 || onlySound && !sound {
			continue
		}
		outcome := history.Passed
		if !strings.HasPrefix(name, "Sound") && l.IntN(3) == 0 {
			outcome = []history.Outcome{history.Failed, history.Failed, history.Unfinished, history.Skipped}[l.IntN(4)]
		}
		r := historytest.Did(l.at[name], name, outcome)
		if r.Derived = outcome == history.Failed && l.IntN(6) == 0; outcome.Bad() {
			run.Verdict = api.Failed
		}
		if l.IntN(8) == 0 {
			r.Root = "root"
		}
		o.recorder.Add(r)
	}
	run.State, run.Duration = api.StateFinished, time.Minute
	l.Must(o.recorder.Finish(l.T.Context(), run))
	if ledger.SparesOutstanding(run.Kind) || l.IntN(6) == 0 {
		l.say("end %s of session %s, and nobody notes it", run.ID, run.SessionID)
		return // as if its proctor were killed then
	}
	row, err := l.History.Run(l.T.Context(), run.ID)
	l.Must(err)
	note := l.kept()
	got, err := Entries(l.T.Context(), l.Workspace.Ledger, row)
	l.Must(err)
	after := l.kept()
	if head, ok := readKeptHead(l.T.Context(), l.Workspace.Ledger); ok && !row.Foreign() && head.Rest == restName(note[filesKey]) && len(head.Bases) > 0 {
		l.held++
	}
	// Again, without what was stored.
	l.Must(l.History.Put(l.T.Context(), spotsKey, nil))
	want, err := Entries(l.T.Context(), l.Workspace.Ledger, row)
	l.Must(err)
	l.Must(l.History.PutAll(l.T.Context(), note))
	if !row.Foreign() {
		l.Must(l.History.PutAll(l.T.Context(), after))
	}
	l.say("end %s of session %s", run.ID, run.SessionID)
	l.same("the entries", got, want)
}

// kept returns what is stored of the judgment.
func (l *life) kept() map[string][]byte {
	kept := map[string][]byte{}
	for _, key := range []string{spotsKey, filesKey} {
		value, _, err := l.History.Get(l.T.Context(), key)
		l.Must(err)
		kept[key] = value
	}
	return kept
}

func (l *life) say(format string, args ...any) { l.log = append(l.log, fmt.Sprintf(format, args...)) }

func (l *life) same(what string, got, want any) {
	l.T.Helper()
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		for _, step := range l.log {
			l.T.Log(step)
		}
		l.T.Fatalf("%s (-all judged +kept):\n%s", what, diff)
	}
}

func (l *life) step() {
	names := slices.Sorted(maps.Keys(l.at))
	some := func() string { return names[l.IntN(len(names))] }
	ctx := l.T.Context()
	switch k := l.IntN(20); {
	case k < 10:
		l.end(l.begin())
	case k == 10:
		l.open = append(l.open, l.begin())
	case k == 11 && len(l.open) > 0:
		i := l.IntN(len(l.open))
		o := l.open[i]
		l.open = slices.Delete(l.open, i, i+1)
		l.end(o)
	case k == 12 && len(l.open) > 0: // killed, and discovered later
		o := l.open[0]
		l.open = l.open[1:]
		o.recorder.Add(historytest.Failed(l.at[some()], some()))
		o.recorder.Abandon()
		o.run.State, o.run.Verdict = api.StateFinished, api.Incomplete
		l.Must(l.History.Amend(ctx, o.run))
		l.say("kill %s", o.run.ID)
	case k == 13: // a new one
		l.at[fmt.Sprint("T", l.N, len(l.at))] = l.file()
		l.at[fmt.Sprint("Sound", l.N, len(l.at))] = l.soundFile()
	case k == 14 && len(names) > 2:
		delete(l.at, some())
	case k == 15: // another place
		name := some()
		if l.at[name] = l.file(); strings.HasPrefix(name, "Sound") {
			l.at[name] = l.soundFile()
		}
		l.say("move %s to %s", name, l.at[name])
	case k == 16 && len(names) > 2: // another name
		name := some()
		l.at[name+"Renamed"] = l.at[name]
		delete(l.at, name)
		l.say("rename %s", name)
	case k == 17:
		t := historytest.Key(some())
		l.say("defer %s", t.Test)
		l.Must(l.History.Defer(ctx, history.Deferral{TestKey: t, SessionID: "now", At: l.Now}))
	case k == 18:
		deferred, err := l.History.Deferrals(ctx)
		l.Must(err)
		for _, d := range deferred {
			l.Must(l.History.Undefer(ctx, d.TestKey))
		}
	default: // the oldest go, and sometimes another
		runs, err := l.History.Runs(ctx, history.RunFilter{State: api.StateFinished})
		l.Must(err)
		var gone []string
		for i, r := range runs {
			if i > 30 || l.IntN(40) == 0 {
				gone = append(gone, r.ID)
			}
		}
		l.say("remove %v", gone)
		l.Must(l.History.Remove(ctx, gone, nil))
	}
}

// live plays a random history in which each judgment must equal that of everything.
func live(t *testing.T, seed uint64) (held int) {
	p := ledgertest.New(t)
	l := &life{Workspace: p, Rand: rand.New(rand.NewPCG(seed, 1)), at: map[string]string{}}
	p.Extent = ledger.Extent{Tests: 5 + l.IntN(8), Each: 2 + l.IntN(3), From: 10 + l.IntN(20), Points: 2 + l.IntN(6), Full: 1 + l.IntN(4)}
	for n := range 6 + l.IntN(10) {
		l.at[fmt.Sprint("T", n)] = l.file()
		if l.IntN(3) == 0 {
			l.at[fmt.Sprint("Sound", n)] = l.soundFile()
		}
	}
	steps := 40
	if l.IntN(10) == 0 { // more runs of everything than are searched
		steps, l.whole = 160, 2
	}
	for range steps {
		l.step()
		if l.IntN(2) == 0 {
			continue
		}
		spots, namesakes := everythingJudged(l.Workspace)
		for range 2 { // computed, then stored
			now, err := JudgeSpots(t.Context(), l.Workspace.Ledger)
			l.Must(err)
			l.same("the spots", now.Spots(), spots)
			for _, file := range namesakes { // besides those that are gone
				if !slices.Contains(now.Namesakes, file) {
					l.same("the namesakes", now.Namesakes, namesakes)
				}
			}
		}
	}
	for _, o := range l.open {
		o.recorder.Abandon()
	}
	return l.held
}

// PROCTOR_FUZZ=5m runs for that long; PROCTOR_FUZZ_SEED repeats a case.
func TestFilesThatAreNotJudgedAgainStandAsTheyDo(t *testing.T) {
	seed, cases := uint64(time.Now().UnixNano()), 6
	var until time.Time
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed, cases = n, 1
	}
	if text := os.Getenv("PROCTOR_FUZZ"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		until = time.Now().Add(d)
	}
	done, held := 0, 0
	for ; done < cases || time.Now().Before(until); done++ {
		ok := t.Run(fmt.Sprint("PROCTOR_FUZZ_SEED=", seed), func(t *testing.T) { held += live(t, seed) })
		if !ok {
			break
		}
		seed++
	}
	t.Logf("%d cases; what was stored of the files held after %d runs", done, held)
	if held == 0 && cases > 1 {
		t.Error("in no case did it hold")
	}
}

// New is the first test of f that fails, in session b. That is a regression of f only if
// another session knew a test of f.
func TestAFileIsJudgedAgainOnceATestThatAnotherSessionKnewMovesInOrOut(t *testing.T) {
	t.Parallel()
	type ran struct {
		session string
		result  history.Result
	}
	in, elsewhere, fails := historytest.Passed("f", "Known"), historytest.Passed("g", "Known"), historytest.Failed("f", "New")
	for _, c := range []struct {
		name          string
		before        []ran
		moved         history.Result
		spots, remain int
	}{
		{"out, first seen by another session", []ran{{"a", in}, {"b", fails}}, elsewhere, 1, 0},
		{"out, later seen by another session", []ran{{"b", in}, {"a", in}, {"b", fails}}, elsewhere, 1, 0},
		{"out, unknown to another session", []ran{{"b", in}, {"b", fails}}, elsewhere, 0, 0},
		{"in", []ran{{"a", elsewhere}, {"b", fails}}, in, 0, 1},
		{"nowhere", []ran{{"a", in}, {"b", fails}}, in, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := ledgertest.New(t)
			p.Extent = UsualExtent()
			judge := func(want int) {
				t.Helper()
				now, err := JudgeSpots(t.Context(), p.Ledger)
				p.Must(err)
				anew, _ := everythingJudged(p)
				if diff := gocmp.Diff(anew, now.Spots(), cmpopts.EquateEmpty()); diff != "" || len(anew) != want {
					t.Errorf("want %d spots (-all judged +kept):\n%s", want, diff)
				}
			}
			for _, r := range c.before {
				p.Run(r.session, r.result)
			}
			judge(c.spots)
			p.Run("b", c.moved)
			judge(c.remain)
		})
	}
}

func TestASpanIsReportedFromWhatIsOnRecord(t *testing.T) {
	for _, c := range []struct{ before, now, since, gone []int64 }{
		{nil, nil, nil, nil},
		{nil, []int64{1, 3}, []int64{1, 3}, nil},
		{[]int64{1, 2, 3}, []int64{1, 2, 3}, nil, nil},
		{[]int64{1, 2, 5, 6, 9}, []int64{2, 3, 6, 9, 10}, []int64{3, 10}, []int64{1, 5}},
		{[]int64{4}, nil, nil, []int64{4}},
		{[]int64{4}, []int64{1, 9}, []int64{1, 9}, []int64{4}},
	} {
		s := spansOf(c.before)
		since, gone := s.until(c.now)
		if !s.sound() || !slices.Equal(since, c.since) || !slices.Equal(gone, c.gone) {
			t.Errorf("%v, now %v: since %v, gone %v", c.before, c.now, since, gone)
		}
	}
	for _, s := range []spans{{{0, 1}}, {{2, 1}}, {{1, 3}, {3, 4}}, {{1, 1 << 62}}, {{1, 900_000}, {1_000_000, 1_900_000}}, {{-1 << 63, 1<<63 - 1}}} {
		if s.sound() {
			t.Errorf("%v is taken for what was kept", s)
		}
	}
}
