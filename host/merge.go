package host

import (
	"context"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// merged is what a rerun and its fallback showed together: about a test that the
// fallback ran, only what happened there counts. What it did not get to stands.
func (f *finisher) merged(ctx context.Context) (*tally, sdk.Exit) {
	first, second := f.run.col, f.widened.col
	again := map[record.Test]bool{}
	for _, r := range second.results {
		again[record.Test{Suite: r.Suite, Test: r.Test}] = true
	}
	overruled := func(suite, test string) bool { return again[record.Test{Suite: suite, Test: test}] }
	t := newTally()
	for _, r := range first.results {
		if !overruled(r.Suite, r.Test) {
			t.result(r)
		}
	}
	for _, r := range second.results {
		t.result(r)
	}
	for _, fl := range first.tally.failures {
		if !overruled(fl.Suite, fl.Test) {
			t.failure(fl)
		}
	}
	t.failuresTotal += first.tally.unlisted()
	left := t.failuresTotal // of the first part
	for _, fl := range second.tally.failures {
		t.failure(fl)
	}
	t.failuresTotal += second.tally.unlisted()
	for s, o := range first.tally.suites {
		if _, ran := second.tally.suites[s]; !ran || o != sdk.SuiteFailed {
			t.suite(sdk.SuiteResult{Suite: s, Outcome: o})
		}
	}
	for s, o := range second.tally.suites {
		t.suite(sdk.SuiteResult{Suite: s, Outcome: o})
	}
	t.addTexts(first.tally)
	t.addTexts(second.tally)
	f.run.fold.Overrule(func(id record.Test) bool { return again[id] })
	f.forget(ctx, overruled)
	if exit := f.run.exit(); !f.overrulesExit(exit, left) {
		return t, exit
	}
	return t, f.widened.exit()
}

// overrulesExit tells whether all that the first part's exit stands for was
// decided again: it ended by itself, with failures, and of these none is left.
func (f *finisher) overrulesExit(exit sdk.Exit, left int) bool {
	t := f.run.col.tally
	clean := exit.Signal == "" && !exit.TimedOut && !exit.Cancelled && len(t.aborted()) == 0
	second := f.widened.exit()
	red := second.Code != 0 || second.Signal != "" || second.TimedOut || second.Cancelled
	return clean && (exit.Code == 0 || red || left == 0 && t.failuresTotal > 0)
}

// forget takes the overruled results and failures out of the record.
func (f *finisher) forget(ctx context.Context, overruled func(suite, test string) bool) {
	f.retell(ctx, overruled)
	if f.rec == nil {
		return
	}
	// The first part's results stand before the second's.
	results, failures := len(f.run.col.results), f.run.col.tally.failuresTotal
	err := f.rec.Rewrite(func(r record.Result) bool {
		results--
		return results < 0 || !overruled(r.Suite, r.Test)
	}, func(fl record.Failure) bool {
		failures--
		return failures < 0 || !overruled(fl.Suite, fl.Test)
	})
	if err != nil {
		f.run.col.Note("the record holds results that a later command overruled: " + err.Error())
	}
}

// retell tells the history anew what counts.
func (f *finisher) retell(ctx context.Context, overruled func(suite, test string) bool) {
	if f.chronicle == nil {
		return
	}
	if err := f.chronicle.restart(ctx); err != nil {
		f.run.col.Note("the history holds results that a later command overruled: " + err.Error())
		return
	}
	for _, part := range []*collector{f.run.col, f.widened.col} {
		for _, r := range part.results {
			if part == f.widened.col || !overruled(r.Suite, r.Test) {
				f.chronicle.Result(r)
			}
		}
		for _, fl := range part.tally.failures {
			if part == f.widened.col || !overruled(fl.Suite, fl.Test) {
				f.chronicle.Failure(fl)
			}
		}
	}
}
