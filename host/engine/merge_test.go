package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// shardRun is the run of a shard that passed.
func shardRun(id string, index int, seconds float64) shard.Report {
	return shard.Report{File: id + ".json", Run: api.Run{
		RunID: id, Verdict: api.Passed, Reason: "why", DurationS: seconds, StartedAt: time.Unix(1.7e9+int64(index), 0), Seed: "7", TimeoutS: 60,
		Source: &api.Source{Fingerprint: "abc123", Worktree: "/there"}, Environment: "e", Selection: api.Selection{Filter: "A", Shard: fmt.Sprint(index, "/2"), Selected: 1, Total: 2},
		Shard: &api.Shard{Index: index, Of: 2, Attempt: 1, Planned: make([]api.PlannedSuite, index)},
	}}
}

// twoShards are a merge of two shards that passed, of sources that are not those here.
func twoShards() *Merged {
	return &Merged{RunID: "merge", Origin: "reports", Merge: shard.Merge{Of: 2, Plan: "plan", OneState: true, Last: []shard.Report{shardRun("one", 1, 2), shardRun("two", 2, 3)}}}
}

func TestTheVerdictOfAMergeIsThatOfItsShards(t *testing.T) {
	t.Parallel()
	known := sdk.TestID{Suite: "p", Test: "Known"}
	red := func(m *Merged) { m.Last[0].Verdict = api.Failed }
	flaky := func(m *Merged) { m.Flaky = []api.Retried{{TestID: known, Flaky: true}} }
	pass := func(m *Merged) { m.Last[0].Shard.FlakyPasses, m.Last[1].Shard.FlakyPasses = true, true }
	for name, tc := range map[string]struct {
		change    func(*Merged)
		e, want   verdict.Evidence
		isExcused bool
	}{
		"all passed":                    {func(*Merged) {}, verdict.Evidence{ExitCode: 1, Signal: "SIGKILL", OutputTail: "x"}, verdict.Evidence{Shards: 2}, false},
		"one failed":                    {red, verdict.Evidence{Failed: 2, Failures: 3, BuildFailures: 4}, verdict.Evidence{Failed: 2, Failures: 3, BuildFailures: 4, Shards: 2}, false},
		"one did not build":             {func(m *Merged) { m.Last[1].Verdict = api.BuildFailed }, verdict.Evidence{BuildFailures: 1}, verdict.Evidence{BuildFailures: 1, Shards: 2}, false},
		"one of no plan failed":         {func(m *Merged) { red(m); m.Others, m.Last = m.Last[:1], m.Last[1:] }, verdict.Evidence{Failed: 1}, verdict.Evidence{Failed: 1, Shards: 1}, false},
		"one failed beside known ones":  {red, verdict.Evidence{Failed: 3, Failures: 4, Quarantined: 2}, verdict.Evidence{Failed: 1, Failures: 2, Quarantined: 2, Shards: 2}, false},
		"beside more than there can be": {red, verdict.Evidence{Failed: 2, Quarantined: 50}, verdict.Evidence{Failed: 1, Quarantined: 50, Shards: 2}, false},
		"here, where the tally knows":   {func(m *Merged) { red(m); m.Here = true }, verdict.Evidence{Failed: 3, Quarantined: 2}, verdict.Evidence{Failed: 3, Quarantined: 2, Shards: 2}, false},
		"only known failures":           {func(*Merged) {}, verdict.Evidence{Failed: 2, Failures: 2, BuildFailures: 1, Quarantined: 2}, verdict.Evidence{Quarantined: 2, Shards: 2}, false},
		"flaky":                         {flaky, verdict.Evidence{Failed: 1, Flaky: 1}, verdict.Evidence{Failed: 1, Flaky: 1, Shards: 2}, false},
		"flaky beside known failures":   {flaky, verdict.Evidence{Failed: 3, Failures: 3, Quarantined: 2, Flaky: 1}, verdict.Evidence{Failed: 1, Failures: 1, Quarantined: 2, Flaky: 1, Shards: 2}, false},
		"flaky in the only shard": {func(m *Merged) {
			m.Last = m.Last[:1]
			flaky(m)
			m.Last[0].Shard.FlakyPasses, m.Last[0].Shard.FlakyBy = true, "x"
		}, verdict.Evidence{Failed: 1, Flaky: 1}, verdict.Evidence{Flaky: 1, FlakyPass: true, FlakyBy: "x", Shards: 1}, false},
		"flaky, which may pass":           {func(m *Merged) { flaky(m); pass(m); m.Last[0].Shard.FlakyBy = "x" }, verdict.Evidence{Failed: 1, Flaky: 1}, verdict.Evidence{Flaky: 1, FlakyPass: true, FlakyBy: "x", Shards: 2}, false},
		"and another failed":              {func(m *Merged) { flaky(m); pass(m); red(m) }, verdict.Evidence{Failed: 2, Flaky: 1}, verdict.Evidence{Failed: 2, Flaky: 1, Shards: 2}, false},
		"none flaky, where such may pass": {func(m *Merged) { pass(m); m.Last[0].Shard.FlakyBy = "x" }, verdict.Evidence{}, verdict.Evidence{Shards: 2}, false},
		"a problem":                       {func(m *Merged) { m.Problems = []string{"x"} }, verdict.Evidence{Passed: 1}, verdict.Evidence{Passed: 1, Unmerged: "x"}, false},
		"a problem beside a failure":      {func(m *Merged) { red(m); m.Problems = []string{"x", "y"} }, verdict.Evidence{Failed: 1}, verdict.Evidence{Failed: 1, Unmerged: "the merge is incomplete: x; y"}, false},
		"as many problems as are named":   {func(m *Merged) { m.Problems = strings.Fields("a b c d") }, verdict.Evidence{}, verdict.Evidence{Unmerged: "a; b; c; d"}, false},
		"one more":                        {func(m *Merged) { m.Problems = strings.Fields("a b c d e") }, verdict.Evidence{}, verdict.Evidence{Unmerged: "a; b; c; d; and 1 more problem"}, false},
		"suites that never started":       {func(m *Merged) { m.Problems = []string{"x"} }, verdict.Evidence{NeverStarted: 5, SuitesNeverStarted: 2}, verdict.Evidence{NeverStarted: 3, Unmerged: "x"}, false},
		"a quarantine elsewhere":          {func(m *Merged) { m.Last[1].Shard.QuarantineBy = "x" }, verdict.Evidence{}, verdict.Evidence{Quarantine: "x", Shards: 2}, false},
		"a quarantine here":               {func(m *Merged) { m.Here, m.Last[1].Shard.QuarantineBy = true, "x" }, verdict.Evidence{}, verdict.Evidence{Shards: 2}, false},
		"known there and not here": {func(m *Merged) {
			m.Here, m.Failures = true, []api.Failure{{Failure: sdk.Failure{TestID: known}, Quarantine: "slow"}}
		}, verdict.Evidence{Failed: 1}, verdict.Evidence{Failed: 1, Shards: 2}, false},
		"known there and here": {func(m *Merged) {
			m.Here, m.Failures = true, []api.Failure{{Failure: sdk.Failure{TestID: known}, Quarantine: "slow"}}
		}, verdict.Evidence{Failed: 1}, verdict.Evidence{Shards: 2}, true},
		"known there": {func(m *Merged) { m.Failures = []api.Failure{{Failure: sdk.Failure{TestID: known}, Quarantine: "slow"}} },
			verdict.Evidence{Failed: 1}, verdict.Evidence{Shards: 2}, false},
	} {
		m, heard := twoShards(), tally.NewTally()
		tc.change(m)
		if tc.isExcused {
			f := api.Failure{Failure: sdk.Failure{TestID: known, Kind: sdk.KindAssertion, Message: "slow"}}
			heard.Quarantine = quarantine.NewJudge([]quarantine.Entry{{Language: "x", TestID: known, Reason: "slow", Signatures: []string{quarantine.SignatureOf(f)}}}, time.Unix(1.7e9, 0))
			heard.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: known, Status: sdk.Failed}}})
			heard.Listen(&api.FailureFound{Failure: f})
			heard.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: known.Suite, Outcome: sdk.SuiteFailed}})
		}
		tc.want.Exited = true
		got := tc.e
		m.addEvidence(&got, heard)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAMergeCountsWhatItsShardsSay(t *testing.T) {
	t.Parallel()
	retried := func(test string, flaky bool) api.Retried {
		return api.Retried{TestID: sdk.TestID{Suite: "p", Test: test}, Flaky: flaky}
	}
	m := twoShards()
	m.Last[0].Retried, m.Last[1].Retried, m.Flaky = []api.Retried{retried("A", true)}, []api.Retried{retried("B", false)}, []api.Retried{retried("C", true)}
	m.Last[0].Quarantined, m.Last[1].Quarantined, m.Known = 1, 2, 4
	m.Last[0].Warnings = []api.Note{{Text: "said"}}
	for name, tc := range map[string]struct {
		change  func(*Merged)
		seconds float64
		known   int
		message string
		passing int
	}{
		"elsewhere":         {func(*Merged) {}, 3, 7, "on record as run merge; the shards ran on other sources than those here, so what is outstanding here has not changed", 0},
		"here":              {func(m *Merged) { m.Here = true }, 3, 0, "", 0},
		"that took longer":  {func(m *Merged) { m.Took = 5 * time.Second }, 5, 7, "on record as run merge; the shards ran on other sources than those here, so what is outstanding here has not changed", 0},
		"of several states": {func(m *Merged) { m.OneState = false }, 3, 7, "on record as run merge; the shards did not run on the same sources, so what is outstanding here has not changed", 0},
		"of several plans":  {func(m *Merged) { m.Others = []shard.Report{shardRun("other", 2, 9)} }, 3, 7, "on record as run merge; the shards did not run on the same sources, so what is outstanding here has not changed", 0},
		"where flaky may pass, and another failed": {func(m *Merged) {
			m.Here, m.Last[0].Shard.FlakyPasses, m.Last[1].Shard.FlakyPasses, m.Last[1].Verdict = true, true, true, api.Failed
		}, 3, 0, "", 0},
		"where flaky may pass": {func(m *Merged) { m.Here, m.Last[0].Shard.FlakyPasses, m.Last[1].Shard.FlakyPasses = true, true, true }, 3, 0, "", 2},
	} {
		now := *m
		now.Last = slices.Clone(m.Last)
		for i, r := range now.Last {
			about := *r.Shard
			now.Last[i].Shard = &about
		}
		tc.change(&now)
		run := api.Run{RunID: "merge", Kind: api.KindMerge}
		passing := now.fill(&run)
		if run.DurationS != tc.seconds || run.Quarantined != tc.known || run.Message != tc.message || run.Counts.Flaky != 2 || len(run.Retried) != 3 || len(passing) != tc.passing {
			t.Errorf("%s: %gs, %d in quarantine, %d flaky of %d retried, of which %v pass; %q", name, run.DurationS, run.Quarantined, run.Counts.Flaky, len(run.Retried), passing, run.Message)
		}
		if len(run.Warnings) != 1 || run.Warnings[0].Text != "shard 1/2: said" || run.Merged == nil {
			t.Errorf("%s: warnings %+v, merged %+v", name, run.Warnings, run.Merged)
		}
	}
	none := &Merged{}
	run := api.Run{RunID: "merge", Kind: api.KindMerge}
	if none.fill(&run); !strings.Contains(run.Message, "no shard says what it was to run") {
		t.Errorf("of nothing: %q", run.Message)
	}
	attempt := api.Run{Kind: api.KindRetry}
	if passing := m.fill(&attempt); attempt.DurationS != 2 || passing != nil || attempt.Merged != nil {
		t.Errorf("an attempt: %+v", attempt)
	}
}

func TestAMergeNamesEachReport(t *testing.T) {
	t.Parallel()
	m := twoShards()
	m.Problems, m.Absent, m.Here = []string{"x"}, []int{3}, true
	m.Last[0].Shard.Attempt = 3
	void, earlier, other := shardRun("void", 1, 4), shardRun("earlier", 1, 5), shard.Report{File: "other.json", Run: api.Run{RunID: "other", Verdict: api.Failed}}
	earlier.Shard.Attempt = 2
	m.Void, m.Earlier, m.Others = []shard.Report{void}, []shard.Report{earlier}, []shard.Report{other}
	one := func(index, attempt int, id string, seconds float64, replaced bool) api.MergedShard {
		return api.MergedShard{Index: index, Attempt: attempt, File: id + ".json", RunID: id, Verdict: api.Passed, Reason: "why", Suites: index, DurationS: seconds, Replaced: replaced}
	}
	want := &api.Merged{Of: 2, Plan: "plan", Problems: []string{"x"}, Missing: []int{3}, Here: true, Rules: shard.Rules, Shards: []api.MergedShard{
		{File: "other.json", RunID: "other", Verdict: api.Failed}, one(1, 1, "void", 4, true), one(1, 2, "earlier", 5, true), one(1, 3, "one", 2, false), one(2, 1, "two", 3, false),
	}}
	if diff := cmp.Diff(want, m.describe()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAMergeBeginsWithWhatItsShardsHaveInCommon(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*Merged)
		seed   string
		start  int64
		mixed  bool
	}{
		"all":              {func(*Merged) {}, "7", 1, false},
		"other seeds":      {func(m *Merged) { m.Last[1].Seed = "8" }, "", 1, false},
		"one began before": {func(m *Merged) { m.Last[1].StartedAt = time.Unix(1.7e9, 0) }, "7", 0, false},
		"other settings":   {func(m *Merged) { m.OneState = false }, "7", 1, true},
		"another plan":     {func(m *Merged) { m.Others = []shard.Report{shardRun("other", 0, 1)} }, "7", 0, true},
		"only another":     {func(m *Merged) { m.Others, m.Last = m.Last[1:], nil }, "7", 2, true},
	} {
		m, p := twoShards(), &Plan{}
		m.Notes = []api.Note{{Text: "said"}}
		m.Last[0].Shard.Way, m.Last[0].Shard.Args = &api.Way{Decides: []string{"-x"}}, "-y"
		tc.change(m)
		m.begin(p)
		run := p.Run
		if run.Seed != tc.seed || run.StartedAt.Unix() != 1.7e9+tc.start || run.MixedState != tc.mixed || run.Commands == nil || run.TimeoutS != 60 || len(run.Warnings) != 1 || run.Origin != "reports" || run.SessionID != "import:merge-merge" {
			t.Errorf("%s: %+v", name, run)
		}
		if s := run.Selection; s.Filter != "A" || s.Shard != "" || s.Selected+s.Total != 0 {
			t.Errorf("%s: selected is %+v", name, s)
		}
		if tc.mixed != (run.Source == nil) || tc.mixed != (run.Environment == "") || tc.mixed != (p.way == nil) || tc.mixed != (m.argsKey == "") {
			t.Errorf("%s: source %+v in %q, way %+v, arguments %q", name, run.Source, run.Environment, p.way, m.argsKey)
		}
		if run.Source != nil && (run.Source.Worktree != "" || run.Source.Fingerprint != "abc123" || m.Last[0].Source.Worktree == "") {
			t.Errorf("%s: source %+v", name, run.Source)
		}
	}
}

func TestAMergeReplaysWhatItsShardsShowed(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "T"}
	for name, tc := range map[string]struct {
		change   func(*Merged)
		failures int
		known    string
	}{
		"elsewhere":            {func(*Merged) {}, 2, "slow"},
		"here":                 {func(m *Merged) { m.Here = true }, 2, ""},
		"where flaky may pass": {func(m *Merged) { m.Last[0].Shard.FlakyPasses, m.Last[1].Shard.FlakyPasses = true, true }, 1, "slow"},
		"where flaky may pass, and another failed": {func(m *Merged) {
			m.Last[0].Shard.FlakyPasses, m.Last[1].Shard.FlakyPasses, m.Last[1].Verdict = true, true, api.Failed
		}, 2, "slow"},
	} {
		m := twoShards()
		m.Results = []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: sdk.Failed}}}
		m.Ends = []shard.End{{Suite: "p", Outcome: sdk.SuiteFailed, Cached: true}}
		m.Failures = []api.Failure{{ID: "1", Failure: sdk.Failure{TestID: id, Kind: sdk.KindAssertion}, Quarantine: "slow", Signature: "s", Standing: &api.Standing{}}}
		m.SuiteFailures = []api.Failure{{ID: "2", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindExit}}}
		m.Last[0].ExitCode, m.Last[1].TimedOut, m.Last[1].Conditions = 1, true, map[string]string{"solc": "1"}
		tc.change(m)
		b := &Batch{Col: tally.NewCollector()}
		b.replay(m)
		heard := b.Col.Tally
		if heard.Counts.Failed != 1 || heard.Suites["p"] != sdk.SuiteFailed || !heard.CachedSuites["p"] || heard.Conditions["solc"] != "1" || len(heard.Failures) != tc.failures {
			t.Errorf("%s: %+v, suites %v, cached %v, conditions %v, failures %+v", name, heard.Counts, heard.Suites, heard.CachedSuites, heard.Conditions, heard.Failures)
		}
		if f := heard.Failures[0]; f.Quarantine != tc.known || f.Standing != nil {
			t.Errorf("%s: %+v", name, f)
		}
		if len(b.Done) != 2 || b.Done[0].exit.Code != 1 || b.Done[0].exit.TimedOut || !b.Done[1].exit.TimedOut {
			t.Errorf("%s: exits %+v", name, b.Done)
		}
	}
}
