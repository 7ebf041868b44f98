package engine

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// merged is what a rerun and its fallback showed together: about a test that the
// fallback ran, only what happened there counts. What it did not get to stands.
func (f *Finisher) merged(ctx context.Context) (*tally.Tally, sdk.Exit) {
	first, second := f.Run, f.widened
	again := map[api.Test]bool{}
	for _, r := range second.Results {
		again[api.Test{Suite: r.Suite, Test: r.Test}] = true
	}
	overruled := func(suite, test string) bool { return again[api.Test{Suite: suite, Test: test}] }
	t := tally.NewTally()
	for _, r := range first.Results {
		if !overruled(r.Suite, r.Test) {
			t.Listen(&api.TestEnded{Result: r})
		}
	}
	for _, r := range second.Results {
		t.Listen(&api.TestEnded{Result: r})
	}
	for _, fl := range first.Col.Tally.Failures {
		if !overruled(fl.Suite, fl.Test) {
			t.Listen(&api.FailureFound{Failure: fl})
		}
	}
	t.FailuresTotal += first.Col.Tally.Unlisted()
	left := t.FailuresTotal // of the first part
	for _, fl := range second.Col.Tally.Failures {
		t.Listen(&api.FailureFound{Failure: fl})
	}
	t.FailuresTotal += second.Col.Tally.Unlisted()
	for s, o := range first.Col.Tally.Suites {
		if _, ran := second.Col.Tally.Suites[s]; !ran || o != sdk.SuiteFailed {
			t.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: s, Outcome: o}})
		}
	}
	for s, o := range second.Col.Tally.Suites {
		t.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: s, Outcome: o}})
	}
	t.AddTexts(first.Col.Tally)
	t.AddTexts(second.Col.Tally)
	f.Run.fold.Overrule(func(id api.Test) bool { return again[id] })
	f.forget(ctx, overruled)
	if exit := f.Run.Exit(); !f.overrulesExit(exit, left) {
		return t, exit
	}
	return t, f.widened.Exit()
}

// overrulesExit reports whether all that the first part's exit stands for was
// decided again: it ended by itself, with failures, and of these none is left.
func (f *Finisher) overrulesExit(exit sdk.Exit, left int) bool {
	t := f.Run.Col.Tally
	clean := exit.Signal == "" && !exit.TimedOut && !exit.Cancelled && len(t.Aborted()) == 0
	second := f.widened.Exit()
	red := second.Code != 0 || second.Signal != "" || second.TimedOut || second.Cancelled
	return clean && (exit.Code == 0 || red || left == 0 && t.FailuresTotal > 0)
}

// forget takes the overruled results and failures out of the record.
func (f *Finisher) forget(ctx context.Context, overruled func(suite, test string) bool) {
	f.retell(ctx, overruled)
	if f.Rec == nil {
		return
	}
	// The first part's results stand before the second's.
	results, failures := len(f.Run.Results), f.Run.Col.Tally.FailuresTotal
	err := f.Rec.Rewrite(func(r api.Result) bool {
		results--
		return results < 0 || !overruled(r.Suite, r.Test)
	}, func(fl api.Failure) bool {
		failures--
		return failures < 0 || !overruled(fl.Suite, fl.Test)
	})
	if err != nil {
		f.Run.Col.Note("the record holds results that a later command overruled: " + err.Error())
	}
}

// retell tells the history anew what counts.
func (f *Finisher) retell(ctx context.Context, overruled func(suite, test string) bool) {
	if f.Chronicle == nil {
		return
	}
	if err := f.Chronicle.Restart(ctx); err != nil {
		f.Run.Col.Note("the history holds results that a later command overruled: " + err.Error())
		return
	}
	for _, part := range []*Execution{f.Run, f.widened} {
		for _, r := range part.Results {
			if part == f.widened || !overruled(r.Suite, r.Test) {
				f.Chronicle.Listen(&api.TestEnded{Result: r})
			}
		}
		for _, fl := range part.Col.Tally.Failures {
			if part == f.widened || !overruled(fl.Suite, fl.Test) {
				f.Chronicle.Listen(&api.FailureFound{Failure: fl})
			}
		}
	}
}
