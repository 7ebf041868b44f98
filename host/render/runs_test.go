package render_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

// hostile is a name that tries to be more than one.
const hostile = "a\x1b[2J\nfailed: no"

func TestARunHasOneLine(t *testing.T) {
	list := api.Runs{Total: 5, Runs: []api.RunLine{
		{RunID: "abcd000001", Prefix: "abcd", Kind: api.KindRun, Language: "go", Verdict: api.Failed, State: api.StateFinished,
			AgeS: 75, DurationS: 1.5, SessionID: "term-1", Counts: api.Counts{Passed: 12, Failed: 1, Skipped: 2},
			Source: &api.Source{Fingerprint: "0123456789abcdef", Commit: "c0ffee00c0ffee", Branch: "main", Dirty: 2}, MixedState: true},
		{RunID: "efgh000002", Prefix: "efgh", Kind: api.KindRerun, Language: "go", State: api.StateRunning, SessionID: "term-1"},
		{RunID: "ijkl000003", Prefix: "ijkl", Kind: api.KindRun, Language: "go", State: api.StateFinished, Verdict: api.Incomplete, NoEnd: true},
		{RunID: "mnop000004", Prefix: "mnop", Kind: api.KindRun, Language: "go", State: api.StateFinished, Verdict: api.Passed,
			SessionID: "import:" + hostile, Origin: hostile, Source: &api.Source{Fingerprint: hostile, Branch: hostile, Commit: hostile}},
	}}
	got := render.Runs(list, render.Style{})
	want := `abcd000001  1m  run    go  failed            12 results passed, 1 failed, 2 skipped  1.50s  session term-1                state 01234567 (main@c0ffee0, 2 dirty files, changed while it ran)
efgh000002  0s  rerun  go  running           -                                       0.00s  session term-1                state unknown
ijkl000003  0s  run    go  no end on record  -                                       -      session                       state unknown
mnop000004  0s  run    go  passed            0 tests passed, 0 failed                0.00s  session import:a\nfailed: no  state a\nfaile (a\nfailed: no@a\nfail, clean), from a\nfailed: no
(1 more run; raise --limit)
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	colored := render.Runs(list, render.Style{Color: true})
	if !strings.HasPrefix(colored, "\x1b[1mabcd\x1b[0m000001") {
		t.Errorf("%q", colored)
	}
	list.Runs[3].Prefix, list.Runs[3].Partial = "mnop", true
	for columns, want := range map[int]string{
		100: `abcd000001  1m  failed            1 failed, 12 passed, 2 skipped  1.50s  main@c0ffee0, 2 dirty file…
`,
		60: `abcd  1m  failed            1 failed, 12 passed, 2 skipped
efgh  0s  rerun running     -
ijkl  0s  no end on record  -
mnop  0s  passed (partial)  no test
(1 more run; raise --limit)
`,
	} {
		got := render.Runs(list, render.Style{Columns: columns})
		if !strings.HasPrefix(got, want) || strings.Contains(got, "session") {
			t.Errorf("%d columns:\n%swant\n%s", columns, got, want)
		}
		for line := range strings.Lines(got) {
			if utf8.RuneCountInString(line) > columns+1 {
				t.Errorf("%d columns: too wide: %s", columns, line)
			}
		}
	}
	if got := render.Runs(list, render.Style{Columns: 100, Verbose: true}); !strings.Contains(got, "session term-1") {
		t.Errorf("-v names no session:\n%s", got)
	}
	if got := render.Runs(api.Runs{}, render.Style{}); !strings.Contains(got, "no such run") {
		t.Errorf("%q", got)
	}
}

func TestAPassOfSomeTestsIsNotListedAsOneOfEverything(t *testing.T) {
	run := api.RunLine{RunID: "abcd000001", Kind: api.KindRun, State: api.StateFinished, Verdict: api.Passed, Partial: true}
	if got := render.Runs(api.Runs{Runs: []api.RunLine{run}}, render.Style{}); !strings.Contains(got, "passed (partial)") {
		t.Errorf("%q", got)
	}
}

func TestAPruneThatWasInterruptedSaysWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		p    api.Pruned
		want string
	}{
		{api.Pruned{Interrupted: true, RemovedTotal: 2, Removed: []api.PrunedRun{}, Kept: 3, FreedBytes: 2000, SizeBytes: 9000},
			"and 2 more\nremoved 2 runs, freed 2.0 kB; 3 runs left, 9.0 kB\ninterrupted: the remaining runs are intact, and the next prune continues with the rest\n"},
		{api.Pruned{Interrupted: true, Kept: 3, SizeBytes: 9000},
			"nothing was removed: 3 runs, 9.0 kB\ninterrupted: the remaining runs are intact, and the next prune continues with the rest\n"},
		{api.Pruned{Kept: 3, FreedBytes: 2000, SizeBytes: 9000}, "no run to remove, freed 2.0 kB: 3 runs, 9.0 kB\n"},
	} {
		if got := render.Pruned(c.p); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
}

func TestPruneNamesWhatWasRemoved(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := api.Pruned{
		Removed: []api.PrunedRun{{RunID: "aaaa000001", StartedAt: at, Limit: "runs"}, {RunID: "bbbb000002", StartedAt: at, Limit: "age"}, {RunID: "cccc000003", StartedAt: at, Limit: "size"}}, RemovedTotal: 4,
		Kept: 1, FreedBytes: 1_234_567, SizeBytes: 999, MaxRuns: 1, MaxAgeS: 3 * 24 * 3600, MaxBytes: 500_000_000,
	}
	want := `removed run aaaa000001 of 2026-03-01 12:00 UTC (beyond 1 run)
removed run bbbb000002 of 2026-03-01 12:00 UTC (older than 3d)
removed run cccc000003 of 2026-03-01 12:00 UTC (beyond 500 MB)
and 1 more
removed 4 runs, freed 1.2 MB; 1 run left, 999 bytes
`
	if got := render.Pruned(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p.DryRun = true
	if got := render.Pruned(p); strings.Contains(got, "removed") || !strings.Contains(got, "would free about") {
		t.Errorf("a dry run: %s", got)
	}
	held := api.Pruned{Kept: 3, SizeBytes: 20_000, MaxRuns: 2, MaxBytes: 10, Beyond: []string{"runs", "size"}, Held: 3}
	want = "nothing to remove: 3 runs, 20 kB\nthe record is still beyond 2 runs, beyond 10 bytes: 3 runs stay, each the last of a language in its session or in progress\n"
	if got := render.Pruned(held); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := render.Pruned(api.Pruned{Kept: 2, SizeBytes: 20_000}); got != "nothing to remove: 2 runs, 20 kB\n" {
		t.Errorf("%q", got)
	}
}

func TestADiffNamesWhatEndedDifferently(t *testing.T) {
	d := api.RunDiff{
		Before: api.DiffedRun{RunID: "aaaa000001", Kind: api.KindRun, Verdict: api.Passed, Whole: true, AgeS: 600, Counts: api.Counts{Passed: 9},
			Source: &api.Source{Fingerprint: "0123456789ab", Commit: "c0ffee00", Branch: "main"}},
		Now:     api.DiffedRun{RunID: "bbbb000002", Kind: api.KindRerun, Verdict: api.Failed, AgeS: 60, Counts: api.Counts{Failed: 3}},
		Sources: api.FileChanges{Known: true, Total: 7, Files: []api.FileChange{{File: "a.x", Change: "modified"}, {File: hostile, Change: "added"}}},
		Notes:   api.Notes(api.NoteCompared, "run bbbb000002 was not one of everything"),
		Counts:  api.DiffCounts{NewFailures: 31, Fixed: 1, StillFailing: 2, OtherFailure: 1, Vanished: 1, NewlySkipped: 1, New: 1, Slower: 1, More: 1},
		NewFailures: []api.DiffedTest{
			{Suite: "s", Test: hostile, File: hostile, Line: 3, Was: "absent", Message: "got 1\nwant 2"},
		},
		Fixed:        []api.DiffedTest{{Suite: "s", Test: "B", Was: "failed", Message: "out of cheese"}},
		StillFailing: []api.DiffedTest{{Suite: "s", Test: "C", Likeness: api.SameFailureAgain}, {Suite: "s", Test: "D", Likeness: api.OtherMessage, Message: "else"}},
		Vanished:     []api.DiffedTest{{Suite: "s", Test: "E", Was: "passed"}},
		NewlySkipped: []api.DiffedTest{{Suite: "s", Test: "F", Was: "unfinished"}},
		New:          []api.DiffedTest{{Suite: "s", Test: "G", Now: "passed"}},
		Slower:       []api.SlowerTest{{Suite: "s", Test: "H", BeforeS: 0.1, NowS: 0.4, MeanS: 0.12, Runs: 3}},
		More:         []api.GrownMeasure{{Suite: "s", Test: "I", Name: "fuel", Kind: "unit", Before: "10", Now: "30", Delta: "20"}},
		Message:      "31 new failures",
	}
	want := `before: run aaaa000001, 10m ago: passed: 9 results passed, 0 failed; state 01234567 (main@c0ffee0, clean)
now:    partial rerun bbbb000002, 1m ago: failed: 0 results passed, 3 failed; state unknown
files:  7 files differ: a.x, a\nfailed: no (added) and 5 more
note:   run bbbb000002 was not one of everything

new failures (31):
   s a\nfailed: no  a\nfailed: no:3  (before: it is new)  got 1
   and 30 more; -v or --json names more

fixed (1):
   s B  (was: out of cheese)

still failing (2):
   s C  (same failure)
   s D  (with another message)  else

vanished (1):
   s E  (before: passed)

newly skipped (1):
   s F  (before: did not finish)

new tests (1):
   s G  (passed)

slower (1):
   s H  0.10s → 0.40s (mean of 3 runs: 0.12s)

measures that grew (1):
   s I  unit fuel 10 → 30 (+20)

31 new failures
`
	if got := render.Diff(d, render.Style{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, tc := range []struct {
		files api.FileChanges
		want  string
	}{
		{api.FileChanges{Known: true}, "files:  none differ: both saw the same state\n"},
		{api.FileChanges{Why: "nobody knows"}, "files:  unknown which differ: nobody knows\n"},
		{api.FileChanges{Known: true, Total: 1, Files: []api.FileChange{{File: "a.x", Change: "deleted"}}}, "files:  1 file differs: a.x (deleted)\n"},
	} {
		if got := render.Diff(api.RunDiff{Sources: tc.files}, render.Style{}); !strings.Contains(got, tc.want) {
			t.Errorf("%q is missing in %s", tc.want, got)
		}
	}
}

// sighting is a result in a run.
func sighting(id, ended string) *api.Sighting {
	return &api.Sighting{RunID: id, SessionID: "term-1", AgeS: 3600, Ended: ended, Fingerprint: "0123456789ab", Commit: "c0ffee00c0ffee"}
}

func TestWhySaysWhatChanged(t *testing.T) {
	latest := sighting("cccc000003", "failed")
	latest.Message, latest.Dirty = "got 1"+hostile, 2
	first := sighting("bbbb000002", "failed")
	first.Fingerprint, first.Commit, first.MixedState = "", "", true
	w := api.Why{
		Suite: "s", Test: hostile, File: "pkg/a_test.x", Line: 7, Latest: latest, LastPass: sighting("aaaa000001", "passed"),
		FirstFailure: first, FailedRuns: 3, FailedStates: []string{"1111111111", "2222222222"},
		Standing:     &api.Standing{SameFailure: &api.SameFailure{Run: 3, Edits: 6, SinceID: "bbbb000002"}},
		UntilFailure: &api.FileChanges{Known: true, Total: 2}, UntilNow: &api.FileChanges{Why: "it is too dark"},
		SuspectsTotal: 20, Suspects: []api.Suspect{
			{FileChange: api.FileChange{File: "lib/place.x", Change: "modified"}, Since: api.BeforeFailure, Role: api.RoleFailure},
			{FileChange: api.FileChange{File: hostile, Change: "added"}, Since: api.BeforeFailure, Role: api.RoleOther},
			{FileChange: api.FileChange{File: "pkg/a_test.x", Change: "modified"}, Since: api.AfterFailure, Role: api.RoleTest},
		},
	}
	want := `s a\nfailed: no  pkg/a_test.x:7
It failed in run cccc000003 1h ago (session term-1, state 01234567, commit c0ffee0, 2 dirty files).
   got 1a
It last passed in run aaaa000001 1h ago (session term-1, state 01234567, commit c0ffee0), and has failed since run bbbb000002 1h ago (session term-1, state unknown, changed while it ran), in 3 runs.
It was the same failure each time, after 6 file changes.
It is not flaky so far.
It failed on 2 states of the sources: 11111111, 22222222.
Between that pass and the first failure 2 files changed.
Between that pass and the working tree: it is too dark.
Changed before it first failed:
   lib/place.x  where it failed
   a\nfailed: no (added)
Changed only after it first failed:
   pkg/a_test.x  the test's own file
   and 17 more; -v or --json names more
`
	if got := render.Why(w, render.Style{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	person := render.Why(w, render.Style{Columns: 60})
	if !strings.Contains(person, "It failed in run cccc000003 1h ago (commit c0ffee0, 2 dirty files).") || strings.Contains(person, "term-1") {
		t.Errorf("at a terminal:\n%s", person)
	}
	if got := render.Why(w, render.Style{Columns: 60, Verbose: true}); !strings.Contains(got, "(session term-1, state 01234567") {
		t.Errorf("with -v:\n%s", got)
	}
	w.LastPass, w.UntilFailure, w.UntilNow, w.Suspects, w.SuspectsTotal = nil, nil, nil, nil, 0
	if got := render.Why(w, render.Style{}); !strings.Contains(got, "It never passed on record, and has failed since run bbbb000002") || strings.Contains(got, "No state") {
		t.Errorf("%s", got)
	}
	w.FirstFailure, w.LastPass = w.Latest, sighting("aaaa000001", "passed")
	w.SinceFailure, w.UntilNow = &api.FileChanges{Known: true}, &api.FileChanges{Known: true, Total: 1}
	w.UntilFailure = w.UntilNow
	if got := render.Why(w, render.Style{}); strings.Count(got, "cccc000003") != 1 || strings.Count(got, "1 file changed") != 1 {
		t.Errorf("its only failure and the change before it are to be said once:\n%s", got)
	}
	w.Standing.Flaky = &api.Flaky{Fingerprint: "0123456789", PassedRun: "p", FailedRun: "f", Seeds: []string{"1", "2"}}
	w.Standing.Classification = api.Failing
	if got := render.Why(w, render.Style{}); !strings.Contains(got, "\nOn the same state of the sources (01234567) it passed in run p") || strings.Contains(got, "flaky") {
		t.Errorf("%s", got)
	}
	w.Standing.Classification = api.Unsteady
	if got := render.Why(w, render.Style{}); !strings.Contains(got, "It is flaky: on the same state of the sources (01234567) it passed in run p and failed in run f, with the seeds 1 and 2.") {
		t.Errorf("%s", got)
	}
}

func TestWhyOfATestThatPasses(t *testing.T) {
	w := api.Why{
		Suite: "s", Test: "A", Latest: sighting("dddd000004", "passed"), LastPass: sighting("dddd000004", "passed"),
		PassesSince: sighting("cccc000003", "passed"), LastFailure: sighting("bbbb000002", "unfinished"),
		UntilNow: &api.FileChanges{Known: true, Total: 2, Files: []api.FileChange{{File: "a.x", Change: "modified"}, {File: "b.x", Change: "deleted"}}},
	}
	at := " 1h ago (session term-1, state 01234567, commit c0ffee0)"
	want := "s A\nIt passed in run dddd000004" + at + ".\nIt has passed since run cccc000003" + at + ". Before that it did not finish in run bbbb000002" + at + ".\n" +
		"Between its latest pass and the working tree 2 files changed.\n   a.x, b.x (deleted)\n"
	if got := render.Why(w, render.Style{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.LastFailure, w.UntilNow = nil, &api.FileChanges{Known: true}
	if got := render.Why(w, render.Style{}); !strings.Contains(got, "No failure on record; the oldest result is of run cccc000003") || !strings.Contains(got, "the working tree no file changed.") {
		t.Errorf("%s", got)
	}
	skipped := render.Why(api.Why{Suite: "s", Test: "A", Skipped: sighting("dddd000004", "skipped")}, render.Style{})
	if skipped != "s A\nNo run on record proves anything about it: it was skipped in run dddd000004"+at+".\n" {
		t.Errorf("%s", skipped)
	}
}

func TestAnArchiveIsNamed(t *testing.T) {
	if got := render.Exported(api.Transfer{Runs: []string{"a"}, File: hostile, Bytes: 5}); got != `run a in a\nfailed: no (5 bytes)`+"\n" {
		t.Errorf("%q", got)
	}
	got := render.Imported(api.Transfer{Runs: []string{"a", "b"}, OnRecord: []string{"c"}, File: "f"})
	if got != "imported 2 runs: a, b from f\nalready on record: run c\n" {
		t.Errorf("%q", got)
	}
}
