package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/portable"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/sdk"
)

func open(t *testing.T) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// resultOf returns a result of the one test that oneTest plans.
func resultOf(status sdk.Status) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: status}}
}

// slow is a store whose writes wait for a gate.
type slow struct {
	store.Store
	gate chan struct{}
}

func (s slow) Put(ctx context.Context, name string, data []byte) (bool, error) {
	<-s.gate
	return s.Store.Put(ctx, name, data)
}

func TestAFailureIsReportedOnlyOnceStored(t *testing.T) {
	t.Parallel()
	s := slow{open(t), make(chan struct{})}
	j := NewJournal(t.Context(), s, "job", 0, "0001-a", "here")
	red := resultOf(sdk.Failed)
	j.Listen(&api.RunStarted{Run: api.Run{RunID: "r"}})
	j.Listen(&api.Progressed{Progress: sdk.Progress{Passed: 1}})
	j.Listen(&api.TestEnded{Result: red})
	j.Listen(&api.Progressed{Progress: sdk.Progress{Passed: 1, Failed: 1}})
	if beat := j.Heartbeat(); beat.FailureObjects != 0 || beat.Progress.Failed != 0 || beat.Progress.Passed != 1 {
		t.Errorf("reported before it was stored: %+v", beat)
	}
	close(s.gate)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if beat := j.Heartbeat(); beat.FailureObjects != 1 || beat.Progress.Failed != 1 {
		t.Errorf("stored, but not reported: %+v", beat)
	}
	if _, err := s.Get(t.Context(), "jobs/job/attempts/00000/0001-a/red-000000.json"); err != nil {
		t.Error(err)
	}
}

// broken is a store that cannot be written.
type broken struct{ store.Store }

func (broken) Put(context.Context, string, []byte) (bool, error) {
	return false, errors.New("no space left")
}

func TestAJournalThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	j := NewJournal(t.Context(), broken{}, "job", 0, "0001-a", "here")
	j.Listen(&api.TestEnded{Result: resultOf(sdk.Failed)})
	if err := j.Close(); err == nil || j.Heartbeat().FailureObjects != 0 {
		t.Errorf("%v, %+v", err, j.Heartbeat())
	}
}

// flaky is a store whose first write fails.
type flaky struct {
	store.Store
	once *sync.Once
}

func (f flaky) Put(ctx context.Context, name string, data []byte) (stored bool, err error) {
	f.once.Do(func() { err = errors.New("no space left") })
	if err != nil {
		return false, err
	}
	return f.Store.Put(ctx, name, data)
}

// A machine that cannot store a failure tries again: another machine may take over its part,
// and the failure would be lost.
func TestAFailedWriteIsRetried(t *testing.T) {
	t.Parallel()
	s := open(t)
	j := NewJournal(t.Context(), flaky{s, &sync.Once{}}, "job", 0, "0001-a", "here")
	j.Listen(&api.RunStarted{Run: api.Run{RunID: "r"}})
	j.Listen(&api.TestEnded{Result: resultOf(sdk.Failed)})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := s.List(t.Context(), attemptsPrefix("job"))
	if err != nil || len(names) != 1 || j.Heartbeat().FailureObjects != 1 {
		t.Errorf("stored %q, reported %+v, %v", names, j.Heartbeat(), err)
	}
}

func TestAFailureAfterTheAttemptWasToldToEndIsNoEvidence(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	j := NewJournal(ctx, s, "job", 0, "0001-a", "here")
	cancel()
	j.Listen(&api.TestEnded{Result: resultOf(sdk.Failed)})
	if err := j.Close(); err != nil || j.Heartbeat().FailureObjects != 0 {
		t.Errorf("%v, %+v", err, j.Heartbeat())
	}
}

func TestTheFirstStoredAttemptCounts(t *testing.T) {
	t.Parallel()
	s := open(t)
	if _, err := Accepted(t.Context(), s, "job", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before any was stored: got %v, want %v", err, fs.ErrNotExist)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	winners := map[string]bool{}
	for _, attempt := range strings.Fields("a b c d e f") {
		all.Go(func() {
			winner, err := Accept(t.Context(), s, "job", 3, attempt)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			winners[winner] = true
		})
	}
	all.Wait()
	if ended, err := Ended(t.Context(), s, "job"); len(winners) != 1 || err != nil || len(ended) != 1 || !ended[3] {
		t.Errorf("accepted %v, ended %v, %v; want one attempt, and part 3 ended", winners, ended, err)
	}
}

// oneTest is a job whose only part is suite s with test t.
func oneTest() Job {
	plan := shard.Plan{Language: "go", Parts: [][]shard.Piece{{{Suite: "s"}}}, Fingerprint: "0123456789abcdef01234567"}
	return Job{ID: "job", Divisions: []engine.Division{{Plan: plan, Tests: 1, Setting: "e"}}}
}

// startAttempt returns the run of an attempt as it begins.
func (j Job) startAttempt() api.Run {
	about := j.Divisions[0].Of(1)
	return api.Run{
		Schema: api.Schema, RunID: ledger.NewRunID(), Kind: api.KindRun, State: api.StateRunning, Language: "go", StartedAt: time.Now().UTC(),
		Shard: &about, Environment: "e", Commands: []api.Command{}, Failures: []api.Failure{}, Unfinished: []sdk.TestID{}, NeverStarted: []sdk.TestID{},
	}
}

// end ends an attempt with one result, and stores its report. A suite may fail although no
// test does.
func (j Job) end(t *testing.T, s store.Store, attempt string, status sdk.Status, suite api.SuiteEnd) {
	t.Helper()
	journal := NewJournal(t.Context(), s, j.ID, 0, attempt, "here")
	run := j.startAttempt()
	journal.Listen(&api.RunStarted{Run: run})
	result := resultOf(status)
	journal.Listen(&api.TestEnded{Result: result})
	run.State, run.Verdict, run.Reason = api.StateFinished, api.Passed, "1 test passed"
	run.Source = &api.Source{Fingerprint: j.Divisions[0].Fingerprint}
	run.Counts = api.Counts{Suites: 1, Tests: 1, TestsPassed: 1, Passed: 1}
	about := *run.Shard // the journal may be storing the first
	about.Planned = []api.PlannedSuite{{Suite: "s", Ended: suite}}
	run.Shard = &about
	if suite != api.SuiteEndPassed {
		run.Verdict, run.Reason = api.Failed, "1 failure"
	}
	if status == sdk.Failed {
		run.Counts = api.Counts{Suites: 1, Tests: 1, Failed: 1}
		run.Failures, run.FailuresTotal = []api.Failure{{ID: "f1", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Kind: sdk.KindAssertion}}}, 1
		if suite == api.SuiteEndOutside {
			run.Failures[0].Quarantine = "issue 7" // it is not why the suite failed
		}
		journal.Listen(&api.FailureFound{Failure: run.Failures[0]})
	}
	journal.Listen(&api.RunFinished{Run: run, Record: recorded{result, run.Failures}})
	if err := errors.Join(journal.Close(), journal.SaveReport(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// recorded is a record with one result.
type recorded struct {
	result   api.Result
	failures []api.Failure
}

func (r recorded) Results(yield func(api.Result) bool) error { yield(r.result); return nil }

func (r recorded) Failures(yield func(api.Failure) bool) error {
	for _, f := range r.failures {
		if !yield(f) {
			break
		}
	}
	return nil
}

// reports returns a job's reports as a merge reads them, and the languages without any.
func (j Job) reports(t *testing.T, s store.Store) (reports []shard.Report, absent []string) {
	t.Helper()
	dir := t.TempDir()
	absent, err := j.WriteReports(t.Context(), s, dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := portable.ReadFiles(t.Context(), []string{dir}, time.Now())
	if err != nil || len(files.Problems) > 0 {
		t.Fatalf("%v, %q", err, files.Problems)
	}
	for _, r := range files.Reports {
		reports = append(reports, shard.Report{File: r.File, Run: r.Run})
	}
	return reports, absent
}

// Whatever attempts a part has, every failure is in the merge, and one attempt counts.
func TestWhatAttemptsProveTogether(t *testing.T) {
	t.Parallel()
	dies := func(t *testing.T, s store.Store, j Job, attempt string, kind rune) {
		journal := NewJournal(t.Context(), s, j.ID, 0, attempt, "here")
		journal.Listen(&api.RunStarted{Run: j.startAttempt()})
		switch kind {
		case 's':
			journal.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Kind: sdk.KindSignal}}})
			journal.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: sdk.SuiteFailedOutsideTests}})
		case 'o':
			journal.Listen(&api.TestEnded{Result: resultOf(sdk.Passed)})
			journal.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: sdk.SuiteFailedOutsideTests}})
		case 'b':
			journal.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: sdk.SuiteBuildFailed, Reason: "a.go:1: no"}})
		case 'g':
			journal.Listen(&api.TestEnded{Result: resultOf(sdk.Passed)})
			journal.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: sdk.SuitePassed}})
		case 'r':
			journal.Listen(&api.TestEnded{Result: resultOf(sdk.Failed)})
			journal.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Kind: sdk.KindAssertion}}})
		}
		if err := journal.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name     string
		attempts string // P passed, F failed, S failed without a failure, K with a known one only, d died green, r died red, s died after a signal, o died when the suite had failed outside of its tests, b when it had not been built, g when it had passed; upper case left a report
		accepted string
		red      bool
		flaky    bool
		lacking  bool
		empty    bool // of results
	}{
		{name: "one that passed", attempts: "P", accepted: "1"},
		{name: "one that failed", attempts: "F", accepted: "1", red: true},
		{name: "one died before", attempts: "dP", accepted: "2"},
		{name: "one died red before", attempts: "rP", accepted: "2", flaky: true},
		{name: "one died red after", attempts: "Pr", accepted: "1", flaky: true},
		{name: "one died red, one failed", attempts: "rF", accepted: "2", red: true},
		{name: "two passed", attempts: "PP", accepted: "1"},
		{name: "one failed, the one that passed counts", attempts: "FP", accepted: "2", flaky: true},
		{name: "one passed, the one that failed counts", attempts: "PF", accepted: "2", red: true},
		{name: "one failed without a failure, the one that passed counts", attempts: "SP", accepted: "2", flaky: true},
		{name: "one passed, and one failed without a failure", attempts: "PS", accepted: "1", flaky: true},
		{name: "one failed with only a known failure, the one that passed counts", attempts: "KP", accepted: "2", flaky: true},
		{name: "one passed, and one failed with only a known failure", attempts: "PK", accepted: "1", flaky: true},
		{name: "one died after a signal ended its test", attempts: "sP", accepted: "2"},
		{name: "one died when its suite had failed without a failure", attempts: "oP", accepted: "2", flaky: true},
		{name: "one died when its suite had failed without a failure, after", attempts: "Po", accepted: "1", flaky: true},
		{name: "one died when its suite had not been built", attempts: "bP", accepted: "2", flaky: true},
		{name: "one died when its suite had passed", attempts: "gP", accepted: "2"},
		{name: "two saw the suite fail without a failure", attempts: "oS", accepted: "2", red: true},
		{name: "all died, one when its suite had failed without a failure", attempts: "do", red: true, lacking: true, empty: true},
		{name: "all died", attempts: "dd", lacking: true},
		{name: "all died, one red", attempts: "dr", red: true, lacking: true},
		{name: "nothing", lacking: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, j := open(t), oneTest()
			for i, kind := range c.attempts {
				attempt := "000" + string(rune('1'+i)) + "-x"
				switch kind {
				case 'P':
					j.end(t, s, attempt, sdk.Passed, api.SuiteEndPassed)
				case 'F':
					j.end(t, s, attempt, sdk.Failed, api.SuiteEndFailed)
				case 'S':
					j.end(t, s, attempt, sdk.Passed, api.SuiteEndOutside)
				case 'K':
					j.end(t, s, attempt, sdk.Failed, api.SuiteEndOutside)
				default:
					dies(t, s, j, attempt, kind)
				}
			}
			if c.accepted != "" {
				if _, err := Accept(t.Context(), s, j.ID, 0, "000"+c.accepted+"-x"); err != nil {
					t.Fatal(err)
				}
			}
			reports, absent := j.reports(t, s)
			if len(reports) == 0 {
				if !c.lacking || c.red || len(absent) != 1 {
					t.Errorf("no report; absent %q", absent)
				}
				return
			}
			m := shard.Of(reports, 0)
			if m.IsRed() != c.red || len(m.Flaky) > 0 != c.flaky || len(m.Problems) > 0 != c.lacking || len(m.Last) != 1 || len(m.Results) != 1 && !c.empty {
				t.Errorf("red %t, flaky %+v, problems %q, %d results", m.IsRed(), m.Flaky, m.Problems, len(m.Results))
			}
		})
	}
}

// A known failure seen by a machine that then died decides nothing, as in a local run, which
// does not retry such a test. Any other failure that it saw is evidence.
func TestAKnownFailureSeenByADeadMachineIsKnown(t *testing.T) {
	t.Parallel()
	failure := func(message string) api.Failure {
		return api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Kind: sdk.KindAssertion, Message: message}}
	}
	entry := quarantine.Entry{Language: "go", TestID: sdk.TestID{Suite: "s", Test: "t"}, Reason: "issue 7", Signatures: []string{quarantine.SignatureOf(failure("known"))}}
	expired := entry
	expired.Expires = "2001-01-01"
	for _, c := range []struct {
		name  string
		entry quarantine.Entry
		saw   []api.Failure
		flaky bool
	}{
		{"the known failure", entry, []api.Failure{failure("known")}, false},
		{"another failure", entry, []api.Failure{failure("new")}, true},
		{"the known failure and another", entry, []api.Failure{failure("known"), failure("new")}, true},
		{"a failure without its text", entry, nil, true},
		{"an expired entry", expired, []api.Failure{failure("known")}, true},
	} {
		s, j := open(t), oneTest()
		j.Divisions[0].Quarantine = []quarantine.Entry{c.entry}
		journal := NewJournal(t.Context(), s, j.ID, 0, "0001-x", "here")
		journal.Listen(&api.RunStarted{Run: j.startAttempt()})
		journal.Listen(&api.TestEnded{Result: resultOf(sdk.Failed)})
		for _, f := range c.saw {
			journal.Listen(&api.FailureFound{Failure: f})
		}
		if err := journal.Close(); err != nil {
			t.Fatal(err)
		}
		j.end(t, s, "0002-x", sdk.Passed, api.SuiteEndPassed)
		if _, err := Accept(t.Context(), s, j.ID, 0, "0002-x"); err != nil {
			t.Fatal(err)
		}
		reports, _ := j.reports(t, s)
		if len(reports) != 2 {
			t.Fatalf("%s: %d reports, want 2", c.name, len(reports))
		}
		if m := shard.Of(reports, 0); len(m.Flaky) > 0 != c.flaky || m.IsRed() || len(m.Problems) > 0 {
			t.Errorf("%s: flaky %+v, red %t, problems %q", c.name, m.Flaky, m.IsRed(), m.Problems)
		} else if !c.flaky && (m.Known != 1 || len(m.Failures) != 1 || m.Failures[0].Quarantine != "issue 7" || len(m.Results) != 1 || m.Results[0].Status != sdk.Failed) {
			t.Errorf("%s: not on record: %d known, failures %+v, results %+v", c.name, m.Known, m.Failures, m.Results)
		}
	}
}

// What was edited in the store, or copied to another place there, is an error, not evidence.
func TestWhatWasEditedOrReplayedIsNoEvidence(t *testing.T) {
	t.Parallel()
	const red, green = "jobs/job/attempts/00000/0001-x/", "jobs/job/attempts/00000/0002-x/"
	for name, change := range map[string]struct {
		object string
		from   string // the object whose content it gets
		edit   func(string) string
	}{
		"a red report made green":             {object: red + "report.json", edit: func(raw string) string { return strings.ReplaceAll(raw, `"failed"`, `"passed"`) }},
		"a stored failure of another test":    {object: red + "red-000000.json", edit: func(raw string) string { return strings.ReplaceAll(raw, `"test":"t"`, `"test":"u"`) }},
		"the green report in place of a red":  {object: red + "report.json", from: green + "report.json"},
		"the attempt that counts is another":  {object: "jobs/job/accepted/00000", edit: func(raw string) string { return strings.Replace(raw, "0001-x", "0002-x", 1) }},
		"without its seal":                    {object: red + "report.json", edit: func(raw string) string { raw, _, _ = strings.Cut(raw, "\n\"sha256:"); return raw }},
		"the same with a word after the seal": {object: red + "report.json", edit: func(raw string) string { return raw + "x" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := store.Open(t.Context(), dir, os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			j := oneTest()
			j.end(t, s, "0001-x", sdk.Failed, api.SuiteEndFailed)
			j.end(t, s, "0002-x", sdk.Passed, api.SuiteEndPassed)
			if _, err := Accept(t.Context(), s, j.ID, 0, "0001-x"); err != nil {
				t.Fatal(err)
			}
			if reports, _ := j.reports(t, s); !shard.Of(reports, 0).IsRed() {
				t.Fatal("it is not red to begin with")
			}
			raw, err := s.Get(t.Context(), cmp.Or(change.from, change.object))
			if err != nil {
				t.Fatal(err)
			}
			if change.edit != nil {
				raw = []byte(change.edit(string(raw)))
			}
			path := filepath.Join(dir, filepath.FromSlash(change.object))
			if was, err := os.ReadFile(path); err != nil || bytes.Equal(was, raw) {
				t.Fatalf("nothing is changed: %v", err)
			}
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(change.object, reportName) { // what is read of an attempt that died
				_ = os.Remove(filepath.Join(dir, filepath.FromSlash(red+reportName)))
			}
			if _, err := j.WriteReports(t.Context(), s, t.TempDir()); err == nil || !strings.Contains(err.Error(), change.object+" of the store is damaged, edited") {
				t.Errorf("got %v, want what is wrong with %s", err, change.object)
			}
		})
	}
}

// A job that asks for what this version does not know would run something else.
func TestAJobOfAnotherVersionIsNotReadInPart(t *testing.T) {
	t.Parallel()
	s := open(t)
	j := oneTest()
	j.Version = "v1.3.0"
	if err := j.Save(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(t.Context(), s, j.ID, "v1.2.0"); err != nil || got.Version != "v1.3.0" {
		t.Errorf("a job whose fields are all known: %v", err)
	}
	raw := []byte(`{"ID":"newer","Version":"v1.4.0","Request":{"Filter":"A","OnlySlow":true}}`)
	if err := put(t.Context(), s, jobName("newer"), raw); err != nil {
		t.Fatal(err)
	}
	_, err := Load(t.Context(), s, "newer", "v1.2.0")
	for _, part := range []string{"planned by proctor v1.4.0", "proctor v1.2.0 does not know", "OnlySlow"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q in it", err, part)
		}
	}
}
