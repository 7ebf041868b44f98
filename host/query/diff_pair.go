package query

import (
	"context"
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// maxPairRuns is how many runs are considered for a comparison.
const maxPairRuns = 20

// nearerFirst returns the sessions to look in: the given one first, then any ("").
func nearerFirst(led *ledger.Ledger, session string) []string {
	if led.Artifacts.LastOf() == "" {
		return []string{""}
	}
	return []string{session, ""}
}

// findLatestPair returns the last run, of this session or else of the workspace, and
// the earlier run that suits it best.
func findLatestPair(ctx context.Context, led *ledger.Ledger, language string) (runPair, error) {
	for _, session := range nearerFirst(led, led.Artifacts.SessionID()) {
		runs, err := led.ComparableRuns(ctx, history.RunFilter{SessionID: session, Language: language, Limit: maxPairRuns})
		if err != nil {
			return runPair{}, err
		}
		if len(runs) == 0 {
			continue
		}
		language = runs[0].Language // also for the runs of other sessions
		runs, err = led.ComparableRuns(ctx, history.RunFilter{SessionID: session, Language: language, Limit: maxPairRuns})
		if err != nil {
			return runPair{}, err
		}
		if len(runs) < 2 {
			continue
		}
		now, notes, err := findNewestThatRan(ctx, led, runs)
		if err != nil {
			return runPair{}, err
		}
		p, err := findPairBefore(ctx, led, now)
		if session == "" && led.Artifacts.LastOf() != "" {
			notes = append(notes, api.Notes(api.NoteCompared, "this session has no two runs to compare: these are from other sessions")...)
		}
		p.notes = append(notes, p.notes...)
		return p, err
	}
	if language != "" {
		language += " "
	}
	return runPair{}, &api.UsageError{
		Reason: "no two finished " + language + "runs are on record to compare",
		Fix:    "run the tests again, or name two runs", Advice: api.Advice{Operation: api.AdviseRuns},
	}
}

// findNewestThatRan returns the newest run that has results and an earlier run to compare it
// with, or else the newest.
func findNewestThatRan(ctx context.Context, led *ledger.Ledger, runs []history.Run) (history.Run, []api.Note, error) {
	for i, run := range runs[:len(runs)-1] {
		ran, err := listRanTests(ctx, led, run)
		if err != nil {
			return run, nil, err
		}
		if len(ran) > 0 || run.Verdict != api.NothingRan {
			var notes []api.Note
			if i > 0 {
				notes = api.Notes(api.NoteCompared, fmt.Sprintf("left out: %s, in which no test ran", api.Plural(i, "later run")))
			}
			return run, notes, nil
		}
	}
	return runs[0], nil, nil
}

// findPairBefore pairs a run with the earlier one that suits it best: the newest that
// ran at least half of its tests, of its session or else of the workspace; else the
// newest of those that ran most of them.
func findPairBefore(ctx context.Context, led *ledger.Ledger, now history.Run) (runPair, error) {
	wanted, err := listRanTests(ctx, led, now)
	if err != nil {
		return runPair{}, err
	}
	p := runPair{now: now}
	best, looked := -1, map[string]bool{}
	for _, session := range nearerFirst(led, now.SessionID) {
		runs, err := led.ComparableRuns(ctx, history.RunFilter{SessionID: session, Language: now.Language, Before: now.Order, Limit: maxPairRuns})
		if err != nil {
			return runPair{}, err
		}
		for i, run := range runs {
			if looked[run.ID] {
				continue
			}
			looked[run.ID] = true
			ran, err := listRanTests(ctx, led, run)
			if err != nil {
				return runPair{}, err
			}
			common := 0
			for t := range ran {
				if wanted[t] {
					common++
				}
			}
			if common > best {
				best, p.before, p.notes = common, run, nil
				if i > 0 && (session != "" || led.Artifacts.LastOf() == "") {
					p.notes = api.Notes(api.NoteCompared, fmt.Sprintf("left out: %s in between, with fewer of these tests", api.Plural(i, "run")))
				}
			}
			if 2*common >= len(wanted) && len(ran) > 0 {
				return p, nil
			}
		}
	}
	if best < 0 {
		return runPair{}, &api.UsageError{
			Reason: "run " + now.ID + " is the first " + now.Language + " run on record", Fix: "name another one to compare it with",
		}
	}
	return p, nil
}

// listRanTests returns the tests that ran in a run.
func listRanTests(ctx context.Context, led *ledger.Ledger, run history.Run) (map[sdk.TestID]bool, error) {
	ran := map[sdk.TestID]bool{}
	err := led.History.Results(ctx, run.ID, func(r history.Result) bool {
		if r.Test != "" && r.Outcome != history.NeverStarted {
			ran[r.TestID] = true
		}
		return ctx.Err() == nil
	})
	return ran, err
}
