package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// Each story is what happened to one test, the only one of its file: a letter for the
// session, a digit for the state of the sources, and the result: P passed, F failed, S
// skipped, - the run had another test.
var stories = []string{
	"a1F", "a1P", "a1S", "a1P b1P", "a1F b1F", "a1P b1F", "a1P b2F", "a1F b2P", "a1F b1P", "a1F a1P", "a1F a2P", "a1P a1F", "a1P a2F",
	"a1F a1P a1F", "a1F b1P c1F", "a1F b1P c1F d1F", "a1F b1P c1F d2F", "a1F b1P c2F", "a1F b1P c2F d2F", "a1F b1P c2F d2P", "a1F b1P c2P",
	"a1F b1P c1P d1P", "a1F b1P c1P d1P e2F", "a1F b1P c1P d1P e1F", "a1F b1F c1F", "a1F b1F c1F d2P", "a1F b1F c1F d2P e2P f2P",
	"a1F b1P c1F d1P e1F f1F", "a1P b2F c2F", "a1P b2F c2S", "a1P b2F c2-", "a1F b1P c1-", "a1F b1P c1S", "a1F b1P c1F d1-", "a1F a2P b2F", "a1F a2P b3F c3F",
	"a1F b2S a3F", "a1S b2F", "a1S b2S a3F", "a1P b2F b3P", "a1P b2F c3P", "a1F b1P c1F c2P", "a1F b1P c1F c2F", "a1F b2F c3P d3F",
}

// views are the ways in which a standing is reported.
type views struct {
	*ledgertest.Workspace
	runs  []history.Run
	wrong []string
}

func (v *views) differs(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}

// tell records a story, run by run.
func (v *views) tell(story string) {
	outcomes := map[byte]history.Outcome{'P': history.Passed, 'F': history.Failed, 'S': history.Skipped}
	for _, step := range strings.Fields(story) {
		result := historytest.Passed("other_test.go", "Other")
		if step[2] != '-' {
			result = historytest.Did("f_test.go", "T", outcomes[step[2]])
		}
		run := v.RunAs(history.Run{SessionID: step[:1], Fingerprint: "state" + step[1:2], Environment: "e"}, result)
		if err := standing.Record(v.T.Context(), v.Workspace.Ledger, &api.Run{RunID: run.ID, Kind: run.Kind, Language: "x"}, 1000); err != nil {
			v.T.Fatal(err)
		}
		if step[2] != '-' {
			v.runs = append(v.runs, run)
		}
	}
}

// standingText formats a standing, including its flakiness.
func standingText(s api.Standing) string {
	text := string(s.Classification)
	if s.IsFlaky() {
		text = "flaky"
	}
	return text
}

// oneWord checks that a line has one of the mutually exclusive words.
func (v *views) oneWord(what, line string) {
	var said []string
	for _, word := range []string{"regression", "fixed", "failing", "flaky"} {
		if strings.Contains(strings.ReplaceAll(line, "was failing", ""), word) {
			said = append(said, word)
		}
	}
	if len(said) > 1 {
		v.differs("%s has %s in one line: %s", what, strings.Join(said, " and "), line)
	}
}

func TestEveryViewShowsTheSameStanding(t *testing.T) {
	t.Parallel()
	for _, story := range stories {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			agree(t, story)
		})
	}
}

func agree(t *testing.T, story string) {
	t.Helper()
	v := views{Workspace: ledgertest.New(t)}
	v.WriteFile("f_test.go", "func T\n")
	v.tell(story)
	v.compare(t.Context())
	if len(v.wrong) > 0 {
		t.Error(strings.Join(v.wrong, "\n"))
	}
}

// With PROCTOR_FUZZ=5m it runs for that long.
func TestEveryViewShowsTheSameStandingOfRandomStories(t *testing.T) {
	seed, until := fuzzed(t, 2*time.Second)
	cases := 0
	for ; cases == 0 || time.Now().Before(until); cases++ {
		r := rand.New(rand.NewPCG(seed+uint64(cases), 2))
		steps := []string{"a1" + string("PFS"[r.IntN(3)])} // it is on record
		for range 1 + r.IntN(7) {
			steps = append(steps, string([]byte{"abcdef"[r.IntN(6)], "123"[r.IntN(3)], "PPPFFFS-"[r.IntN(8)]}))
		}
		story := strings.Join(steps, " ")
		if !t.Run(fmt.Sprint(seed+uint64(cases)), func(t *testing.T) { agree(t, story) }) {
			t.Fatalf("PROCTOR_FUZZ_SEED=%d: %s", seed+uint64(cases), story)
		}
	}
	t.Logf("%d stories", cases)
}

// compare asks every view about the test, and compares it with the test's own history.
func (v *views) compare(ctx context.Context) {
	where := v.Where()
	one := v.history(api.HistoryRequest{Where: where, Name: "s T"})
	test := one.Tests[0]
	want := standingText(test.Standing)
	v.oneWord("history TEST", strings.Split(render.History(one, render.Style{}), "\n")[1])
	if text := render.History(one, render.Style{}); test.IsFlaky() != strings.Contains(text, "flaky: passed in run") {
		v.differs("history TEST says of %s: %s", want, text)
	}

	list := v.history(api.HistoryRequest{Where: where})
	for _, l := range list.Tests {
		if got := standingText(l.Standing); l.Test == "T" && got != want {
			v.differs("history: %s, want %s", got, want)
		}
	}
	flaky := v.history(api.HistoryRequest{Where: where, Flaky: true})
	if got := len(flaky.Tests) > 0; got != test.IsFlaky() {
		v.differs("history --flaky has it: %t, want %t", got, test.IsFlaky())
	}

	file := v.history(api.HistoryRequest{Where: where, Name: "f_test.go"})
	for _, l := range file.Tests {
		if got := standingText(l.Standing); got != want {
			v.differs("the test in history FILE: %s, want %s", got, want)
		}
	}
	entries, err := Entries(ctx, v.Keeper, where)
	v.Must(err)
	own := ""
	for _, e := range entries {
		if e.File == "f_test.go" {
			own = string(e.Classification) + " " + string(e.Status)
		}
	}
	shown := ""
	if len(file.Entries) > 0 {
		shown = string(file.Entries[0].Classification) + " " + string(file.Entries[0].Status)
	}
	if own != shown {
		v.differs("the export says %q, history FILE %q", own, shown)
	}
	if is := strings.TrimSpace(string(test.Classification) + " " + string(test.Resolution)); shown != is {
		v.differs("history FILE says %q, history TEST %q", shown, is)
	}

	v.compareWhy(ctx, test, want)
	v.compareRuns(ctx, test, want)
	v.compareNote(ctx, test, want)
}

func (v *views) history(req api.HistoryRequest) api.History {
	answer, err := History(v.T.Context(), v.Keeper, req)
	v.Must(err)
	return answer
}

func (v *views) compareWhy(ctx context.Context, test api.TestHistory, want string) {
	why, err := Why(ctx, v.Keeper, api.WhyRequest{Where: v.Where(), Test: "s T"})
	v.Must(err)
	if why.Standing != nil && standingText(*why.Standing) != want {
		v.differs("why: %s, want %s", standingText(*why.Standing), want)
	}
	text := render.Why(why, render.Style{})
	if strings.Contains(text, "It is flaky") != test.IsFlaky() {
		v.differs("why says of %s: %s", want, text)
	}
	if strings.Contains(text, "No state of the sources is on record") && test.Flaky != nil {
		v.differs("why denies what is on record: %s", text)
	}
}

// compareRuns asks the run itself, and the comparison with the previous one.
func (v *views) compareRuns(ctx context.Context, test api.TestHistory, want string) {
	last := v.runs[len(v.runs)-1]
	if last.Verdict == api.Failed {
		run := api.Run{RunID: last.ID, Kind: last.Kind, Language: "x", Failures: []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: "assertion", Message: "got 1, want 2"}}}}
		v.Must(standing.Annotate(ctx, v.Workspace.Ledger, &run, last))
		if s := run.Failures[0].Standing; s == nil || standingText(*s) != want {
			v.differs("the run: %+v, want %s", s, want)
		} else {
			v.oneWord("the run", render.Standing(s))
		}
		v.oneWord("the run's line", render.FailureLine(run.Failures[0]))
	}
	if len(v.runs) < 2 || test.Resolution == "" {
		return
	}
	d, err := Diff(ctx, v.Keeper, api.DiffRequest{Where: v.Where(), Before: v.runs[len(v.runs)-2].ID, Now: last.ID})
	v.Must(err)
	if len(d.Fixed) > 0 && test.IsFlaky() || len(d.PassedFlaky) > 0 && !test.IsFlaky() {
		v.differs("diff has it fixed (%d) or flaky (%d), it is %s", len(d.Fixed), len(d.PassedFlaky), want)
	}
	if len(d.FailingNotRun) > 0 {
		v.differs("diff does not know that it was run: %+v", d.FailingNotRun)
	}
	for _, tests := range [][]api.DiffedTest{d.NewFailures, d.FailingNotRun, d.StillFailing, d.Fixed, d.PassedFlaky} {
		for _, t := range tests {
			if t.Standing != nil && standingText(*t.Standing) != want {
				v.differs("diff: %s, want %s", standingText(*t.Standing), want)
			}
		}
	}
}

func (v *views) compareNote(ctx context.Context, test api.TestHistory, want string) {
	note, err := Context(ctx, v.Keeper, v.Where())
	v.Must(err)
	has := func(spots []api.Spot) bool { return len(spots) > 0 }
	if has(note.Flaky) != test.IsFlaky() {
		v.differs("the note has its file under Flaky: %t, of a test that is %s: %s", has(note.Flaky), want, note.Text)
	}
	if bad := test.Resolution == api.StatusUnresolved; has(note.Regressions) && (!bad || test.IsFlaky()) {
		v.differs("the note has a regression of a test that is %s: %s", want, note.Text)
	}
	if want == string(api.Regression) && !has(note.Regressions) {
		v.differs("the note lacks the regression: %s", note.Text)
	}
	if test.IsFlaky() && strings.Contains(note.Text, "Failing: T") {
		v.differs("the note has a flaky test under Failing: %s", note.Text)
	}
	if has(note.Recurring) != test.Recurring {
		v.differs("the note has it recurring: %t, want %t: %s", has(note.Recurring), test.Recurring, note.Text)
	}
	for _, spots := range [][]api.Spot{note.Recurring, note.Regressions, note.Flaky} {
		for _, s := range spots {
			if string(s.Classification) != string(test.Classification) {
				v.differs("the note calls its file %s, the test is %s", s.Classification, test.Classification)
			}
		}
	}
}
