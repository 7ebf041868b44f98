package host

import (
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// merged is what a rerun and its fallback showed together: of the tests that
// ran whole in the fallback only what happened there counts.
func (f *finisher) merged() (*tally, sdk.Exit) {
	first, second := f.run.col, f.widened.col
	rerun := map[record.Test]bool{} // the listed tests that ran again
	suites := map[string]bool{}
	for _, r := range second.results {
		rerun[listedTest(r)] = true
		suites[r.Suite] = true
	}
	roots := map[record.Test]bool{} // every test below them, in the first part
	t := newTally()
	for _, r := range first.results {
		if rerun[listedTest(r)] {
			roots[record.Test{Suite: r.Suite, Test: r.Test}] = true
			continue
		}
		t.result(r)
	}
	for _, r := range second.results {
		t.result(r)
	}
	overruled := func(suite, test string) bool { return roots[record.Test{Suite: suite, Test: test}] }
	left := 0
	for _, fl := range first.tally.failures {
		if !overruled(fl.Suite, fl.Test) {
			t.failure(fl)
			left++
		}
	}
	for _, fl := range second.tally.failures {
		t.failure(fl)
	}
	for s, o := range first.tally.suites {
		if !suites[s] {
			t.suite(sdk.SuiteResult{Suite: s, Outcome: o})
		}
	}
	for s, o := range second.tally.suites {
		t.suite(sdk.SuiteResult{Suite: s, Outcome: o})
	}
	t.addTexts(first.tally)
	t.addTexts(second.tally)
	f.run.fold.Overrule(func(id record.Test) bool { return overruled(id.Suite, id.Test) })
	f.forget(overruled)
	exit := f.widened.exit()
	if exit.Code == 0 && exit.Signal == "" && (left > 0 || first.tally.failuresTotal == 0) {
		exit = f.run.exit() // nothing overruled why the first part ended as it did
	}
	return t, exit
}

// forget takes the overruled results and failures out of the record.
func (f *finisher) forget(overruled func(suite, test string) bool) {
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

func listedTest(r record.Result) record.Test {
	if r.Root != "" {
		return record.Test{Suite: r.Suite, Test: r.Root}
	}
	return record.Test{Suite: r.Suite, Test: r.Test}
}
