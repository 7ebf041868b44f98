package portable

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

func TestObjectsThatReadersMayUnderstandDifferentlyAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}`:                       "",
		`[[],{},1,"a",null]`:                                              "",
		`{"attributes":{"K":1,"k":2},"a":1}`:                              "",
		`{"a":1,"A":2}`:                                                   `member "A" twice`,
		`{"a":{"b":1},"a":2}`:                                             `member "a" twice`,
		`{"a":[1,{}],"b":1,"a":2}`:                                        `member "a" twice`,
		`{"attributes":{"k":1,"k":2}}`:                                    `member "k" twice`,
		`{"attributes":{"k":{"s":1,"S":2}}}`:                              `member "S" twice`,
		`{"attributes":{"k":1},"a":1,"A":2}`:                              `member "A" twice`,
		`{"failures":[{"attributes":{}},{"status":"p","Status":"f"}]}`:    `member "Status" twice`,
		`{"failures":[{"attributes":{"k":1}},{"a":[],"b":1,"B":[2]}]}`:    `member "B" twice`,
		strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting): "",
		strings.Repeat("[", maxNesting+1):                                 "levels deep",
		"[" + strings.Repeat("1", maxDigits+1) + "]":                      "number of",
		`["` + strings.Repeat(`\"`, maxText/2) + `"]`:                     "",
		`["", "` + strings.Repeat(`\"`, maxText/2) + `a`:                  "a text of",
		"[" + strings.Repeat("{},", maxObjects) + "{}]":                   "more than 4000000 objects",
		`{} {}`:      "more than one value",
		`{"a":1`:     "EOF",
		"[\"\xff\"]": "UTF-8",
	} {
		err := checkJSON([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.80s: %v, and not %q", text, err, want)
		}
	}
}

// A merge believes what its reports say, so none may say more than what is in it.
func TestAReportThatContradictsItselfIsRefused(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a, b := sdk.TestID{Suite: "m", Test: "A"}, sdk.TestID{Suite: "m", Test: "B"}
	// red lets a test fail, and its suite with it; known and flaky say why that does not decide.
	red := func(r *api.Run) {
		r.Results[0].Status, r.Shard.Planned[0].Ended, r.ExitCode = sdk.Failed, api.SuiteEndFailed, 1
		r.Failures = []api.Failure{{Failure: sdk.Failure{TestID: a, Kind: sdk.KindAssertion}}}
	}
	known := func(r *api.Run) { red(r); r.Failures[0].Quarantine = "slow" }
	flaky := func(r *api.Run) {
		red(r)
		r.Retried, r.Shard.FlakyPasses = []api.Retried{{TestID: a, Flaky: true}}, true
	}
	result := func(change func(*api.Result)) func(*api.Run) {
		return func(r *api.Run) { change(&r.Results[0]) }
	}
	for name, tc := range map[string]struct {
		// change happens before the results and failures are counted, and claim afterwards.
		change, claim func(*api.Run)
		says          string
	}{
		"nothing": {},

		"a pass with a failed result":       {change: result(func(r *api.Result) { r.Status = sdk.Failed }), says: "it says that it passed, and m/A failed"},
		"with one that failed by its parts": {change: result(func(r *api.Result) { r.Status, r.Derived = sdk.Failed, true })},
		"with one that has no end":          {change: result(func(r *api.Result) { r.Status, r.Derived = sdk.Unfinished, true }), says: "m/A unfinished"},
		"with a failed fixture":             {change: result(func(r *api.Result) { r.Status, r.Fixture = sdk.Failed, true }), says: "m/A failed"},
		"with a skipped fixture":            {change: result(func(r *api.Result) { r.Status, r.Fixture = sdk.Skipped, true })},
		"with a failure":                    {change: func(r *api.Run) { red(r); r.Results[0].Status = sdk.Passed }, says: "has a failure of m/A"},
		"with a known failure":              {change: known},
		"with two known failures": {change: func(r *api.Run) {
			known(r)
			r.Results[1].Status, r.Failures = sdk.Failed, append(r.Failures, r.Failures[0])
			r.Failures[1].TestID = b
		}},
		"with another one of its test": {change: func(r *api.Run) {
			known(r)
			r.Failures = append(r.Failures, api.Failure{Failure: r.Failures[0].Failure})
		}, says: "has a failure of m/A"},
		"with one of another test":        {change: func(r *api.Run) { known(r); r.Results[1].Status = sdk.Failed }, says: "m/B failed"},
		"with a flaky test that may pass": {change: flaky},
		"with two flaky tests": {change: func(r *api.Run) {
			flaky(r)
			r.Results[1].Status, r.Retried = sdk.Failed, append(r.Retried, api.Retried{TestID: b, Flaky: true})
		}},
		"with one that may not":              {change: func(r *api.Run) { flaky(r); r.Shard.FlakyPasses = false }, says: "has a failure of m/A"},
		"with one that did not pass again":   {change: func(r *api.Run) { flaky(r); r.Retried[0].Flaky = false }, says: "has a failure of m/A"},
		"with another one that is not flaky": {change: func(r *api.Run) { flaky(r); r.Results[1].Status = sdk.Failed }, says: "m/B failed"},
		"of no shard, with a flaky test":     {change: func(r *api.Run) { flaky(r); r.Shard = nil }},
		"of no test, with a failed result":   {change: result(func(r *api.Result) { r.Status = sdk.Failed }), claim: func(r *api.Run) { r.Verdict = api.NothingRan }, says: "it says that it nothing ran, and m/A failed"},
		"with one that never started":        {claim: func(r *api.Run) { r.Counts.NeverStarted = 1 }, says: "did not reach its end"},
		"with a name of such":                {claim: func(r *api.Run) { r.NeverStarted = []sdk.TestID{b} }, says: "did not reach its end"},
		"with a name of one without an end":  {claim: func(r *api.Run) { r.Unfinished = []sdk.TestID{b} }, says: "did not reach its end"},
		"with an unbuilt suite":              {claim: func(r *api.Run) { r.Counts.BuildFailed = 1 }, says: "did not reach its end"},
		"out of time":                        {claim: func(r *api.Run) { r.TimedOut = true }, says: "did not reach its end"},
		"interrupted":                        {claim: func(r *api.Run) { r.Cancelled = true }, says: "did not reach its end"},
		"ended by a signal":                  {claim: func(r *api.Run) { r.Signal = "SIGKILL" }, says: "did not reach its end"},
		"with the exit of a failure":         {claim: func(r *api.Run) { r.ExitCode = 1 }, says: "its runner exited with 1"},
		"with an unknown exit":               {claim: func(r *api.Run) { r.ExitCode = -1 }},
		"of no shard, with an exit":          {claim: func(r *api.Run) { r.Shard, r.ExitCode = nil, 1 }},
		"of no test, with an exit":           {claim: func(r *api.Run) { r.Verdict, r.ExitCode = api.NothingRan, 1 }},
		"with a suite without tests":         {claim: func(r *api.Run) { r.Shard.Planned[0].Ended = api.SuiteEndNoTests }},
		"with a suite without an end":        {claim: func(r *api.Run) { r.Shard.Planned[0].Ended = "" }},
		"with a suite that failed":           {claim: func(r *api.Run) { r.Shard.Planned[0].Ended = api.SuiteEndFailed }, says: "m failed"},
		"with another suite that failed": {claim: func(r *api.Run) {
			r.Shard.Planned = append(r.Shard.Planned, api.PlannedSuite{Suite: "n", Ended: api.SuiteEndFailed})
		}, says: "n failed"},
		"with a suite that ended early":       {claim: func(r *api.Run) { r.Shard.Planned[0].Ended = api.SuiteEndAborted }, says: "did not pass"},
		"with one that failed outside, known": {change: func(r *api.Run) { known(r); r.Shard.Planned[0].Ended = api.SuiteEndOutside }, says: "did not pass"},
		"a failure with a red suite":          {change: red, claim: func(r *api.Run) { r.Verdict = api.Failed }},

		"another count of passes":             {claim: func(r *api.Run) { r.Counts.Passed++ }, says: "it says that 2 of its results passed, and 1 do"},
		"of failures":                         {change: red, claim: func(r *api.Run) { r.Verdict = api.Failed; r.Counts.Failed++ }, says: "2 of its results failed, and 1 do"},
		"of failures inside":                  {claim: func(r *api.Run) { r.Verdict = api.Failed; r.Counts.Failed++ }},
		"of fewer failures":                   {change: red, claim: func(r *api.Run) { r.Verdict = api.Failed; r.Counts.Failed-- }, says: "0 of its results failed, and 1 do"},
		"of skips":                            {claim: func(r *api.Run) { r.Counts.Skipped++ }, says: "results skipped"},
		"of results without an end":           {claim: func(r *api.Run) { r.Counts.Unfinished++ }, says: "results did not finish"},
		"of tests":                            {claim: func(r *api.Run) { r.Counts.Tests++ }, says: "are tests"},
		"of tests that passed":                {claim: func(r *api.Run) { r.Counts.TestsPassed++ }, says: "are tests that passed"},
		"of tests that were skipped":          {claim: func(r *api.Run) { r.Counts.TestsSkipped++ }, says: "are tests that were skipped"},
		"of results of subtests":              {claim: func(r *api.Run) { r.Counts.Subtests++ }, says: "are of subtests"},
		"of results from a cache":             {claim: func(r *api.Run) { r.Counts.Cached++ }, says: "are from a cache"},
		"of failures with their texts":        {claim: func(r *api.Run) { r.FailuresTotal = 2 }, says: "it counts 2 failures, and has 0"},
		"counts without results":              {claim: func(r *api.Run) { r.Results = nil }, says: "it has no results"},
		"no results and no counts":            {change: func(r *api.Run) { r.Results = nil }},
		"results without counts":              {claim: func(r *api.Run) { r.Counts = api.Counts{} }, says: "it says that 0 of its results passed, and 1 do"},
		"a result on a line before the first": {change: func(r *api.Run) { r.Results[1].Line = -1 }, says: "a line number is negative"},
		"a failure on one":                    {change: func(r *api.Run) { known(r); r.Failures = append(r.Failures, r.Failures[0]); r.Failures[1].Line = -1 }, says: "a line number is negative"},

		"no run":              {claim: func(r *api.Run) { r.RunID, r.Reason = "", "no tool" }, says: "there was no run: no tool"},
		"no id and no reason": {claim: func(r *api.Run) { r.RunID = "" }, says: "is not the id of a run"},
		"a short id":          {claim: func(r *api.Run) { r.RunID = "abc" }, says: "is not the id of a run"},
		"a long id":           {claim: func(r *api.Run) { r.RunID += "k" }, says: "is not the id of a run"},
		"a path as an id":     {claim: func(r *api.Run) { r.RunID = "../abcdefg" }, says: "is not the id of a run"},

		"no shard":                 {claim: func(r *api.Run) { r.Shard = nil }},
		"a rerun as a shard":       {claim: func(r *api.Run) { r.Kind = api.KindRerun }, says: "it is a rerun, which is no shard of a run"},
		"a triage as a shard":      {claim: func(r *api.Run) { r.Kind = api.KindTriage }, says: "it is a triage, which is no shard of a run"},
		"as many shards as can be": {claim: func(r *api.Run) { r.Shard.Of, r.Shard.Elsewhere = api.MaxShards, make([]api.ShardPart, api.MaxShards) }},
		"too many shards":          {claim: func(r *api.Run) { r.Shard.Of = api.MaxShards + 1 }, says: "more than 4000 shards"},
		"too many others":          {claim: func(r *api.Run) { r.Shard.Elsewhere = make([]api.ShardPart, api.MaxShards+1) }, says: "more than 4000 shards"},
		"a long name of a suite":   {claim: func(r *api.Run) { r.Shard.Planned[0].Suite = strings.Repeat("m", ledger.MaxForeignName) }},
		"a longer one":             {claim: func(r *api.Run) { r.Shard.Planned[0].Suite = strings.Repeat("m", ledger.MaxForeignName+1) }, says: "the name of a suite is too long"},
		"a longer one elsewhere": {claim: func(r *api.Run) {
			r.Shard.Elsewhere = []api.ShardPart{{}, {Planned: []api.PlannedSuite{{}, {Suite: strings.Repeat("m", ledger.MaxForeignName+1)}}}}
		}, says: "the name of a suite is too long"},
		"as many tests as can be":    {claim: func(r *api.Run) { r.Shard.Planned[0].Tests = make([]string, maxPlanned-1) }},
		"more":                       {claim: func(r *api.Run) { r.Shard.Planned[0].Tests = make([]string, maxPlanned) }, says: "its plan is too large"},
		"a long digest":              {claim: func(r *api.Run) { r.Shard.Plan = strings.Repeat("a", ledger.MaxForeignWord+1) }, says: "its plan is too large"},
		"a long digest of timings":   {claim: func(r *api.Run) { r.Shard.Timings = strings.Repeat("a", ledger.MaxForeignWord+1) }, says: "its plan is too large"},
		"long arguments":             {claim: func(r *api.Run) { r.Shard.Args = strings.Repeat("a", ledger.MaxForeignName+1) }, says: "its plan is too large"},
		"a long word on flaky tests": {claim: func(r *api.Run) { r.Shard.FlakyBy = strings.Repeat("a", ledger.MaxForeignName+1) }, says: "its plan is too large"},
		"a long one on a quarantine": {claim: func(r *api.Run) { r.Shard.QuarantineBy = strings.Repeat("a", ledger.MaxForeignName+1) }, says: "its plan is too large"},
		"a long language":            {claim: func(r *api.Run) { r.Language = strings.Repeat("x", ledger.MaxForeignWord+1) }, says: "too long language"},
	} {
		run := api.Run{
			Schema: api.Schema, RunID: "abcdefghij", Kind: api.KindRun, State: api.StateFinished, Verdict: api.Passed, Language: "x", StartedAt: at,
			Results: []api.Result{{TestResult: sdk.TestResult{TestID: a, Status: sdk.Passed}}, {TestResult: sdk.TestResult{TestID: b, Status: sdk.Skipped}}},
			Shard:   &api.Shard{Index: 1, Of: 1, Planned: []api.PlannedSuite{{Suite: "m", Ended: api.SuiteEndPassed}}},
		}
		if tc.change != nil {
			tc.change(&run)
		}
		counted := tally.NewTally()
		for _, r := range run.Results {
			counted.Listen(&api.TestEnded{Result: r})
		}
		run.Counts, run.FailuresTotal = counted.Counted(), len(run.Failures)
		if tc.claim != nil {
			tc.claim(&run)
		}
		err := checkRun(run, at)
		if (tc.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
		if isNone := name == "no run"; err != nil && errors.Is(err, errNoRun) != isNone {
			t.Errorf("%s: there was no run: %t", name, !isNone)
		}
	}
}
